// Tries the script of a shop's pages in a browser: a page of another origin, with a strict policy, and the script alone.
// node storefront.mjs BASE_URL ACCESS_KEY SECRET_KEY [--screenshots FOLDER] [--script FILE] [--break NAME] [--only WORDS]

import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { clean } from "./checks/access.mjs";
import { plant } from "./checks/breaks.mjs";
import { PLUGIN_CHECKS } from "./checks/plugins.mjs";
import { come, hold, launch, PATIENCE } from "./checks/seat.mjs";
import { BOX_ALONE, SHOPS, SINGLE_PAGE } from "./checks/shops.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { screenshots: { type: "string" }, figures: { type: "boolean" }, script: { type: "string" }, break: { type: "string" }, only: { type: "string", default: "" } },
});
const [base, accessKey, secret] = positionals;
if (!secret) {
  console.error("Usage: node storefront.mjs BASE_URL ACCESS_KEY SECRET_KEY");
  process.exit(2);
}

async function ask(path, asked) {
  const answer = await fetch(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ AccessKey: accessKey, SecretKey: secret, ...asked }),
  });
  hold(answer.ok, `${path} answered ${answer.status}`);
  return answer.json();
}

/** The shop's own script: the queue of the usual snippet, and what its pages tell. */
const SHOP = `
window.PureClarityObject = "_pc";
window._pc = window._pc || function () { (window._pc.q = window._pc.q || []).push([...arguments]); };
const product = document.body.dataset.product;
_pc("page_view", product ? { page_type: "product_page", product_id: product } : { page_type: "homepage" });
if (product) _pc("product_view", { id: product });
_pc("callback_event", (zones) => { window.shownZones = Object.keys(zones).join(" "); });
`;

const POLICY = [
  "default-src 'none'",
  `script-src 'self' ${new URL(base).origin}`,
  `connect-src ${new URL(base).origin}`,
  "img-src *",
  "form-action 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lethe page",
  "style-src 'self'",
  "report-uri /reports",
].join("; ");

function pageOf(url) {
  const product = url.searchParams.get("product") ?? "";
  const zones = product
    ? `<div data-pureclarity="bmz:PP-01;sku:${product};"></div><div data-pureclarity="bmz:PP-04;sku:${product};"></div>`
    : `<div data-pureclarity="zone:HP-01;"></div><div data-pureclarity="bmz:XX-99;"></div>
      <div data-pureclarity="zone:Top"></div><div data-pureclarity="zone:Foot"></div>`;
  const more = url.searchParams.has("kinds") ? `<div data-pureclarity="zone:Kinds"></div><div data-pureclarity="zone:News"></div>` : "";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
    <script src="/shop.js" defer></script><script src="${new URL(`/${accessKey}/cs.js`, base)}" defer></script></head><body data-product="${product}"><main><h1>A shop</h1>
    <form role="search" action="/"><label>Search the shop <input type="search" name="q"></label>
    <input type="submit" value="Go"></form>
    <div data-lethe-results></div>${zones}${more}</main></body></html>`;
}

const KINDS = { ...SHOPS, single: SINGLE_PAGE, alone: BOX_ALONE };

/** A page of a shop with a plugin. */
function pageOfKind(kind, url) {
  const tag = `<script src="${new URL(`/${accessKey}/cs.js`, base)}" defer></script>`;
  const script = tag.repeat(Number(url.searchParams.get("scripts") ?? 1));
  const of = { product: url.searchParams.get("product"), category: url.searchParams.get("category"), script };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title><meta name="viewport" content="width=device-width">
    <link rel="stylesheet" href="/${kind}.css"></head><body>${KINDS[kind].html(of)}</body></html>`;
}

const reports = [];
const shop = createServer((request, response) => {
  const url = new URL(request.url, "http://shop.test");
  if (url.pathname === "/reports") {
    request.on("data", (piece) => reports.push(String(piece)));
    request.on("end", () => response.end());
  } else if (url.pathname === "/shop.js") {
    response.setHeader("content-type", "text/javascript");
    response.end(SHOP);
  } else {
    const [, kind, isStyle] = /^\/(\w+)(\.css)?$/.exec(url.pathname) ?? [];
    response.setHeader("content-type", isStyle ? "text/css" : "text/html");
    // Some plugins hide their zones in the element.
    const policy = / style="/.test(KINDS[kind]?.html({}) ?? "") ? `${POLICY}; style-src-attr 'unsafe-inline'` : POLICY;
    response.setHeader("content-security-policy", policy);
    if (!Object.hasOwn(KINDS, kind ?? "")) response.end(url.pathname === "/" ? pageOf(url) : "");
    else response.end(isStyle ? KINDS[kind].css : pageOfKind(kind, url));
  }
});
await new Promise((listening) => shop.listen(0, "127.0.0.1", listening));
const home = `http://127.0.0.1:${shop.address().port}/`;

const browser = await launch();
/** A browser of another shopper; with `--script FILE` the script is that file, with `--break NAME` it has that fault. */
async function enter(options) {
  const context = await browser.newContext(options);
  if (values.break) await plant(context, values.break, values.script);
  else if (values.script) await context.route(/\/cs\.js$/, (route) => route.fulfill({ path: values.script }));
  return context;
}
const messages = [];
const isTold = (request) => request.url().endsWith("/api/serverside") && request.method() === "POST";
/** Hears what a browser's pages say and tell. */
async function overhear(context, told) {
  context.setDefaultTimeout(PATIENCE);
  context.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  context.on("weberror", (fault) => messages.push(`page error: ${fault.error().message}`));
  context.on("request", (request) => isTold(request) && told.push(request.postDataJSON()));
  // Pictures of the made-up catalogue are on no server.
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="#8aa"/></svg>';
  await context.route(/\.(png|jpg|jpeg|webp|svg)(\?|$)/, (route) => route.fulfill({ contentType: "image/svg+xml", body: picture }));
}
const told = [];
const context = await enter();
await overhear(context, told);
const page = await context.newPage();

const filled = (zone, least = 1) =>
  come(
    page,
    ([name, count]) =>
      document.querySelectorAll(`[data-pureclarity*="${name}"] [pureclarity-data-item]`).length >= count,
    `${zone} was not filled`,
    [zone, least],
  );
const items = (zone) =>
  page
    .locator(`[data-pureclarity*="${zone}"] [pureclarity-data-item]`)
    .evaluateAll((all) => all.map((one) => one.getAttribute("pureclarity-data-item")));
const kept = () =>
  page.evaluate(() => ({ cookies: document.cookie, storage: JSON.stringify({ ...localStorage }) }));
const visitor = async () => /pc_v_[^=]*=([0-9a-f]+)/.exec((await kept()).cookies)?.[1];
const events = async (number) => (await ask("/api/user/export", { Identifier: `visitor:${number}` })).Events;
/** Without what the server notes itself. */
const acts = async (number) => (await events(number)).filter(({ Event }) => Event !== "zones_seen");

// The made-up catalogue of the demo has towels.
const [query, word] = ["towel", "tow"];
const found = await ask("/api/search", { Query: query, Size: 6 });
const products = found.Items.map((item) => item.Id);
const CLICKS = 9;
let number;
const text = (id) => ({ Id: id, Zone: id, Html: `<p class="own">${id}<img src="/no.png" alt="" onerror="window.ran = true"></p>` });
const kinds = { Id: "Kinds", Zone: "Kinds", CategoriesShown: { Size: 4 } };
const news = { Id: "News", Zone: "News", Title: "News", Html: '<p>New: <a href="/towels">towels</a></p>', Popup: true };
await ask("/api/zones/set", { Campaigns: [text("Top"), text("Foot"), kinds, news] });
const open = (one) => come(one, () => document.querySelector("dialog.pc-popup[open]"), "no popup opens");
const isShut = (one) => come(one, () => !document.querySelector("dialog"), "the popup stays");

/** A page of a shop with a plugin, of another shopper; it hears what the page tells. */
async function visit(kind, { clock, consent, objects, ...asked }) {
  const other = await enter({ viewport: { width: 1280, height: 800 } });
  const fresh = await other.newPage();
  fresh.told = [];
  await overhear(other, fresh.told);
  // What is broken off on purpose is told by the console.
  fresh.quiet = () => messages.splice(0);
  if (clock) await fresh.clock.install();
  if (consent) await fresh.addInitScript(() => (window.pc_consent = true));
  if (objects) await fresh.addInitScript(() => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { value: true }));
  await fresh.goto(`${home}${kind}?${new URLSearchParams(asked)}`);
  return fresh;
}
const picture = async (one, name) => {
  if (values.screenshots) await one.screenshot({ path: `${values.screenshots}/shop-${name}.png` });
};
const facets = await ask("/api/search", { Query: query, Size: 1, Facets: ["Category"] });
const category = facets.Facets.Category.at(0)?.Value ?? facets.Facets.Category.Values[0].Value;

const CHECKS = {
  async "without consent zones are full, and nothing is told or kept"() {
    await page.goto(home);
    await filled("HP-01", 12);
    hold((await page.evaluate(() => window.shownZones)) === "HP-01 Top Foot", "callback_event did not get the zones");
    hold((await page.locator(".own").count()) === 2, "not every text of a campaign is shown");
    hold(!(await page.evaluate(() => window.ran)), "something in a text of a campaign ran");
    await page.goto(`${home}?product=${encodeURIComponent(products[0])}`);
    await filled("PP-01", 4);
    hold(!(await items("PP-01")).includes(products[0]), "the product of the page stands in its zone");
    const { cookies, storage } = await kept();
    hold(cookies === "" && storage === "{}", `something is kept: ${cookies} ${storage}`);
    hold(told.length && told.every((one) => !one.events?.length && !one.visitorId), "something was told");
  },
  async "with consent what is looked at arrives, and is shown as such"() {
    await page.evaluate(() => window._pc("accept_cookies", true));
    await come(page, () => /pc_v_/.test(document.cookie), "there is no number of a visitor");
    number = await visitor();
    for (let turn = 0; turn < 50 && !(await acts(number)).length; turn += 1) await page.waitForTimeout(100);
    hold((await acts(number))[0].Product === products[0], "what was held until the consent did not arrive");
    await page.goto(`${home}?product=${encodeURIComponent(products[1])}`);
    await filled("PP-04");
    hold((await items("PP-04")).join() === products[0], "PP-04 does not show what was looked at before");
    for (let turn = 0; turn < 50 && (await acts(number)).length < 2; turn += 1) await page.waitForTimeout(100);
    const all = (await acts(number)).map((event) => event.Product);
    hold(all.join() === products.slice(0, 2).join(), `what was looked at is told as ${all}`);
    hold((await visitor()) === number, "the visitor got another number");
  },
  async "what is clicked is soon in a zone of the next page"() {
    const took = [];
    for (let turn = 2; turn < 2 + CLICKS; turn += 1) {
      const [next, before] = [products[turn % products.length], products[(turn - 1) % products.length]];
      await page.evaluate((address) => {
        const link = document.createElement("a");
        Object.assign(link, { href: address, id: "next", textContent: "The next product" });
        document.querySelector("main").append(link);
      }, `${home}?product=${encodeURIComponent(next)}`);
      const clicked = performance.now();
      await page.locator("#next").click();
      const isShown = ([product, first]) =>
        document.body?.dataset.product === product &&
        document.querySelector('[data-pureclarity*="PP-04"] [pureclarity-data-item]')?.getAttribute("pureclarity-data-item") ===
          first;
      await come(page, isShown, `PP-04 does not begin with ${before}`, [next, before]);
      took.push(performance.now() - clicked);
    }
    took.sort((one, other) => one - other);
    const [median, longest] = [took[took.length >> 1], took.at(-1)].map(Math.round);
    console.log(`    from a click on a product to the zone that shows it: median ${median} ms, longest ${longest} ms of ${CLICKS}`);
  },
  async "zones are clean, and keep to a strict policy"() {
    await clean(page, "a page with zones");
    // What a campaign's text would run is what the policy is for.
    const others = reports.filter((one) => !/script-src-attr/.test(one));
    hold(!others.length, `the policy was broken: ${others[0]}`);
  },
  async "what is told at once is of one number, and none of it is lost"() {
    const other = await enter();
    const fresh = await other.newPage();
    const sent = [];
    other.on("request", (request) => {
      if (request.url().endsWith("/api/serverside") && request.method() === "POST") sent.push(request.postDataJSON());
    });
    await fresh.goto(home);
    await fresh.evaluate(async (ids) => {
      window._pc("accept_cookies", true);
      window._pc("product_view", { id: ids[0] });
      await new Promise((later) => setTimeout(later, 8));
      window._pc("set_basket", [{ id: ids[1], qty: 1 }]);
      window._pc("customer_details", { email: "anna@shop.test" });
      for (const name of ["__proto__", "constructor", "toString"]) window._pc(name, {});
    }, products);
    const of = async () => /pc_v_[^=]*=([0-9a-f]+)/.exec(await fresh.evaluate(() => document.cookie))?.[1];
    let all = [];
    for (let turn = 0; turn < 50 && all.length < 2; turn += 1) {
      await fresh.waitForTimeout(100);
      const known = await of();
      all = known ? await acts(known) : [];
    }
    hold(all.length === 2, `${all.length} of two events are stored under the number`);
    hold(!JSON.stringify(sent).includes("anna"), "who somebody says to be is sent, though nothing of it is stored");
    // A no of which the server cannot hear yet, twice.
    const known = await of();
    await other.route(/api\/serverside/, (route) => route.abort());
    await fresh.evaluate(() => {
      window._pc("accept_cookies", false);
      window._pc("accept_cookies", false);
    });
    await fresh.waitForTimeout(300);
    hold((await acts(known)).length === 2, "the server heard what was not sent");
    await other.unroute(/api\/serverside/);
    await other.addInitScript(() => {
      window.pc_consent = true;
    });
    await fresh.goto(`${home}?product=${encodeURIComponent(products[2])}`);
    for (let turn = 0; turn < 50 && (await events(known)).length; turn += 1) await fresh.waitForTimeout(100);
    hold(!(await events(known)).length, "the next page does not tell the no");
    // The number goes when the answer to the no is here, which is after the server did as told.
    const stays = () => fresh.evaluate(() => [document.cookie, JSON.stringify({ ...localStorage })]);
    const gone = (left) => left[0] === "" && !/[0-9a-f]{64}/.test(left[1]);
    let left = await stays();
    for (let turn = 0; turn < 50 && !gone(left); turn += 1) {
      await fresh.waitForTimeout(100);
      left = await stays();
    }
    hold(gone(left), `something is still kept: ${left}`);
    await other.close();
  },
  async "a no in one tab counts in the other"() {
    const other = await enter();
    const [one, two] = [await other.newPage(), await other.newPage()];
    for (const tab of [one, two]) await tab.goto(home);
    await one.evaluate(() => window._pc("accept_cookies", true));
    await two.evaluate((id) => window._pc("product_view", { id }), products[0]);
    await come(two, () => /pc_v_/.test(document.cookie), "the other tab does not see the consent");
    await one.evaluate(() => window._pc("accept_cookies", false));
    await two.evaluate((id) => window._pc("set_basket", [{ id, qty: 1 }]), products[1]);
    await two.waitForTimeout(500);
    hold((await two.evaluate(() => document.cookie)) === "", "the other tab goes on");
    await other.close();
  },
  async "getzone gives the HTML of zones"() {
    const html = await page.evaluate(
      () => new Promise((give) => window._pc("getzone", { zone: "HP-03" }, (fault, zones) => give(fault ?? zones["HP-03"]))),
    );
    hold(html.includes("pureclarity-data-item") && html.includes("<h2"), `getzone gave ${html.slice(0, 80)}`);
  },
  async "the search box completes, and is used by keyboard alone"() {
    await page.goto(home);
    await filled("HP-01");
    hold((await page.locator("[role=combobox]").count()) === 1, "something else than the box completes");
    await page.keyboard.press("Tab");
    await page.keyboard.type(word, { delay: 20 });
    await come(page, () => document.querySelectorAll("[role=option]").length > 1, `nothing is completed of ${word}`);
    await clean(page, "open completions");
    await page.keyboard.press("ArrowDown");
    const pointed = () =>
      page.evaluate(() => {
        const id = document.activeElement.getAttribute("aria-activedescendant");
        return document.querySelector(`[aria-selected=true][id="${id}"]`)?.textContent;
      });
    const chosen = await pointed();
    // The same once more, as an answer that comes late.
    await page.evaluate(() => {
      document.querySelector("[role=option]").setAttribute("data-before", "");
      document.activeElement.dispatchEvent(new Event("input"));
    });
    await come(page, () => !document.querySelector("[data-before]"), "nothing is completed again");
    hold((await pointed()) === chosen, "completions that come late take away the one that is pointed at");
    await page.keyboard.press("Escape");
    hold(await page.locator("[role=listbox]").isHidden(), "Escape does not close the completions");
    await page.keyboard.type(" ");
    await page.keyboard.press("Backspace");
    await come(page, () => document.querySelector("[role=listbox]:not([hidden])"), "they do not come again");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=/);
    hold(new URL(page.url()).searchParams.get("q") === chosen, "another query was searched");
    await come(page, () => document.querySelector("[data-lethe-results] li"), "the page shows no hits");
    hold(/^\d+ results$/.test(await page.locator("[role=status]").textContent()), "how many is not said");
    await clean(page, "hits of a search");
  },
  async "what is searched, seen and clicked arrives, with where it was found"() {
    const named = async (name) => (await events(number)).filter(({ Event }) => Event === name);
    const come = async (name, count = 1) => {
      for (let turn = 0; turn < 50 && (await named(name)).length < count; turn += 1) await page.waitForTimeout(100);
      return (await named(name)).at(-1);
    };
    const searched = await come("search");
    hold(searched?.Query.startsWith(word) && searched.Found > 0, `the search is told as ${JSON.stringify(searched)}`);
    await page.locator("[data-lethe-results] li a").first().click();
    const hit = await come("item_click");
    hold(/^s\.[0-9a-f]{16}$/.test(hit?.RefId), `a click on a hit is told as ${JSON.stringify(hit)}`);
    await page.goto(home);
    await filled("HP-01");
    const first = (await items("HP-01"))[0];
    await page.locator('[data-pureclarity*="HP-01"] li a').first().click();
    const click = await come("item_click", 2);
    hold(click?.Product === first && click.RefId.startsWith("z.HP-01."), `a click is told as ${JSON.stringify(click)}`);
    const seen = await come("zones_seen");
    hold(seen?.RefIds.length, "the server did not note what stood in the zones");
  },
  async "more hits come by a button, each once, and the first of them has the focus"() {
    await page.goto(`${home}?q=${query}`);
    await come(page, () => document.querySelector(".pc-more"), "there is no button for more hits");
    const hits = () =>
      page.evaluate(() => [...document.querySelectorAll("[data-lethe-results] li a")].map((link) => link.href));
    const before = await hits();
    await page.locator(".pc-more").dblclick();
    const isMore = (count) => document.querySelectorAll("[data-lethe-results] li a").length > count;
    await come(page, isMore, "no more hits come", before.length);
    const after = await hits();
    hold(new Set(after).size === after.length, "hits come twice when the button is pressed twice");
    const isFocused = (at) => document.querySelectorAll("[data-lethe-results] li a")[at] === document.activeElement;
    hold(await page.evaluate(isFocused, before.length), "the first of the new hits has no focus");
    await clean(page, "more hits");
  },
  async "a popup is named, is closed by Escape or its button, and does not come again"() {
    await page.goto(`${home}?kinds=1`);
    await open(page);
    hold((await page.getByRole("dialog", { name: "News" }).count()) === 1, "the popup has no name");
    await clean(page, "a popup");
    await page.keyboard.press("Escape");
    await isShut(page);
    await page.goto(`${home}?kinds=1`);
    await come(page, () => document.querySelector('[data-pureclarity*="Kinds"] li'), "the zones did not come");
    hold((await page.locator("dialog").count()) === 0, "what was closed comes again");
    await page.locator("[type=search]").focus();
    await page.evaluate(() => window._pc("add_popup", { id: "own", title: "Own", html: "<p>Own</p>" }));
    await open(page);
    hold(await page.evaluate(() => document.activeElement.matches("dialog .pc-close")), "the button has no focus");
    await page.getByRole("button", { name: "Close" }).click();
    await isShut(page);
    hold(await page.evaluate(() => document.activeElement.matches("[type=search]")), "the focus does not go back");
    const way = { id: "way", title: "Way", html: '<a href="/?kinds=1&way=1">on</a>' };
    await page.evaluate((zone) => window._pc("add_popup", zone), way);
    await page.getByRole("link", { name: "on", exact: true }).click();
    await page.waitForURL(/way=1/);
    await page.evaluate((zone) => window._pc("add_popup", zone), way);
    await page.waitForTimeout(100);
    hold((await page.locator("dialog").count()) === 0, "one whose link was followed comes again");
    // Without consent it is remembered on the page alone.
    const other = await enter();
    const fresh = await other.newPage();
    for (const turn of ["first", "second"]) {
      await fresh.goto(`${home}?kinds=1`);
      await open(fresh);
      await fresh.keyboard.press("Escape");
      await isShut(fresh);
      await fresh.evaluate(() => window._pc("add_popup", { id: "News", title: "News", html: "<p>News</p>" }));
      await fresh.waitForTimeout(100);
      hold((await fresh.locator("dialog").count()) === 0, `it comes again on the ${turn} page`);
      hold((await fresh.evaluate(() => sessionStorage.length)) === 0, "something is kept without consent");
    }
    await other.close();
  },
  async "categories are links with their names"() {
    const links = page.locator('[data-pureclarity*="Kinds"] li a');
    hold((await links.count()) === 4, `${await links.count()} of four categories are shown`);
    const [first] = await links.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("href")]));
    hold(first[0] && first[1], `a category is shown as ${first}`);
    hold((await page.getByRole("region", { name: "Categories for you" }).count()) === 1, "the list has no name");
    await clean(page, "a page with categories");
  },
  async "consent withdrawn stops everything at once, and what was told goes"() {
    await page.goto(`${home}?product=${encodeURIComponent(products[2])}`);
    await filled("PP-01");
    await page.evaluate(() => {
      window._pc("accept_cookies", false);
      window._pc("product_view", { id: "after" });
    });
    const { cookies, storage } = await kept();
    hold(cookies === "" && !storage.includes("viewed"), `something is still kept: ${cookies} ${storage}`);
    hold((await page.evaluate(() => sessionStorage.length)) === 0, "which popups were closed is still kept");
    for (let turn = 0; turn < 50 && (await events(number)).length; turn += 1) await page.waitForTimeout(100);
    hold(!(await events(number)).length, "what the visitor did is still there");
    const before = told.length;
    await page.goto(`${home}?product=${encodeURIComponent(products[3])}`);
    await filled("PP-01");
    await page.waitForTimeout(500);
    // The answer to the no may have come too late for the page before: then it is told once more.
    const isNo = ({ events: all }) => all?.length === 1 && all[0].name === "accept_cookies" && all[0].data === false;
    const later = told.slice(before).filter((one) => !isNo(one));
    hold(later.length && later.every((one) => !one.events?.length && !one.visitorId), "something was told again");
    hold((await kept()).cookies === "", "there is a cookie again");
  },
};

try {
  const checks = { ...CHECKS, ...PLUGIN_CHECKS };
  const chosen = Object.entries(checks).filter(([name]) => name.includes(values.only));
  for (const [name, run] of chosen) {
    await run({ visit, products, category, query, word, picture }).catch((fault) => {
      fault.message = `${name}: ${fault.message}`;
      throw fault;
    });
    console.log(`ok  ${name}`);
  }
  const surprising = messages.filter((text) => !/inline event handler/.test(text));
  const others = reports.filter((one) => !/script-src-attr/.test(one));
  hold(!others.length, `the policy was broken: ${others[0]}`);
  hold(!surprising.length, `the console had a message: ${surprising[0]}`);
  console.log(`${chosen.length} passed, 0 failed`);
} catch (fault) {
  console.error(`FAILED: ${fault.message}${messages.length ? `; the console said ${messages[0]}` : ""}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  shop.close();
}
