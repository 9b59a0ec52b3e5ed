// A product as a shopper would see it, and for the shop the reasons why it stands there.

import { button, linkable, make, marked, money, unseen } from "./build.js";
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

function stock({ InStock }) {
  if (typeof InStock !== "boolean") return null;
  return make("p", { class: `stock ${InStock ? "in" : "out"}` }, translate(InStock ? "in_stock" : "out_of_stock"));
}

function variant(item) {
  const meant = item.Variant;
  if (!meant) return null;
  const name = meant.Title || meant.Sku || meant.Id;
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

function offers(item, { similar, choose }) {
  const name = item.Title || item.Id;
  const offer = (key, act) => {
    const text = [translate(key), unseen(`: ${name}`)];
    return act ? button(text, () => act(item), { class: `quiet ${key}`, "data-key": `${key} ${item.Id}` }) : null;
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
    drawPrice(item),
    stock(item),
    offers(item, acts),
  );
  const why =
    acts.why &&
    reasons(item, acts.why.has(item.Id), (isOpen) => {
      if (isOpen) acts.why.add(item.Id);
      else acts.why.delete(item.Id);
    });
  const kind = acts.choose ? { class: "card pick", click: press(item, acts.choose) } : { class: "card" };
  const card = make("article", { ...kind, "data-id": item.Id }, pictures.show(item), badge(item), body, why || null);
  return make("li", {}, card);
}
