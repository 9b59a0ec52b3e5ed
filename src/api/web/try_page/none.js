// A search that found nothing: what helps now. The heading says that nothing was found, and nothing says it again.

import { isAborted, oneAtATime } from "./ask.js";
import { button, find, make } from "./build.js";
import { hasChosen } from "./state.js";
import { translate } from "./texts.js";

const OFFERED = 6;
/** Help is asked for when typing rests, not for every letter. */
const HELP_AFTER = 300;
const beginnings = oneAtATime("/api/autocomplete");
const whole = oneAtATime("/api/search");
let waiting = 0;

function offer(title, buttons) {
  return buttons.length ? [make("p", {}, title), make("div", { class: "line" }, buttons)] : [];
}

/** Searches that begin with what was typed. */
async function drawNearest({ query }, act) {
  if (!query.trim()) return [];
  const { Queries = [] } = await beginnings.put({ Query: query, Size: OFFERED });
  const word = ({ Text }) => button(Text, () => act.search(Text), { class: "word" });
  return offer(translate("nearest"), Queries.filter(({ Text }) => Text !== query).map(word));
}

/** The categories with the most products of the shop. */
async function drawCategories(act) {
  const { Facets } = await whole.put({ Query: "", Size: 1, Facets: ["Category"] });
  const categories = [Facets?.Category ?? []].flat().sort((one, other) => other.Count - one.Count);
  const category = ({ Value, Name }) => button(Name || Value, () => act.category(Value), { class: "word" });
  return offer(translate("look_in"), categories.slice(0, OFFERED).map(category));
}

/** Parts that help: first come those that answer what was asked, and where there are none, the whole shop. */
async function drawHelp(state, act) {
  const nearest = await drawNearest(state, act);
  if (nearest.length) return nearest;
  const categories = await drawCategories(act);
  return categories.length ? categories : [button(translate("show_everything"), act.all)];
}

function waitForHelp(area, state, act) {
  waiting = setTimeout(async () => {
    const mine = waiting;
    const drawn = await drawHelp(state, act).catch((fault) => {
      // The way back to all products needs no answer.
      return isAborted(fault) ? [] : [button(translate("show_everything"), act.all)];
    });
    if (mine === waiting) area.append(...drawn);
  }, HELP_AFTER);
}

/** Takes away what stood there, and ends the questions for it. */
export function clearNone() {
  clearTimeout(waiting);
  waiting = 0;
  beginnings.stop();
  whole.stop();
  find("none").replaceChildren();
}

/** `act` has `first`, `clear`, `all`, `search(query)` and `category(id)`. */
export function drawNone(answer, state, act) {
  clearNone();
  if (answer.Items.length) return;
  const area = find("none");
  if (answer.TotalRelaxed) {
    return area.append(
      make("p", {}, translate("page_empty", { page: state.page })),
      button(translate("first_page"), act.first),
    );
  }
  if (hasChosen(state.chosen)) {
    return area.append(make("p", {}, translate("too_narrow")), button(translate("clear_filters"), act.clear));
  }
  if (!state.query.trim()) return area.append(make("p", {}, translate("shop_empty")));
  waitForHelp(area, state, act);
}
