// What one does with the mouse and the keys: type, choose, filter, page, sort, go back.

import { come, drawn, heading, hold, ids, PHONE, total } from "./seat.mjs";

export function hashOf(page) {
  return new URLSearchParams(new URL(page.url()).hash.slice(1));
}

async function typing(seat, { words: [word] }) {
  const page = await (await seat()).start();
  await page.locator("#box").click();
  let completed = 0;
  for (const letter of word) {
    await page.keyboard.type(letter);
    await drawn(page);
    hold(await page.locator("#items article").count(), `no products while ${word} is typed`);
    completed += await page.locator("[role=option]:visible").count();
  }
  hold(completed > 0, `no completions while ${word} is typed`);
  await come(page, () => document.querySelectorAll("[role=option]").length > 0, "no completions at the end");
  hold(
    (await page.locator("#box").getAttribute("aria-expanded")) === "true",
    "the box does not say it is open",
  );
  hold(await page.locator("#options [role=group]").count(), "the completions are not grouped");
  await come(
    page,
    (asked) => new URLSearchParams(location.hash.slice(1)).get("q") === asked,
    "the address does not hold what was typed",
    word,
  );
  hold(
    (await heading(page)).includes("products for") || (await heading(page)).includes("product for"),
    `the heading does not say how many: ${await heading(page)}`,
  );
  hold(await page.locator("#items mark").count(), "no found word is marked");
  hold((await page.title()).startsWith(`${word} · `), `the title of the page is ${await page.title()}`);
  await come(
    page,
    () => /^[\d,]+ products? for /.test(document.getElementById("status").textContent),
    "the status does not say the number of results",
  );
  await page.locator("[role=option]").first().click();
  await drawn(page);
  hold(await page.locator("#options").isHidden(), "the completions stay open after choosing");
}

async function correction(seat, { misspelt, corrected }) {
  const page = await (await seat()).start();
  await page.locator("#box").fill(misspelt);
  await drawn(page);
  const said = await page.locator(".note.corrected").textContent();
  hold(said.includes(misspelt), `the correction does not name ${misspelt}: ${said}`);
  hold(!corrected || said.includes(corrected), `the correction does not say ${corrected}: ${said}`);
  hold((await total(page)) > 0, "the corrected search found nothing");
}

async function nothing(seat, { nothing: word }) {
  const page = await (await seat()).start(`#q=${word}`);
  if (await total(page)) return;
  hold((await heading(page)) === `No products for ‘${word}’.`, `nothing found is said as ${await heading(page)}`);
  hold(await page.locator("#filters").isHidden(), "there are filters where nothing was found");
  await page.locator("#none button").first().click();
  await drawn(page);
  hold((await total(page)) > 0, "what is offered where nothing was found finds nothing");
}

async function nothingFiltered(seat, { nothing: word }) {
  const chosen = encodeURIComponent(JSON.stringify({ Brand: ["no-such-brand"] }));
  const page = await (await seat()).start(`#q=${word}&f=${chosen}`);
  await page.locator("#none").getByRole("button", { name: "Clear filters" }).click();
  await drawn(page);
  hold(!hashOf(page).get("f"), "the filters are still in the address");
  hold(await page.locator("#chips").isHidden(), "the chips are still there");
}

/** A checkbox that narrows: its count is not zero and below the total. */
export async function narrowing(page) {
  const all = await total(page);
  const rows = await page.locator("#facets label.value").evaluateAll((labels) =>
    labels.map((label) => ({
      key: label.querySelector("input").dataset.key,
      count: Number(label.querySelector(".count").firstChild.textContent.replace(/,/g, "")),
    })),
  );
  const row = rows.find((one) => one.count > 0 && one.count < all);
  hold(row, "no facet value narrows the search");
  return row;
}

async function filtering(seat) {
  const page = await (await seat()).start();
  const before = await total(page);
  const { key, count } = await narrowing(page);
  const box = page.locator(`#facets input[data-key=${JSON.stringify(key)}]`);
  await box.check();
  await drawn(page);
  hold((await total(page)) === count, `the value promised ${count} and gave ${await total(page)}`);
  hold(await box.isChecked(), "the chosen value is not checked any more");
  hold(hashOf(page).get("f"), "the filter is not in the address");
  await page.reload();
  await drawn(page);
  hold((await total(page)) === count, "the filter is gone after a reload");
  await page.locator("#chips .chip").first().click();
  await drawn(page);
  hold((await total(page)) === before, "the chip did not take the filter away");
  hold(await page.locator("#chips").isHidden(), "the chip is still there");
}

async function ranging(seat) {
  const page = await (await seat()).start();
  const before = await total(page);
  const form = page.locator("#facets form.range").first();
  if (!(await form.count())) return;
  const low = Number(await form.locator("[name=From]").getAttribute("placeholder"));
  const high = Number(await form.locator("[name=To]").getAttribute("placeholder"));
  await form.locator("[name=From]").fill(String(low));
  await form.locator("[name=To]").fill(String(Math.ceil((low + high) / 2)));
  await form.locator("button").click();
  await drawn(page);
  const narrowed = await total(page);
  hold(narrowed > 0 && narrowed <= before, `the range gave ${narrowed} of ${before}`);
  hold((await page.locator("#chips .chip").count()) === 1, "the range has no chip");
  await page.locator("#chips .chip").click();
  await drawn(page);
  hold((await total(page)) === before, "the chip did not take the range away");
}

async function paging(seat, { all }) {
  const page = await (await seat()).start();
  if (all <= 24) return;
  const first = await ids(page);
  await page.locator("#next").click();
  await drawn(page);
  await come(page, () => document.activeElement?.id === "found", "the focus is not on the heading");
  hold(/^Page 2 of /.test(await page.locator("#place").textContent()), "the page is not called page 2");
  hold((await ids(page))[0] !== first[0], "page 2 shows what page 1 showed");
  hold(hashOf(page).get("page") === "2", "the page is not in the address");
  await page.locator("#previous").click();
  await drawn(page);
  hold((await ids(page))[0] === first[0], "page 1 is not what it was");
}

async function filteringLater(seat, { all }) {
  const page = await (await seat()).start();
  if (all <= 24) return;
  const { key, count } = await narrowing(page);
  await page.locator("#next").click();
  await drawn(page);
  await page.locator(`#facets input[data-key=${JSON.stringify(key)}]`).check();
  await drawn(page);
  hold((await total(page)) === count, `a filter chosen on page 2 finds ${await heading(page)} of ${count}`);
  hold(!hashOf(page).get("page"), "a filter chosen on page 2 stays on page 2");
  hold((await ids(page)).length === Math.min(count, 24), "a filter chosen on page 2 does not show its first products");
  await page.goBack();
  await drawn(page);
  hold(hashOf(page).get("page") === "2", "back does not lead to page 2");
  await page.locator("#sort").selectOption("title");
  await drawn(page);
  hold(!hashOf(page).get("page"), "an order chosen on page 2 stays on page 2");
}

async function sorting(seat, { words: [word], search }) {
  const page = await (await seat()).start(`#q=${word}`);
  for (const order of ["title", "newest", "price", "-price"]) {
    const option = page.locator(`#sort option[value="${order}"]`);
    if (await option.evaluate((one) => one.disabled)) continue;
    await page.locator("#sort").selectOption(order);
    await drawn(page);
    const wanted = (await search(word, { Sort: order })).Items.map((item) => item.Id);
    hold((await ids(page)).join() === wanted.join(), `the order ${order} is not the one of the API`);
    hold(hashOf(page).get("sort") === order, "the order is not in the address");
  }
}

async function similar(seat, { words: [word] }) {
  const page = await (await seat()).start(`#q=${word}`);
  const button = page.locator("#items article button").first();
  await button.click();
  await come(
    page,
    () => document.getElementById("similar-said").textContent !== "Looking",
    "similar did not answer",
  );
  hold(await page.locator("#similar").isVisible(), "the dialog is not open");
  const cards = await page.locator("#similar-items article").count();
  const said = await page.locator("#similar-said").textContent();
  hold(cards || said, "the dialog says nothing");
  await page.keyboard.press("Escape");
  hold(await page.locator("#similar").isHidden(), "Escape did not close the dialog");
  hold(
    await button.evaluate((one) => one === document.activeElement),
    "the focus did not return to the button",
  );
}

async function sheet(seat, { words: [word] }) {
  const page = await (await seat(PHONE)).start(`#q=${word}`);
  const button = page.locator("#show-found");
  hold(await button.isHidden(), "the way to the products stands there while the filters are closed");
  await page.locator("#filters-name").click();
  await page.locator("#facets input[type=checkbox]").first().check();
  await drawn(page);
  const wanted = `Show ${(await heading(page)).split(" for ")[0]}`;
  hold((await button.textContent()) === wanted, `the button says ${await button.textContent()}, not ${wanted}`);
  const area = await button.boundingBox();
  hold(area.y > 0 && area.y + area.height <= PHONE.viewport.height, "the button is not on the screen");
  await button.click();
  hold(await page.locator("#facets").isHidden(), "the filters stay open");
  hold(await page.evaluate(() => document.activeElement.id === "found"), "the focus is not on the heading");
}

async function history(seat, { words }) {
  const page = await (await seat()).start();
  const all = await total(page);
  await page.locator("#box").click();
  await page.keyboard.type(words[0]);
  await drawn(page);
  await page.keyboard.press("Enter");
  const found = await heading(page);
  const { key } = await narrowing(page).catch(() => ({}));
  if (key) await page.locator(`#facets input[data-key=${JSON.stringify(key)}]`).check();
  await drawn(page);
  const narrowed = await heading(page);
  if (key) await page.goBack();
  await come(
    page,
    (text) => document.getElementById("found").textContent === text,
    "back does not undo",
    found,
  );
  hold((await page.locator("#box").inputValue()) === words[0], "back emptied the box");
  await page.goBack();
  await come(page, () => document.getElementById("box").value === "", "back leaves words in the box");
  await drawn(page);
  hold((await total(page)) === all, "back did not lead to the beginning");
  await page.goForward();
  await come(page, (text) => document.getElementById("found").textContent === text, "forward fails", found);
  if (key) await page.goForward();
  await come(
    page,
    (text) => document.getElementById("found").textContent === text,
    "forward fails",
    narrowed,
  );
  await page.reload();
  await drawn(page);
  hold((await heading(page)) === narrowed, "a reload shows something else");
}

export function checkSearching(facts) {
  return Object.fromEntries(
    Object.entries({
      "typing gives completions and results": typing,
      "a typing error is corrected": correction,
      "nothing found says what to do": nothing,
      "too narrow filters can be cleared": nothingFiltered,
      "a facet narrows and its chip undoes it": filtering,
      "a range narrows": ranging,
      "pages turn": paging,
      "a filter or an order chosen on a later page leads to the first": filteringLater,
      "orders are those of the API": sorting,
      "similar products open in a dialog": similar,
      "on a phone a button leads from the filters to the products": sheet,
      "back, forward and reload work": history,
    }).map(([name, run]) => [name, (seat) => run(seat, facts)]),
  );
}
