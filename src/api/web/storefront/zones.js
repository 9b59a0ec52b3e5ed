// Zones: elements of the page that the server fills. Texts of products are never read as HTML.

const KINDS = ["recommender-category", "recommender-brand"];
// Of an element: what was asked for it, on which page of the shop, what was put into it, and how it was hidden before.
const states = new WeakMap();
const before = [];
const after = [];

/** An element with attributes and children, elements or texts. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children.filter((child) => child !== "" && child !== undefined && child !== null));
  return element;
}

/** `bmz:PP-01;sku:12;categoryid:3;` */
function described(element) {
  const pairs = element.dataset.pureclarity.split(";").map((pair) => {
    const at = pair.indexOf(":");
    return [pair.slice(0, at).trim().toLowerCase(), pair.slice(at + 1).trim()];
  });
  const said = Object.fromEntries(pairs);
  return {
    id: said.bmz || said.zone || "",
    data: {
      product_id: said.sku || said.productid || said.id || onPage.product_id || "",
      category_id: said.categoryid || onPage.category_id || "",
      brand_id: said.brandid || onPage.brand_id || "",
      page_type: onPage.page_type || "",
    },
  };
}

/** What an element's zone depends on. */
const wanted = (element) => JSON.stringify([described(element), currency]);

/** Elements that have yet to be filled. A framework may keep one for another zone or page, and empties what it draws anew. */
function newZones() {
  return [...document.querySelectorAll("[data-pureclarity]")].filter((element) => {
    const state = states.get(element);
    if (!state || state.wanted !== wanted(element)) return true;
    return state.put && state.page !== pages && !element.contains(state.put);
  });
}

/** Runs something of the shop's, or of one zone: what fails there fails alone. */
function attempt(work) {
  try {
    work();
  } catch (fault) {
    console.warn(`Lethe: ${fault.message}`);
  }
}

/** Fills elements with what is answered when their zones are asked for; false when the server is too busy for zones. */
async function fill(elements, asking) {
  const all = elements.map((element) => ({ element, of: wanted(element), page: pages, zone: described(element) }));
  const named = all.filter(({ zone }) => zone.id);
  const answer = await asking(named.map(({ zone }) => zone));
  if (named.length && hasSaid(answer, BUSY)) return false;
  const { zones } = answer;
  if (named.length) for (const call of before) attempt(() => call(zones));
  for (const { element, of, page, zone } of all) {
    const state = { ...states.get(element), wanted: of, page };
    states.set(element, state);
    empty(element, state);
    if (zone.id && Object.hasOwn(zones, zone.id)) attempt(() => put(element, state, zone.id, zones[zone.id]));
  }
  if (named.length) for (const call of after) attempt(() => call(zones));
  return true;
}

/** Takes out what stood there for another page, and hides the element as it was. */
function empty(element, state) {
  state.put?.remove();
  state.put = undefined;
  if (state.hidden !== undefined) element.style.display = state.hidden;
  state.hidden = undefined;
}

function put(element, state, id, zone) {
  // In an element that is not shown a popup would hold the page and not be seen.
  if (zone.type === "popup") return popUp(zone, element.getClientRects().length ? element : document.body);
  state.put = shown(id, zone);
  element.replaceChildren(state.put);
  // Plugins hide a zone until something stands in it, by a class or in the element.
  if (getComputedStyle(element).display !== "none") return;
  state.hidden = element.style.display;
  element.style.display = "block";
}

/** A window above the page, one at a time; closed by its button or Escape, when the focus goes back to where it was. */
function popUp(zone, element = document.body) {
  const id = String(zone.id ?? zone.title ?? "");
  if (isClosed(id) || document.querySelector("dialog.pc-popup[open]")) return;
  const button = make("button", { type: "button", class: "pc-close", "aria-label": words[4] }, "×");
  const dialog = make("dialog", { class: "pc-popup", "aria-label": zone.title || id }, button, html(zone.html));
  button.addEventListener("click", () => dialog.close());
  // Who follows a link in it has seen it.
  dialog.addEventListener("click", ({ target }) => target.closest("a") && noteClosed(id));
  dialog.addEventListener("close", () => {
    noteClosed(id);
    dialog.remove();
  });
  element.append(dialog);
  dialog.showModal();
}

function shown(id, zone) {
  if (zone.html) return html(zone.html);
  const heading = `pc-${id}-${Math.random().toString(36).slice(2, 8)}`;
  return make(
    "section",
    { class: "pc-zone", "aria-labelledby": heading },
    make("h2", { id: heading, class: "pc-title" }, zone.title || ""),
    make("ul", { class: "pc-items" }, ...(zone.items || []).map(KINDS.includes(zone.type) ? kind : card)),
  );
}

/** The way to a product, a category or a brand. Between its parts is a space, which keeps words apart without any style. */
function way(item, name, ...rest) {
  const picture = item.Image ? make("img", { src: safe(item.Image), alt: "", loading: "lazy" }) : "";
  const parts = [picture, make("span", { class: "pc-name" }, name), ...rest].filter(Boolean);
  return make("a", { href: safe(item.Link), class: "pc-link" }, ...parts.flatMap((part) => [" ", part]).slice(1));
}

/** A category or a brand. */
function kind(item) {
  return make("li", { class: "pc-item" }, way(item, item.DisplayName || item.Id));
}

function card(found) {
  const { Image, Link } = found.Variant ?? {};
  const item = { ...found, Image: Image || found.Image, Link: Link || found.Link };
  const price = item.DisplayPrice || item.Price;
  const link = way(
    item,
    item.Title || item.Sku,
    item.DisplayWasPrice ? make("del", { class: "pc-was" }, item.DisplayWasPrice) : "",
    price === undefined ? "" : make("span", { class: "pc-price" }, String(price)),
  );
  const source = item.RefId ? { "data-refid": item.RefId } : {};
  return make("li", { class: "pc-item", "pureclarity-data-item": item.Id, ...source }, link, ...optionRows(item));
}

// What is clicked, also in what the shop draws itself with these attributes.
for (const kind of ["click", "auxclick"]) {
  document.addEventListener(
    kind,
    ({ target, button }) => {
      // The right one opens a menu.
      if (button > 1) return;
      const item = target instanceof Element && target.closest("a") && target.closest("[data-refid]");
      const id = item && item.getAttribute("pureclarity-data-item");
      if (id) done("item_click", { id, refid: item.dataset.refid });
    },
    true,
  );
}

/** An address of the web, or one of this page; anything else leads nowhere. */
function safe(link) {
  try {
    const url = new URL(link || "#", document.baseURI);
    return ["http:", "https:"].includes(url.protocol) ? url.href : "#";
  } catch {
    return "#";
  }
}

let policy;

/** What the shop itself wrote for a zone. */
function html(text) {
  const element = make("div", { class: "pc-zone" });
  if (window.trustedTypes) policy ??= window.trustedTypes.createPolicy("lethe", { createHTML: (all) => all });
  element.innerHTML = policy ? policy.createHTML(text) : text;
  return element;
}

/** `_pc('getzone', {zone | zones, …}, callback)`: gives the HTML of zones by their ids. */
async function getZones(asked, give) {
  const answer = [null, {}];
  try {
    const { product_id = "", category_id = "", brand_id = "" } = asked;
    // Also as one text with commas, as examples of these plugins have it.
    const texts = [].concat(asked.zones || asked.zone || []).flatMap((text) => String(text).split(","));
    const ids = texts.map((id) => id.trim()).filter(Boolean);
    const data = { product_id, category_id, brand_id };
    const { zones } = await inTurn(() => tell([], ids.map((id) => ({ id, data }))));
    answer[1] = Object.fromEntries(Object.entries(zones).map(([id, zone]) => [id, shown(id, zone).outerHTML]));
  } catch (fault) {
    answer[0] = fault.message;
  }
  attempt(() => give?.(...answer));
}
