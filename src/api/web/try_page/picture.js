// Pictures of products, and what stands in place of one that is lacking or may not be loaded.

import { find, make, pictureAddress, pictureOrigins } from "./build.js";
import { COLOURS } from "./colours.js";
import { translate } from "./texts.js";

const TINTS = 6;
const COLOUR = /^(colou?r|farbe|couleur)$/i;
const unshown = new Set();

function firstLetter(title) {
  return (Array.from(title.trim())[0] || "?").toUpperCase();
}

/** The name of the colour that a text says, and what stands for it on the page: the first that fits. */
export function findColour(text) {
  const words = text.toLowerCase().split(/\P{Alphabetic}+/u).filter(Boolean);
  const withEdges = `_${words.join("_")}_`;
  const found = COLOURS.find(([, , parts]) => parts.some((part) => withEdges.includes(part)));
  return found && { name: found[0], colour: found[1] };
}

/** What a product says of its colour, its shown variant first; a search and a zone hold attributes in two ways. */
function colourOf(item) {
  const found = [item.Variant?.Options ?? {}, item, item.Attributes ?? {}]
    .flatMap((fields) => Object.entries(fields))
    .find(([name, value]) => COLOUR.test(name) && value);
  const [first] = found ? [found[1]].flat() : [];
  return typeof first === "string" ? first : "";
}

/** One of a few tints, by the title. */
function tint({ Title = "" }) {
  let sum = 0;
  for (const letter of Title) sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return `tint${sum % TINTS}`;
}

function placeholder(item) {
  const known = findColour(colourOf(item));
  const kind = known ? `of-${known.name}` : tint(item);
  const blank = make("span", { class: `blank ${kind}`, "aria-hidden": "true" }, firstLetter(item.Title || ""));
  if (known) blank.style.setProperty("--own", known.colour);
  return blank;
}

function frame(inside) {
  return make("div", { class: "picture" }, inside);
}

/** The address of a picture that the page may show; another would be refused and leave a gap. */
export function showable(text) {
  const url = pictureAddress(text);
  if (!url) return null;
  if (url.origin === location.origin || pictureOrigins.has(url.origin)) return url.href;
  noteUnshown(url.origin);
  return null;
}

/** Says once of each origin that its pictures are not shown, and what allows them. */
function noteUnshown(origin) {
  if (unshown.has(origin)) return;
  unshown.add(origin);
  const hosts = [...unshown].map((one) => new URL(one).host).join(", ");
  const options = [...pictureOrigins, ...unshown].map((one) => ` --pictures ${one}`).join("");
  const note = find("unshown");
  note.hidden = false;
  note.replaceChildren(
    `${translate("pictures_unshown", { hosts })} `,
    make("code", {}, `lethe account search NAME${options}`),
  );
}

/** Pictures outlive their cards: the same one in the next answer is moved, not loaded and painted anew. */
export function keepPictures() {
  let before = new Map();
  let now = new Map();
  const show = (item) => {
    const source = showable(item.Image);
    if (!source) return frame(placeholder(item));
    const held = now.has(source) ? null : before.get(source);
    const picture = held || loadPicture(source, item);
    now.set(source, picture);
    return picture;
  };
  const turn = () => {
    before = now;
    now = new Map();
  };
  return { show, turn };
}

function loadPicture(source, item) {
  const picture = make("img", { loading: "lazy", decoding: "async", alt: "", width: 240, height: 240 });
  picture.addEventListener("error", () => picture.replaceWith(placeholder(item)), { once: true });
  picture.src = source;
  return frame(picture);
}
