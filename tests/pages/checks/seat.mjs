// A browser with a seat per scene: it sees every console message, page error and request, and judges them.

import { chromium } from "playwright-core";
import { plant } from "./breaks.mjs";
import { withPlanted } from "./planted.mjs";

export const PATIENCE = 10000;
export const DESKTOP = { viewport: { width: 1280, height: 900 } };
export const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
};
export const NARROW = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const DOT =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="5" cy="5" r="3" fill="#5a8f96"/></svg>';

/** Folder of the pictures of the demo's shop. */
export const PICTURES = "/sample/";

export function hold(truth, sentence) {
  if (!truth) throw new Error(sentence);
}

/** Waits until `is` is true in the page; says in a sentence what did not come. */
export async function come(page, is, sentence, argument) {
  await page.waitForFunction(is, argument, { timeout: PATIENCE }).catch((fault) => {
    throw new Error(`${sentence} (${fault.message.split("\n")[0]})`);
  });
}

/** The newest search was answered and drawn. */
export function drawn(page) {
  return come(
    page,
    () => document.getElementById("items").getAttribute("aria-busy") === "false",
    "the answer was not drawn",
  );
}

export function heading(page) {
  return page.locator("#found").textContent();
}

export async function total(page) {
  return Number((await heading(page)).replace(/,/g, "").match(/^\d+/)?.[0] ?? 0);
}

export function ids(page) {
  return page.locator("#items article").evaluateAll((all) => all.map((one) => one.dataset.id));
}

function watch(context, base) {
  const seen = { messages: [], expected: [], outside: [], pictures: new Set() };
  context.on("console", (message) => {
    seen.messages.push(`${message.type()}: ${message.text()} (${message.location()?.url || "no place"})`);
  });
  context.on("weberror", (fault) => seen.messages.push(`page error: ${fault.error().message}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== base.origin && !seen.pictures.has(url.origin)) seen.outside.push(request.url());
  });
  return seen;
}

function judge(seen) {
  const surprising = seen.messages.filter((text) => !seen.expected.some((known) => known.test(text)));
  hold(!surprising.length, `the console had a message: ${surprising[0]}`);
  hold(!seen.outside.length, `a request went elsewhere: ${seen.outside[0]}`);
}

async function picturesOf(base, accessKey) {
  const page = await (await fetch(new URL(`/try/${accessKey}`, base))).text();
  const said = /data-pictures="([^"]*)"/.exec(page);
  hold(said, "the page has no data-pictures");
  return said[1].split(/\s+/).filter(Boolean);
}

/** A browser; Debian's, unless another is named. As root it has no sandbox. */
export async function launch(executablePath = "/usr/bin/chromium") {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const planted = process.env.LETHE_PLANTED_SCRIPT;
  return planted ? withPlanted(browser, planted) : browser;
}

export async function openBrowser(executablePath, address, accessKey, fault) {
  const base = new URL(address);
  const origins = await picturesOf(base, accessKey);
  const browser = await launch(executablePath);
  const page = async (options = {}) => {
    const context = await browser.newContext({ ...DESKTOP, ...options, serviceWorkers: "block" });
    context.setDefaultTimeout(PATIENCE);
    const seen = watch(context, base);
    if (fault) await plant(context, fault);
    for (const origin of origins) {
      seen.pictures.add(origin);
      // The pictures' server is not under test: a dot answers for it. The server of the page may show them too.
      const folder = origin === base.origin ? PICTURES : "/";
      await context.route(`${origin}${folder}**`, (route) =>
        route.fulfill({ contentType: "image/svg+xml", body: DOT }),
      );
    }
    const opened = await context.newPage();
    opened.seen = seen;
    opened.start = async (hash = "") => {
      await opened.goto(new URL(`/try/${accessKey}${hash}`, base).href);
      await drawn(opened);
      return opened;
    };
    return opened;
  };
  const scene = async (name, run) => {
    const opened = [];
    const seat = async (options) => {
      opened.push(await page(options));
      return opened.at(-1);
    };
    try {
      await run(seat);
      for (const each of opened) judge(each.seen);
    } catch (fault) {
      fault.message = `${name}: ${fault.message}`;
      throw fault;
    } finally {
      for (const each of opened) await each.context().close();
    }
  };
  return { scene, close: () => browser.close(), origins };
}
