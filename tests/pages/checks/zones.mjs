// What a shop's pages would show: zones of the home page, and of the page of a chosen product.

import { come, heading, hold } from "./seat.mjs";

const asksForZones = (request) => request.url().endsWith("/api/serverside");
const about = (page) => page.locator("#zones-name").textContent();
const shown = (page) =>
  page.locator("#zones-shown article").evaluateAll((all) => all.map((one) => one.dataset.id).join());

/** The zones of the page that is named so are drawn. */
export function zonesOf(page, name) {
  return come(
    page,
    (part) =>
      !document.getElementById("zones").hidden &&
      document.getElementById("zones-name").textContent.includes(part),
    `the zones of ${name} are not shown`,
    name,
  );
}

/** Acts, and gives what the page then asks; nobody may stand in it. */
async function askedBy(page, act) {
  const request = page.waitForRequest(asksForZones);
  await act();
  const body = (await request).postDataJSON();
  hold(
    Object.keys(body).every((name) => ["AppKey", "zones", "viewed", "currency"].includes(name)),
    `the page tells more than it asks: ${Object.keys(body)}`,
  );
  return { ids: body.zones.map((zone) => zone.id).join(), of: body.zones[0].data, viewed: body.viewed.join() };
}

async function home(seat, { words: [word] }) {
  const page = await seat();
  const asked = await askedBy(page, () => page.start());
  hold(asked.ids === "HP-01,HP-02,HP-03,HP-04" && asked.viewed === "", `the start asks for ${asked.ids}`);
  await zonesOf(page, "home page");
  const zones = await page.locator("#zones-shown > section").evaluateAll((all) =>
    all.map((one) => ({
      name: one.querySelector("h3").firstChild.textContent.trim(),
      items: one.querySelectorAll("li").length,
    })),
  );
  hold(zones.length > 0, "the start page shows no zones");
  for (const { name, items } of zones) hold(name && items, `a zone named "${name}" has ${items} products`);
  await page.locator("#to-zones").click();
  hold(
    await page.evaluate(() => document.activeElement.id === "zones-name"),
    "the way to the zones does not lead there",
  );
  await page.locator("#box").fill(word);
  await come(page, () => document.getElementById("zones").hidden, "the home page's zones stay beside a search");
}

async function choosing(seat, { words: [word] }) {
  const page = await (await seat()).start(`#q=${word}`);
  hold(await page.locator("#zones").isHidden(), "zones stand beside a search in which nothing is chosen");
  const found = await heading(page);
  const choose = page.locator("#items article").first();
  const first = await choose.getAttribute("data-id");
  const asked = await askedBy(page, () => choose.getByRole("button", { name: /^Preview product page/ }).click());
  hold(asked.ids === "PP-01,PP-02,PP-03", `a product asks for ${asked.ids}`);
  hold(asked.of.product_id === first && asked.of.page_type === "product_page", "the product is not named");
  hold(asked.viewed === first, `looked at is ${asked.viewed}`);
  await zonesOf(page, "the page of");
  await come(page, () => document.activeElement.id === "zones-name", "the focus is not on the zones");
  const before = { name: await about(page), ids: await shown(page) };
  hold(before.ids && !before.ids.split(",").includes(first), "its zones are empty or show the product itself");

  const other = page.locator("#zones-shown article").nth(2);
  const second = await other.getAttribute("data-id");
  const again = await askedBy(page, () => other.locator("h4").click());
  hold(again.of.product_id === second && again.viewed === `${first},${second}`, "the newest is not last");
  await come(
    page,
    (name) => document.getElementById("zones-name").textContent !== name,
    "the zones are still those of the product before",
    before.name,
  );
  hold((await shown(page)) !== before.ids, "choosing a product does not change the zones");
  hold((await heading(page)) === found, "choosing a product changes the search");
  const back = await askedBy(page, () => page.locator("#zones-home").click());
  hold(back.viewed === again.viewed && back.ids.startsWith("HP-01"), "the home page forgets what was looked at");
}

const TEXT = { type: "html", html: '<img src=x onerror="window.__hit=1">' };
const DRAWN = { type: "recommender-product", title: "Drawn", items: [], html: TEXT.html };

async function textsAndFaults(seat) {
  const page = await seat();
  let answer = { zones: { "HP-01": TEXT, "HP-02": DRAWN } };
  await page.route("**/api/serverside", (route) => route.fulfill({ json: answer }));
  await page.start();
  await zonesOf(page, "home page");
  const said = await page.locator("#zones-shown").innerText();
  hold(said.includes("a text or pictures") && said.includes("with a template"), `HTML is shown as ${said}`);
  hold(!(await page.locator("#zones img").count()), "the HTML of a zone is on the page");
  answer = { zones: {}, errors: ["the zones were left out"] };
  await page.locator("#items article button[data-key^=choose]").first().click();
  await come(
    page,
    () => document.getElementById("notes").textContent.includes("the zones were left out"),
    "it is not said why no zones came",
  );
  hold((await page.locator("#zones-shown").innerText()) === said, "an answer with errors changed the zones");
  hold((await about(page)).includes("home page"), "an answer with errors changed their name");
  answer = { zones: {} };
  await page.locator("#items article button[data-key^=choose]").first().click();
  await zonesOf(page, "the page of");
  hold(!(await page.locator(".note.unfilled").count()), "the note stays when zones came");
}

export function checkZones(facts) {
  return {
    "the start page shows the zones of the home page": (seat) => home(seat, facts),
    "choosing a product shows the zones of its page": (seat) => choosing(seat, facts),
    "texts of zones are named, and faults leave the zones": textsAndFaults,
  };
}
