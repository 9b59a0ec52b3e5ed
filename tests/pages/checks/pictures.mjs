// Pictures of the page for people to look at.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { come, DESKTOP, drawn, PHONE } from "./seat.mjs";
import { openShop } from "./shop.mjs";
import { zonesOf } from "./zones.mjs";

const LOOKS = {
  light: { ...DESKTOP, colorScheme: "light" },
  dark: { ...DESKTOP, colorScheme: "dark" },
  phone: { ...PHONE, colorScheme: "light" },
  "phone-dark": { ...PHONE, colorScheme: "dark" },
};

async function take(page, facts, secret, save) {
  await page.start();
  await save("start");
  await zonesOf(page, "home page");
  await page.locator("#to-zones").click();
  await save("zones");
  await page.locator("#box").click();
  await page.keyboard.type(facts.prefix);
  await come(
    page,
    () => document.querySelector("#options:not([hidden]) [role=option]"),
    "no completions came",
  );
  await page.keyboard.press("ArrowDown");
  await save("completions");
  await page.locator("#box").fill(facts.words[0]);
  await drawn(page);
  await page.keyboard.press("Escape");
  await page.locator("#filters").evaluate((one) => {
    one.open = innerWidth > 900;
  });
  await page
    .locator("#facets input[type=checkbox]")
    .first()
    .evaluate((one) => one.click());
  await drawn(page);
  await save("results");
  await page.start(`#q=${encodeURIComponent(facts.misspelt)}`);
  await drawn(page);
  await save("correction");
  await openShop(page, secret);
  await come(page, () => document.querySelector("#items details"), "no reasons came");
  for (const one of await page.locator("#items details summary").all())
    await one.evaluate((each) => each.click());
  await page.locator("#missing-id").fill("no-such-product");
  await page.locator("#missing button").click();
  await come(
    page,
    () => document.getElementById("missing-said").textContent.length > 10,
    "no reason was given",
  );
  await page.evaluate(() => scrollTo(0, 0));
  await save("shop");
  await page.locator("#items details").first().scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollBy(0, 160));
  await save("reasons");
  await page.locator("#items article button").first().click();
  await come(
    page,
    () => document.getElementById("similar-said").textContent !== "Looking",
    "similar did not answer",
  );
  await save("similar");
  const chosen = encodeURIComponent(JSON.stringify({ Brand: ["no-such-brand"] }));
  await page.start(`#q=${facts.nothing}&f=${chosen}`);
  await page.reload();
  await drawn(page);
  await save("nothing");
}

export async function takePictures(browser, facts, secret, folder) {
  await mkdir(folder, { recursive: true });
  for (const [look, options] of Object.entries(LOOKS)) {
    await browser.scene(`pictures, ${look}`, async (seat) => {
      const page = await seat(options);
      await take(page, facts, secret, (name) =>
        page.screenshot({ path: join(folder, `${look}-${name}.png`) }),
      );
    });
  }
}
