// The filters at the side, and the chosen ones as chips over the results.

import { button, countOf, find, make, roundMoney, unseen } from "./build.js";
import { facetSwatches } from "./options.js";
import { isChosen, isSameRange, listChosen } from "./state.js";
import { number, translate } from "./texts.js";

const SHOWN = 8;
const DEEPEST = 4;
const FIRST = ["Category", "Brand", "Price", "InStock", "OnOffer", "NewArrival"];
/** Groups that stand open at first: more of them would push the products out of a keyboard's reach. */
const OPEN = 4;
const SWITCHES = {
  InStock: { true: "in_stock", false: "out_of_stock" },
  OnOffer: { true: "on_offer", false: "not_on_offer" },
  NewArrival: { true: "new", false: "not_new" },
};

const names = new Map();
const opened = new Set();
/** Groups that somebody opened or folded, and which of both. */
const folds = new Map();

function titleOf(facet) {
  return FIRST.includes(facet) ? translate(`facet_${facet}`) : facet.replace(/^Attributes\./, "");
}

/** An id has a name only in an answer: names are kept so that chips can say them later too. */
function learn(facet, values) {
  for (const value of values) names.set(`${facet}\n${value.Value}`, value.Name || value.Value);
}

function nameOf(facet, value) {
  const key = SWITCHES[facet]?.[value];
  return key ? translate(key) : names.get(`${facet}\n${value}`) || value;
}

function amount(facet, unit, value) {
  if (facet === "Price") return roundMoney(value);
  return unit ? `${number(value)} ${unit}` : number(value);
}

function rangeText(facet, unit, range) {
  const [from, to] = [range.From, range.To].map((bound) => bound !== undefined && amount(facet, unit, bound));
  if (!from) return translate("up_to", { to });
  return to ? translate("from_to", { from, to }) : translate("from", { from });
}

/** Values in the order of their tree: each below its parent, if that one is in the answer too. */
export function inTree(values) {
  const keyOf = (path) => JSON.stringify(path);
  const known = new Set(values.filter((one) => one.Path).map((one) => keyOf(one.Path)));
  const below = new Map();
  for (const value of values) {
    const parent = value.Path?.length > 1 ? keyOf(value.Path.slice(0, -1)) : "";
    const place = known.has(parent) ? parent : "";
    below.set(place, [...(below.get(place) || []), value]);
  }
  const rows = [];
  const walk = (place, depth) => {
    const here = below.get(place) || [];
    // Taken away before going down, so that two values with one path cannot lead in a circle.
    below.delete(place);
    for (const value of here) {
      rows.push({ value, depth });
      if (value.Path) walk(keyOf(value.Path), depth + 1);
    }
  };
  walk("", 0);
  return rows;
}

function row(facet, { value, depth }, swatch, chosen, act) {
  const box = make("input", {
    type: "checkbox",
    "data-key": `${facet}=${value.Value}`,
    change: () => act.toggle(facet, value.Value),
  });
  box.checked = isChosen(chosen, facet, value.Value);
  const path = value.Path?.slice(0, -1).join(" / ");
  const above = path ? ` ${translate("in_category", { path })}` : null;
  return make(
    "li",
    { class: `depth${Math.min(depth, DEEPEST)}` },
    make(
      "label",
      { class: "value" },
      box,
      swatch,
      make(
        "span",
        { class: "what" },
        nameOf(facet, value.Value),
        above && !depth ? make("small", {}, above) : null,
        above && depth ? unseen(above) : null,
      ),
      countOf(value.Count),
    ),
  );
}

function drawValues(facet, values, chosen, act) {
  learn(facet, values);
  const rows = inTree(values);
  const swatch = facetSwatches(
    facet,
    values.map((value) => value.Value),
  );
  const isOpen = opened.has(facet);
  const isShown = ({ value }, place) => isOpen || place < SHOWN || isChosen(chosen, facet, value.Value);
  const shown = rows.filter(isShown);
  const list = make(
    "ul",
    {},
    shown.map((one) => row(facet, one, swatch(one.value.Value), chosen, act)),
  );
  if (rows.length <= SHOWN) return [list];
  const turn = () => {
    if (isOpen) opened.delete(facet);
    else opened.add(facet);
    act.redraw();
  };
  const text = isOpen ? translate("show_fewer") : translate("show_all", { count: rows.length });
  const more = button([text, unseen(`: ${titleOf(facet)}`)], turn, {
    class: "quiet",
    "data-key": `more ${facet}`,
    "aria-expanded": String(isOpen),
  });
  return [list, more];
}

function bound(facet, name, value, hint) {
  const input = make("input", {
    type: "number",
    step: "any",
    inputmode: "decimal",
    name,
    placeholder: hint ?? null,
    value: value ?? null,
    "data-key": `${facet} ${name}`,
  });
  return make("label", {}, make("span", {}, translate(`bound_${name}`)), input);
}

function readRange(form) {
  const bounds = ["From", "To"].map((name) => form.elements[name].value.trim());
  const [from, to] = bounds.map((text) => (text === "" ? undefined : Number(text)));
  if (from === undefined && to === undefined) return null;
  const isTurned = from !== undefined && to !== undefined && from > to;
  const range = isTurned ? { From: to, To: from } : { From: from, To: to };
  return JSON.parse(JSON.stringify(range));
}

function drawRange(facet, said, chosen, act) {
  const held = chosen[facet];
  const choices = (said.Ranges || []).map(({ From, To, Count }) => {
    const range = JSON.parse(JSON.stringify({ From, To }));
    const isHeld = isSameRange(held, range);
    const text = [
      make("span", {}, rangeText(facet, said.Unit, range)),
      countOf(Count),
    ];
    return make(
      "li",
      {},
      button(text, () => act.range(facet, isHeld ? null : range), {
        class: "choice",
        "aria-pressed": String(isHeld),
        "data-key": `${facet} ${From} ${To}`,
      }),
    );
  });
  const submit = (event) => {
    event.preventDefault();
    act.range(facet, readRange(event.target));
  };
  return [
    choices.length ? make("ul", {}, choices) : null,
    make(
      "form",
      { class: "range", submit },
      bound(facet, "From", held?.From, said.Min),
      bound(facet, "To", held?.To, said.Max),
      make("button", { type: "submit", "data-key": `${facet} set` }, translate("set"), unseen(`: ${titleOf(facet)}`)),
    ),
  ];
}

function drawInside(facet, said, chosen, act) {
  return Array.isArray(said) ? drawValues(facet, said, chosen, act) : drawRange(facet, said, chosen, act);
}

/** A group of values that can be folded. */
function drawFacet(facet, said, isFirst, chosen, act) {
  const title = titleOf(facet) + (said.Unit ? ` (${said.Unit})` : "");
  const isOpen = folds.get(facet) ?? (isFirst || chosen[facet] !== undefined);
  const group = make(
    "details",
    { class: "facet", open: isOpen },
    make("summary", { "data-key": `fold ${facet}`, click: () => folds.set(facet, !group.open) }, title),
    make("fieldset", {}, make("legend", { class: "unseen" }, title), ...drawInside(facet, said, chosen, act)),
  );
  return group;
}

function place(facet) {
  const at = FIRST.indexOf(facet);
  return at < 0 ? FIRST.length : at;
}

/** `act` has `toggle(facet, value)`, `range(facet, range or null)` and `redraw()`. */
export function drawFacets(facets, chosen, act) {
  const filled = Object.entries(facets || {}).filter(([, said]) => !Array.isArray(said) || said.length);
  const ordered = filled.sort(([one], [other]) => place(one) - place(other));
  const drawn = ordered.map(([facet, said], at) => drawFacet(facet, said, at < OPEN, chosen, act));
  find("facets").replaceChildren(...drawn);
  // Where nothing was found there is nothing to filter by.
  find("filters").hidden = !drawn.length;
}

export function drawChips(facets, chosen, act) {
  const chips = listChosen(chosen).map(({ facet, value, range }) => {
    const text = range ? rangeText(facet, facets?.[facet]?.Unit, range) : nameOf(facet, value);
    const press = () => (range ? act.range(facet, null) : act.toggle(facet, value));
    const what = [
      make("span", {}, make("small", {}, `${titleOf(facet)} `), text),
      make("span", { "aria-hidden": "true", class: "cross" }, "×"),
      unseen(` ${translate("remove")}`),
    ];
    return make("li", {}, button(what, press, { class: "chip", "data-key": `chip ${facet} ${value ?? ""}` }));
  });
  if (chips.length > 1) {
    chips.push(make("li", {}, button(translate("clear_filters"), act.clear, { class: "quiet", "data-key": "chips" })));
  }
  const list = find("chips");
  list.hidden = chips.length === 0;
  list.replaceChildren(...chips);
  const count = listChosen(chosen).length;
  find("filters-name").textContent = count ? translate("filters_chosen", { count }) : translate("filters");
}
