// Zones: elements of the page that the server fills. Texts of products are never read as HTML.

const KINDS = ["recommender-category", "recommender-brand"];
const filled = new WeakSet();
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

function newZones() {
  return [...document.querySelectorAll("[data-pureclarity]")].filter((one) => !filled.has(one));
}

/** Runs something of the shop's, or of one zone: what fails there fails alone. */
function attempt(work) {
  try {
    work();
  } catch (fault) {
    console.warn(`Lethe: ${fault.message}`);
  }
}

/** Fills elements with what is answered when their zones are asked for. */
async function fill(elements, asking) {
  const all = elements.map((element) => [element, described(element)]).filter(([, zone]) => zone.id);
  const zones = await asking(all.map(([, zone]) => zone));
  elements.forEach((element) => filled.add(element));
  if (!all.length) return;
  for (const call of before) attempt(() => call(zones));
  for (const [element, { id }] of all) {
    if (Object.hasOwn(zones, id)) attempt(() => put(element, id, zones[id]));
  }
  for (const call of after) attempt(() => call(zones));
}

function put(element, id, zone) {
  if (zone.type === "popup") popUp(zone, element);
  else element.replaceChildren(shown(id, zone));
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

/** The way to a product, a category or a brand. */
function way(item, name, ...rest) {
  const picture = item.Image ? make("img", { src: safe(item.Image), alt: "", loading: "lazy" }) : "";
  return make("a", { href: safe(item.Link), class: "pc-link" }, picture, make("span", { class: "pc-name" }, name), ...rest);
}

/** A category or a brand. */
function kind(item) {
  return make("li", { class: "pc-item" }, way(item, item.DisplayName || item.Id));
}

function card(item) {
  const price = item.DisplayPrice || item.Price;
  const link = way(
    item,
    item.Title || item.Sku,
    item.DisplayWasPrice ? make("del", { class: "pc-was" }, item.DisplayWasPrice) : "",
    price === undefined ? "" : make("span", { class: "pc-price" }, String(price)),
  );
  const found = item.RefId ? { "data-refid": item.RefId } : {};
  return make("li", { class: "pc-item", "pureclarity-data-item": item.Id, ...found }, link);
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
    const ids = [].concat(asked.zones || asked.zone || []);
    const data = { product_id, category_id, brand_id };
    const zones = await inTurn(() => tell([], ids.map((id) => ({ id, data }))));
    answer[1] = Object.fromEntries(Object.entries(zones).map(([id, zone]) => [id, shown(id, zone).outerHTML]));
  } catch (fault) {
    answer[0] = fault.message;
  }
  attempt(() => give?.(...answer));
}
