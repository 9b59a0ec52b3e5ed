// What the page does when the server refuses, is busy, is late or is gone.

import { come, drawn, heading, hold } from "./seat.mjs";

const said = (page) => page.locator("#fault").textContent();

async function refused(seat, { words: [word] }) {
  const page = await seat();
  page.seen.expected.push(/Failed to load resource.*400/);
  await page.start();
  await page.route("**/api/search", (route) =>
    route.fulfill({ status: 400, json: { Error: "Sort cannot be that." } }),
  );
  await page.locator("#box").fill(word);
  await drawn(page);
  hold((await said(page)).includes("Sort cannot be that."), "the server's sentence is not shown");
}

async function busy(seat, { words: [word] }) {
  const page = await seat();
  page.seen.expected.push(/Failed to load resource.*(429|503)/);
  await page.start();
  for (const status of [429, 503]) {
    const asked = [];
    await page.route("**/api/search", (route) => {
      asked.push(Date.now());
      if (asked.length > 1) return route.continue();
      return route.fulfill({ status, headers: { "Retry-After": "1" }, json: { Error: "Too many." } });
    });
    await page.locator("#box").fill(`${word}${status === 429 ? "" : " "}`);
    await come(
      page,
      () => document.getElementById("fault").textContent.includes("Asking again"),
      "waiting is not said",
    );
    await come(page, () => document.querySelector("#items article"), "the second try did not come");
    await drawn(page);
    hold(asked.length === 2, `asked ${asked.length} times`);
    hold(asked[1] - asked[0] >= 950, `asked again after ${asked[1] - asked[0]} ms`);
    hold((await said(page)) === "", "the fault is still shown");
    await page.unroute("**/api/search");
  }
}

async function gone(seat, { words: [word] }) {
  const page = await seat();
  page.seen.expected.push(/Failed to load resource: net::ERR_FAILED/);
  await page.start();
  await page.route("**/api/**", (route) => route.abort());
  await page.locator("#box").fill(word);
  await drawn(page);
  hold((await said(page)).includes("could not be reached"), "the page does not say that there is no network");
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await drawn(page);
  hold(await page.locator("#items article").count(), "trying again gives nothing");
  hold((await said(page)) === "", "the fault is still shown");
}

/** The first answer comes after the second: what was typed last stays. */
async function late(seat, { words: [word], nothing }) {
  const page = await (await seat()).start();
  let release = () => {};
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route("**/api/search", async (route) => {
    if (route.request().postDataJSON().Query === nothing) await held;
    await route.continue().catch(() => {});
  });
  await page.locator("#box").fill(nothing);
  await page.locator("#box").fill(word);
  await drawn(page);
  const before = await heading(page);
  release();
  await page.locator("#box").press("End");
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
  hold((await heading(page)) === before, "a late answer was drawn");
}

export function checkFaults(facts) {
  return Object.fromEntries(
    Object.entries({
      "a refusal is shown as the server's sentence": refused,
      "a busy server is asked once more": busy,
      "no network is said and can be tried again": gone,
      "a late answer is ignored": late,
    }).map(([name, run]) => [name, (seat) => run(seat, facts)]),
  );
}
