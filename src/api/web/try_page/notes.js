// What the search says of itself: how many, what was corrected, what was left out, which rules acted.

import { button, find, linkable, make } from "./build.js";
import { isStart } from "./state.js";
import { language, translate, translateParts } from "./texts.js";

const orWords = new Intl.ListFormat(language, { type: "disjunction" });

/** The products that hold all words, and those that are found besides; `isGrouped` if each may have several cards. */
export function headline(answer, query, isGrouped) {
  const { Total: count, TotalRelaxed: all } = answer;
  const words = query.trim() ? answer.Query?.Searched || query : "";
  if (!all) return words ? translate("none_for", { words }) : translate("none");
  if (!count) return translate("none_whole", { count: all });
  const [forWords, alone] = isGrouped ? ["cards_for", "cards"] : ["found_for", "products"];
  const found = words ? translate(forWords, { count, words }) : translate(alone, { count });
  return all > count ? `${found} · ${countLacking(all - count, answer.Query.RelaxedWithout)}` : found;
}

/** So many more products, and the words that they lack: the one, or at least one of several. */
function countLacking(count, without) {
  const words = orWords.format(without.map((word) => translate("word", { word })));
  return without.length > 1 ? translate("more_lacking", { count, words }) : translate("more_without", { count, words });
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

/** Words that not every product holds, but for those of which the heading says it. */
function dropped({ Query: said, Total, TotalRelaxed }) {
  const isHeaded = (word) => Total > 0 && said.RelaxedWithout?.includes(word);
  const words = (said?.Dropped ?? []).filter((word) => !isHeaded(word));
  return words.length && TotalRelaxed ? note("dropped", translate("dropped", { words: words.join(", ") })) : null;
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
    dropped(answer),
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
