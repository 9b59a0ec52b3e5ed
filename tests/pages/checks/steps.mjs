// What a guide tells a person to do in a page: fixed sentences, each of them done in a browser.

import { stat } from "node:fs/promises";
import { hold, PATIENCE } from "./seat.mjs";

/** Nobody presses buttons faster, and a list of rules may be changed as often (SEARCH_RULES_DURATION, and some more). */
const PRESS_PAUSE = 700;
const AREAS = { beside: "tr, li", below: "section, fieldset" };

/** Of what a guide says a page shows: `…` in it is anything, and all white space is one space. */
function pattern(text) {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return parts.join(".*?").replace(/\s+/g, "\\s+");
}

/** The row or item beside a text, the part of the page below a heading, or all of the page; of several the last that has
 * the control, if one is looked for. */
function area(page, { word, text }, control) {
  if (!text) return page.locator("body");
  const named = page.getByText(text, { exact: true }).filter({ visible: true });
  const areas = page.locator(AREAS[word]).filter({ has: named });
  return (control ? areas.filter({ has: control }) : areas).last();
}

/** Waits until a text can be seen, or no longer: neither what is hidden nor what is typed can. */
async function look(page, where, text, { isThere = true, patience = 1 } = {}) {
  const form = new RegExp(pattern(text), "s");
  const end = Date.now() + patience * page.patience;
  let said = "";
  do {
    said = await area(page, where)
      .innerText({ timeout: page.patience })
      .catch((fault) => fault.message);
    if (form.test(said) === isThere) return;
    await page.waitForTimeout(50);
  } while (Date.now() < end);
  throw new Error(`that is ${isThere ? "not" : "still"} to be seen in: ${said}`);
}

async function only(found, name) {
  await found.first().waitFor();
  const aims = await found.evaluateAll((all) => all.map((one, at) => one.href ?? at));
  hold(new Set(aims).size === 1, `"${name}" stands there for ${aims.length} different things`);
  return found.first();
}

function find(page, role, name, where) {
  // Beside a text a name may go on: "Put in front Oak chair", where the title is for screen readers.
  const form = new RegExp(`^\\s*${pattern(name)}${where.word === "beside" ? "" : "\\s*$"}`);
  const control = page.getByRole(role, { name: form }).filter({ visible: true });
  return only(area(page, where, control).getByRole(role, { name: form }).filter({ visible: true }), name);
}

/** The field with a label, or with a placeholder where people see no label. */
function field(page, label, where) {
  const form = new RegExp(`^\\s*${pattern(label)}\\s*$`);
  const part = area(page, where);
  return only(part.getByLabel(form).or(part.getByPlaceholder(form)).filter({ visible: true }), label);
}

/** Does what leads to a page, and waits until that page is there. */
async function go(page, act) {
  const comes = page.waitForEvent("framenavigated", (frame) => frame === page.mainFrame());
  await Promise.all([comes, act()]);
  await page.waitForLoadState();
}

async function open(page, name, where) {
  const link = await find(page, "link", name, where);
  await go(page, () => link.click());
}

/** Resolves once an editor, which sends its form in the background, shows the answer. */
async function showsAnswer(page) {
  const isShown = page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => document.querySelector("form[aria-busy]") === null && resolve();
        new MutationObserver(look).observe(document, { attributes: true, attributeFilter: ["aria-busy"], subtree: true });
      }),
  );
  // Another page has come: `go` sees that.
  return isShown.catch(() => new Promise(() => {}));
}

/** Does what leads to another page, or changes this one. */
function change(page, act) {
  const shown = showsAnswer(page);
  return Promise.race([go(page, act), shown]);
}

async function press(page, name, where) {
  const button = await find(page, "button", name, where);
  await page.waitForTimeout(Math.max(0, (page.pressedAt ?? 0) + PRESS_PAUSE - Date.now()));
  await change(page, () => button.click());
  page.pressedAt = Date.now();
}

/** Drags an item of a sorted list by its handle to the place of another. */
async function drag(page, name, other, where) {
  const item = (text) => {
    const named = page.getByText(text, { exact: true });
    return only(area(page, where).locator("[data-sortable] > li").filter({ has: named, visible: true }), text);
  };
  const [dragged, place] = [await item(name), await item(other)];
  await dragged.locator(".handle").hover();
  await page.mouse.down();
  // At its edge the page would scroll on under the pointer.
  await place.evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }));
  const { x, y } = await place.boundingBox();
  await page.mouse.move(x + 8, y + 8, { steps: 8 });
  await change(page, () => page.mouse.up());
}

async function save(page, name, where, file) {
  const link = await find(page, "link", name, where);
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  await download.saveAs(file);
  hold((await stat(file)).size, "it is empty");
}

// Names stand between asterisks as the page has them, what is typed and files between backticks. Where a name stands in a
// page for several things, "beside" a text of its row or "below" the heading of its part says which.
const SENTENCES = {
  "Open the link that the command printed.": async (page, { link }) => {
    hold(link, "no command printed one");
    await page.goto(link);
  },
  "Open **…**.": (page, { where }, name) => open(page, name, where),
  "Open the link.": (page, { where }) => open(page, "…", where),
  "Press **…**.": (page, { where }, name) => press(page, name, where),
  "Drag **…** to the place of **…**.": (page, { where }, name, other) => drag(page, name, other, where),
  "Type `…` into **…**.": async (page, { where }, text, label) => (await field(page, label, where)).fill(text),
  "Type this into **…**:": async (page, { where, block }, label) => (await field(page, label, where)).fill(block),
  "Choose **…** in **…**.": async (page, { where }, name, label) =>
    (await field(page, label, where)).selectOption({ label: name }),
  "Unfold **…**.": async (page, { where }, name) => {
    const form = new RegExp(`^\\s*${pattern(name)}\\s*$`);
    const folded = area(page, where).locator("details:not([open]) > summary").filter({ hasText: form, visible: true });
    await (await only(folded, name)).click();
  },
  "Tick **…**.": async (page, { where }, label) => (await field(page, label, where)).check(),
  "You see **…**.": (page, { where }, text) => look(page, where, text),
  "Wait until you see **…**.": (page, { where }, text) => look(page, where, text, { patience: 6 }),
  "You no longer see **…**.": (page, { where }, text) => look(page, where, text, { isThere: false }),
  "Save **…** as `…`.": (page, { where, folder }, name, file) => save(page, name, where, `${folder}/${file}`),
  "Go back.": (page) => go(page, () => page.goBack()),
};
const FORMS = Object.entries(SENTENCES).map(([sentence, act]) => {
  const form = sentence.replace(/[.*]/g, "\\$&").replaceAll("`…`", "`([^`]*)`").replaceAll("…", "((?:(?!\\*\\*).)+)");
  return [new RegExp(`^${form}$`), act];
});

/**
 * Does what a sentence says. `facts` are the `link` that a command printed last, the `folder` for what is saved, and the
 * `block` below a sentence that ends with a colon. Throws where it cannot be done, or the page is not as it says.
 */
export async function perform(page, sentence, facts) {
  page.patience ??= PATIENCE;
  const [, before, word, text, end] = /^(.*?)(?: (beside|below) \*\*((?:(?!\*\*).)+)\*\*)?([.:])$/s.exec(sentence) ?? [];
  for (const [form, act] of FORMS) {
    const said = form.exec(`${before}${end}`);
    if (said) return act(page, { ...facts, where: { word, text } }, ...said.slice(1));
  }
  throw new Error(`that is none of the sentences of a guide: ${Object.keys(SENTENCES).join(" ")}`);
}
