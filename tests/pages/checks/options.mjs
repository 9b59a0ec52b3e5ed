// Options of products: swatches and sizes on their cards and in the filters, and a card for each value of one.

import { clean } from "./access.mjs";
import { answer } from "./sayings.mjs";
import { come, DESKTOP, drawn, hold, NARROW, PICTURES } from "./seat.mjs";

const SIZES = ["XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL"];
const SHIRT = {
  Id: "shirt",
  Sku: "S",
  Title: "Shirt",
  Link: "https://shop.example/shirt",
  Image: "",
  InStock: true,
  Options: { Colour: ["Red", "Blue", "Floral"], Size: SIZES, Fit: "wide" },
  Swatches: { Colour: { Red: "#cc0000", Blue: "#00c", Floral: "https://not-listed.example/floral.png" } },
  Variant: {
    Id: "shirt-blue",
    Sku: "S-1",
    Options: { Colour: "Blue", Size: "4XL" },
    InStock: true,
    Link: "https://shop.example/shirt-blue",
  },
};

async function shown(seat, made, { hash = "#q=shirt", ...options } = {}) {
  const page = await seat(options);
  await page.route("**/api/search", (route) => route.fulfill({ json: answer(made) }));
  return page.start(hash);
}

/** The rows of a card: names, values by their kind with a star at the marked ones, and what does not lie in the card. */
function rowsOf(page, at = 0) {
  return page
    .locator("#items article")
    .nth(at)
    .evaluate((card) => {
      const edge = card.getBoundingClientRect();
      const isInside = ({ left, right, top, bottom, width, height }) =>
        Math.min(width, height) >= 12 && left >= edge.left && right <= edge.right && top >= edge.top && bottom <= edge.bottom;
      const star = (one) => (one.getAttribute("aria-current") === "true" ? "*" : "");
      const others = [...card.querySelectorAll("h3, .price, .stock, .acts")].map((one) => one.getBoundingClientRect());
      const isFree = (row) => others.every(({ top, bottom }) => top >= row.bottom || bottom <= row.top);
      return [...card.querySelectorAll(".option")].map((row) => ({
        name: row.getAttribute("aria-label"),
        values: [...row.children].map((one) => `${star(one)}${one.className}:${one.textContent}`).join(),
        outside: [...row.querySelectorAll("li, .colour")]
          .filter((one) => !isInside(one.getBoundingClientRect()))
          .map((one) => one.outerHTML)
          .join(),
        isFree: isFree(row.getBoundingClientRect()),
      }));
    });
}

async function rowsAreShown(seat) {
  for (const [where, options] of Object.entries({ desktop: DESKTOP, phone: NARROW })) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await shown(seat, { Items: [SHIRT] }, { ...options, colorScheme });
      const rows = await rowsOf(page);
      const said = rows.map(({ name, values }) => `${name}=${values}`);
      const expected = [
        "Colour=swatch:Red,*swatch:Blue,label:Floral",
        "Size=label:XS,label:S,label:M,label:L,label:XL,*label:4XL,more:+2 more",
        "Fit=label:wide",
      ];
      hold(said.join("; ") === expected.join("; "), `the options are shown as ${said.join("; ")}`);
      for (const { name, outside, isFree } of rows) {
        hold(!outside, `${where}: of ${name} this is not in its card, or too small: ${outside}`);
        hold(isFree, `${where}: ${name} covers another part of its card`);
      }
      await clean(page, `options, ${where}, ${colorScheme}`);
    }
  }
}

async function marksAreSeen(seat) {
  const page = await shown(seat, { Items: [SHIRT] });
  const card = page.locator("#items article").first();
  const paint = (selector) =>
    card.locator(selector).first().evaluate((one) => {
      const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(one);
      return { backgroundColor, border: `${borderTopWidth} ${borderTopColor}` };
    });
  hold((await paint(".colour")).backgroundColor === "rgb(204, 0, 0)", "the swatch is not of its colour");
  const marked = await paint(".label[aria-current]");
  hold(marked.border !== (await paint(".label:not([aria-current])")).border, "the marked size looks like the others");
  const seen = await card.locator(".swatch").evaluateAll((all) => all.map((one) => one.querySelector(".term")?.innerText ?? "").join());
  hold(seen === ",Blue", `beside swatches stands ${seen}`);
  hold(!(await card.innerText()).includes("S-1"), "the number says once more what is marked");
  const link = await card.locator("h3 a").getAttribute("href");
  hold(link === SHIRT.Variant.Link, `the card leads to ${link}`);
  const note = await page.locator("#unshown").textContent();
  hold(note.includes("not-listed.example"), `a swatch from elsewhere is said as ${note}`);
}

async function coloursHaveNames(seat) {
  const named = { ...SHIRT, Swatches: undefined, Variant: undefined };
  const page = await shown(seat, {
    Items: [
      { ...named, Id: "a", Options: { Farbe: ["Dunkelblau", "Rot"], Couleur: ["Vert", "Écru"], Colour: "Light grey" } },
      { ...named, Id: "b", Options: { Colour: ["Red", "Nebula"], Size: ["Gold", "S"] } },
    ],
  });
  const values = async (at) => (await rowsOf(page, at)).map((row) => row.values).join("; ");
  const all = "swatch:Dunkelblau,swatch:Rot; swatch:Vert,swatch:Écru; swatch:Light grey";
  hold((await values(0)) === all, `names of colours are shown as ${await values(0)}`);
  const some = "label:Red,label:Nebula; label:Gold,label:S";
  hold((await values(1)) === some, `values that are not all colours are shown as ${await values(1)}`);
}

async function othersAreNoRows(seat) {
  const values = ["S, M", ["S", "M"], [{ Size: "S" }], { Size: { S: 1 }, Fit: [{}, null], Deep: [["x", {}]] }, { a: true }];
  const others = values.map((Options, at) => ({ ...SHIRT, Id: `${at}`, Options }));
  const odd = { ...SHIRT, Id: "odd", Options: { Size: [null, { S: 1 }, "S", 38] }, Swatches: "#cc0000", Variant: { Options: "S" } };
  const page = await shown(seat, { Items: [...others, odd] });
  for (const at of others.keys()) {
    const rows = await rowsOf(page, at);
    hold(!rows.length, `options that are ${JSON.stringify(values[at])} have the rows ${JSON.stringify(rows)}`);
  }
  const [{ values: drawnValues }] = await rowsOf(page, others.length);
  hold(drawnValues === "label:S,label:38", `values that are not all texts are shown as ${drawnValues}`);
}

async function stockIsKnownFromVariants(seat) {
  const options = (Colour, Size, InStock) => ({ Id: `${Colour}${Size}`, Options: { Colour, Size }, InStock });
  const variants = [options("Red", "M", true), options("Red", "XS", false), options("Blue", "4XL", false)];
  const page = await shown(seat, { Items: [SHIRT, { ...SHIRT, Id: "loaded", Variants: variants }] });
  const gone = (at) =>
    page.locator("#items article").nth(at).locator(".gone").evaluateAll((all) => all.map((one) => one.title).join());
  hold((await gone(0)) === "", `without its variants a product has sold out ${await gone(0)}`);
  const sold = ["Blue", "Floral", "XS", "S", "L", "XL", "4XL"].map((value) => `${value} (Not in stock)`);
  hold((await gone(1)) === sold.join(), `sold out are ${await gone(1)}`);
  const line = await page.locator("#items s.term").first().evaluate((one) => getComputedStyle(one).textDecorationLine);
  hold(line === "line-through", `a size that is gone has the line ${line}`);
}

async function filtersHaveSwatches(seat) {
  const values = (...all) => all.map((Value, at) => ({ Value, Count: 9 - at }));
  const Facets = {
    Brand: values("Red", "Blue"),
    "Attributes.Colour": values("Red", "Blue", "Dark green", "Nebula"),
    "Attributes.Size": values("S", "M"),
    "Attributes.Finish": values("Red", "Blue"),
  };
  const page = await shown(seat, { Items: [SHIRT], Facets });
  const drawnFor = await page
    .locator("#facets label.value")
    .evaluateAll((all) => all.filter((one) => one.querySelector(".colour")).map((one) => one.querySelector("input").dataset.key));
  const expected = ["Red", "Blue", "Dark green"].map((value) => `Attributes.Colour=${value}`);
  hold(drawnFor.join() === expected.join(), `swatches stand at ${drawnFor.join()}`);
}

async function picturesOfSwatches(seat, origins) {
  const [listed] = origins;
  if (!listed) return;
  const page = await seat();
  page.seen.expected.push(/Failed to load resource/);
  const addresses = { Good: "good.svg", Red: "broken.svg", Nebula: "broken.svg" };
  const Colour = Object.fromEntries(Object.entries(addresses).map(([name, file]) => [name, `${listed}${PICTURES}${file}`]));
  await page.route(`${listed}${PICTURES}broken.svg`, (route) => route.abort());
  const item = { ...SHIRT, Options: { Colour: Object.keys(Colour) }, Swatches: { Colour }, Variant: undefined };
  await page.route("**/api/search", (route) => route.fulfill({ json: answer({ Items: [item] }) }));
  await page.start("#q=x");
  await come(page, () => document.querySelectorAll("#items img").length === 1, "a failed swatch stays");
  const [{ values }] = await rowsOf(page);
  hold(values === "swatch:Good,swatch:Red,label:Nebula", `swatches with pictures are shown as ${values}`);
}

async function cardsAreGrouped(seat) {
  const values = [{ Value: "Red", Count: 2 }];
  const blue = { ...SHIRT, Variant: { ...SHIRT.Variant, Options: { Colour: "Red", Size: "S" } } };
  const Facets = { "Attributes.Colour": values, "Attributes.Width": values };
  const made = { Items: [SHIRT, blue], Facets, Query: { Searched: "shirt" } };
  const page = await shown(seat, made, { hash: "#q=shirt&page=2" });
  const select = page.locator("#group");
  const offered = await select.locator("option").evaluateAll((all) => all.map((one) => `${one.value}:${one.textContent}`).join());
  hold(offered === ":product,Colour:Colour", `cards are offered per ${offered}`);
  const choose = async (value) => {
    const request = page.waitForRequest((one) => one.url().endsWith("/api/search"));
    await select.selectOption(value);
    const { GroupBy, Page } = (await request).postDataJSON();
    await drawn(page);
    hold(Page === 1, `a grouping chosen on page 2 stays on page ${Page}`);
    return GroupBy;
  };
  hold((await choose("Colour")) === "Colour", "the grouping is not asked for");
  const heading = await page.locator("#found").textContent();
  hold(heading === "57 cards for shirt", `cards are counted as ${heading}`);
  hold(new URL(page.url()).hash.includes("group=Colour"), "the grouping is not in the address");
  const keys = await page.locator("#items button[data-key^=similar]").evaluateAll((all) => all.map((one) => one.dataset.key).join());
  hold(keys === "similar shirt Blue,similar shirt Red", `the cards of one product are called ${keys}`);
  await page.reload();
  await drawn(page);
  hold((await select.inputValue()) === "Colour", "the grouping is gone after a reload");
  hold((await choose("")) === undefined, "the shop's own way is asked for by name");
  hold((await page.locator("#found").textContent()) === "57 products for shirt", "products are counted as cards");
}

export function checkOptions({ origins }) {
  return {
    "options are swatches and sizes inside their card": rowsAreShown,
    "the shown variant's swatch and size are marked": marksAreSeen,
    "names of colours in three languages are swatches": coloursHaveNames,
    "a field that is no object of texts has no rows": othersAreNoRows,
    "sizes are struck through where the variants say so": stockIsKnownFromVariants,
    "filters by colours have swatches": filtersHaveSwatches,
    "pictures of swatches may fail": (seat) => picturesOfSwatches(seat, origins),
    "a card per value can be chosen": cardsAreGrouped,
  };
}
