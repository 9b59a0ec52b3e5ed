// Tries the pages of a WordPress with the public plugin's elements and the lines of docs/plugins.md; scripts/measure/wordpress-test starts it.
// node wordpress.mjs SITE BASE_URL ACCESS_KEY SECRET_KEY PRODUCT [--screenshots FOLDER] [--script FILE]

import { parseArgs } from "node:util";
import { come, hold, launch, PATIENCE } from "./checks/seat.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { screenshots: { type: "string" }, script: { type: "string" } },
});
const [site, base, accessKey, secret, product] = positionals;

async function ask(path, asked) {
  const answer = await fetch(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ AccessKey: accessKey, SecretKey: secret, ...asked }),
  });
  const text = await answer.text();
  hold(answer.ok, `${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

/** Asks until the answer is as it should be. */
async function until(path, asked, is, sentence) {
  for (let turn = 0; turn < 60; turn += 1) {
    const answer = await ask(path, asked).catch(() => undefined);
    if (answer && is(answer)) return answer;
    await new Promise((later) => setTimeout(later, 100));
  }
  throw new Error(sentence);
}

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(PATIENCE);
if (values.script) await context.route(/\/cs\.js/, (route) => route.fulfill({ path: values.script }));
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="#8aa"/></svg>';
await context.route(/\.(png|jpg|jpeg|webp)(\?|$)/, (route) => route.fulfill({ contentType: "image/svg+xml", body: picture }));
const page = await context.newPage();
const address = (more = "") => `${site}/?product=${encodeURIComponent(product)}${more}`;
const shot = async (name) => values.screenshots && page.screenshot({ path: `${values.screenshots}/wordpress-${name}.png` });
const says = (allow) =>
  page.evaluate((statistics) => document.dispatchEvent(new CustomEvent("wp_listen_for_consent_change", { detail: { statistics } })), allow);
const visitor = async () => /pc_v_[^=]*=([0-9a-f]+)/.exec(await page.evaluate(() => document.cookie))?.[1];
const named = (all, name) => all.Events.filter(({ Event }) => Event === name);

try {
  await page.goto(address());
  const zone = page.locator('[data-pureclarity*="PP-01"]');
  await come(page, () => document.querySelectorAll("[pureclarity-data-item]").length === 12, "PP-01 was not filled");
  hold(await zone.evaluate((one) => one.checkVisibility() && one.getBoundingClientRect().height > 100), "the zone is not seen");
  hold(!(await page.locator('[data-pureclarity*="XX-99"]').isVisible()), "an empty zone is shown");
  hold(!(await visitor()), "a number is kept without consent");
  await shot("zones");
  console.log("ok  zones are seen, and nothing is kept");

  const form = page.locator("form[role=search]");
  const box = form.locator("input[type=search]");
  const before = (await form.boundingBox()).height;
  await box.click();
  await page.keyboard.type("tow", { delay: 20 });
  await come(page, () => document.querySelectorAll("[role=option]").length > 1, "nothing is completed");
  const [list, at] = [await page.locator("[role=listbox]").boundingBox(), await box.boundingBox()];
  hold(Math.abs(list.y - at.y - at.height) < 2 && Math.abs(list.x - at.x) < 2, "the completions do not stand at the box");
  hold((await form.boundingBox()).height === before, "the form grew");
  await page.keyboard.press("ArrowDown");
  await shot("completions");
  console.log("ok  completions stand at the box");

  await says("allow");
  await come(page, () => /pc_v_/.test(document.cookie), "the yes of the banner does not arrive");
  const number = await visitor();
  await until("/api/user/export", { Identifier: `visitor:${number}` }, (all) => named(all, "product_view").length, "no view arrives");
  await page.goto(`${site}/wp-login.php`);
  await page.locator("#user_login").fill("ada");
  await page.locator("#user_pass").fill("a long password");
  await page.locator("#wp-submit").click();
  await page.waitForURL(/wp-admin/);
  await page.goto(address("&buy=114"));
  const hasOrder = (all) => named(all, "order").length || all.Orders?.length;
  const mine = await until("/api/user/export", { Identifier: "userid:1" }, hasOrder, "the order does not arrive");
  hold(JSON.stringify(mine).includes("114") && JSON.stringify(mine).includes(product), `the order is ${JSON.stringify(mine)}`);
  hold(!JSON.stringify(mine).includes("guest@"), "an address of who is logged in is told");
  hold(!(await page.content()).includes(secret), "the secret stands in a page");
  console.log("ok  consent given, a log-in and an order told by the shop's server");

  await page.goto(address());
  await page.evaluate(() => 0);
  await says("deny");
  await come(page, () => !document.cookie.includes("pc_v_"), "the no of the banner does not arrive");
  console.log("ok  consent withdrawn");

  // A report tells of five people or more.
  for (const user of [2, 3, 4, 5, 6]) await fetch(address(`&buy=${200 + user}&as=${user}`));
  const orders = ({ Rows }) => Rows.find(({ Measure }) => Measure === "orders");
  await until("/api/report", { Report: "quality" }, (one) => orders(one)?.People >= 6, "no report has the orders");
  console.log("ok  a report has the orders");
} catch (fault) {
  console.error(`FAILED: ${fault.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
