// Follows the page steps of a guide, for scripts/follow: reads a step as a line of JSON, and answers with one.
// node steps.mjs FOLDER

import { createInterface } from "node:readline";
import { DESKTOP, launch, PATIENCE } from "./checks/seat.mjs";
import { perform } from "./checks/steps.mjs";

const [folder] = process.argv.slice(2);
const browser = await launch();
const context = await browser.newContext(DESKTOP);
context.setDefaultTimeout(PATIENCE);
const messages = [];
context.on("console", (message) => {
  // What is refused on purpose is told by the browser too.
  if (!/status of 4\d\d/.test(message.text())) messages.push(`the browser's console says: ${message.text()}`);
});
context.on("weberror", (fault) => messages.push(`the page's script failed: ${fault.error().message}`));
context.on("request", (request) => {
  if (new URL(request.url()).hostname !== "127.0.0.1") messages.push(`a request went elsewhere: ${request.url()}`);
});
const page = await context.newPage();

for await (const line of createInterface({ input: process.stdin })) {
  const { sentence, ...facts } = JSON.parse(line);
  const fault = await perform(page, sentence, { folder, ...facts }).then(
    () => messages[0],
    (failure) => failure.message,
  );
  console.log(JSON.stringify({ fault: fault ?? null }));
}
await browser.close();
