// Makes elements out of texts. Nothing here, or anywhere on the page, reads a text as HTML.

import { language, number, translate } from "./texts.js";

const page = document.body.dataset;
const monies = new Map();
const bounds = new Map();
const letters = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
export const pictureOrigins = new Set((page.pictures || "").split(/\s+/).filter(Boolean));

export const shop = page.shop;
export const currency = page.currency;
/** The option by which the shop groups, where a search says nothing else; an empty text without one. */
export const shopGroup = page.group;

export function find(id) {
  return document.getElementById(id);
}

/** An element with attributes, listeners (values that are functions) and children (elements or texts). */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A button with a text: never one that submits. */
export function button(text, press, attributes = {}) {
  return make("button", { type: "button", click: press, ...attributes }, text);
}

/** A text that is heard and not seen. */
export function unseen(text) {
  return make("span", { class: "unseen" }, text);
}

function decode(text) {
  return text.replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => letters[name]);
}

/** The answer marks found words with `<em>` and escapes all else; whatever else stands there stays text. */
export function marked(html) {
  const pieces = document.createDocumentFragment();
  let isFound = false;
  for (const piece of String(html).split(/(<\/?em>)/)) {
    if (piece === "<em>") isFound = true;
    else if (piece === "</em>") isFound = false;
    else if (piece) pieces.append(isFound ? make("mark", {}, decode(piece)) : decode(piece));
  }
  return pieces;
}

/** A number of products. In a list of them the number alone is seen. */
export function countOf(count) {
  return make("span", { class: "count" }, number(count), unseen(` ${translate("of_products", { count })}`));
}

export function money(value, code) {
  return inMoney(value, code || currency, monies, {});
}

/** A bound of a range: without the cents where there are none. */
export function roundMoney(value) {
  return inMoney(value, currency, bounds, { trailingZeroDisplay: "stripIfInteger" });
}

function inMoney(value, code, formats, how) {
  if (!code) return number(value);
  if (!formats.has(code)) formats.set(code, format(code, how));
  const known = formats.get(code);
  return known ? known.format(value) : `${number(value)} ${code}`;
}

function format(code, how) {
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency: code, ...how });
  } catch {
    // A shop may have units that are not currencies, such as points.
    return null;
  }
}

function address(text) {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

/** The address to link to, or nothing where a link could lead elsewhere than it says. */
export function linkable(text) {
  if (typeof text !== "string") return null;
  if (/^\/(?![/\\])/.test(text)) return text;
  return address(text)?.href ?? null;
}

/** The address of a picture, if it is one of the web. */
export function pictureAddress(text) {
  return typeof text === "string" ? address(text) : null;
}
