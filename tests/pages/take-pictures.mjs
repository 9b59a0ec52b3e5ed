// Takes the pictures of README from a demo: the page that tries its search, and the dashboard of its console.
// node take-pictures.mjs PROGRAM FOLDER

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hold, launch, PATIENCE, PHONE } from "./checks/seat.mjs";
import { reduced } from "./checks/png.mjs";

const [program, folder] = process.argv.slice(2);
if (!folder) {
  console.error("Usage: node take-pictures.mjs PROGRAM FOLDER");
  process.exit(2);
}
const SIZE = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 };
const SMALL = { ...PHONE, deviceScaleFactor: 1 };
const BYTES = 150_000;
const SHOP = "/shops/demo-shop";
const OPERATOR = "demo";
const PASSWORD = "a password for pictures";
// A typing error that is corrected, with pictures and filters beside it.
const SEARCH = "#q=blue+chiar";

const demo = spawn(program, ["demo", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
const browser = await launch();

/** The demo's addresses, once its tour is over. */
async function addresses() {
  for await (const line of createInterface({ input: demo.stdout })) return JSON.parse(line);
  throw new Error("the demo ended before its tour was over");
}

async function open(colorScheme, options = SIZE) {
  // The same numbers and dates on every machine.
  const context = await browser.newContext({ ...options, colorScheme, locale: "en-GB", reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE);
  return context.newPage();
}

/** Waits for fonts and for every picture in sight. */
async function settle(page) {
  await page.evaluate(() => document.fonts.ready);
  const areDrawn = () =>
    [...document.images].every((image) => {
      const { top, bottom } = image.getBoundingClientRect();
      const isSeen = image.checkVisibility() && bottom > 0 && top < innerHeight;
      return !isSeen || (image.complete && image.naturalWidth > 0);
    });
  await page.waitForFunction(areDrawn);
}

async function save(page, name) {
  await settle(page);
  const taken = await page.screenshot({ animations: "disabled", caret: "hide" });
  const small = await reduced(page, taken);
  const picture = small.length < taken.length ? small : taken;
  hold(picture.length <= BYTES, `${name} has ${picture.length} bytes, more than ${BYTES}`);
  await writeFile(join(folder, `${name}.png`), picture);
  console.log(`${name}.png: ${picture.length} bytes (${taken.length} as taken)`);
  await page.context().close();
}

async function choosePassword(link) {
  const page = await open("light");
  await page.goto(link);
  const fields = page.locator("main input[type=password]");
  for (const field of await fields.all()) await field.fill(PASSWORD);
  await fields.last().press("Enter");
  await page.waitForURL(/sign-in/);
  await page.context().close();
}

async function takeSearch(tryPage, name, colorScheme, options) {
  const page = await open(colorScheme, options);
  await page.goto(tryPage + SEARCH);
  await page.locator("#items[aria-busy=false] article").first().waitFor();
  await save(page, name);
}

async function takeDashboard(link, name, colorScheme) {
  const page = await open(colorScheme);
  await page.goto(new URL(`/sign-in?to=${SHOP}`, link).href);
  await page.getByLabel("Name").fill(OPERATOR);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Password").press("Enter");
  await page.waitForURL(new URL(SHOP, link).href);
  // The page waits for its figures, and does not bring them later.
  await page.goto(new URL(`${SHOP}?count=now`, link).href);
  await page.locator("main .trends .spark").first().waitFor();
  await save(page, name);
}

try {
  const { Console: link, TryPage: tryPage } = await addresses();
  await choosePassword(link);
  for (const scheme of ["light", "dark"]) {
    await takeSearch(tryPage, `try-${scheme}`, scheme);
    await takeDashboard(link, `dashboard-${scheme}`, scheme);
  }
  await takeSearch(tryPage, "try-phone", "light", SMALL);
} catch (fault) {
  console.error(`FAILED: ${fault.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  // It removes its folder before it ends.
  if (demo.exitCode === null && demo.kill()) await once(demo, "exit");
}
