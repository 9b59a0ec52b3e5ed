// What the search says of itself: how many, what was corrected, what was left out, which rules acted.

import { button, find, linkable, make } from "./build.js";
import { isStart } from "./state.js";
import { translate, translateParts } from "./texts.js";

export function headline(answer, query) {
  const count = answer.Total;
  const words = query.trim() ? answer.Query?.Searched || query : "";
  if (!count) return words ? translate("none_for", { words }) : translate("none");
  return words ? translate("found_for", { count, words }) : translate("products", { count });
}

function note(kind, ...children) {
  return make("p", { class: `note ${kind}` }, ...children);
}

function correction(said) {
  if (!said?.Corrected?.length) return null;
  const searched = make("strong", {}, said.Searched);
  const asked = make("span", { class: "typed" }, said.Asked);
  return note("corrected", ...translateParts("corrected", { searched, asked }));
}

function meant(said, search) {
  if (!said?.DidYouMean) return null;
  const attributes = { class: "word", "data-key": "meant" };
  return note("meant", `${translate("meant")} `, button(said.DidYouMean, () => search(said.DidYouMean), attributes));
}

/** Not every product holds all words. Where the first one holds fewer already, no product holds all. */
function dropped(said, isFound) {
  if (!said?.Dropped?.length || !isFound) return null;
  if (said.RelaxedFrom !== 1) return note("dropped", translate("dropped", { words: said.Dropped.join(", ") }));
  const words = said.Searched.trim().split(/\s+/).join(", ");
  return note("dropped", translate("closest", { words }));
}

function redirect(address) {
  if (!address) return null;
  const link = linkable(address);
  const attributes = { href: link, target: "_blank", rel: "noopener noreferrer" };
  const shown = link ? make("a", attributes, address) : make("span", {}, address);
  return note("redirect", ...translateParts("redirect", { address: shown }));
}

function rules(ids) {
  if (!ids) return null;
  if (!ids.length) return note("rules", translate("no_rule"));
  const names = ids.flatMap((id, at) => [at ? ", " : "", make("code", {}, id)]);
  return note("rules", `${translate("rules", { count: ids.length })} `, ...names);
}

function misspelt(word) {
  for (let at = 2; at < word.length - 1; at += 1) {
    if (word[at] !== word[at + 1]) return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  }
  return null;
}

/** Three searches a newcomer would not think of, made of what this shop sells. */
function ideas(items, search) {
  const words = items.flatMap((item) => (item.Title || "").toLowerCase().match(/\p{L}{6,}/gu) || []);
  const word = words.find((one) => misspelt(one));
  const article = items.find((item) => item.Sku)?.Sku;
  const tries = [
    word && ["idea_word", word],
    word && ["idea_error", misspelt(word)],
    article && ["idea_article", article],
  ].filter(Boolean);
  if (!tries.length) return null;
  return make(
    "div",
    { class: "ideas" },
    make("p", {}, translate("ideas")),
    make(
      "ul",
      {},
      tries.map(([key, text]) =>
        make(
          "li",
          {},
          make("span", {}, `${translate(key)} `),
          button(text, () => search(text), { class: "word", "data-key": key }),
        ),
      ),
    ),
  );
}

export function drawNotes(answer, state, search) {
  const said = answer.Query;
  const notes = [
    correction(said),
    meant(said, search),
    dropped(said, answer.Total > 0),
    redirect(answer.Redirect),
    ...(answer.Banners || []).map((text) => note("banner", text)),
    rules(answer.Rules),
    isStart(state) ? ideas(answer.Items, search) : null,
  ].filter(Boolean);
  find("notes").replaceChildren(...notes);
}

/** Says why no zones came; an empty sentence takes the one before away. */
export function noteZones(sentence) {
  const area = find("notes");
  area.querySelector(".unfilled")?.remove();
  if (!sentence) return;
  area.append(note("unfilled", sentence));
  // Who chose a product further down would not see it.
  area.lastChild.scrollIntoView({ block: "nearest" });
}
