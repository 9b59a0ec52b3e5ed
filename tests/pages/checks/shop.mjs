// What the secret key opens, and that it stays in memory alone.

import { come, drawn, hold, ids } from "./seat.mjs";

export async function openShop(page, secret) {
  await page.locator("#shop > summary").click();
  await page.locator("#secret").fill(secret);
  await page.locator("#open button[type=submit]").click();
}

async function opened(seat, facts, secret) {
  const page = await (await seat()).start(`#q=${facts.words[0]}`);
  hold(!(await page.locator("#items details").count()), "reasons are shown without the secret");
  await openShop(page, secret);
  await come(page, () => document.querySelector("#items details"), "no reasons came with the secret");
  hold(await page.locator(".note.rules").isVisible(), "the page does not say which rules acted");
  const why = page.locator("#items details").first();
  await why.locator("summary").click();
  hold(await why.locator("li").first().isVisible(), "Why here has no reasons");
  await missing(page, facts);
  const held = await page.evaluate(() =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      location.href,
      history.state,
      document.documentElement.outerHTML,
      [...document.querySelectorAll("input")].map((one) => one.value),
    ]),
  );
  hold(!held.includes(secret), "the secret stands in the page, its address or a storage");
  await page.locator("#close").click();
  await drawn(page);
  await come(
    page,
    () => !document.querySelector("#items details"),
    "reasons stay after the secret is forgotten",
  );
}

async function missing(page, facts) {
  const ask = async (id) => {
    await page.locator("#missing-id").fill(id);
    const answered = page.waitForResponse((response) => response.url().endsWith("/api/search/why"));
    await page.locator("#missing button").click();
    await answered;
    await come(
      page,
      (about) => document.getElementById("missing-said").textContent.includes(about),
      `nothing is said of ${id}`,
      id,
    );
  };
  await ask((await ids(page))[0]);
  const said = await page.locator("#missing-said").textContent();
  hold(said.includes("is found"), `a product on the page is called missing: ${said}`);
  const shown = new Set(await ids(page));
  const other = (await facts.search("", { Size: 100 })).Items.find((item) => !shown.has(item.Id));
  if (other) await ask(other.Id);
  hold(await page.locator("#missing-said li").count(), "no sentence says why the product is missing");
}

async function wrong(seat, facts) {
  const page = await seat();
  page.seen.expected.push(/Failed to load resource.*403/);
  await page.start(`#q=${facts.words[0]}`);
  await openShop(page, "this-is-not-the-secret");
  await come(
    page,
    () => {
      const said = document.getElementById("opened").textContent;
      return said.length > 10 && !said.startsWith("Open:");
    },
    "a wrong secret is not refused in words",
  );
  await drawn(page);
  hold(await page.locator("#items article").count(), "a wrong secret took the results away");
  hold(await page.locator("#close").isHidden(), "a wrong secret can be forgotten, as if it were held");
}

export function checkShop(facts, secret) {
  return {
    "the secret opens reasons, rules and why not": (seat) => opened(seat, facts, secret),
    "a wrong secret is refused in words": (seat) => wrong(seat, facts),
  };
}
