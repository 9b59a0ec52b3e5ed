// Walks the console in a browser, as an operator does: every page in light, dark and on a phone, and the path of an officer.
// node console.mjs LINK BASE_URL ACCESS_KEY SECRET_KEY [--screenshots FOLDER]

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clean } from "./checks/access.mjs";
import { TEXTS } from "./checks/hostile.mjs";
import { DESKTOP, hold, launch, PATIENCE, PHONE } from "./checks/seat.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { screenshots: { type: "string" }, figures: { type: "boolean" } },
});
const [link, base, accessKey, secret] = positionals;
if (!secret) {
  console.error("Usage: node console.mjs LINK BASE_URL ACCESS_KEY SECRET_KEY [--screenshots FOLDER]");
  process.exit(2);
}
const home = new URL("/", link).href;
const PASSWORD = "a password for the demo";

async function ask(path, asked, keys = { AccessKey: accessKey, SecretKey: secret }) {
  const answer = await fetch(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...keys, ...asked }),
  });
  hold(answer.ok, `${path} answered ${answer.status}: ${answer.ok || (await answer.text())}`);
  return /json/.test(answer.headers.get("content-type")) ? answer.json() : answer.text();
}

const browser = await launch();
const seen = [];

/** A browser that notes every message and every request elsewhere. */
async function seat(options = {}) {
  const context = await browser.newContext({ ...DESKTOP, ...options });
  context.setDefaultTimeout(PATIENCE);
  // What is refused on purpose is told by the browser too.
  context.on("console", (message) => {
    if (!/status of 4\d\d/.test(message.text())) seen.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (fault) => seen.push(`page error: ${fault.error().message}`));
  context.on("request", (request) => {
    // The demo's pictures come from its own server, whose origin the shop allows.
    const asked = request.url();
    if (asked.startsWith(home) || asked.startsWith(new URL("/sample/", base).href)) return;
    seen.push(`a request went elsewhere: ${asked}`);
  });
  return context.newPage();
}

async function signIn(page, to = "/") {
  await page.goto(new URL(`/sign-in?to=${encodeURIComponent(to)}`, home).href);
  await page.getByLabel("Name").fill("demo");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(new URL(to, home).href);
}

const person = "canary-walk@mail.example";
await ask("/api/delta", { Users: [{ UserId: "canary-walk", Email: person, FirstName: "Quintessa" }] });
// Reports have rows of five people and more.
for (let number = 0; number < 8; number += 1) {
  await ask("/api/serverside", { visitorId: `walker-${number}`, zones: ["HP-01", "HP-03"],
    events: [{ name: "product_view", data: { id: "P-0000002" } }] });
  const did = (Query, Found) => ({ Name: "search", Query, Found, UserId: `walker-${number}` });
  await ask("/api/events", { Events: [did("stool", 9), ...(number < 6 ? [did("garden gnome", 0)] : [])] });
}
const shop = "/shops/demo-shop";
const imports = await ask("/api/submissions", {});
const fed = imports.find((one) => one.Kind === "feed");
const { Items: items } = await ask("/api/catalogue", { Limit: 50 });
const [{ Id: item }] = items;
await ask("/api/user/forget", { Identifier: "userid:canary-forgotten" });
const [{ Erasure: erasure }] = await ask("/api/erasures", {});
const { Version: version } = await ask("/api/rules/set", { Rules: [{ Id: "walk", Query: "walked", Banner: "A walk" }] });
const PAGES = ["/", shop, `${shop}/imports`, `${shop}/imports?kind=feed&state=failed`, `${shop}/imports/${fed.Token}`,
  `${shop}/imports/${fed.Token}/issues`, `${shop}/deltas`, `${shop}/deltas?state=failed`, `${shop}/catalogue`, `${shop}/catalogue/${encodeURIComponent(item)}`, `${shop}/people`, `${shop}/erasures`, `${shop}/ledger`, `${shop}/settings`, "/new-shop", "/places", "/operators",
  "/acts", "/backups", "/health", "/me", "/nothing", `${shop}/search?q=stool&compare=popularity&size=5`,
  `${shop}/search?q=zzzz&id=1`, `${shop}/recommendations`, `${shop}/recommendations?product=${encodeURIComponent(item)}`, `${shop}/rules`, `${shop}/zones?zone=HP-03&kind=homepage`, `${shop}/reports`,
  ...["search", "missed", "days", "quality", "catalogue"].map((about) => `${shop}/reports?about=${about}`),
  `${shop}?count=now`, `${shop}/reports?about=days&days=7`, `${shop}/reports?about=search&days=90`,
  `${shop}/rules?version=${version - 1}`, `${shop}/erasures?state=verified`, `${shop}/erasures/${erasure}`, "/help/errors", "/help/issues/price_missing"];

/** No page scrolls sideways; tables do within themselves. */
async function fits(page, where) {
  const over = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
  hold(over <= 1, `${where} is ${over} too wide`);
}

const CHECKS = {
  async "a link chooses a password, once"() {
    const page = await seat();
    await page.goto(link);
    await clean(page, "the link");
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByLabel("Repeat the password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.waitForURL(/sign-in/);
    await clean(page, "signing in");
    const again = await page.goto(link);
    hold(again.status() === 404, `the link answered ${again.status()}`);
    await page.context().close();
  },
  async "every page, in light and dark and on a phone"() {
    for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await seat({ ...options, colorScheme });
        const check = async (path) => {
          const where = `${path} (${size}, ${colorScheme})`;
          await clean(page, where);
          await fits(page, where);
          if (values.screenshots) {
            await mkdir(values.screenshots, { recursive: true });
            const name = `${path.slice(1).replaceAll(/[^\w-]+/g, "-") || "overview"}-${size}-${colorScheme}.png`;
            await page.screenshot({ path: join(values.screenshots, `console-${name}`), fullPage: true });
          }
        };
        await signIn(page, "/operators");
        const operator = await page.locator("td a[href^='/operators/']").first().getAttribute("href");
        for (const path of [...PAGES, operator]) {
          const answer = await page.goto(new URL(path, home).href);
          hold(answer.status() === (path === "/nothing" ? 404 : 200), `${path} answered ${answer.status()}`);
          await check(path);
        }
        // Those whose address comes of a form.
        await page.goto(new URL(`${shop}/people`, home).href);
        await page.getByLabel("Identifier").fill(person);
        await page.getByRole("button", { name: "Find" }).click();
        await page.getByText("data is stored").waitFor();
        await check("/person");
        await page.getByRole("button", { name: "Search every file" }).click();
        await page.getByText("Result of the search in all places").waitFor({ timeout: 6 * PATIENCE });
        await check("/person-looked-for");
        await page.goto(new URL(`${shop}/rules?pin=${encodeURIComponent(item)}&for=stool`, home).href);
        await page.getByRole("button", { name: "Preview" }).click();
        await page.waitForURL(/answer=/);
        await check("/rules-tried");
        await page.goto(new URL(`${shop}/zones?zone=HP-03`, home).href);
        await page.getByText("Advanced", { exact: true }).click();
        await page.getByRole("button", { name: "Preview" }).click();
        await page.waitForURL(/answer=/);
        await check("/zones-tried");
        await page.context().close();
      }
    }
  },
  async "an owner makes a backup and watches it"() {
    const page = await seat();
    await signIn(page, "/backups");
    const target = join(await mkdtemp(join(tmpdir(), "lethe-walk-")), "backup");
    await page.getByLabel("A new or empty folder").fill(target);
    await page.getByRole("button", { name: "Make a backup" }).click();
    await page.getByText("checked by opening it").waitFor();
    await clean(page, "a backup");
    await page.reload();
    await page.getByText("The newest backup is less than a week old.").waitFor();
    await fits(page, "a backup");
    await rm(join(target, ".."), { recursive: true });
    await page.context().close();
  },
  async "times are those of the reader"() {
    const page = await seat({ timezoneId: "Asia/Tokyo" });
    await signIn(page, "/operators");
    const time = page.locator("td time").first();
    const told = new Date(await time.getAttribute("datetime"));
    const local = told.toLocaleTimeString("en-US", { timeZone: "Asia/Tokyo", hour: "numeric", minute: "2-digit" });
    const exact = await time.getAttribute("title");
    hold(exact.includes(local.split(" ")[0]), `${exact} is not ${local}`);
    hold(/now|ago/.test(await time.textContent()), `${await time.textContent()} is not told from now`);
    await page.context().close();
  },
  async "a shop's page tells its figures, and a missed search begins a line of synonyms"() {
    const page = await seat();
    await signIn(page, shop);
    // The figures may come a moment later.
    await page.getByRole("link", { name: "Searches without a result", exact: true }).waitFor({ timeout: 6 * PATIENCE });
    await clean(page, "the figures of a shop");
    await page.getByRole("link", { name: "Add a synonym garden gnome" }).click();
    const lines = await page.locator("#lines").inputValue();
    hold(lines.endsWith("garden gnome, "), `the form holds ${lines}`);
    await page.goto(new URL(`${shop}/reports?about=days&days=7`, home).href);
    const told = await page.locator("rect.day title").allTextContents();
    hold(told.some((day) => /Searches \d/.test(day)), `the days tell ${told.join("; ")}`);
    await page.context().close();
  },
  async "an officer finds, exports and forgets by keyboard, and watches it become verified"() {
    const page = await seat();
    await signIn(page, `${shop}/people`);
    await page.getByLabel("Identifier").focus();
    await page.keyboard.type(person);
    await page.keyboard.press("Enter");
    await page.getByText("data is stored").waitFor();
    hold(!page.url().includes("canary") && !(await page.title()).includes("canary"), "a person stands in the address");
    await clean(page, "a person");
    const mine = page.url();
    await page.getByRole("link", { name: "Export to print" }).click();
    await page.getByText("Quintessa").first().waitFor();
    await clean(page, "an export");
    await page.goto(mine);
    await page.getByLabel("Type the identifier again").fill("somebody else");
    await page.getByRole("button", { name: "Forget for ever" }).click();
    await page.getByText("Nothing was done.").waitFor();
    await page.goto(mine);
    await page.getByLabel("Type the identifier again").fill(person);
    await page.getByRole("button", { name: "Forget for ever" }).click();
    await page.waitForURL(/erasures/);
    // The page follows it by itself.
    await page.getByRole("link", { name: "Certificate to print" }).waitFor({ timeout: 6 * PATIENCE });
    hold(!(await page.getByText("Available once the erasure is verified").count()), "the page says both");
    await clean(page, "an erasure");
    const letter = await page.request.get(`${page.url()}/letter`);
    hold((await letter.text()).includes("forget"), "there is no letter");
    const file = await page.request.get(`${page.url()}/certificate?file`);
    hold((await file.json()).Body, "there is no certificate");
    await page.getByRole("link", { name: "Certificate to print" }).click();
    await page.waitForURL(/certificate/);
    await clean(page, "a certificate");
    await page.goBack();
    await page.getByRole("link", { name: "Letter to the person" }).click();
    await page.waitForURL(/letter/);
    await clean(page, "a letter");
    await page.context().close();
  },
  async "a merchandiser watches a feed, publishes it anyway, and goes back"() {
    let send = null;
    const rows = items.map((one) => one.Item);
    const text = JSON.stringify({ Products: rows });
    const server = createServer((_, answer) => {
      answer.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
      const bytes = Buffer.from(text);
      answer.write(bytes.subarray(0, bytes.length / 2));
      send = () => answer.end(bytes.subarray(bytes.length / 2));
    });
    await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
    const accepted = await fetch(new URL("/api/productfeed", base), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ AccessKey: accessKey, SecretKey: secret, url: `http://127.0.0.1:${server.address().port}/` }),
    });
    const token = accepted.headers.get("x-feed-token");
    const page = await seat();
    await signIn(page, `${shop}/imports/${token}`);
    await page.locator("progress").waitFor();
    await clean(page, "an import that goes on");
    if (values.screenshots) {
      await page.screenshot({ path: join(values.screenshots, "console-import-goes-on.png"), fullPage: true });
    }
    while (!send) await page.waitForTimeout(50);
    send();
    // The page follows it by itself, and shows at its end what came of it.
    await page.getByText("This feed was stopped because it removes too many products").waitFor();
    await clean(page, "a feed that was stopped");
    if (values.screenshots) {
      await page.screenshot({ path: join(values.screenshots, "console-import-stopped.png"), fullPage: true });
    }
    await page.getByText("I have checked what the feed removes").click();
    await page.getByRole("button", { name: "Publish anyway" }).click();
    await page.waitForURL((url) => !url.href.includes(token));
    await page.locator("main section .state.good").waitFor({ timeout: 6 * PATIENCE });
    await page.reload();
    await page.getByRole("radio", { name: /^Products/ }).first().check();
    await page.getByText("Show the chosen version to shoppers").click();
    await page.getByRole("button", { name: "Go back to this version" }).click();
    await page.getByText(/snapshot \d+ of Products/).waitFor();
    await page.locator("main section .state.good").waitFor({ timeout: 6 * PATIENCE });
    server.close();
  },
  async "a merchandiser puts a product in front, sees it before and after, and takes it back"() {
    const page = await seat();
    await signIn(page, `${shop}/search`);
    await page.getByLabel(/^Search term/).fill("stool");
    await page.getByRole("button", { name: "Search" }).click();
    const second = page.locator("ol.hits > li").nth(1);
    const id = await second.locator(".id").first().textContent();
    await second.getByRole("link", { name: /Pin to top/ }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("What would change").waitFor();
    const then = page.locator("section[aria-labelledby=side-then] ol.hits > li .id");
    hold((await then.first().textContent()) === id, "it is not in front");
    await clean(page, "rules that are tried");
    await fits(page, "rules that are tried");
    if (values.screenshots) await page.screenshot({ path: join(values.screenshots, "console-rules-tried.png"), fullPage: true });
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText(/Version \d+ is live/).waitFor({ timeout: 6 * PATIENCE });
    hold(!(await page.getByLabel("All rules, as JSON").isVisible()), "the JSON is not folded away");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("All rules, as JSON").fill("[{]");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("This is not valid JSON").waitFor();
    hold((await page.getByLabel("All rules, as JSON").inputValue()) === "[{]", "what was typed is lost");
    await clean(page, "rules that are no JSON");
    // Lists are changed once in a while only: a change of a moment ago is said, and the button pressed again.
    for (let tries = 0; tries < 20 && !(await page.getByText(/Version \d+ is live/).isVisible()); tries += 1) {
      await page.waitForTimeout(300);
      await page.getByRole("button", { name: "Undo the last change" }).click();
      await page.waitForLoadState();
    }
    await page.getByText(/Version \d+ is live/).waitFor();
    await page.context().close();
  },
  async "a hundred scripts in titles, names and rules are text on every page that shows them"() {
    const page = await seat();
    await signIn(page, "/new-shop");
    await page.getByLabel("Account name").fill("scripts");
    await page.getByLabel("Default currency of prices").fill("GBP");
    await page.getByRole("button", { name: "Add" }).click();
    const [, AccessKey, SecretKey] = /AccessKey (\S+)\s+SecretKey (\S+)/.exec(await page.locator("pre").textContent());
    const keys = { AccessKey, SecretKey };
    const numbered = (make) => TEXTS.map((text, at) => make(text, `s${at}`));
    const products = numbered((Title, Id) => ({ Id, Title, Description: Title, Brand: Id, Categories: [Id],
      Link: Title, Image: Title, Prices: ["1.00 GBP"], Colour: Title }));
    const feed = JSON.stringify({ Products: products, Brands: numbered((DisplayName, Id) => ({ Id, DisplayName })),
      Categories: numbered((DisplayName, Id) => ({ Id, DisplayName, ParentIds: [] })) });
    const server = createServer((_, answer) => answer.end(feed));
    await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
    await ask("/api/productfeed", { url: `http://127.0.0.1:${server.address().port}/` }, keys);
    const list = { Rules: numbered((Id, hidden) => ({ Id, Query: Id, Banner: Id, Hide: { Ids: [hidden] } })) };
    await ask("/api/rules/set", list, keys);
    const campaigns = numbered((Id) => ({ Id, Zone: "HP-01", Title: Id, Html: Id }));
    await ask("/api/zones/set", { Campaigns: campaigns }, keys);
    await ask("/api/delta", { Users: [{ UserId: TEXTS[0], Email: "canary-scripts@mail.example", FirstName: TEXTS[1] }] }, keys);
    for (let reader = 0; reader < 6; reader += 1) {
      const searched = TEXTS.map((Query) => ({ Name: "search", Query, Found: 0, UserId: `reader-${reader}` }));
      await ask("/api/events", { Events: searched }, keys);
    }
    const counted = async () => (await ask("/api/catalogue", { Section: "Brands", Limit: 1 }, keys)).Counts;
    for (let tries = 0; tries < 100 && (await counted()).Brands !== 100; tries += 1) await page.waitForTimeout(100);
    server.close();

    const shown = async (where, texts) => {
      const { text, ...is } = await page.evaluate(() => ({
        hit: String(window.__hit),
        scripts: document.querySelectorAll("script:not([src='/files/page.js']), iframe, base, math, video, object, template").length,
        refresh: document.querySelectorAll("meta[http-equiv=refresh]").length,
        links: [...document.querySelectorAll("[href], [src], [action]")].filter((one) =>
          ["href", "src", "action"].some((name) => {
            const leads = one.hasAttribute(name) && new URL(one.getAttribute(name), window.location.href);
            return leads && (leads.protocol === "javascript:" || leads.hostname === "evil.example");
          })).length,
        acts: [...document.querySelectorAll("*")].filter((one) =>
          one.getAttributeNames().some((name) => name.startsWith("on"))).length,
        text: [document.body.innerText, ...[...document.querySelectorAll("input, textarea")].map((one) => one.value)].join("\n"),
      }));
      const nothing = { hit: "undefined", scripts: 0, refresh: 0, links: 0, acts: 0 };
      hold(JSON.stringify(is) === JSON.stringify(nothing), `${where} took a text for a part of itself: ${JSON.stringify(is)}`);
      const missing = texts.filter((written) => !text.includes(written));
      hold(!missing.length, `${missing.length} of ${texts.length} are not text on ${where}: ${missing[0]}`);
    };
    const look = async (path, texts = [], status = 200) => {
      const answer = await page.goto(new URL(path, home).href);
      hold(answer.status() === status, `${path} answered ${answer.status()}`);
      await shown(path, texts);
    };
    const at = "/shops/scripts";
    for (const section of ["Products", "Categories", "Brands"]) {
      let left = TEXTS;
      for (let next = `${at}/catalogue?section=${section}`; next; ) {
        await look(next);
        const cells = await page.locator("td").allTextContents();
        left = left.filter((text) => !cells.includes(text));
        const further = page.getByRole("link", { name: "More", exact: true });
        next = (await further.count()) ? new URL(await further.getAttribute("href"), page.url()).href : null;
      }
      hold(!left.length, `${left.length} titles are not text among ${section}: ${left[0]}`);
    }
    await look(`${at}/catalogue/s0`, [TEXTS[0]]);
    await look(`${at}/rules`, TEXTS);
    await look(`${at}/zones?zone=HP-01&kind=homepage`, TEXTS);
    await look(`${at}/reports?about=search`, TEXTS.slice(0, 1));
    for (const text of TEXTS.slice(0, 20)) {
      await look(`${at}/search?q=${encodeURIComponent(text)}&id=${encodeURIComponent(text)}&brand=${encodeURIComponent(text)}`, [text]);
      await look(`${at}/catalogue?find=${encodeURIComponent(text)}`, [text], 404);
    }
    await look(`${at}/imports`);
    await page.goto(new URL("/operators", home).href);
    await page.getByLabel("Name").fill(TEXTS[0]);
    await page.getByRole("checkbox", { name: "scripts" }).check();
    await page.getByRole("button", { name: "Add an operator" }).click();
    await page.waitForURL(/answer=/);
    await shown("a link to choose a password", [TEXTS[0]]);
    await clean(page, "a link to choose a password");
    await look("/operators", [TEXTS[0]]);
    await page.goto(new URL(`${at}/rules`, home).href);
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("All rules, as JSON").fill(JSON.stringify(list.Rules.slice(1)));
    await page.getByLabel("Preview with this search").fill(TEXTS[1]);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.waitForURL(/answer=/);
    await shown("rules that are tried", TEXTS.slice(1, 2));
    await look(`${at}/recommendations?recommender=new_arrivals&size=20`);
    await page.goto(new URL(`${at}/settings`, home).href);
    await page.getByLabel("Display name").fill(TEXTS[2]);
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.waitForLoadState();
    await shown("settings", [TEXTS[2]]);
    await page.getByLabel("Address", { exact: true }).fill(TEXTS[3]);
    await page.locator("button[value=webhook]").click();
    await page.getByRole("alert").waitFor();
    await shown("an address that is none", [TEXTS[3]]);
    await look("/");
    await look("/acts");
    await page.goto(new URL(`${at}/people`, home).href);
    await page.getByLabel("Identifier").fill("canary-scripts@mail.example");
    await page.keyboard.press("Enter");
    await page.getByText("data is stored").waitFor();
    await shown("a person", [TEXTS[0]]);
    await page.context().close();
  },
  async "without a script all pages work"() {
    const page = await seat({ javaScriptEnabled: false });
    await signIn(page);
    for (const path of [shop, `${shop}/people`, `${shop}/erasures`, `${shop}/search?q=stool`, `${shop}/rules`, "/operators"]) {
      const answer = await page.goto(new URL(path, home).href);
      hold(answer.status() === 200, `${path} answered ${answer.status()}`);
    }
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Deutsch", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Abmelden" }).click();
    await page.waitForURL(/sign-in/);
    await page.context().close();
  },
  async "the way out and the languages are always in reach, and large enough"() {
    const page = await seat({ viewport: { width: 1280, height: 800 } });
    await signIn(page, shop);
    for (const name of ["Sign out", "English", "Deutsch", "Français"]) {
      const { y, height, width } = await page.getByRole("button", { name }).boundingBox();
      hold(y + height <= 800 && Math.min(width, height) >= 24, `${name} is at ${y}, ${width} x ${height}`);
    }
    await page.context().close();
  },
  async "hits are cards, a form is one box, and names are taken for ids"() {
    const page = await seat();
    await signIn(page, `${shop}/search?q=stool`);
    const picture = await page.locator("ol.hits .picture").first().boundingBox();
    hold(picture.width === 96 && picture.height === 96, `a picture is ${picture.width} x ${picture.height}`);
    hold((await page.locator("main input:visible, main select:visible").count()) === 1, "there is more than one box");
    await page.getByText("More options").click();
    const [brand] = (await ask("/api/catalogue", { Section: "Brands", Limit: 1 })).Items;
    await page.getByLabel(/^Brand/).fill(brand.Item.DisplayName);
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/brand=/);
    await page.goto(new URL(`${shop}/search?q=&brand=${encodeURIComponent(brand.Id)}`, home).href);
    const byId = await page.getByText(/products? found/).textContent();
    await page.goto(new URL(`${shop}/search?q=&brand=${encodeURIComponent(brand.Item.DisplayName)}`, home).href);
    hold((await page.getByText(/products? found/).textContent()) === byId, "a brand is not found by its name");
    await page.goto(new URL(`${shop}/zones?zone=HP-01&kind=homepage`, home).href);
    hold(await page.locator("ol.hits .picture").count(), "a zone shows no pictures");
    hold(await page.locator("datalist#of-Categories option").count(), "there is no list to choose from");
    await page.context().close();
  },
  async "on a phone the menu opens and closes, without a script too"() {
    const page = await seat({ ...PHONE, javaScriptEnabled: false });
    await signIn(page, shop);
    const imports = page.getByRole("link", { name: "Imports" });
    hold(!(await imports.isVisible()), "the menu is open by itself");
    await page.getByRole("link", { name: "Menu" }).click();
    await imports.waitFor();
    await page.getByRole("link", { name: "Close" }).click();
    await imports.waitFor({ state: "hidden" });
    await page.context().close();
  },
  async "nothing was said in the browser's console, and nothing was asked elsewhere"() {
    hold(!seen.length, seen[0]);
  },
};

let passed = 0;
try {
  for (const [name, run] of Object.entries(CHECKS)) {
    await run().catch((fault) => {
      fault.message = `${name}: ${fault.message}`;
      throw fault;
    });
    console.log(`ok  ${name}`);
    passed += 1;
  }
  console.log(`console: ${passed} passed, 0 failed`);
} catch (fault) {
  console.error(`FAILED: ${fault.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
