// Options of a product as shoppers see them: colours as swatches, all others as small labels. The values of the shown
// variant are marked.

import { make, pictureAddress, unseen } from "./build.js";
import { findColour, showable } from "./picture.js";
import { ATTRIBUTE } from "./state.js";
import { number, translate } from "./texts.js";

/** Options on a card, and values of each. */
const OPTIONS = 3;
const VALUES = 6;
const HEX = /^#([\da-f]{3}|[\da-f]{6})$/i;

/** Swatches by option and value, as answers told them: filters and the choice of a grouping come without them. */
const told = new Map();

/** Options of a product with their values; none where the field holds anything but an object of texts. */
function optionsOf({ Options }) {
  const isObject = Options && typeof Options === "object" && !Array.isArray(Options);
  const options = Object.entries(isObject ? Options : {}).map(([name, values]) => [name, textsOf(values)]);
  return options.filter(([, values]) => values.length);
}

/** Values as texts: an answer has a list, or one value alone. */
export function textsOf(values) {
  return [values].flat().filter((one) => ["string", "number"].includes(typeof one)).map(String);
}

/** The swatch of a value of an option, as a product's row has it: a colour or the address of a picture. */
function swatchOf({ Swatches }, name) {
  return (value) => textsOf(Swatches?.[name]?.[value])[0];
}

function isSwatch(swatch) {
  return HEX.test(swatch) || pictureAddress(swatch) !== null;
}

/** True if the values are shown as swatches: one has a swatch of its own, or all are called like colours. */
function areColours(values, swatch) {
  return values.some((value) => isSwatch(swatch(value))) || values.every((value) => findColour(value));
}

function dot(colour) {
  const element = make("span", { class: "colour", "aria-hidden": "true" });
  element.style.setProperty("--own", colour);
  return element;
}

/** Draws the swatch of a value; nothing where no colour is known. `fail` gets a picture that cannot be loaded. */
function drawSwatch(value, swatch, fail) {
  const source = showable(swatch);
  const colour = HEX.test(swatch) ? swatch : findColour(value)?.colour;
  if (!source) return colour ? dot(colour) : null;
  const picture = make("img", { class: "colour", loading: "lazy", decoding: "async", alt: "", width: 20, height: 20 });
  const replace = () => (colour ? picture.replaceWith(dot(colour)) : fail(picture));
  picture.addEventListener("error", replace, { once: true });
  picture.src = source;
  return picture;
}

/** A value; `how` says whether it is drawn as a colour, its swatch, and whether it is marked or gone. */
function drawValue(value, how) {
  const asLabel = (failed) => failed.closest("li").replaceWith(drawValue(value, { ...how, isColour: false }));
  const picture = how.isColour ? drawSwatch(value, how.swatch, asLabel) : null;
  const stock = how.isGone ? ` (${translate("out_of_stock")})` : "";
  // A swatch alone says its name to the mouse and to screen readers; the marked one says it to all.
  const isNamed = !picture || how.isMarked;
  const name = isNamed ? make(how.isGone ? "s" : "span", { class: "term" }, value) : unseen(value);
  const kind = `${picture ? "swatch" : "label"}${how.isGone ? " gone" : ""}`;
  const attributes = { class: kind, title: value + stock, "aria-current": how.isMarked ? "true" : null };
  return make("li", attributes, picture, name, stock ? unseen(stock) : null);
}

/** The first values, the marked one among them. */
function firstValues(values, marked) {
  const isAmong = values.indexOf(marked) < VALUES;
  return isAmong ? values.slice(0, VALUES) : [...values.slice(0, VALUES - 1), marked];
}

/** Values that no variant in stock has; unknown without the variants, or where one does not say its value. */
function goneValues(name, values, variants) {
  const isKnown = variants?.every((variant) => textsOf(variant.Options?.[name]).length);
  if (!isKnown) return [];
  const inStock = variants.filter((variant) => variant.InStock);
  const there = new Set(inStock.flatMap((variant) => textsOf(variant.Options[name])));
  return values.filter((value) => !there.has(value));
}

function drawOption(name, values, item) {
  const swatch = swatchOf(item, name);
  const isColour = areColours(values, swatch);
  const [marked] = textsOf(item.Variant?.Options?.[name]);
  const gone = goneValues(name, values, item.Variants);
  const shown = firstValues(values, marked);
  const drawn = shown.map((value) =>
    drawValue(value, { isColour, swatch: swatch(value), isMarked: value === marked, isGone: gone.includes(value) }),
  );
  const left = values.length - shown.length;
  const more = left ? make("li", { class: "more" }, `+${number(left)}`, unseen(` ${translate("more_values")}`)) : null;
  return make("ul", { class: "option", "aria-label": name }, drawn, more);
}

/** A row for each option of a product. */
export function drawOptions(item) {
  const options = optionsOf(item).slice(0, OPTIONS);
  return options.map(([name, values]) => drawOption(name, values, item));
}

/** Keeps the swatches of an answer's products, the first of each value. */
export function learnOptions(items) {
  for (const item of items) {
    for (const [name, values] of optionsOf(item)) {
      const swatches = told.get(name) ?? new Map();
      told.set(name, swatches);
      for (const value of values) {
        const swatch = swatchOf(item, name)(value);
        if (swatch !== undefined && !swatches.has(value)) swatches.set(value, swatch);
      }
    }
  }
}

/** Options of products among the facets of an answer. */
export function optionsAmong(facets) {
  const attributes = Object.keys(facets ?? {}).filter((facet) => facet.startsWith(ATTRIBUTE));
  return attributes.map((facet) => facet.slice(ATTRIBUTE.length)).filter((name) => told.has(name));
}

/** Draws swatches for the values of a facet; nothing for values of what is no option, or of no colour. */
export function facetSwatches(facet, values) {
  const swatches = facet.startsWith(ATTRIBUTE) ? told.get(facet.slice(ATTRIBUTE.length)) : undefined;
  const swatch = (value) => swatches.get(value);
  if (!swatches || !areColours(values, swatch)) return () => null;
  return (value) => drawSwatch(value, swatch(value), (picture) => picture.remove());
}
