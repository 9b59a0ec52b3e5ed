// Follows the guides whose steps are in pages, and shows that a guide that is not true is found.
// node guides.mjs REPOSITORY

import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hold, launch, PATIENCE } from "./checks/seat.mjs";
import { perform } from "./checks/steps.mjs";

const [repository] = process.argv.slice(2);
const GUIDES = ["merchandiser", "officer"];
const HOME = `<link rel="icon" href="data:"><h1>Hits</h1><p hidden>Nobody sees this</p><ul><li>Oak chair <b>P-1</b> <a href="/one">Look<i> at an oak chair</i></a></li>
  <li>Sofa <b>P-2</b> <a href="/two">Look<i> at a sofa</i></a></li></ul><a href="/one">One</a>
  <section><h2>Now</h2>4 hits</section><section><h2>Then</h2>5 hits</section>
  <form action="/two"><label for="q">Query</label><input id="q" name="q"><textarea aria-label="Rules" name="rules"></textarea>
  <fieldset><legend>Try</legend><label for="r">Role</label><select id="r" name="role"><option>viewer<option>owner</select></fieldset>
  <label><input type="checkbox" name="sure"> I am sure</label><button>Send</button></form><a href="/file" download="x">File</a>
  <details><summary>More</summary><p>Folded away</p></details>
  <form id="editor"><fieldset><legend>Brands</legend><input aria-label="Find a brand: Brands" placeholder="Find a brand"></fieldset>
  <button>Renew</button> <output></output></form>
  <ol data-sortable><li>Lamp <b>L-1</b> <button class="handle">Move</button></li><li>Rug <b>L-2</b> <button class="handle">Move</button></li></ol>
  <script>
    const form = document.getElementById("editor"), list = document.querySelector("[data-sortable]");
    const say = (text) => {
      form.setAttribute("aria-busy", "true");
      setTimeout(() => (form.querySelector("output").value = text, form.removeAttribute("aria-busy")), 100);
    };
    let lifted = null;
    form.onsubmit = (event) => (event.preventDefault(), say("renewed " + form.querySelector("input").value));
    list.onpointerdown = (event) => (lifted = event.target.closest("li"));
    list.onpointerup = (event) => (event.target.closest("li").before(lifted), say("sorted"));
  </script>`;
/** What is done in a fresh page each, and whether the page is as the last sentence says. */
const SESSIONS = [
  [["You see **Oak chair P-1**."], true],
  [["You see **oak Chair**."], false],
  [["You see **Oak … P-2**."], true],
  [["You see **P-2 … Oak**."], false],
  [["You see **Nobody sees this**."], false],
  [["You see **Folded away**."], false],
  [["Unfold **More**.", "You see **Folded away**."], true],
  [["Unfold **Less**."], false],
  [["You no longer see **Table**."], true],
  [["You no longer see **Sofa**."], false],
  [["You see **5 hits** below **Then**."], true],
  [["You see **5 hits** below **Now**."], false],
  [["You see **Sofa** beside **P-1**."], false],
  [["Open **Look** beside **P-2**.", "You see **/two**."], true],
  [["Open **Look** beside **P-3**."], false],
  [["Open **Look**."], false],
  [["Open the link beside **P-1**.", "You see **/one**."], true],
  [["Open **One**.", "Go back.", "You see **Hits**."], true],
  [["Open **Send**."], false],
  [["Press **Send**.", "You see **/two?q=&rules=&role=viewer**."], true],
  [["Press **Hits**."], false],
  [["Type `a, b` into **Query**.", "Press **Send**.", "You see **q=a%2C+b**."], true],
  [["Type `a` into **Name**."], false],
  [["Type this into **Rules**:", "Press **Send**.", "You see **rules=a+block**."], true],
  [["Choose **owner** in **Role** below **Try**.", "Press **Send**.", "You see **role=owner**."], true],
  [["Choose **nobody** in **Role**."], false],
  [["Tick **I am sure**.", "Press **Send**.", "You see **sure=on**."], true],
  [["Type `Oak` into **Find a brand** below **Brands**.", "Press **Renew**.", "You see **renewed Oak**."], true],
  [["Type `Oak` into **Find a brand** below **Try**."], false],
  [["Press **Renew**.", "You see **renewed Oak**."], false],
  [["Drag **L-2** to the place of **L-1**.", "You see **L-2 … L-1**."], true],
  [["You see **L-2 … L-1**."], false],
  [["Drag **L-1** to the place of **P-1**."], false],
  [["Save **File** as `kept.txt`."], true],
  [["Save **One** as `kept.txt`."], false],
  [["Open the link that the command printed.", "You see **/three**."], true],
  [["Look at **Oak chair**."], false],
  [["You see **Oak chair**. Then you see **Sofa**."], false],
];

function follow(guide) {
  return spawnSync(join(repository, "scripts/follow"), [guide], { encoding: "utf8" });
}

const CHECKS = {
  async "each sentence of a guide is done, and found when it is not true"(folder) {
    const server = createServer((asked, answer) => {
      answer.setHeader("content-type", "text/html");
      answer.end(asked.url === "/" ? HOME : `<link rel="icon" href="data:">${asked.url}`);
    });
    await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
    const home = `http://127.0.0.1:${server.address().port}`;
    const browser = await launch();
    const page = await browser.newPage();
    page.patience = 500;
    page.setDefaultTimeout(page.patience);
    const facts = { folder, link: `${home}/three`, block: "a block" };
    for (const [sentences, isTrue] of SESSIONS) {
      await page.goto(home, { timeout: PATIENCE });
      let fault = null;
      for (const sentence of sentences) {
        hold(!fault, `"${sentence}" comes behind: ${fault?.message}`);
        fault = await perform(page, sentence, facts).then(() => null, (failure) => failure);
      }
      hold(!fault === isTrue, `${sentences.join(" ")} ${fault?.message ?? "was taken as true"}`);
    }
    await browser.close();
    server.close();
  },
  async "a guide ends at the step that is not true, and its line is named"(folder) {
    const guide = join(folder, "guide.md");
    const start = ["## A", "```sh", "mkdir site && echo '<link rel=icon href=data:>Here' >site/index.html",
      "python3 -m http.server 9000 --bind 127.0.0.1 --directory site &", "```", "```console",
      "$ echo http://127.0.0.1:9000/", "http://127.0.0.1:9000/", "```", "- Open the link that the command printed."];
    for (const [step, code] of [["- You see **Here**.", 0], ["- Press **Here** twice.", 1]]) {
      await writeFile(guide, [...start, step, ""].join("\n"));
      const { status, stdout, stderr } = follow(guide);
      const isNamed = code === 0 || stdout.includes(`${guide}:11\n${step.slice(2)}\n`);
      hold(status === code && isNamed, `${step} ended with ${status}: ${stdout}${stderr}`);
    }
  },
};
for (const name of GUIDES) {
  CHECKS[`the first hour of the ${name} is as the guide says`] = async () => {
    const { status, stdout, stderr } = follow(join(repository, `docs/first-hour/${name}.md`));
    hold(status === 0, `${stdout}${stderr}`);
  };
}

const folder = await mkdtemp(join(tmpdir(), "lethe-guides-"));
let passed = 0;
try {
  for (const [name, run] of Object.entries(CHECKS)) {
    await run(folder).catch((fault) => {
      fault.message = `${name}: ${fault.message}`;
      throw fault;
    });
    console.log(`ok  ${name}`);
    passed += 1;
  }
  console.log(`guides: ${passed} passed, 0 failed`);
} catch (fault) {
  console.error(`FAILED: ${fault.message}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
process.exit();
