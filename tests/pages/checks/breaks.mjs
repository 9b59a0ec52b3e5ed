// Small breaks of what the scripts of pages promise, each with the checks that have to turn red: scripts/pages-test --breaks

import { readFile } from "node:fs/promises";

const STORE = /\/cs\.js$/;
const TRY = /\/try\/page\.js$/;
const CARD = /\/try\/card\.js$/;
const FACETS = /\/try\/facets\.js$/;
const OPTIONS = /\/try\/options\.js$/;
const SHOPS = "public plugins";

/** By name: in which script what is replaced by what, and the words of the check that sees it. */
export const BREAKS = {
  "zones-stay-hidden": [STORE, 'element.style.display = "block";', "", SHOPS],
  "completions-push-the-form": [STORE, 'position: "absolute"', 'position: "static"', SHOPS],
  "the-pointed-option-has-no-mark": [STORE, "[aria-selected=true]", "[aria-selected=never]", SHOPS],
  "a-box-is-completed-twice": [STORE, "[role=combobox], [aria-autocomplete], ", "", SHOPS],
  "name-and-price-run-together": [STORE, '[" ", part]', '["", part]', SHOPS],
  "places-of-magento-1-stay-empty": [STORE, ", [data-pureclarity^=navigation_]", "", SHOPS],
  "searches-of-magento-1-stay-empty": [STORE, 'about === "search"', 'about === "filter"', "search page of Magento 1"],
  "a-second-script-begins-again": [STORE, "if (window[MARK]) return window[MARK]();", "", "there once"],
  "a-page-view-adds-to-the-one-before": [STORE, "...(pages ? {} : onPage)", "...onPage", "draws its pages"],
  "a-kept-zone-is-never-filled-again": [STORE, "state.wanted !== wanted(element)", "false", "draws its pages"],
  "an-emptied-zone-stays-empty": [STORE, "return state.put &&", "return false &&", "draws its pages"],
  "what-comes-later-is-not-seen": [STORE, "new MutationObserver(look).observe", "[].at", "draws its pages"],
  "an-empty-zone-is-asked-for-again": [STORE, "const state = { ...states.get(element), wanted: of, page };\nstates.set(element, state);", "const state = { ...states.get(element), wanted: of, page };\nif (zones[zone.id]) states.set(element, state);", "draws its pages"],
  "a-request-hangs-for-ever": [STORE, "setTimeout(() => control.abort(late), PATIENCE)", "0", "that hangs"],
  "zones-in-one-text-are-one": [STORE, '.flatMap((text) => String(text).split(","))', "", "that hangs"],
  "what-was-not-taken-is-lost": [STORE, "hasSaid(answer, LATER)", "false", "could not take"],
  "the-next-page-does-not-know": [STORE, "inTab(names.later, later);", "", "could not take"],
  "what-failed-thrice-is-lost": [STORE, "else if (isTheirs) tellLater(events);", "", "for a while"],
  "a-popup-is-hidden-with-its-element": [STORE, "element.getClientRects().length ? element : document.body", "element", "that a plugin hides"],
  "a-page-comes-back-in-silence": [STORE, "else comeBack();", "", "shown again tells"],
  "a-signal-is-not-heeded": [STORE, '(said === "1" && !objects())', 'said === "1"', "objects"],
  "a-yes-all-the-same-is-forgotten": [STORE, 'objects() ? YES_ALL_THE_SAME : "1"', '"1"', "objects"],
  "what-was-looked-at-never-ends": [STORE, "Math.abs(today() - day) < VIEWED_DAYS", "true", "looked at ends"],
  "what-was-looked-at-outlives-the-log-out": [STORE, "stored(names.viewed, null);", "", "looked at ends"],
  "an-older-answer-is-drawn": [STORE, "if (mine !== turns.get(place)) return;", "", "older search"],
  "a-hit-leads-to-another-variant": [STORE, "Link: Link || found.Link", "Link: found.Link", "below their links"],
  "a-swatch-of-a-shop-is-empty": [STORE, "fill: colour", 'fill: "none"', "below their links"],
  "a-swatch-of-a-shop-needs-a-style": [STORE, "svg.append(circle);", 'svg.append(circle);\nsvg.setAttribute("style", "color: red");', "below their links"],
  "the-shown-value-of-a-hit-is-not-marked": [STORE, 'value === marked ? { "aria-current": "true" } : {}', "{}", "below their links"],
  "swatches-of-a-shop-are-silent": [STORE, 'role: "img", "aria-label": value', 'role: "img"', "below their links"],
  "a-long-value-fills-the-card-of-a-hit": [STORE, '.replace(LONG_VALUE, "$1…")', "", "below their links"],
  "letters-of-a-text-are-options-of-a-shop": [STORE, 'value && typeof value === "object" && !Array.isArray(value) ?', "value ?", "below their links"],
  "objects-are-values-of-a-shop": [STORE, '.filter((one) => ["string", "number"].includes(typeof one))', "", "below their links"],
  "a-chosen-filter-stays-on-its-page": [TRY, "toggled(state.chosen, facet, value), page: 1", "toggled(state.chosen, facet, value)", "later page"],
  "a-chosen-order-stays-on-its-page": [TRY, "order: event.target.value, page: 1", "order: event.target.value", "later page"],
  "a-chosen-grouping-stays-on-its-page": [TRY, "undefined : value, page: 1", "undefined : value", "a card per value"],
  "a-grouping-is-not-asked-for": [TRY, "GroupBy: state.group,", "", "a card per value"],
  "cards-of-one-product-are-called-the-same": [CARD, "return group ?", "return false ?", "a card per value"],
  "a-card-leads-to-another-variant": [CARD, "Link: Link || item.Link", "Link: item.Link", "are marked"],
  "the-shown-value-is-not-marked": [OPTIONS, 'how.isMarked ? "true" : null', "null", "inside their card"],
  "the-shown-value-is-cut-off": [OPTIONS, "[...values.slice(0, VALUES - 1), marked]", "values.slice(0, VALUES)", "inside their card"],
  "more-values-push-the-card": [OPTIONS, "const VALUES = 6;", "const VALUES = 60;", "inside their card"],
  "a-swatch-has-no-colour": [OPTIONS, 'element.style.setProperty("--own", colour);', "", "are marked"],
  "swatches-come-from-anywhere": [OPTIONS, "const source = showable(swatch);", "const source = pictureAddress(swatch)?.href;", "inside their card"],
  "one-colour-makes-all-swatches": [OPTIONS, "values.every((value) => findColour(value))", "values.some((value) => findColour(value))", "three languages"],
  "letters-of-a-text-are-options": [OPTIONS, "isObject ? Options : {}", "Options ?? {}", "no object of texts"],
  "objects-are-values": [OPTIONS, '.filter((one) => ["string", "number"].includes(typeof one))', "", "no object of texts"],
  "all-is-gone-where-nothing-is-known": [OPTIONS, "if (!isKnown) return [];", "if (!isKnown) return values;", "struck through"],
  "what-is-gone-has-no-line": [OPTIONS, 'how.isGone ? "s" : "span"', '"span"', "struck through"],
  "filters-have-no-swatches": [FACETS, "swatch(one.value.Value)", "null", "filters by colours"],
};

/** Plants a break in what a browser loads; `file` is the script, where it is not to come from the server. */
export async function plant(context, name, file) {
  const [script, from, to] = BREAKS[name];
  await context.route(script, async (route) => {
    const answer = await route.fetch();
    const text = file ? await readFile(file, "utf8") : await answer.text();
    if (!text.includes(from)) throw new Error(`the break ${name} does not apply`);
    await route.fulfill({ response: answer, body: text.replace(from, () => to) });
  });
}
