// Pictures of products, and what stands in place of one that is lacking or may not be loaded.

import { find, make, pictureAddress, pictureOrigins } from "./build.js";
import { translate } from "./texts.js";

const TINTS = 6;
const COLOUR = /^(colou?r|farbe|couleur)$/i;
/** Words of colours in the three languages of the page, by the name of their tint: the first that fits counts. */
const COLOURS = {
  red: /\bred\b|rot\b|rouge|crimson|burgundy|bordeaux/,
  pink: /pink|rosa|rose|coral|koralle|corail|fuchsia/,
  orange: /orange|amber|bernstein|ambre|copper|kupfer|terra[ck]/,
  yellow: /yellow|gelb|jaune|gold|mustard|senf|moutarde/,
  green: /green|grün|\bvert|olive|emerald|smaragd|mint|khaki/,
  teal: /teal|petrol|pétrole|turquoise|türkis|cyan|aqua/,
  blue: /blue|blau|bleu|navy|marine|indigo/,
  purple: /purple|violet|lilac|lila|plum|pflaume|prune|lavend|mauve/,
  brown: /brown|braun|brun|marron|walnut|chocolate|cognac/,
  beige: /beige|sand|sable|cream|creme|crème|ivory|elfenbein|ivoire|[eé]cru/,
  grey: /gr[ea]y|grau|gris|silver|silber|argent|anthra[zc]it/,
  black: /black|schwarz|noir/,
  white: /white|weiß|weiss|blanc/,
};

const unshown = new Set();

function firstLetter(title) {
  return (Array.from(title.trim())[0] || "?").toUpperCase();
}

/** What a product says of its colour; a search and a zone hold attributes in two ways. */
function colourOf(item) {
  const found = [item, item.Attributes ?? {}]
    .flatMap((fields) => Object.entries(fields))
    .find(([name, value]) => COLOUR.test(name) && value);
  const [first] = found ? [found[1]].flat() : [];
  return typeof first === "string" ? first.toLowerCase() : "";
}

/** The name of the tint of a product: that of its colour, or one of a few by its title. */
function tint(item) {
  const colour = colourOf(item);
  const known = colour && Object.keys(COLOURS).find((name) => COLOURS[name].test(colour));
  if (known) return `of-${known}`;
  let sum = 0;
  for (const letter of item.Title || "") sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return `tint${sum % TINTS}`;
}

function placeholder(item) {
  return make("span", { class: `blank ${tint(item)}`, "aria-hidden": "true" }, firstLetter(item.Title || ""));
}

function frame(inside) {
  return make("div", { class: "picture" }, inside);
}

/** The address of a picture that the page may show; another would be refused and leave a gap. */
function showable(item) {
  const url = pictureAddress(item.Image);
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
    const source = showable(item);
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
