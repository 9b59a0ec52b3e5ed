// What the secret key opens. The key is held by this module alone: not in the address, not in any storage.

import { oneAtATime } from "./ask.js";
import { find, make } from "./build.js";
import { language, translate } from "./texts.js";

const why = oneAtATime("/api/search/why");
let secret = "";
let act = {};

/** What a search adds when the secret is open. */
export function withSecret(body) {
  return secret ? { ...body, SecretKey: secret, Explain: true, ExplainLanguage: language } : body;
}

export function isOpen() {
  return secret !== "";
}

/** Says what the secret opened, by what came with the answer. */
export function openedNow({ Items, Rules }) {
  if (!secret) return;
  const cameWith = Rules || !Items.length || Items.some((item) => item.Why);
  say("opened", translate(cameWith ? "opened" : "unopened"));
}

/** The server did not take the secret: its sentence is shown and the secret is gone. */
export function refuseSecret(sentence) {
  forget();
  say("opened", sentence);
}

function say(id, ...what) {
  find(id).replaceChildren(...what);
}

function forget() {
  secret = "";
  find("close").hidden = true;
  say("missing-said");
}

function open(event) {
  event.preventDefault();
  const field = find("secret");
  const given = field.value.trim();
  if (!given) return say("opened", translate("secret_lacks"));
  secret = given;
  // Once read it need not stand in the page, where another script or a passer-by could read it.
  field.value = "";
  find("close").hidden = false;
  act.change();
}

function close() {
  forget();
  say("opened", translate("secret_forgotten"));
  find("secret").focus();
  act.change();
}

function verdict(answer) {
  const { Id: id, Place: place } = answer;
  if (!answer.IsFound) return translate("unfound", { id });
  return place ? translate("found_at", { id, place }) : translate("found", { id });
}

async function askWhy(event) {
  event.preventDefault();
  const id = find("missing-id").value.trim();
  if (!secret) return say("missing-said", translate("open_first"));
  if (!id) return say("missing-said", translate("id_lacks"));
  try {
    const answer = await why.put({ SecretKey: secret, Id: id, ExplainLanguage: language, ...act.asked() });
    say(
      "missing-said",
      make("p", {}, verdict(answer)),
      make(
        "ul",
        {},
        answer.Reasons.map((sentence) => make("li", {}, sentence)),
      ),
    );
  } catch (fault) {
    if (fault.name !== "AbortError") say("missing-said", fault.message);
  }
}

/** `acts` has `change()`, when the secret came or went, and `asked()`, the query and filters on the page. */
export function watchShop(acts) {
  act = acts;
  find("open").addEventListener("submit", open);
  find("close").addEventListener("click", close);
  find("missing").addEventListener("submit", askWhy);
  // Browsers keep a page that was left, with its memory, for the way back to it.
  addEventListener("pagehide", forget);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    say("opened");
    act.change();
  });
}
