// Everything once by keyboard alone: no mouse call stands in this file.

import { come, drawn, heading, hold, total } from "./seat.mjs";

function focused(page) {
  return page.evaluate(() => {
    const held = document.activeElement;
    const style = getComputedStyle(held);
    const area = held.getBoundingClientRect();
    return {
      id: held.id,
      key: held.dataset.key || "",
      name: held.tagName,
      text: held.textContent,
      isBody: held === document.body,
      isShown: style.outlineStyle !== "none" && area.width > 0 && area.bottom > 0 && area.top < innerHeight,
    };
  });
}

/** Tab until `is` holds; every stop on the way must show that it has the focus. */
async function tabTo(page, is, sentence, key = "Tab") {
  for (let step = 0; step < 250; step += 1) {
    await page.keyboard.press(key);
    const held = await focused(page);
    hold(held.isBody || held.isShown, `the focus on ${held.name} ${held.id} ${held.key} cannot be seen`);
    if (is(held)) return held;
  }
  throw new Error(`Tab does not reach ${sentence}`);
}

async function box(page, word) {
  await page.keyboard.press("Tab");
  hold((await focused(page)).id === "skip", "the first stop is not the way to the results");
  await page.keyboard.press("Enter");
  hold((await focused(page)).id === "found", "the first link does not lead to the results");
  await page.keyboard.press("/");
  hold((await focused(page)).id === "box", "the key / does not lead to the box");
  const letters = word.slice(0, 3);
  // Those of fewer letters may come before, and others then.
  const answered = page.waitForResponse(
    (one) => one.url().endsWith("/api/autocomplete") && one.request().postDataJSON()?.Query === letters,
  );
  await page.keyboard.type(letters);
  await answered;
  await come(page, () => document.querySelectorAll("[role=option]").length > 0, "no completions came");
  await page.keyboard.press("ArrowDown");
  const active = () =>
    page.evaluate(() => {
      const id = document.getElementById("box").getAttribute("aria-activedescendant");
      return id && document.getElementById(id)?.getAttribute("aria-selected") === "true" ? id : null;
    });
  const first = await active();
  hold(first, "the arrow does not lead into the completions");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  hold((await active()) === first, "down and up do not lead back");
  await page.keyboard.press("Escape");
  hold(await page.locator("#options").isHidden(), "Escape does not close the completions");
  hold((await page.locator("#box").inputValue()) === word.slice(0, 3), "Escape took the words away");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  hold(await page.locator("#options").isHidden(), "Enter does not close the completions");
  await drawn(page);
  await page.keyboard.press("Escape");
  hold((await page.locator("#box").inputValue()) === "", "Escape does not empty the box");
  await drawn(page);
}

async function facets(page) {
  const before = await total(page);
  const held = await tabTo(page, (one) => one.name === "INPUT" && one.key.includes("="), "a facet value");
  await page.keyboard.press("Space");
  await drawn(page);
  hold((await focused(page)).key === held.key, "the focus leaves the chosen value");
  const narrowed = await total(page);
  hold(narrowed <= before, "the facet did not narrow");
  await tabTo(page, (one) => one.key.startsWith("chip "), "the chip");
  await page.keyboard.press("Enter");
  await drawn(page);
  hold((await total(page)) === before, "the chip did not undo the filter");
  hold((await focused(page)).id === "found", "the focus is lost when the chip goes");
}

async function order(page) {
  await tabTo(page, (one) => one.id === "sort", "the order");
  await page.keyboard.press("End");
  await drawn(page);
  hold((await page.locator("#sort").inputValue()) === "title", "the key did not choose the order");
  await page.keyboard.press("/");
  hold((await focused(page)).id === "box", "the key / does not lead to the box from a select");
}

async function similar(page) {
  const held = await tabTo(page, (one) => one.key.startsWith("similar "), "a Similar button");
  await page.keyboard.press("Enter");
  await come(page, () => document.getElementById("similar").open, "Enter does not open the dialog");
  await tabTo(page, (one) => one.id === "similar-close", "the dialog's Close button");
  await page.keyboard.press("Escape");
  await come(page, () => !document.getElementById("similar").open, "Escape does not close the dialog");
  hold((await focused(page)).key === held.key, "the focus does not return to the Similar button");
}

async function zones(page) {
  await tabTo(page, (one) => one.key.startsWith("choose "), "a Choose button");
  await page.keyboard.press("Enter");
  await come(page, () => document.activeElement?.id === "zones-name", "Enter does not lead to the zones");
  await tabTo(page, (one) => one.key.startsWith("choose "), "a Choose button of a zone");
}

async function pages(page) {
  if (await page.locator("#pages").isHidden()) return;
  await tabTo(page, (one) => one.id === "next", "the Next button");
  await page.keyboard.press("Enter");
  await drawn(page);
  await come(page, () => document.activeElement?.id === "found", "the focus is not on the heading of page 2");
}

async function shop(page, secret) {
  await tabTo(
    page,
    (one) => one.name === "SUMMARY" && one.text.includes("For the shop"),
    "For the shop",
    "Shift+Tab",
  );
  await page.keyboard.press("Enter");
  await tabTo(page, (one) => one.id === "secret", "the secret's field");
  await page.keyboard.type(secret);
  await page.keyboard.press("Enter");
  await come(page, () => document.querySelector("#items details"), "the reasons did not come");
  await tabTo(page, (one) => one.id === "missing-id", "the field for a missing product");
  await page.keyboard.type("no-such-product");
  await page.keyboard.press("Enter");
  await come(
    page,
    () => document.getElementById("missing-said").textContent.length > 10,
    "no reason was given",
  );
  await tabTo(page, (one) => one.name === "SUMMARY" && one.text.includes("Why here"), "Why here");
  await page.keyboard.press("Enter");
  hold(await page.locator("#items details[open] li").first().isVisible(), "Enter does not open the reasons");
}

export function checkKeyboard(facts, secret) {
  return {
    "everything works by keyboard alone": async (seat) => {
      const page = await (await seat()).start();
      hold((await heading(page)).length > 0, "the page has no heading of results");
      await box(page, facts.words[0]);
      await facets(page);
      await order(page);
      await similar(page);
      await pages(page);
      await shop(page, secret);
      await zones(page);
    },
  };
}
