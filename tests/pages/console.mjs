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
  await ask("/api/events", { Events: [did("stool", 9)] });
}
// More than what the shop's own history searches in vain.
const missed = (number) => ({ Name: "search", Query: "garden gnome", Found: 0, UserId: `walker-${number}` });
await ask("/api/events", { Events: Array.from({ length: 90 }, (_, number) => missed(number)) });
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
  `${shop}/search?q=zzzz&id=1`, `${shop}/recommendations`, `${shop}/recommendations?product=${encodeURIComponent(item)}`, `${shop}/rules`, `${shop}/rules/edit?query=stool&pin=${encodeURIComponent(item)}`, `${shop}/zones?zone=HP-03&kind=homepage`, `${shop}/zones/edit?zone=HP-03`, `${shop}/reports`,
  ...["search", "missed", "products", "days", "quality", "catalogue"].map((about) => `${shop}/reports?about=${about}`),
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
        await page.goto(new URL(`${shop}/rules`, home).href);
        const rules = page.locator("#editor");
        await rules.locator("summary").click();
        await rules.getByRole("button", { name: "Preview" }).click();
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
  async "a rule is made by hand: found, dragged, sorted by keyboard, published and deleted"() {
    const page = await seat();
    await signIn(page, `${shop}/rules/edit?query=stool`);
    hold((await page.locator("#side-edited").count()) === 0, "a rule that does nothing has an effect");
    const pins = () => page.locator("#list-pin [name=pin]").evaluateAll((all) => all.map((one) => one.value));
    /** Waits until the pins are as they have to be. */
    const pinned = async (expected, sentence) => {
      for (let tries = 0; tries < 100 && (await pins()).join() !== expected.join(); tries += 1) await page.waitForTimeout(100);
      hold((await pins()).join() === expected.join(), `${sentence}: ${await pins()}, not ${expected}`);
    };
    await page.locator("#find-pin").fill("stool");
    await page.keyboard.press("Enter");
    const offered = page.locator("#list-pin .offered button");
    await offered.first().waitFor();
    hold(await page.locator("#find-pin").evaluate((one) => one === document.activeElement), "the search lost the focus");
    const [one, two] = await offered.evaluateAll((all) => all.map((button) => button.value.replace("add:pin:", "")));
    await offered.first().click();
    await pinned([one], "the first is not added");
    await offered.first().click();
    await pinned([one, two], "the second is not added");
    await page.locator("#side-edited").waitFor();
    await clean(page, "a rule that is edited");
    await page.locator(`#list-pin [data-id="${one}"] .handle`).focus();
    for (const key of [" ", "ArrowDown", "Escape"]) await page.keyboard.press(key);
    await pinned([one, two], "Escape does not put it back");
    for (const key of [" ", "ArrowDown", " "]) await page.keyboard.press(key);
    await pinned([two, one], "the keyboard does not move it");
    await page.locator("form:not([aria-busy])#editor-form").waitFor();
    hold(await page.locator(`#list-pin [data-id="${one}"] .handle`).evaluate((handle) => handle === document.activeElement), "the handle lost the focus");
    // By the mouse the third product found goes to the top.
    const hits = page.locator("#effect [data-sortable] > [data-id]");
    const third = await hits.nth(2).getAttribute("data-id");
    await hits.nth(2).locator(".handle").scrollIntoViewIfNeeded();
    const from = await hits.nth(2).locator(".handle").boundingBox();
    const to = await hits.nth(0).boundingBox();
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(from.x + 5, from.y - 30, { steps: 3 });
    await page.mouse.move(to.x + 20, to.y + 20, { steps: 8 });
    await page.mouse.up();
    await pinned([third, two, one], "the mouse does not move it");
    // A hit from below comes to the top though only some are seen at a time.
    await page.locator("form:not([aria-busy])#editor-form").waitFor();
    const low = await hits.last().getAttribute("data-id");
    await hits.last().locator(".handle").scrollIntoViewIfNeeded();
    const grip = await hits.last().locator(".handle").boundingBox();
    await page.mouse.move(grip.x + 5, grip.y + 5);
    await page.mouse.down();
    for (let steps = 0; steps < 200 && (await page.locator("#effect").evaluate((part) => part.scrollTop)) > 0; steps += 1) {
      await page.mouse.move(grip.x + 5 + (steps % 2), 30);
    }
    const top = await hits.first().boundingBox();
    await page.mouse.move(top.x + 20, top.y + 20, { steps: 5 });
    hold((await hits.first().getAttribute("data-id")) === low, "the hits do not scroll along");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await pinned([third, two, one], "Escape does not put a dragged hit back");
    const asks = await page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));
    hold(asks, "leaving does not ask");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.waitForURL(/set=/);
    const { Rules: rules } = await ask("/api/rules", {});
    hold(rules.find((rule) => rule.Id === "stool")?.Pin.join() === [third, two, one].join(), `published ${JSON.stringify(rules)}`);
    await page.getByRole("link", { name: "Edit stool" }).click();
    await page.getByText("Delete this rule").first().click();
    await page.getByLabel("Yes, delete the rule stool").check();
    // A list is published at most twice a second.
    await page.waitForTimeout(600);
    await page.locator("button[value=delete]").click();
    await page.waitForURL(/set=/);
    hold((await page.getByRole("link", { name: "Edit stool" }).count()) === 0, "the rule is still there");
    await page.context().close();
  },
  async "a campaign is written by hand, and its zone is drawn while it is typed"() {
    const page = await seat();
    await signIn(page, `${shop}/zones`);
    await page.getByRole("link", { name: "New campaign", exact: true }).click();
    await page.getByLabel("Zone", { exact: true }).fill("HP-04");
    await page.getByLabel("Title above the content").fill("Walked");
    const drawn = page.locator("[aria-labelledby=zone-edited]");
    await drawn.getByText("Walked", { exact: true }).waitFor();
    hold(await page.getByLabel("Title above the content").evaluate((one) => one === document.activeElement), "the title lost the focus");
    hold((await drawn.locator(".hit").count()) > 1, "the zone has no products");
    await clean(page, "a new campaign");
    await page.getByRole("radio", { name: "pictures", exact: true }).check();
    hold(!(await page.locator("#recommender").isVisible()), "the fields of products are shown for pictures");
    await page.getByLabel("Address of the picture").fill("/a.png");
    await page.getByRole("button", { name: "Another picture" }).click();
    await page.locator("#image-1").waitFor();
    hold((await page.locator("#image-src-0").inputValue()) === "/a.png", "the first picture is lost");
    await clean(page, "pictures of a campaign");
    await page.getByRole("radio", { name: "recommended products", exact: true }).check();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.waitForURL(/set=/);
    await page.getByRole("link", { name: "Edit hp-04-walked" }).click();
    await page.getByText("Delete this campaign").first().click();
    await page.getByLabel("Yes, delete it").check();
    // A list is published at most twice a second.
    await page.waitForTimeout(600);
    await page.locator("button[value=delete]").click();
    await page.waitForURL(/set=/);
    hold((await page.getByRole("link", { name: "Edit hp-04-walked" }).count()) === 0, "the campaign is still there");
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
    const rows = page.locator(".synonyms [name=words]:not([type=hidden])");
    const begun = await rows.evaluateAll((all) => all.map((one) => one.value));
    hold(begun.at(-2)?.startsWith("garden gnome"), `the rows hold ${begun.join("; ")}`);
    const isBegun = await page.locator("#new-synonym").evaluate((one) => one === document.activeElement && one.selectionStart === one.value.length);
    hold(isBegun && (await page.locator("#new-synonym").inputValue()) === begun.at(-2), "typing does not go on in the begun row");
    await rows.last().fill("bench, settle");
    await page.getByRole("button", { name: "Add a row" }).click();
    await page.waitForURL(/answer=/);
    const kept = await rows.evaluateAll((all) => all.map((one) => one.value));
    hold(kept.includes("bench, settle") && kept.at(-1) === "", `a row more: ${kept.join("; ")}`);
    hold(await rows.last().evaluate((one) => one === document.activeElement), "the new row has no focus");
    await clean(page, "rows of synonyms");
    await page.goto(new URL(`${shop}/reports?about=days&days=7`, home).href);
    const told = await page.locator("rect.day title").allTextContents();
    hold(told.some((day) => /Searches \d/.test(day)), `the days tell ${told.join("; ")}`);
    await page.context().close();
  },
  async "a feed is dropped on the page of imports, and a wrong file is told"() {
    const page = await seat();
    await signIn(page, `${shop}/imports`);
    const file = page.getByLabel("File", { exact: true });
    await file.setInputFiles({ name: "list.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n") });
    await page.getByRole("button", { name: "Send the file" }).click();
    await page.getByText("list.pdf was not sent").waitFor();
    await clean(page, "a file that is no feed");
    hold((await page.url()).endsWith("/imports"), "a refusal left the page");
    const products = items.slice(0, 3).map(({ Id }) => ({ Id, Title: "Dropped" }));
    const bytes = JSON.stringify({ Products: products });
    // A browser opens what is dropped beside the card, unless the page keeps it from that.
    const kept = await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "beside.json"));
      return ["dragover", "drop"].every((type) =>
        !document.querySelector("h1").dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })));
    });
    hold(kept, "a file that is dropped beside the card is opened");
    await page.getByText("drop the file on this card").waitFor();
    // A dropped file is only put into the field: the button sends it.
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "feed.json"));
      for (const type of ["dragenter", "dragover", "drop"]) {
        document.querySelector("#file").dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    }, bytes);
    hold((await file.evaluate((one) => one.files[0].name)) === "feed.json", "the dropped file is not chosen");
    hold((await page.locator(".over").count()) === 0, "the card is still marked");
    await page.getByLabel("Only check it").check();
    await page.getByRole("button", { name: "Send the file" }).click();
    await page.waitForURL(/\/imports\/[0-9a-f-]{36}/);
    await page.getByText(/This feed was (only checked|stopped)/).waitFor({ timeout: 6 * PATIENCE });
    await clean(page, "a dropped feed");
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
    await page.getByText(/^Products of feed \d+/).waitFor();
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
    const edited = page.locator("section[aria-labelledby=side-edited] ol.hits > li .id");
    hold((await edited.first().textContent()) === id, "it is not in front");
    await clean(page, "a rule with its effect");
    await fits(page, "a rule with its effect");
    if (values.screenshots) await page.screenshot({ path: join(values.screenshots, "console-rule-edited.png"), fullPage: true });
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText(/Version \d+ is live/).waitFor({ timeout: 6 * PATIENCE });
    hold(!(await page.getByLabel("All rules, as JSON").isVisible()), "the JSON is not folded away");
    await page.locator("#editor > summary").click();
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
      Link: Title, Image: Title, Prices: ["1.00 GBP"], Colour: Title,
      Swatches: { Shade: { [Title]: Title, Red: `url(//evil.example/${Id})` } },
      Variants: [Title, "Red"].map((Shade, at) => ({ Id: `${Id}-${at}`, Title, Options: { Shade }, Image: Title, Link: Title })) }));
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
        scripts: document.querySelectorAll("script:not([src^='/files/page.js?v='], [src^='/files/editor.js?v='], [src^='/files/drop.js?v=']), iframe, base, math, video, object, template").length,
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
    /** Looks at a list page by page: each text stands on one of them. */
    const walk = async (path, texts) => {
      let left = texts;
      for (let next = path; next; ) {
        await look(next);
        const text = await page.locator("body").innerText();
        left = left.filter((written) => !text.includes(written));
        const further = page.getByRole("link", { name: "More", exact: true });
        next = (await further.count()) ? new URL(await further.getAttribute("href"), page.url()).href : null;
      }
      hold(!left.length, `${left.length} of ${texts.length} are not text on ${path}: ${left[0]}`);
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
    for (const number of [0, 1, 2]) await look(`${at}/catalogue/s${number}`, [TEXTS[number]]);
    await walk(`${at}/rules`, TEXTS);
    for (const number of [0, 1, 2, 3]) {
      await look(`${at}/rules/edit?id=${encodeURIComponent(TEXTS[number])}`, [TEXTS[number]]);
    }
    await look(`${at}/rules/edit?query=${encodeURIComponent(TEXTS[4])}&pin=s5`, TEXTS.slice(4, 6));
    await page.locator("#find-pin").fill(TEXTS[6]);
    await page.keyboard.press("Enter");
    await page.locator("#list-pin .offered, #list-pin .note").first().waitFor();
    await shown("an edited rule", TEXTS.slice(4, 7));
    await walk(`${at}/zones`, TEXTS);
    await look(`${at}/zones?zone=HP-01&kind=homepage`, TEXTS.slice(0, 1));
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
    // Few enough to be edited as a text.
    await ask("/api/rules/set", { Rules: list.Rules.slice(0, 12) }, keys);
    await page.goto(new URL(`${at}/rules`, home).href);
    await page.locator("#editor > summary").click();
    await page.getByLabel("All rules, as JSON").fill(JSON.stringify(list.Rules.slice(1, 12)));
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
  async "cards show options as swatches and sizes, and a product's page its variants"() {
    const variant = (colour, size, InStock) => ({ Id: `walk-${colour}-${size}`, Options: { Colour: colour, Size: size }, InStock });
    const sizes = ["XS", "S", "M", "L", "XL", "XXL", "3XL"];
    await ask("/api/delta", { Products: [{ Id: "walk-shirt", Title: "Walkers' shirt", Prices: ["12.50 GBP"],
      Swatches: { Colour: { Red: "#cc0000" } },
      Variants: [...sizes.map((size) => variant("Red", size, size === "3XL")), variant("Dunkelblau", "M", false)] }] });
    const found = async () => (await ask("/api/search", { Query: "walkers shirt" }, { AppKey: accessKey })).Items[0]?.Id;
    for (let tries = 0; tries < 100 && (await found()) !== "walk-shirt"; tries += 1) await new Promise((again) => setTimeout(again, 100));
    for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await seat({ ...options, colorScheme });
        await signIn(page, `${shop}/search?q=${encodeURIComponent("walkers shirt")}`);
        const rows = await page.locator("ol.hits > li").first().evaluate((card) => {
          const edge = card.getBoundingClientRect();
          const isInside = ({ left, right, top, bottom, width, height }) =>
            Math.min(width, height) >= 12 && left >= edge.left && right <= edge.right && top >= edge.top && bottom <= edge.bottom;
          const star = (one) => (one.hasAttribute("aria-current") ? "*" : "");
          return [...card.querySelectorAll(".option")].map((row) => ({
            said: `${row.getAttribute("aria-label")}=${[...row.children].map((one) => star(one) + one.textContent).join()}`,
            outside: [...row.querySelectorAll("li, .colour")].filter((one) => !isInside(one.getBoundingClientRect())).length,
            fills: [...row.querySelectorAll(".colour rect")].map((one) => getComputedStyle(one).fill).join(),
            marked: getComputedStyle(row.querySelector("[aria-current]")).borderTopColor,
            other: getComputedStyle(row.querySelector(".label:not([aria-current])") ?? row).borderTopColor,
          }));
        });
        hold(rows.map((row) => row.said).join("; ") === "Colour=*Red,Dunkelblau; Size=XS,S,M,L,XL,*3XL,+1 more", `the options are ${rows.map((row) => row.said).join("; ")}`);
        hold(rows.every((row) => row.outside === 0), `${size}: parts of options are not in their card, or too small`);
        hold(rows[0].fills === "rgb(204, 0, 0),rgb(58, 110, 165)", `the swatches are ${rows[0].fills}`);
        hold(rows[1].marked !== rows[1].other, "the marked size looks like the others");
        await clean(page, `options (${size}, ${colorScheme})`);
        await fits(page, `options (${size}, ${colorScheme})`);
        await page.goto(new URL(`${shop}/catalogue/walk-shirt`, home).href);
        const cells = await page.locator("table tr", { hasText: "walk-Red-3XL" }).locator("td").allInnerTexts();
        hold(cells.slice(1, 3).join() === "Red,3XL" && cells.includes("£12.50"), `a variant is ${cells.join()}`);
        hold((await page.locator("table tbody tr").count()) === 8, "not all variants are listed");
        await clean(page, `variants (${size}, ${colorScheme})`);
        await fits(page, `variants (${size}, ${colorScheme})`);
        await page.context().close();
      }
    }
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
