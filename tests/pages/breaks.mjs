// Plants the breaks of the pages' scripts one by one: a check has to see each.
// node breaks.mjs BASE_URL ACCESS_KEY SECRET_KEY [--script FILE] [--only WORDS]

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BREAKS } from "./checks/breaks.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { script: { type: "string" }, only: { type: "string", default: "" } },
});
for (const [name, [script, , , only]] of Object.entries(BREAKS)) {
  if (!name.includes(values.only)) continue;
  const isTry = /try/.test(script.source);
  const file = fileURLToPath(new URL(isTry ? "try.mjs" : "storefront.mjs", import.meta.url));
  const more = values.script && !isTry ? ["--script", values.script] : [];
  const { status, stderr } = spawnSync("node", [file, ...positionals, "--break", name, "--only", only, ...more], { encoding: "utf8" });
  const isRed = status === 1 && /^FAILED/m.test(stderr) && !/does not apply/.test(stderr);
  console.log(`${isRed ? "red     " : "SURVIVED"}  ${name}${isRed ? `: ${/FAILED: (.*)/.exec(stderr)[1].slice(0, 160)}` : `\n${stderr}`}`);
  if (!isRed) process.exitCode = 1;
}
