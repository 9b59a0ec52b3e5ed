// Texts of products that look like programs must stay texts.

import { come, drawn, hold } from "./seat.mjs";

const SHAPES = [
  (n) => `<script>window.__hit=${n}</script>`,
  (n) => `<img src=x onerror="window.__hit=${n}">`,
  (n) => `"><svg onload=window.__hit=${n}>`,
  (n) => `<iframe srcdoc="<script>parent.__hit=${n}</script>"></iframe>`,
  (n) => `<a href="javascript:window.__hit=${n}">press</a>`,
  (n) => `</article></li><details open ontoggle=window.__hit=${n}>`,
  (n) => `<style>*{display:none}</style>${n}`,
  (n) => `&lt;script&gt;window.__hit=${n}&lt;/script&gt;`,
  (n) => `<math><mi xlink:href="data:x,<script>__hit=${n}</script>">`,
  (n) => `'"--><video><source onerror=window.__hit=${n}></video>`,
  (n) => `</script><script>window.__hit=${n}</script>`,
  (n) => `</title></textarea></select><script>window.__hit=${n}</script>`,
  (n) => `" autofocus onfocus="window.__hit=${n}`,
  (n) => `' onmouseover='window.__hit=${n}`,
  (n) => `javascript:window.__hit=${n}`,
  (n) => `<meta http-equiv=refresh content="0;url=//evil.example/${n}">`,
  (n) => `<base href="//evil.example/${n}/"><form action=/>`,
  (n) => `{{ 7 * ${n} }}{% raw %}<script>window.__hit=${n}</script>`,
  (n) => `<svg><animate onbegin=window.__hit=${n} attributeName=x dur=1s>`,
  (n) => `<template><script>window.__hit=${n}</script></template><object data=x${n}>`,
];
/** A hundred texts that would be programs where a page took them for parts of itself. */
export const TEXTS = Array.from({ length: 100 }, (_, n) => SHAPES[n % SHAPES.length](n));
const letters = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&#39;" };
const escaped = (text) => text.replace(/[<>&"']/g, (one) => letters[one]);

/** Every second highlight is not escaped, as a broken server would send it; those with entities always are. */
function highlight(text, n) {
  return n % 2 && !text.includes("&")
    ? text
    : `<em>${escaped(text.slice(0, 3))}</em>${escaped(text.slice(3))}`;
}

function item(text, n) {
  return {
    Id: `x${n}`,
    Sku: text,
    Title: text,
    Link: `javascript:window.__hit=${n}`,
    Image: `javascript:window.__hit=${n}`,
    Brand: text,
    Price: 1,
    Currency: n % 2 ? text : "EUR",
    InStock: false,
    Options: { [text]: [text, "M"], Colour: ["Red", text] },
    Swatches: { Colour: { Red: `url(//evil.example/${n})`, [text]: `javascript:window.__hit=${n}` } },
    Variant: {
      Id: text,
      Title: text,
      Options: { [text]: text, Colour: text },
      Link: `javascript:window.__hit=${n}`,
      Image: `javascript:window.__hit=${n}`,
    },
    Highlight: n % 5 ? { Title: highlight(text, n), Description: highlight(text, n) } : undefined,
    Why: [text],
  };
}

const ANSWER = {
  RefId: "x",
  Total: 4,
  TotalRelaxed: 100,
  Page: 1,
  Items: TEXTS.map(item),
  Facets: {
    Brand: TEXTS.map((text, n) => ({ Value: text, Name: text, Count: n })),
    Category: TEXTS.map((text, n) => ({ Value: text, Name: text, Count: n, Path: [text, text] })),
    [`Attributes.${TEXTS[1]}`]: TEXTS.map((text, n) => ({ Value: text, Count: n })),
    [`Attributes.${TEXTS[0]}`]: { Min: 0, Max: 9, Unit: TEXTS[2], Ranges: [{ From: 0, To: 9, Count: 1 }] },
  },
  Query: {
    Asked: TEXTS[0],
    Searched: TEXTS[1],
    Corrected: [{ From: TEXTS[0], To: TEXTS[1] }],
    DidYouMean: TEXTS[2],
    Dropped: [TEXTS[3]],
    RelaxedFrom: 5,
    RelaxedWithout: [TEXTS[3], TEXTS[0]],
  },
  Redirect: "javascript:window.__hit='redirect'",
  Banners: TEXTS,
  Rules: TEXTS,
  TookMicros: 1,
};

function strange(page) {
  return page.evaluate(() => ({
    hit: String(window.__hit),
    elements: document.querySelectorAll(
      "svg, iframe, object, embed, math, video, style, #items img, #similar-items img, #zones img",
    ).length,
    scripts: document.querySelectorAll("script").length,
    links: [...document.querySelectorAll("[href]")].filter((one) =>
      /^\s*javascript:/i.test(one.getAttribute("href")),
    ).length,
    acts: [...document.querySelectorAll("main *, dialog *, #options *")].filter((one) =>
      one.getAttributeNames().some((name) => name.startsWith("on")),
    ).length,
  }));
}

async function shown(page, selector, texts) {
  const found = await page
    .locator(selector)
    .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent));
  for (const text of texts) {
    hold(
      found.some((one) => one.includes(text)),
      `the text ${text} is not shown in ${selector}`,
    );
  }
}

async function run(seat) {
  const page = await seat();
  const answer = (path, body) => page.route(`**${path}`, (route) => route.fulfill({ json: body }));
  await answer("/api/search", ANSWER);
  await answer("/api/similar", { Items: TEXTS.map(item) });
  await answer("/api/serverside", { zones: { "PP-01": { title: TEXTS[0], items: TEXTS.map(item) } } });
  await answer("/api/autocomplete", {
    Queries: TEXTS.slice(0, 4).map((Text) => ({ Text, Count: 1 })),
    Products: TEXTS.slice(4, 8).map((Text) => ({ Text, Id: Text })),
    Categories: [],
    Brands: [],
  });
  await page.start("#q=x");
  await shown(page, "#items h3", TEXTS);
  await shown(page, "#items .brand", TEXTS);
  await shown(page, "#items .option", TEXTS);
  await shown(page, ".note.banner", TEXTS);
  await page.locator("#facets button[aria-expanded=false]").first().click();
  await shown(page, "#facets fieldset:first-of-type .what", TEXTS);
  await page.locator("#box").fill("xy");
  await drawn(page);
  await come(
    page,
    () => document.querySelectorAll("[role=option]").length === 8,
    "the completions are not shown",
  );
  await shown(page, "[role=option]", TEXTS.slice(0, 8));
  await page.keyboard.press("Escape");
  await page.locator("#items article button").first().click();
  await come(
    page,
    () => document.querySelectorAll("#similar-items article").length === 100,
    "similar is not shown",
  );
  await shown(page, "#similar-items h3", TEXTS);
  await page.keyboard.press("Escape");
  await page.locator("#items article button[data-key^=choose]").first().click();
  await come(
    page,
    () => document.querySelectorAll("#zones article").length === 100,
    "the zones are not shown",
  );
  await shown(page, "#zones h4", TEXTS);
  await shown(page, "#zones h3", [TEXTS[0]]);
  const seen = await strange(page);
  hold(seen.hit === "undefined", `a text ran: ${seen.hit}`);
  hold(seen.elements === 0, `texts made ${seen.elements} elements`);
  hold(seen.scripts === 1, "texts made scripts");
  hold(seen.links === 0, "a link leads to a script");
  hold(seen.acts === 0, "an element has a listener in its attributes");
}

export function checkHostile() {
  return { "a hundred scripts in texts stay texts": run };
}
