// How long it takes from a key to the first painted frame with its results.

import { come, hold } from "./seat.mjs";

const KEYS = 50;

/** The second frame after the change begins when the first is painted: up to a frame more than the truth. */
function watchPaint() {
  window.paints = [];
  let pressed = 0;
  addEventListener(
    "keydown",
    (event) => {
      pressed = event.timeStamp;
    },
    true,
  );
  new MutationObserver(() => {
    const from = pressed;
    requestAnimationFrame(() =>
      requestAnimationFrame((now) => {
        if (from) window.paints.push(Math.max(now, performance.now()) - from);
      }),
    );
  }).observe(document.getElementById("items"), { childList: true });
}

async function run(seat, words) {
  const page = await (await seat()).start();
  await page.evaluate(watchPaint);
  await page.locator("#box").focus();
  const times = [];
  for (let at = 0; times.length < KEYS; at += 1) {
    for (const letter of words[at % words.length].slice(0, KEYS - times.length)) {
      await page.keyboard.press(letter);
      await come(page, (count) => window.paints.length > count, "no results were painted", times.length);
      times.push(await page.evaluate(() => window.paints.at(-1)));
      // One key is one figure, also when an answer changes the results twice.
      await page.evaluate((count) => {
        window.paints.length = count;
      }, times.length);
    }
    await page.locator("#box").evaluate((box) => {
      box.value = "";
    });
  }
  return times;
}

export async function measure(browser, facts) {
  let times = [];
  await browser.scene("figures", async (seat) => {
    times = await run(seat, facts.words);
  });
  hold(times.length === KEYS, `${times.length} keys were measured`);
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(KEYS - 1, Math.ceil(KEYS * share) - 1)].toFixed(1);
  console.log(
    `key to painted results, ${KEYS} keys: median ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`,
  );
}
