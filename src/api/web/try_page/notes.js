// What the search says of itself: how many, what was corrected, what was left out, which rules acted.

import { button, find, linkable, make, number, products } from "./build.js";
import { hasChosen, isStart } from "./state.js";

export function headline(answer, query) {
  const count = products(answer.Total);
  const words = query.trim() ? answer.Query?.Searched || query : "";
  if (!answer.Total) return words ? `No products for ${words}` : "No products";
  return words ? `${count} for ${words}` : count;
}

function note(kind, ...children) {
  return make("p", { class: `note ${kind}` }, ...children);
}

function correction(said) {
  if (!said?.Corrected?.length) return null;
  return note(
    "corrected",
    "Searched for ",
    make("strong", {}, said.Searched),
    " instead of ",
    make("span", { class: "typed" }, said.Asked),
  );
}

function meant(said, search) {
  if (!said?.DidYouMean) return null;
  return note(
    "meant",
    "Did you mean ",
    button(said.DidYouMean, () => search(said.DidYouMean), {
      class: "word",
      "data-key": "meant",
    }),
  );
}

function dropped(said) {
  if (!said?.Dropped?.length) return null;
  return note("dropped", `Not every product has: ${said.Dropped.join(", ")}`);
}

function redirect(address) {
  if (!address) return null;
  const link = linkable(address);
  const attributes = { href: link, target: "_blank", rel: "noopener noreferrer" };
  return note(
    "redirect",
    "A rule leads to ",
    link ? make("a", attributes, address) : make("span", {}, address),
  );
}

function rules(ids) {
  if (!ids) return null;
  if (!ids.length) return note("rules", "No rule acted on this search.");
  const names = ids.flatMap((id, at) => [at ? ", " : "", make("code", {}, id)]);
  return note("rules", ids.length > 1 ? "Rules that acted: " : "Rule that acted: ", ...names);
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
    word && ["a word", word],
    word && ["a typing error", misspelt(word)],
    article && ["an article number", article],
  ].filter(Boolean);
  if (!tries.length) return null;
  return make(
    "div",
    { class: "ideas" },
    make("p", {}, "Type what a shopper would type. To begin with:"),
    make(
      "ul",
      {},
      tries.map(([what, text]) =>
        make(
          "li",
          {},
          make("span", {}, `${what} `),
          button(text, () => search(text), { class: "word", "data-key": `idea ${what}` }),
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
    dropped(said),
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

/** Nothing found: what one can do now. */
export function drawNone(answer, state, act) {
  const area = find("none");
  if (answer.Items.length) return area.replaceChildren();
  if (answer.Total) {
    return area.replaceChildren(
      make("p", {}, `There are no products on page ${number(state.page)}.`),
      button("Go to the first page", act.first),
    );
  }
  const isFiltered = hasChosen(state.chosen);
  const hasWords = state.query.trim() !== "";
  const advice = [
    isFiltered ? "The chosen filters may be too narrow." : null,
    hasWords ? "Fewer or other words may find more." : null,
    !hasWords && !isFiltered ? "The shop has no products to show yet." : null,
  ]
    .filter(Boolean)
    .join(" ");
  area.replaceChildren(
    make("p", { class: "big" }, "Nothing found."),
    make("p", {}, advice),
    make(
      "div",
      { class: "line" },
      isFiltered ? button("Clear filters", act.clear) : null,
      hasWords ? button("Show all products", act.all) : null,
    ),
  );
}
