// What a shopper sees of zones and completions in shops with the public plugins, and how the script behaves on their pages.

import { clean } from "./access.mjs";
import { come, hold } from "./seat.mjs";
import { SHOPS } from "./shops.mjs";

const isVisible = (page, selector) =>
  page.locator(selector).evaluate((one) => one.checkVisibility() && one.getBoundingClientRect().height > 20);

async function zonesOf(page, shop, name) {
  const items = '[data-pureclarity*="PP-01"] [pureclarity-data-item]';
  await come(page, (all) => document.querySelectorAll(all).length >= 12, `${name}: PP-01 was not filled`, items);
  hold(await page.locator(items).first().isVisible(), `${name}: a zone is filled, and nobody sees it`);
  hold(await isVisible(page, '[data-pureclarity*="PP-01"]'), `${name}: a zone has no height`);
  if (await page.locator('[data-pureclarity*="XX-99"]').count()) {
    hold(!(await isVisible(page, '[data-pureclarity*="XX-99"]')), `${name}: a zone in which nothing stands is shown`);
  }
  if (await page.locator(".desktop-only").count()) {
    await come(page, () => document.querySelector(".desktop-only [pureclarity-data-item]"), `${name}: PP-02 was not filled`);
    hold(!(await isVisible(page, ".desktop-only")), `${name}: what the shop hides on this device is shown`);
  }
  const text = await page.locator(`${items} a`).first().textContent();
  hold(/\S [^\s\d]?\d/.test(text), `${name}: name and price run together: ${text}`);
  await clean(page, `${name}: zones`);
}

const rectangle = (locator) =>
  locator.evaluate((one) => {
    const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  });

/** Types into a box, and looks where the completions come; the form and the page stay as they were. */
async function completionOf(page, box, word, name, { isAbove = false } = {}) {
  const form = page.locator("form, main, footer");
  const before = await form.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  await box.click();
  await page.keyboard.type(word, { delay: 10 });
  await come(page, () => document.querySelectorAll("[role=option]").length > 1, `${name}: nothing is completed`);
  const [list, at] = [await rectangle(page.locator("[role=listbox]")), await rectangle(box)];
  const way = isAbove ? at.top - list.bottom : list.top - at.bottom;
  hold(Math.abs(way) < 2, `${name}: the completions are ${way} pixels away from their box`);
  hold(Math.abs(list.left - at.left) < 2 || list.right > 1200, `${name}: the completions begin at ${list.left}, the box at ${at.left}`);
  hold(list.height > 60 && list.width >= 200, `${name}: the completions are ${list.width} by ${list.height}`);
  const after = await form.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  hold(before.join() === after.join(), `${name}: the page was ${before} high, and is ${after}`);
  const first = page.locator("[role=option]").first();
  const onTop = await first.evaluate((one) => {
    const { left, top } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(left + 20, top + 10));
  });
  hold(onTop, `${name}: something lies over the completions`);
  const look = () => first.evaluate((one) => getComputedStyle(one).backgroundColor);
  const plain = await look();
  await page.keyboard.press("ArrowDown");
  hold((await look()) !== plain, `${name}: the option that is pointed at has no mark`);
  await clean(page, `${name}: completions`);
}

async function shops({ visit, products, category, word, picture }) {
  for (const name of Object.keys(SHOPS)) {
    const page = await visit(name, { product: products[0], category });
    await zonesOf(page, SHOPS[name], name);
    await picture(page, `${name}-zones`);
    const box = page.locator(name === "woocommerce" ? ".search-field" : name === "magento2" ? "[name=find]" : "[name=q]");
    await completionOf(page, box, word, name);
    await picture(page, `${name}-completions`);
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    if (name === "magento2") {
      await page.locator("#search").click();
      await page.keyboard.type(word);
      await page.waitForTimeout(400);
      hold((await page.locator("[role=option]").count()) === 0, "a box that the shop completes is completed twice");
    }
    if (name === "xcart") await completionOf(page, page.locator("[name=below]"), word, "xcart, at the foot", { isAbove: true });
    if (name === "magento1") {
      await come(page, () => document.querySelector("[data-pureclarity^=navigation_category] li"), "a category of Magento 1 stays empty");
    }
    await page.context().close();
  }
}

async function searchPage({ visit, products, category, query }) {
  const page = await visit("magento1", { product: products[0], category, q: query });
  await come(page, () => document.querySelector("[data-pureclarity=navigation_search] li"), "the search page of Magento 1 stays empty");
  const found = await page.locator("[data-pureclarity=navigation_search] [role=status]").textContent();
  hold(/^\d+ results$/.test(found), `the search page of Magento 1 says "${found}"`);
  hold((await page.locator("[data-pureclarity$=_filter] > *").count()) === 0, "hits stand where Magento 1 has its filters");
  await page.context().close();
}

/** How the zones were asked for: a list of ids for each call. */
const asked = (told) => told.filter(({ zones }) => zones?.length).map(({ zones }) => zones.map(({ id }) => id).join());

async function twice({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0], scripts: 2, consent: true });
  await come(page, () => document.querySelector("[pureclarity-data-item]"), "nothing was filled");
  await come(page, () => /pc_v_/.test(document.cookie), "there is no number of a visitor");
  await page.waitForTimeout(200);
  hold(asked(page.told).length === 1, `the zones are asked for ${asked(page.told).length} times`);
  // Whoever loads it a second time may have made the queue anew.
  await page.evaluate(() => {
    window.PureClarityObject = "_pc";
    window._pc = Object.assign(() => {}, { q: [["currency", "GBP"]] });
    return new Promise((loaded) => {
      const again = document.createElement("script");
      const src = document.querySelector('script[src*="/cs.js"]').src;
      again.src = window.trustedTypes ? window.trustedTypes.createPolicy("page", { createScriptURL: (url) => url }).createScriptURL(src) : src;
      again.onload = loaded;
      document.body.append(again);
    });
  });
  hold(await page.evaluate(() => typeof window.PureClarityObject.push), "the second script leaves the page's queue lying");
  await page.evaluate(() => {
    document.addEventListener("click", (event) => event.preventDefault());
    document.querySelector("[pureclarity-data-item] a").click();
  });
  const clicks = () => page.told.flatMap(({ events = [] }) => events).filter(({ name }) => name === "item_click").length;
  for (let turn = 0; turn < 30 && !clicks(); turn += 1) await page.waitForTimeout(50);
  await page.waitForTimeout(200);
  hold(clicks() === 1, `a click is told ${clicks()} times`);
  await page.context().close();
}

async function single({ visit, products, word }) {
  const page = await visit("single", {});
  const zone = () => page.told.flatMap(({ zones = [] }) => zones).at(-1);
  const filled = (sentence) => come(page, () => document.querySelector("#zone .pc-zone li"), sentence);
  await page.evaluate((id) => window._pc("page_view", { page_type: "product_page", product_id: id, category_id: "17" }), products[0]);
  await filled("the first page was not filled");
  await page.evaluate(() => {
    document.querySelector("#zone li").dataset.old = "";
    window._pc("page_view", { page_type: "homepage" });
  });
  for (let turn = 0; turn < 60 && zone()?.data.page_type !== "homepage"; turn += 1) await page.waitForTimeout(50);
  await come(page, () => !document.querySelector("[data-old]"), "the zone of another page is not filled again");
  const { product_id, category_id, page_type } = zone().data;
  hold(page_type === "homepage" && !product_id && !category_id, `the home page is told as ${JSON.stringify(zone().data)}`);
  // Kept by a framework for another zone.
  await page.evaluate(() => document.querySelector("#zone").setAttribute("data-pureclarity", "bmz:HP-03;"));
  for (let turn = 0; turn < 60 && zone().id !== "HP-03"; turn += 1) await page.waitForTimeout(50);
  hold(zone().id === "HP-03", "an element that is kept for another zone is not filled again");
  await filled("it was not filled again");
  // Emptied by a framework that draws another page.
  await page.evaluate(() => window._pc("page_view", { page_type: "homepage" }));
  await page.waitForTimeout(100);
  await page.evaluate(() => document.querySelector("#zone").replaceChildren());
  await filled("an element that was emptied is not filled again");
  // One for which nothing is answered, where something stood.
  await page.evaluate(() => document.querySelector("#zone").setAttribute("data-pureclarity", "bmz:XX-99;"));
  await come(page, () => !document.querySelector("#zone").firstElementChild, "what stood there for another zone stays");
  const count = asked(page.told).length;
  await page.evaluate(() => {
    document.querySelector("#app").append(document.createElement("p"));
    window._pc("set_basket", []);
  });
  await page.waitForTimeout(200);
  hold(asked(page.told).length === count, "a zone in which nothing stands is asked for again and again");
  // What comes later: a box, and a zone.
  await page.evaluate(() => {
    const label = document.createElement("label");
    label.append("Search ", Object.assign(document.createElement("input"), { type: "search", id: "late" }));
    const zone = Object.assign(document.createElement("div"), { id: "later" });
    zone.dataset.pureclarity = "bmz:HP-02;";
    document.querySelector("#app").append(label, zone);
  });
  await come(page, () => document.querySelector("#later li"), "a zone that comes later is not filled");
  await page.locator("#late").click();
  await page.keyboard.type(word);
  await come(page, () => document.querySelector("[role=option]"), "a box that comes later is not completed");
  await page.evaluate(() => document.querySelector("#late").parentElement.remove());
  await come(page, () => !document.querySelector("[role=listbox]"), "the completions of a box that is gone stay");
  await page.context().close();
}

async function hanging({ visit }) {
  const page = await visit("single", { clock: true });
  await come(page, () => document.querySelector("#zone li"), "the page was not filled");
  let held = 0;
  await page.route(/api\/serverside/, (route) => (held++ ? route.continue() : undefined));
  await page.evaluate(() => window._pc("getzone", { zone: "HP-01" }, (fault) => (window.first = fault ?? "")));
  await page.evaluate(() => window._pc("getzone", { zones: ["HP-02, HP-03"] }, (fault, zones) => (window.second = fault ?? Object.keys(zones))));
  for (let turn = 0; turn < 40 && !held; turn += 1) await page.waitForTimeout(25);
  hold(held === 1, "the second request does not wait for the first");
  await page.clock.fastForward(11_000);
  await come(page, () => window.second, "a request that hangs holds up the next one");
  const [first, second] = await page.evaluate(() => [window.first, String(window.second)]);
  hold(/in time/.test(first), `the request that hangs ends with ${first}`);
  hold(second === "HP-02,HP-03", `zones in one text are ${second}`);
  page.quiet();
  await page.context().close();
}

/** The server says of the first events that it could not take them just now. */
async function later({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0], consent: true, clock: true });
  let refusals = 1;
  const views = () => page.told.flatMap(({ events = [] }) => events).filter(({ name }) => name === "product_view");
  await page.route(/api\/serverside/, async (route) => {
    const { events = [] } = route.request().postDataJSON();
    if (!events.length || !refusals) return route.continue();
    refusals -= 1;
    const answer = await route.fetch({ postData: JSON.stringify({ ...route.request().postDataJSON(), events: [] }) });
    const errors = ["too many visitors of the shop are new just now: it can be told again in a minute"];
    await route.fulfill({ response: answer, json: { ...(await answer.json()), errors } });
  });
  await page.evaluate((id) => window._pc("product_view", { id }), products[0]);
  const until = async (count) => {
    for (let turn = 0; turn < 60 && views().length < count; turn += 1) {
      await page.clock.runFor(50);
      await page.waitForTimeout(20);
    }
    return views().length;
  };
  hold((await until(1)) === 1, "nothing is told");
  await page.waitForFunction(() => sessionStorage.length === 1);
  // The shopper goes on before the minute is over.
  await page.goto(page.url());
  await come(page, () => document.querySelector("[pureclarity-data-item]"), "the zones were not filled");
  await page.clock.runFor(1000);
  hold(views().length === 1, "it is told again at once");
  await page.clock.fastForward(61_000);
  hold((await until(2)) === 2, "what could not be taken is not told again");
  hold(views()[1].data.id === products[0], `it is told as ${JSON.stringify(views()[1])}`);
  await page.waitForFunction(() => sessionStorage.length === 0);
  await page.context().close();
}

/** The server cannot be reached for a while. */
async function unreachable({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0], consent: true, clock: true });
  await come(page, () => /pc_v_/.test(document.cookie), "there is no number of a visitor");
  const views = () => page.told.flatMap(({ events = [] }) => events).filter(({ name }) => name === "product_view");
  const until = async (count) => {
    for (let turn = 0; turn < 60 && views().length < count; turn += 1) {
      await page.clock.runFor(500);
      await page.waitForTimeout(20);
    }
    return views().length;
  };
  await page.route(/api\/serverside/, (route) => route.abort());
  await page.evaluate((id) => window._pc("product_view", { id }), products[0]);
  hold((await until(3)) === 3, "what cannot be told is not tried three times");
  await page.waitForFunction(() => sessionStorage.length === 1);
  await page.unroute(/api\/serverside/);
  await page.clock.fastForward(61_000);
  hold((await until(4)) === 4, "what could not be told three times is lost");
  await page.waitForFunction(() => sessionStorage.length === 0);
  page.quiet();
  await page.context().close();
}

/** A popup in an element that a plugin hides until something stands in it. */
async function popup({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0] });
  await page.evaluate(() => {
    const element = Object.assign(document.createElement("div"), { className: "pureclarity_bmz" });
    element.dataset.pureclarity = "zone:News;";
    document.querySelector("main").append(element);
  });
  await come(page, () => document.querySelector("dialog[open]"), "no popup opens");
  hold(await page.locator("dialog").isVisible(), "a popup holds the page, and nobody sees it");
  await page.keyboard.press("Escape");
  await come(page, () => !document.querySelector("dialog"), "the popup stays");
  await page.context().close();
}

async function comingBack({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0], consent: true });
  const views = () => page.told.flatMap(({ events = [] }) => events).filter(({ name }) => name === "product_view");
  const until = async (count) => {
    for (let turn = 0; turn < 60 && views().length < count; turn += 1) await page.waitForTimeout(50);
    return views().length;
  };
  await page.evaluate((id) => window._pc("product_view", { id }), products[0]);
  hold((await until(1)) === 1, "nothing is told");
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  hold((await until(2)) === 2, "a page that is shown again tells no view");
  await page.context().close();
}

async function signal({ visit, products }) {
  const keeps = (page) => page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage }));
  const number = (page) => come(page, () => /pc_v_/.test(document.cookie), "there is no number of a visitor");
  const page = await visit("woocommerce", { product: products[0] });
  await page.evaluate((id) => {
    window._pc("accept_cookies", true);
    window._pc("product_view", { id });
  }, products[0]);
  await number(page);
  // From now on the browser objects: the yes of before is none.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { value: true, configurable: true }));
  await page.reload();
  await come(page, () => !document.cookie && !/viewed|consent/.test(JSON.stringify({ ...localStorage })), "a yes of before counts");
  const isNo = ({ events = [] }) => events.some(({ name, data }) => name === "accept_cookies" && data === false);
  for (let turn = 0; turn < 60 && !page.told.some(isNo); turn += 1) await page.waitForTimeout(50);
  hold(page.told.some(isNo), "the server is not told");
  // A yes that is said all the same counts, also on the next page.
  await page.evaluate((id) => {
    window._pc("accept_cookies", true);
    window._pc("product_view", { id });
  }, products[0]);
  await number(page);
  await page.reload();
  await come(page, () => document.querySelector("[pureclarity-data-item]"), "the zones were not filled");
  hold(/pc_v_/.test(await keeps(page)), "a yes that was said all the same does not last");
  await page.context().close();
  // The shop's page says it by itself, and answers for it.
  const other = await visit("woocommerce", { product: products[0], consent: true, objects: true });
  await number(other);
  await other.context().close();
}

async function ending({ visit, products }) {
  const page = await visit("woocommerce", { product: products[0], clock: true, consent: true });
  const stored = () => page.evaluate(() => Object.keys({ ...localStorage }).filter((name) => /viewed/.test(name)).length);
  await page.evaluate((id) => window._pc("product_view", { id }), products[0]);
  hold((await stored()) === 1, "what is looked at is not kept");
  await page.clock.setSystemTime(Date.now() + 29 * 86_400_000);
  await page.reload();
  await page.clock.runFor(200);
  hold((await stored()) === 1, "what is looked at is kept less than 30 days");
  await page.clock.setSystemTime(Date.now() + 31 * 86_400_000);
  await page.reload();
  await page.clock.runFor(200);
  hold((await stored()) === 0, "what was looked at a month ago is still kept");
  await page.evaluate((id) => {
    window._pc("product_view", { id });
    window._pc("customer_logout");
  }, products[0]);
  hold((await stored()) === 0, "what was looked at outlives the log-out");
  await page.context().close();
}

async function lateAnswer({ visit, query }) {
  const page = await visit("alone", {});
  let release;
  const released = new Promise((go) => (release = go));
  await page.route(/api\/search/, async (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.get("Query") === "no-such-thing" && !url.searchParams.has("Size")) await released;
    await route.continue().catch(() => {});
  });
  const box = page.locator("#pc_searchbox");
  await come(page, () => document.querySelector("#pc_searchbox[role=combobox]"), "the box is not completed");
  await box.fill("no-such-thing");
  await box.press("Enter");
  await box.fill(query);
  await box.press("Enter");
  await come(page, () => document.querySelector("[data-lethe-results] li"), "a box without a form shows no hits");
  const shown = () => page.locator("[data-lethe-results] [role=status]").textContent();
  const before = await shown();
  const came = page.waitForResponse(/Query=no-such-thing/);
  release();
  await came;
  await page.waitForTimeout(100);
  hold((await shown()) === before, "an answer of an older search is drawn over the newer");
  await page.context().close();
}

const SHIRT = {
  Title: "Shirt",
  Link: "https://shop.test/shirt",
  Options: { Colour: ["Red", "Blue", "Green", "Sky"], Size: ["XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL"], Cloth: "Flax".repeat(11) },
  Swatches: { Colour: { Red: "#cc0000", Blue: "javascript:1", Green: "#0a0", Sky: "https://cdn.test/sky.png" } },
  Variant: { Id: "red", Options: { Colour: "Red", Size: "4XL" }, Link: "https://shop.test/red" },
};

/** The first hit has options; the others have an attribute of that name, which no page may take for them. */
const asHit = (item, at) => ({ ...item, ...SHIRT, ...(at ? { Options: ["S, M", [{ Size: "S" }], { Size: { S: 1 } }][at % 3] } : {}) });

async function optionsOfHits({ visit, query }) {
  const page = await visit("alone", {});
  await page.route(/api\/search/, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, Items: answer.Items.map(asHit) } });
  });
  const box = page.locator("#pc_searchbox");
  await come(page, () => document.querySelector("#pc_searchbox[role=combobox]"), "the box is not completed");
  await box.fill(query);
  await box.press("Enter");
  await come(page, () => document.querySelector("[data-lethe-results] .pc-values"), "hits have no options");
  const item = page.locator("[data-lethe-results] .pc-item").first();
  await item.scrollIntoViewIfNeeded();
  const { rows, outside, hasStyle } = await item.evaluate((card) => {
    const edge = card.getBoundingClientRect();
    const isInside = ({ left, right, top, bottom, width, height }) =>
      Math.min(width, height) >= 5 && left >= edge.left && right <= edge.right && top >= edge.top && bottom <= edge.bottom;
    const star = (one) => (one.getAttribute("aria-current") === "true" ? "*" : "");
    const dot = (one) => (one.querySelector(".pc-swatch") ? "●" : "");
    const parts = [...card.querySelectorAll(".pc-values li, .pc-swatch")];
    return {
      rows: [...card.querySelectorAll(".pc-values")].map(
        (row) => `${row.getAttribute("aria-label")}=${[...row.children].map((one) => star(one) + dot(one) + one.textContent).join()}`,
      ),
      outside: parts.filter((one) => !isInside(one.getBoundingClientRect())).map((one) => one.outerHTML).join(),
      hasStyle: card.querySelector("[style]") !== null,
    };
  });
  const expected = `Colour=*●Red,Blue,●,●; Size=XS,S,M,L,XL,*4XL,+2; Cloth=${"Flax".repeat(10)}…`;
  hold(rows.join("; ") === expected, `options are shown as ${rows.join("; ")}`);
  const owners = await page.locator("[data-lethe-results] .pc-item:has(.pc-values)").count();
  hold(owners === 1, `${owners} hits have rows of options`);
  hold(!outside, `of the options this is not in its item, or too small: ${outside}`);
  hold(!hasStyle, "a swatch needs a style, which the policy of a page may refuse");
  for (const name of ["Green", "Sky"]) hold((await item.getByRole("img", { name }).count()) === 1, `nobody hears ${name}`);
  const fills = await item.locator("circle").evaluateAll((all) => all.map((one) => getComputedStyle(one).fill).join());
  hold(fills === "rgb(204, 0, 0),rgb(0, 170, 0)", `swatches are ${fills}`);
  hold((await item.locator("a").getAttribute("href")) === SHIRT.Variant.Link, "a hit does not lead to its variant");
  const line = await item.locator("[aria-current]").last().evaluate((one) => getComputedStyle(one).outlineStyle);
  hold(line === "solid", "the marked size looks like the others");
  await clean(page, "options of hits");
  await page.context().close();
}

export const PLUGIN_CHECKS = {
  "in shops with the public plugins zones are seen, and completions stand at their box": shops,
  "the search page of Magento 1 shows the hits of its address": searchPage,
  "a script that is on the page twice is there once": twice,
  "a shop that draws its pages itself has the zones of each page": single,
  "a request that hangs holds up nothing": hanging,
  "what the server could not take just now is told again, also by the next page": later,
  "what could not be told for a while is told again": unreachable,
  "a popup in an element that a plugin hides is seen": popup,
  "a page that is shown again tells a view": comingBack,
  "a browser that objects is asked, and a yes of before is none": signal,
  "what was looked at ends, with its days and with a log-out": ending,
  "an answer of an older search is dropped": lateAnswer,
  "options of hits are swatches and sizes below their links": optionsOfHits,
};
