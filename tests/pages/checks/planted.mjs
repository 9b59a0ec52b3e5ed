// A browser in which one script of the pages is another: `scripts/mutant --generate pages` plants mutants so.

import { readFileSync, writeFileSync } from "node:fs";

/** The script of a shop's pages is sent without comments and indentation. */
function strip(text) {
  const lines = text.split("\n").map((line) => line.trimStart());
  return lines.filter((line) => line && !line.startsWith("//") && !line.startsWith("/**")).join("\n");
}

/** The browser, whose pages get `planted` where a script has `original`; both stand in a file, next to which it is noted. */
export function withPlanted(browser, file) {
  const { original, planted } = JSON.parse(readFileSync(file, "utf8"));
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    await context.route(/\.js(\?.*)?$/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const form = [(code) => code, strip].find((form) => text.includes(form(original)));
      if (form) writeFileSync(file.replace(/json$/, "loaded"), "");
      await route.fulfill({ response, body: form ? text.replace(form(original), () => form(planted)) : text });
    });
    return context;
  };
  return browser;
}
