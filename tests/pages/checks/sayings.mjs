// What an answer says of itself, each with an answer made for it: notes, places, trees, pictures.

import { come, drawn, hold } from "./seat.mjs";

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

function answer(more = {}) {
  const query = { Asked: "red sheo", Searched: "red sheo", Corrected: [], Dropped: [] };
  const { Query, ...others } = more;
  const whole = { RefId: "r", Total: 57, Page: 1, Items: items(3), Facets: {}, TookMicros: 1, ...others };
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
    hold((await notes(page)).includes(`A rule leads to ${address}`), `the redirect ${address} is not said`);
    hold(
      (await page.locator("#notes a").count()) === (isLink ? 1 : 0),
      `the redirect ${address} ${isLink ? "has no" : "has a"} link`,
    );
  }
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
  for (const part of ["Acme", "Red shoe & more", "small", "€39.90", "€49.90", "Not in stock"]) {
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

async function picturesMayFail(seat, origins) {
  const listed = origins[0];
  const made = [
    ["elsewhere", "https://not-listed.example/a.png"],
    ["data", "data:image/png;base64,AAAA"],
  ];
  if (listed) made.push(["good", `${listed}/good.svg`], ["broken", `${listed}/broken.svg`]);
  const page = await seat();
  page.seen.expected.push(/Failed to load resource/);
  if (listed) await page.route(`${listed}/broken.svg`, (route) => route.abort());
  await page.route("**/api/search", (route) =>
    route.fulfill({
      json: answer({
        Items: made.map(([Id, Image]) => ({ ...items(1)[0], Id, Image, Title: Id })),
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
}

export function checkSayings({ origins }) {
  return {
    "notes over the results are said": notesAreSaid,
    "only safe redirects are links": redirectsAreLinked,
    "a line stands where fewer words are held": relaxedHaveALine,
    "cards say all they can": cardsAreWhole,
    "categories stand in their tree, long lists open": treesAndMore,
    "pictures from elsewhere and broken ones become letters": (seat) => picturesMayFail(seat, origins),
  };
}
