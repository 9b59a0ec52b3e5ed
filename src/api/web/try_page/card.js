// A product as a shopper would see it, and for the shop the reasons why it stands there.

import { button, linkable, make, marked, money, showable, unseen } from "./build.js";

const TINTS = 6;

function firstLetter(title) {
  return (Array.from(title.trim())[0] || "?").toUpperCase();
}

function tint(title) {
  let sum = 0;
  for (const letter of title) sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return sum % TINTS;
}

function placeholder(title) {
  return make("span", { class: `blank tint${tint(title)}`, "aria-hidden": "true" }, firstLetter(title));
}

function frame(inside) {
  return make("div", { class: "picture" }, inside);
}

/** Pictures outlive their cards: the same one in the next answer is moved, not loaded and painted anew. */
export function keepPictures() {
  let before = new Map();
  let now = new Map();
  const show = (item) => {
    const source = showable(item.Image);
    if (!source) return frame(placeholder(item.Title || ""));
    const held = now.has(source) ? null : before.get(source);
    const picture = held || loadPicture(source, item.Title || "");
    now.set(source, picture);
    return picture;
  };
  const turn = () => {
    before = now;
    now = new Map();
  };
  return { show, turn };
}

function loadPicture(source, title) {
  const picture = make("img", { loading: "lazy", decoding: "async", alt: "", width: 240, height: 240 });
  picture.addEventListener("error", () => picture.replaceWith(placeholder(title)), { once: true });
  picture.src = source;
  return frame(picture);
}

function title(item, name) {
  const text = item.Highlight?.Title ? marked(item.Highlight.Title) : item.Title || item.Id;
  const link = linkable(item.Link);
  if (!link) return make(name, {}, text);
  const attributes = { href: link, target: "_blank", rel: "noopener noreferrer" };
  return make(name, {}, make("a", attributes, text, unseen(" (opens in a new tab)")));
}

function price(item) {
  if (typeof item.Price !== "number") return null;
  const line = make("p", { class: "price" }, make("strong", {}, money(item.Price, item.Currency)));
  if (typeof item.ListPrice === "number" && item.ListPrice > item.Price) {
    line.append(" ", make("s", {}, unseen("instead of "), money(item.ListPrice, item.Currency)));
  }
  return line;
}

function variant(item) {
  const meant = item.Variant;
  if (!meant) return null;
  const name = meant.Title || meant.Sku || meant.Id;
  return name ? make("p", { class: "small" }, "Variant: ", make("b", {}, name)) : null;
}

function description(item) {
  const found = item.Highlight?.Description;
  // Without a found word it would only make the card longer.
  return found?.includes("<em>") ? make("p", { class: "part" }, marked(found)) : null;
}

function reasons(item, isOpen, turn) {
  if (!item.Why?.length) return null;
  const list = make(
    "ul",
    {},
    item.Why.map((sentence) => make("li", {}, sentence)),
  );
  const attributes = { class: "why", open: isOpen, toggle: (event) => turn(event.target.open) };
  const about = unseen(`: ${item.Title || item.Id}`);
  return make("details", attributes, make("summary", {}, "Why here", about), list);
}

function offers(item, { similar, choose }) {
  const name = item.Title || item.Id;
  const offer = (key, text, act) =>
    act ? button(text, () => act(item), { class: "quiet", "data-key": `${key} ${item.Id}` }) : null;
  return make(
    "div",
    { class: "acts" },
    offer("similar", ["Similar", unseen(` to ${name}`)], similar),
    offer("choose", ["Choose", unseen(` ${name}`)], choose),
  );
}

/** What a press with the mouse does beside all that has a use of its own. */
function press(item, choose) {
  return ({ target }) => {
    if (!target.closest("a, button, details") && getSelection().isCollapsed) choose(item);
  };
}

/**
 * `acts` says what the card offers: `similar`, `choose`, and `why` with the ids whose reasons are open; and the `name`
 * of its heading.
 */
export function drawCard(item, pictures, acts = {}) {
  const body = make(
    "div",
    { class: "body" },
    item.Brand ? make("p", { class: "brand" }, item.Brand) : null,
    title(item, acts.name || "h3"),
    variant(item),
    description(item),
    price(item),
    item.InStock === false ? make("p", { class: "gone" }, "Not in stock") : null,
    offers(item, acts),
  );
  const why =
    acts.why &&
    reasons(item, acts.why.has(item.Id), (isOpen) => {
      if (isOpen) acts.why.add(item.Id);
      else acts.why.delete(item.Id);
    });
  const kind = acts.choose ? { class: "card pick", click: press(item, acts.choose) } : { class: "card" };
  const card = make("article", { ...kind, "data-id": item.Id }, pictures.show(item), body, why || null);
  return make("li", {}, card);
}
