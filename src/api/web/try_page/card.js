// A product as a shopper would see it, and for the shop the reasons why it stands there.

import { button, linkable, make, marked, money, unseen } from "./build.js";
import { drawOptions, textsOf } from "./options.js";
import { language, translate } from "./texts.js";

const percents = new Intl.NumberFormat(language, { style: "percent" });

function title(item, name) {
  const text = item.Highlight?.Title ? marked(item.Highlight.Title) : item.Title || item.Id;
  const link = linkable(item.Link);
  if (!link) return make(name, {}, text);
  const attributes = { href: link, target: "_blank", rel: "noopener noreferrer" };
  return make(name, {}, make("a", attributes, text, unseen(` ${translate("new_tab")}`)));
}

function isReduced({ Price, ListPrice }) {
  return typeof Price === "number" && typeof ListPrice === "number" && ListPrice > Price;
}

/** The price, and the one that it takes the place of. */
export function drawPrice(item, name = "p") {
  if (typeof item.Price !== "number") return null;
  const line = make(name, { class: "price" }, make("strong", {}, money(item.Price, item.Currency)));
  if (isReduced(item)) {
    line.append(" ", make("s", {}, unseen(`${translate("instead_of")} `), money(item.ListPrice, item.Currency)));
  }
  return line;
}

/** How much less the price is, rounded down: a shopper never saves less than it says. The prices say it in words. */
function badge(item) {
  const percent = isReduced(item) ? Math.floor((1 - item.Price / item.ListPrice) * 100 + 1e-9) : 0;
  return percent ? make("span", { class: "badge", "aria-hidden": "true" }, `−${percents.format(percent / 100)}`) : null;
}

function stock({ InStock: ofProduct, Variant }) {
  const InStock = Variant?.InStock ?? ofProduct;
  if (typeof InStock !== "boolean") return null;
  return make("p", { class: `stock ${InStock ? "in" : "out"}` }, translate(InStock ? "in_stock" : "out_of_stock"));
}

/** The item with the picture and the address of the variant that stands for it, if that has its own. */
function asShown(item) {
  const { Image, Link } = item.Variant ?? {};
  return { ...item, Image: Image || item.Image, Link: Link || item.Link };
}

/** What names the card among those of its product, where each value of an option has one. */
function keyOf(item, group) {
  return group ? `${item.Id} ${textsOf(item.Variant?.Options?.[group])}` : item.Id;
}

/** What the shown variant is called; where its options are marked, a number says no more. */
function variant(item) {
  const meant = item.Variant;
  if (!meant) return null;
  const isMarked = item.Options && meant.Options;
  const name = meant.Title || (isMarked ? "" : meant.Sku || meant.Id);
  return name ? make("p", { class: "small" }, `${translate("variant")} `, make("b", {}, name)) : null;
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
  return make("details", attributes, make("summary", {}, translate("why_here"), about), list);
}

function offers(item, key, { similar, choose }) {
  const name = item.Title || item.Id;
  const offer = (what, act) => {
    const text = [translate(what), unseen(`: ${name}`)];
    return act ? button(text, () => act(item), { class: `quiet ${what}`, "data-key": `${what} ${key}` }) : null;
  };
  return make("div", { class: "acts" }, offer("similar", similar), offer("choose", choose));
}

/** What a press with the mouse does beside all that has a use of its own. */
function press(item, choose) {
  return ({ target }) => {
    if (!target.closest("a, button, details") && getSelection().isCollapsed) choose(item);
  };
}

/**
 * `acts` says what the card offers: `similar`, `choose`, and `why` with the cards whose reasons are open; the `name` of
 * its heading, and the `group` for each of whose values a product has a card.
 */
export function drawCard(found, pictures, acts = {}) {
  const item = asShown(found);
  const key = keyOf(item, acts.group);
  const body = make(
    "div",
    { class: "body" },
    item.Brand ? make("p", { class: "brand" }, item.Brand) : null,
    title(item, acts.name || "h3"),
    variant(item),
    drawOptions(item),
    description(item),
    drawPrice(item),
    stock(item),
    offers(item, key, acts),
  );
  const why =
    acts.why &&
    reasons(item, acts.why.has(key), (isOpen) => {
      if (isOpen) acts.why.add(key);
      else acts.why.delete(key);
    });
  const kind = acts.choose ? { class: "card pick", click: press(item, acts.choose) } : { class: "card" };
  const card = make("article", { ...kind, "data-id": item.Id }, pictures.show(item), badge(item), body, why || null);
  return make("li", {}, card);
}
