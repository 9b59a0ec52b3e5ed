// Watches imports of one feed in the console: nobody, one browser, and many watchers; scripts/measure/watch-import calls it.
// node watch.mjs --program FILE --data-dir FOLDER --server PID --base URL --feed URL [--runs N] [--watchers N]

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { DESKTOP, hold, launch } from "./checks/seat.mjs";

const { values } = parseArgs({
  options: {
    program: { type: "string" },
    "data-dir": { type: "string" },
    server: { type: "string" },
    base: { type: "string" },
    feed: { type: "string" },
    runs: { type: "string", default: "3" },
    watchers: { type: "string", default: "100" },
  },
});
const PASSWORD = "a password to watch with";
const TICKS_PER_SECOND = 100;

async function lethe(...words) {
  const run = await promisify(execFile)(values.program, [...words, "--data-dir", values["data-dir"]]);
  return run.stdout;
}

/** CPU seconds that the server has used. */
async function cpu() {
  const fields = (await readFile(`/proc/${values.server}/stat`, "utf8")).split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function ask(path, body) {
  const answer = await fetch(new URL(path, values.base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  hold(answer.ok, `${path} answered ${answer.status}: ${await answer.clone().text()}`);
  return answer;
}

const link = /http:\S+/.exec(await lethe("operator", "add", "Watcher"))[0];
const home = new URL("/", link).href;
const browser = await launch();
const context = await browser.newContext(DESKTOP);

async function signIn() {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByLabel("Repeat the password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByLabel("Name").fill("Watcher");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(home);
  await page.close();
}

/** A page that notes when its bar moves, how long each update keeps it busy, and tasks of 50 ms and more. */
async function watching(address) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.moves = [];
    window.busy = [];
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((one) => one.duration))).observe({
      type: "longtask",
      buffered: true,
    });
    // What the page does with a message, and what the browser has to lay out because of it.
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, act) {
      const timed = (event) => {
        const began = performance.now();
        act(event);
        document.body.getBoundingClientRect();
        if (name === "message") window.busy.push(performance.now() - began);
      };
      return listen.call(this, name, timed);
    };
    let at = null;
    const look = () => {
      const bar = document.querySelector("progress");
      if (bar && bar.value !== at && bar.position >= 0) {
        at = bar.value;
        window.moves.push(performance.now());
      }
    };
    document.addEventListener("DOMContentLoaded", () => {
      look();
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
  });
  await page.goto(address);
  return page;
}

/** Follows a part as a browser does, and counts what comes. */
async function follow(address, cookie) {
  const answer = await fetch(address, { headers: { cookie } });
  hold(answer.status === 200, `a watcher got ${answer.status}`);
  let parts = 0;
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) parts += piece.split("data: ").length - 1;
  return parts;
}

let imports = 0;
/** One import of a new shop, while `watch` is begun with the address of its page. */
async function run(watch) {
  imports += 1;
  const name = `shop${imports}`;
  const keys = JSON.parse(await lethe("account", "create", name, "--currency", "GBP", "--json"));
  await pause(2000);
  const before = await cpu();
  const began = performance.now();
  const own = { AccessKey: keys.AccessKey, SecretKey: keys.SecretKey };
  const token = (await ask("/api/productfeed", { ...own, url: values.feed })).headers.get("x-feed-token");
  const watched = watch(`${home}shops/${name}/imports/${token}`);
  for (let status = ""; status !== "Complete"; ) {
    await pause(500);
    [{ Status: status }] = await (await ask("/api/productfeedstatus", { AppKey: keys.AccessKey, Tokens: [token] })).json();
    hold(status !== "Error", "the import failed");
  }
  const seconds = (performance.now() - began) / 1000;
  const figures = { seconds, cpu: (await cpu()) - before, of: await watched };
  await lethe("account", "close", name, "--yes").catch(() => {});
  return figures;
}

const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

await signIn();
const cookie = (await context.cookies(home)).map((one) => `${one.name}=${one.value}`).join("; ");
await run(async () => {});
const alone = [];
const many = [];
for (let turn = 0; turn < Number(values.runs); turn += 1) {
  alone.push(await run(async () => {}));
  many.push(
    await run((address) =>
      Promise.all(Array.from({ length: Number(values.watchers) }, () => follow(`${address}/live`, cookie))),
    ),
  );
}
let page;
const seen = await run(async (address) => {
  page = await watching(address);
});
const { moves, busy, long } = await page.evaluate(() => ({ moves: window.moves, busy: window.busy, long: window.long }));
await browser.close();

const spans = moves.slice(1).map((at, index) => at - moves[index]);
const followed = (moves.at(-1) - moves[0]) / 1000;
console.log(`one browser, an import of ${seen.seconds.toFixed(1)} s:`);
console.log(`  the bar moved ${moves.length} times in ${followed.toFixed(1)} s, ${(moves.length / followed).toFixed(2)} times a second`);
console.log(`  longest time between two moves ${Math.round(Math.max(...spans))} ms, median ${Math.round(middle(spans))} ms`);
console.log(`  an update with its layout: median ${middle(busy).toFixed(1)} ms, longest ${Math.max(...busy).toFixed(1)} ms; tasks over 50 ms: ${long.length} ${long.map(Math.round)}`);
const cost = middle(many.map((one) => one.cpu)) / middle(alone.map((one) => one.cpu)) - 1;
const list = (all, name) => all.map((one) => one[name].toFixed(1)).join(" ");
console.log(`nobody watches: ${list(alone, "cpu")} CPU-s, ${list(alone, "seconds")} s of wall`);
console.log(`${values.watchers} watch:  ${list(many, "cpu")} CPU-s, ${list(many, "seconds")} s of wall; parts of the first ${many.map((one) => one.of[0])}`);
console.log(`the watchers cost the server ${(100 * cost).toFixed(1)} % of CPU time (medians)`);
