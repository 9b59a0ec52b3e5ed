// Tries the try page in a browser, as a newcomer would, against any server.
// node try.mjs BASE_URL ACCESS_KEY SECRET_KEY
//   [--misspelt=sheo --corrected=shoe] [--screenshots DIR] [--figures] [--break NAME] [--only WORDS]

import { parseArgs } from "node:util";
import { checkAccess } from "./checks/access.mjs";
import { learn } from "./checks/facts.mjs";
import { checkFaults } from "./checks/faults.mjs";
import { measure } from "./checks/figures.mjs";
import { checkHostile } from "./checks/hostile.mjs";
import { checkKeyboard } from "./checks/keyboard.mjs";
import { checkOptions } from "./checks/options.mjs";
import { takePictures } from "./checks/pictures.mjs";
import { openBrowser } from "./checks/seat.mjs";
import { checkSayings } from "./checks/sayings.mjs";
import { checkSearching } from "./checks/searching.mjs";
import { checkShop } from "./checks/shop.mjs";
import { checkZones } from "./checks/zones.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    misspelt: { type: "string" },
    corrected: { type: "string" },
    screenshots: { type: "string" },
    figures: { type: "boolean" },
    break: { type: "string" },
    only: { type: "string", default: "" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
  },
});
const [base, accessKey, secret] = positionals;
if (!secret) {
  console.error("Usage: node try.mjs BASE_URL ACCESS_KEY SECRET_KEY [--screenshots DIR] [--figures]");
  process.exit(2);
}

const browser = await openBrowser(values.chromium, base, accessKey, values.break);
try {
  const facts = { ...(await learn(base, accessKey, values)), origins: browser.origins };
  console.log(`tries the words ${facts.words.join(", ")} and the error ${facts.misspelt}`);
  if (values.figures) await measure(browser, facts);
  if (values.screenshots) await takePictures(browser, facts, secret, values.screenshots);
  let passed = 0;
  for (const check of [
    checkSearching,
    checkSayings,
    checkOptions,
    checkZones,
    checkKeyboard,
    checkShop,
    checkHostile,
    checkFaults,
    checkAccess,
  ]) {
    for (const [name, run] of Object.entries(check(facts, secret))) {
      if (!name.includes(values.only)) continue;
      await browser.scene(name, run);
      console.log(`ok  ${name}`);
      passed += 1;
    }
  }
  console.log(`${passed} passed, 0 failed`);
} catch (fault) {
  console.error(`FAILED: ${fault.message}`);
  if (process.env.TRACE) console.error(fault.stack);
  process.exitCode = 1;
} finally {
  await browser.close();
}
