// Texts of the page in the shop's language. The server puts them into the page. Numbers are written as in that language.

const texts = JSON.parse(document.body.dataset.texts);
export const language = document.documentElement.lang;
const numbers = new Intl.NumberFormat(language);
const plurals = new Intl.PluralRules(language);

export function number(value) {
  return numbers.format(value);
}

/** A text with a form for one and a form for others has the one for `count`. */
function form(key, { count }) {
  const found = texts[key];
  return typeof found === "object" ? (found[plurals.select(count)] ?? found.other) : found;
}

/** A text by its key, with values in place of `{name}`: texts, elements, or numbers. */
export function translateParts(key, values) {
  return form(key, values)
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? values[part] : part))
    .map((part) => (typeof part === "number" ? number(part) : part));
}

/** The same as one text. */
export function translate(key, values = {}) {
  return translateParts(key, values).join("");
}
