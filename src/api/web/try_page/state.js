// What is searched, as it stands in the address: words, page, order, grouping and chosen filters. Never the secret.

const ORDERS = ["relevance", "price", "-price", "newest", "title"];
const LISTS = ["Brand", "Category"];
const SWITCHES = ["InStock", "NewArrival", "OnOffer"];
export const ATTRIBUTE = "Attributes.";
/** A longer name of an option is in no catalogue. */
const LONGEST_NAME = 512;

/** The state of an address. An address can be written by anybody: what cannot be is left out. */
export function readState(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const page = Number(said.get("page"));
  const order = said.get("sort");
  return {
    query: said.get("q") || "",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    order: ORDERS.includes(order) ? order : "relevance",
    group: readGroup(said.get("group")),
    chosen: readChosen(said.get("f")),
  };
}

export function writeState(state) {
  const said = new URLSearchParams();
  if (state.query) said.set("q", state.query);
  if (state.page > 1) said.set("page", state.page);
  if (state.order !== "relevance") said.set("sort", state.order);
  if (state.group !== undefined) said.set("group", state.group);
  if (hasChosen(state.chosen)) said.set("f", JSON.stringify(state.chosen));
  return `#${said}`;
}

/** The option that groups, an empty text for none; undefined leaves it to the shop. */
function readGroup(said) {
  return said !== null && said.length <= LONGEST_NAME && !/\p{Cc}/u.test(said) ? said : undefined;
}

function readChosen(text) {
  let said;
  try {
    said = JSON.parse(text || "{}");
  } catch {
    return {};
  }
  if (!said || typeof said !== "object") return {};
  return Object.fromEntries(Object.entries(said).filter(([facet, value]) => canBe(facet, value)));
}

function canBe(facet, value) {
  if (SWITCHES.includes(facet)) return typeof value === "boolean";
  const isAttribute = facet.startsWith(ATTRIBUTE) && facet.length > ATTRIBUTE.length;
  if (Array.isArray(value)) {
    const areTexts = value.length > 0 && value.every((one) => typeof one === "string");
    return areTexts && (isAttribute || LISTS.includes(facet));
  }
  return (isAttribute || facet === "Price") && isRange(value);
}

function isRange(value) {
  if (!value || typeof value !== "object") return false;
  const bounds = Object.entries(value);
  const isBound = ([name, bound]) => ["From", "To"].includes(name) && Number.isFinite(bound);
  return bounds.length > 0 && bounds.every(isBound);
}

export function hasChosen(chosen) {
  return Object.keys(chosen).length > 0;
}

/** Nothing is searched yet. */
export function isStart({ query, chosen, page }) {
  return !query.trim() && !hasChosen(chosen) && page === 1;
}

/** The chosen filters as the search takes them: attributes in an object of their own. */
export function filtersOf(chosen) {
  const filters = {};
  for (const [facet, value] of Object.entries(chosen)) {
    if (facet.startsWith(ATTRIBUTE)) (filters.Attributes ??= {})[facet.slice(ATTRIBUTE.length)] = value;
    else filters[facet] = value;
  }
  return filters;
}

/** Each chosen value or range by itself. A switch's values are the texts "true" and "false", as in facets. */
export function listChosen(chosen) {
  return Object.entries(chosen).flatMap(([facet, value]) => {
    if (Array.isArray(value)) return value.map((one) => ({ facet, value: one }));
    if (typeof value === "boolean") return [{ facet, value: String(value) }];
    return [{ facet, range: value }];
  });
}

export function isChosen(chosen, facet, value) {
  const held = chosen[facet];
  if (Array.isArray(held)) return held.includes(value);
  return held !== undefined && String(held) === value;
}

export function toggled(chosen, facet, value) {
  const { [facet]: held, ...others } = chosen;
  if (SWITCHES.includes(facet)) {
    return String(held) === value ? others : { ...others, [facet]: value === "true" };
  }
  const values = Array.isArray(held) ? held : [];
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return left.length ? { ...others, [facet]: left } : others;
}

export function ranged(chosen, facet, range) {
  const { [facet]: _, ...others } = chosen;
  return range ? { ...others, [facet]: range } : others;
}

export function isSameRange(one, other) {
  return isRange(one) && isRange(other) && one.From === other.From && one.To === other.To;
}
