// What an answer says of itself, each with an answer made for it: notes, places, trees, pictures.

import { come, drawn, hold, PICTURES } from "./seat.mjs";

function items(count, more = {}) {
  return Array.from({ length: count }, (_, n) => ({
    Id: `p${n}`,
    Sku: `s${n}`,
    Title: `Thing ${n}`,
    Link: "https://shop.example/x",
    Image: "",
    InStock: true,
    ...more,
  }));
}

/** An answer of a search with three products, and with what is given instead. */
export function answer(more = {}) {
  const query = { Asked: "red sheo", Searched: "red sheo", Corrected: [], Dropped: [] };
  const { Query, ...others } = more;
  const Total = others.Total ?? 57;
  const whole = { RefId: "r", Total, TotalRelaxed: Total, Page: 1, Items: items(3), Facets: {}, TookMicros: 1, ...others };
  return { ...whole, Query: { ...query, ...Query } };
}

/** A page whose next searches get this answer. */
async function given(seat, made, hash = "#q=red+sheo") {
  const page = await seat();
  await page.route("**/api/search", (route) => route.fulfill({ json: answer(made) }));
  await page.start(hash);
  return page;
}

const notes = async (page) => (await page.locator("#notes").textContent()).replace(/\s+/g, " ");

async function notesAreSaid(seat) {
  const corrected = { Searched: "red shoe", Corrected: [{ From: "sheo", To: "shoe" }] };
  const page = await given(seat, {
    Query: { ...corrected, DidYouMean: "red shop", Dropped: ["blue", "wide"] },
    Banners: ["Free delivery & more"],
    Rules: ["r-1", "r-2"],
  });
  const said = await notes(page);
  hold(
    (await page.locator("#found").textContent()) === "57 products for red shoe",
    "the heading is another one",
  );
  for (const part of [
    "Searched for red shoe instead of red sheo",
    "Did you mean red shop",
    "Not every product has: blue, wide",
    "Free delivery & more",
    "Rules that acted: r-1, r-2",
  ]) {
    hold(said.includes(part), `the page does not say: ${part}`);
  }
  await page.getByRole("button", { name: "red shop" }).click();
  await drawn(page);
  hold((await page.locator("#box").inputValue()) === "red shop", "the other word is not searched");
}

async function closestAreSaid(seat) {
  const query = { Asked: "blue chair", Searched: "blue chair", Dropped: ["blue"], RelaxedFrom: 1, RelaxedWithout: ["blue"] };
  const page = await given(seat, { Total: 0, TotalRelaxed: 71, Query: query }, "#q=blue+chair");
  const heading = await page.locator("#found").textContent();
  hold(heading === "Nothing has all words; 71 have most", `the closest are said as ${heading}`);
  const said = await notes(page);
  hold(said.includes("Not every product has: blue"), `the words are said as ${said}`);
  hold(!(await page.locator("#items .fewer").count()), "a line says it a second time");
  hold(await page.locator("#pages").isVisible(), "no pages lead to all 71");
}

async function redirectsAreLinked(seat) {
  const addresses = {
    "/sale": true,
    "https://shop.example/sale": true,
    "//elsewhere.example": false,
    "/\\elsewhere.example": false,
    "javascript:alert(1)": false,
    sale: false,
  };
  for (const [address, isLink] of Object.entries(addresses)) {
    const page = await given(seat, { Redirect: address });
    hold((await notes(page)).includes(`A rule redirects to ${address}`), `the redirect ${address} is not said`);
    hold(
      (await page.locator("#notes a").count()) === (isLink ? 1 : 0),
      `the redirect ${address} ${isLink ? "has no" : "has a"} link`,
    );
  }
}

async function partialHitsAreCountedApart(seat) {
  const heading = async (without) => {
    const query = { Asked: "red shoe", Searched: "red shoe", Dropped: without, RelaxedFrom: 4, RelaxedWithout: without };
    const page = await given(seat, { Total: 3, TotalRelaxed: 74, Items: items(24), Query: query });
    hold(!(await notes(page)).includes("Not every product has"), "a note says it a second time");
    return page.locator("#found").textContent();
  };
  const one = await heading(["grey"]);
  hold(one === "3 products for red shoe · 71 more without ‘grey’", `one word is said as ${one}`);
  const two = await heading(["grey", "oak"]);
  hold(two === "3 products for red shoe · 71 more that lack ‘grey’ or ‘oak’", `two words are said as ${two}`);
}

async function relaxedHaveALine(seat) {
  const place = (page) =>
    page.locator("#items > li").evaluateAll((all) => all.findIndex((one) => one.className === "fewer"));
  const early = await given(seat, { Items: items(24), Query: { RelaxedFrom: 7 } });
  hold((await place(early)) === 6, `the line stands at ${await place(early)}`);
  const later = await given(seat, { Items: items(24), Query: { RelaxedFrom: 7 } }, "#q=red&page=2");
  hold((await place(later)) === 0, "on page 2 the line is not at the top");
  const behind = await given(seat, { Items: items(24), Query: { RelaxedFrom: 30 } });
  hold((await place(behind)) === -1, "the line stands on a page it does not belong to");
}

async function cardsAreWhole(seat) {
  const page = await given(seat, {
    Items: [
      {
        ...items(1)[0],
        Price: 39.9,
        ListPrice: 49.9,
        Currency: "EUR",
        Brand: "Acme",
        InStock: false,
        Variant: { Id: "v", Sku: "v", Title: "small" },
        Highlight: { Title: "<em>Red</em> shoe &amp; more" },
      },
      { Id: "bare", Sku: "", Title: "Bare", Link: "", Image: "", InStock: true },
    ],
  });
  const said = await page.locator("#items article").first().innerText();
  for (const part of ["Acme", "Red shoe & more", "small", "€39.90", "€49.90", "−20%", "Not in stock"]) {
    hold(said.includes(part), `the card does not say ${part}`);
  }
  hold(
    (await page
      .locator("#items mark")
      .allTextContents()
      .then((all) => all.join())) === "Red",
    "the found word is not marked",
  );
  hold((await page.locator("#items s").count()) === 1, "the list price is not struck through");
  hold(
    !(await page.locator("#items article").nth(1).locator("a").count()),
    "a product without an address has a link",
  );
}

async function treesAndMore(seat) {
  const row = (Value, Path) => ({ Value, Name: Path.at(-1), Count: 2, Path });
  const brands = Array.from({ length: 20 }, (_, n) => ({
    Value: `b${n}`,
    Name: `Brand ${n}`,
    Count: 20 - n,
  }));
  const page = await given(seat, {
    Facets: {
      Brand: brands,
      Category: [
        row("s", ["Clothing", "Shoes"]),
        row("o", ["Outdoor"]),
        row("c", ["Clothing"]),
        row("l", ["Garden", "Light"]),
      ],
      "Attributes.Width": {
        Min: 1,
        Max: 9,
        Unit: "cm",
        Ranges: [
          { From: 1, To: 5, Count: 3 },
          { From: 5, Count: 2 },
        ],
      },
    },
  });
  await page.locator("#filters").evaluate((one) => {
    one.open = true;
  });
  const rows = await page
    .locator("#facets fieldset")
    .first()
    .locator("li")
    .evaluateAll((all) => all.map((one) => `${one.className} ${one.querySelector("input").dataset.key}`));
  hold(
    rows.join() === "depth0 Category=o,depth0 Category=c,depth1 Category=s,depth0 Category=l",
    `the tree is ${rows.join()}`,
  );
  const shown = page.locator("#facets fieldset").nth(1).locator("li");
  hold((await shown.count()) === 8, `${await shown.count()} values are shown`);
  await page.getByRole("button", { name: /^Show all 20/ }).click();
  hold((await shown.count()) === 20, "not all values are shown");
  hold((await page.locator("#facets").textContent()).includes("from 5 cm"), "an open range is not said");
  await page.getByRole("button", { name: /^1 cm to 5 cm/ }).click();
  await drawn(page);
  const asked = page.waitForRequest((request) => request.url().endsWith("/api/search"));
  await page.reload();
  const { Filters } = (await asked).postDataJSON();
  hold(
    JSON.stringify(Filters) === '{"Attributes":{"Width":{"From":1,"To":5}}}',
    `the filter is ${JSON.stringify(Filters)}`,
  );
}

async function groupsFold(seat) {
  const values = [{ Value: "a", Name: "A", Count: 1 }];
  const named = ["One", "Two", "Three", "Four", "Five", "Six"].map((name) => [`Attributes.${name}`, values]);
  const page = await given(seat, { Facets: Object.fromEntries(named) });
  const open = () =>
    page.locator("#facets details[open] summary").evaluateAll((all) => all.map((one) => one.textContent).join());
  hold((await open()) === "One,Two,Three,Four", `these groups are open: ${await open()}`);
  await page.locator("#facets summary").nth(4).click();
  await page.locator("#facets summary").first().click();
  await page.locator("#facets input:visible").first().check();
  await drawn(page);
  hold((await open()) === "Two,Three,Four,Five", `after a choice these groups are open: ${await open()}`);
  await page.locator("#facets input:visible").first().focus();
  await page.keyboard.press("/");
  hold(await page.evaluate(() => document.activeElement.id === "box"), "the key / does not leave a checkbox");
}

async function completionsAreSmallCards(seat) {
  const page = await given(seat, {});
  const product = (n) => ({ Text: `Chair ${n}`, Id: `c${n}`, Price: 39.9, ListPrice: 49.9, Currency: "EUR" });
  const words = { Queries: [{ Text: "chair", Count: 7 }], Categories: [{ Text: "Chairs", Id: "c" }], Brands: [] };
  const all = { ...words, Products: [1, 2, 3, 4].map(product) };
  await page.route("**/api/autocomplete", (route) => route.fulfill({ json: all }));
  await page.locator("#box").fill("cha");
  await come(page, () => document.querySelectorAll("#options .product").length === 4, "no products are offered");
  const list = await page.locator("#options").boundingBox();
  hold(list.width <= 860, `the completions are ${list.width} wide`);
  const first = page.locator("#options .product").first();
  hold((await first.innerText()).replace(/\s+/g, " ") === "C Chair 1 €39.90 instead of €49.90", await first.innerText());
  const word = await page.locator("[role=option]").first().boundingBox();
  const beside = await first.boundingBox();
  hold(beside.x > word.x + word.width, "products do not stand beside the words");
}

async function picturesMayFail(seat, origins) {
  const listed = origins[0];
  const made = [
    ["elsewhere", "https://not-listed.example/a.png"],
    ["data", "data:image/png;base64,AAAA"],
  ];
  if (listed) made.push(["good", `${listed}${PICTURES}good.svg`], ["broken", `${listed}${PICTURES}broken.svg`]);
  const page = await seat();
  page.seen.expected.push(/Failed to load resource/);
  if (listed) await page.route(`${listed}${PICTURES}broken.svg`, (route) => route.abort());
  await page.route("**/api/search", (route) =>
    route.fulfill({
      json: answer({
        Items: made.map(([Id, Image]) => ({ ...items(1)[0], Id, Image, Title: Id, Colour: ["Dark red"] })),
      }),
    }),
  );
  await page.start("#q=x");
  const count = listed ? 1 : 0;
  await come(
    page,
    (wanted) => document.querySelectorAll("#items img").length === wanted,
    "a failed picture stays",
    count,
  );
  hold((await page.locator("#items .blank").count()) === made.length - count, "a picture has no placeholder");
  hold(await page.locator("#items .blank.of-red").count(), "the placeholder has not the colour of its product");
  const said = await page.locator("#unshown").textContent();
  hold(said.includes("from not-listed.example are not shown"), `pictures that are not shown are said as ${said}`);
  const wanted = [...origins, "https://not-listed.example"].map((one) => ` --pictures ${one}`).join("");
  hold(said.endsWith(`lethe account search NAME${wanted}`), `what allows them is ${said}`);
}

export function checkSayings({ origins }) {
  return {
    "notes over the results are said": notesAreSaid,
    "where no product has all words, the heading says so": closestAreSaid,
    "only safe redirects are links": redirectsAreLinked,
    "products that lack a word are counted apart": partialHitsAreCountedApart,
    "a line stands where fewer words are held": relaxedHaveALine,
    "cards say all they can": cardsAreWhole,
    "categories stand in their tree, long lists open": treesAndMore,
    "four groups of filters are open at first": groupsFold,
    "completions are words, and products with picture and price": completionsAreSmallCards,
    "pictures from elsewhere and broken ones become letters": (seat) => picturesMayFail(seat, origins),
  };
}
