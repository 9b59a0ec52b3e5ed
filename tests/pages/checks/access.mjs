// Axe in both colour schemes and on both sizes, widths of a phone, and how large things to press are.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { come, DESKTOP, drawn, hold, NARROW, PHONE } from "./seat.mjs";
import { openShop } from "./shop.mjs";
import { zonesOf } from "./zones.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

export async function clean(page, where) {
  const violations = await page.evaluate(
    async ([source, tags]) => {
      // Evaluated by the browser's own tools, which the page's policy does not bind.
      if (!window.axe) (0, eval)(source);
      const { violations: found } = await window.axe.run(document, {
        runOnly: { type: "tag", values: tags },
      });
      return found.map((one) => `${one.id}: ${one.help} at ${one.nodes[0].target} (${one.nodes.length})`);
    },
    [axe, RULES],
  );
  hold(!violations.length, `axe ${where}: ${violations.join("; ")}`);
}

async function fits(page, where) {
  const over = await page.evaluate(() => {
    const root = document.scrollingElement;
    const list = document.getElementById("options");
    const wide = [root, list].find((one) => one.scrollWidth > one.clientWidth);
    return wide ? `${wide.tagName} is ${wide.scrollWidth} wide in ${wide.clientWidth}` : null;
  });
  hold(!over, `${where} scrolls sideways: ${over}`);
}

async function large(page, where) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, summary, select, input, label.value, [role=option]")]
      .filter((one) => one.checkVisibility() && !one.closest(".unseen") && one.type !== "checkbox")
      .map((one) => ({ area: one.getBoundingClientRect(), what: one.outerHTML.slice(0, 90) }))
      .filter(({ area }) => area.height < 39.5 || area.width < 39.5)
      .map(({ area, what }) => `${what} is ${Math.round(area.width)} by ${Math.round(area.height)}`),
  );
  hold(!small.length, `${where}: too small to touch: ${small[0]}`);
}

/** Closes the completions; where there are none Escape would empty the box. */
async function shut(page) {
  if (await page.locator("#options").isVisible()) await page.keyboard.press("Escape");
}

/** Leads the page through its states and judges each. */
async function walk(page, facts, secret, judge) {
  await page.start(`#q=${encodeURIComponent(facts.words[0])}`);
  await judge("results");
  await page.locator("#filters").evaluate((one) => {
    one.open = true;
  });
  await page.locator("#facets input[type=checkbox]").first().check();
  await drawn(page);
  await judge("a filter");
  await page.locator("#box").fill(facts.prefix);
  await come(
    page,
    () => document.querySelector("#options:not([hidden]) [role=option]"),
    "no completions came",
  );
  await page.keyboard.press("ArrowDown");
  await judge("completions");
  await page.keyboard.press("Escape");
  await page.locator("#box").fill(facts.nothing);
  await drawn(page);
  await shut(page);
  await judge("nothing found");
  await page.locator("#box").fill(facts.misspelt);
  await drawn(page);
  await shut(page);
  if (await page.locator("#chips button").count()) await page.locator("#chips button").first().click();
  await drawn(page);
  await judge("a correction");
  await openShop(page, secret);
  await come(page, () => document.querySelector("#items details"), "no reasons came");
  await page.locator("#items details summary").first().click();
  await judge("details open");
  await page.locator("#items article button").first().click();
  await come(
    page,
    () => document.getElementById("similar-said").textContent !== "Looking",
    "similar did not answer",
  );
  await judge("dialog");
  await page.keyboard.press("Escape");
  await page.locator("#items article button[data-key^=choose]").first().click();
  await zonesOf(page, "the page of");
  await judge("zones");
}

export function checkAccess(facts, secret) {
  const scenes = {};
  for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    for (const colorScheme of ["light", "dark"]) {
      const where = `${size}, ${colorScheme}`;
      scenes[`axe finds nothing: ${where}`] = async (seat) => {
        const page = await seat({ ...options, colorScheme, reducedMotion: "reduce" });
        await walk(page, facts, secret, (state) => clean(page, `${where}, ${state}`));
      };
    }
  }
  scenes["at 360 nothing scrolls sideways and all is large enough"] = async (seat) => {
    const page = await seat(NARROW);
    await walk(page, facts, secret, async (state) => {
      await fits(page, state);
      await large(page, state);
    });
  };
  return scenes;
}
