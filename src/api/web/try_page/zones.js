// What a shop's pages would show: the zones of its home page, or of the page of a product chosen here.

import { Fault, isAborted, oneAtATime } from "./ask.js";
import { currency, find, make } from "./build.js";
import { drawCard } from "./card.js";
import { keepPictures } from "./picture.js";
import { translate } from "./texts.js";

const HOME = ["HP-01", "HP-02", "HP-03", "HP-04"];
const PRODUCT = ["PP-01", "PP-02", "PP-03"];
const VIEWED = 20;
const question = oneAtATime("/api/serverside");
const pictures = keepPictures();
let viewed = [];
let place = null;
let act = {};

/** Asks and draws; false when what stood there stays. Nothing is told of anybody: no number and no event. */
async function put(name, ids, data) {
  try {
    const zones = ids.map((id) => ({ id, data }));
    const answer = await question.put({ zones, viewed, currency: currency || undefined });
    if (answer.errors?.length) throw new Fault(answer.errors.join(". "));
    draw(name, ids, answer.zones);
    act.note("");
    return true;
  } catch (fault) {
    if (!isAborted(fault)) act.note(translate("no_zones", { fault: fault.message }));
    return false;
  }
}

function hide(isHidden) {
  find("zones").hidden = isHidden;
  find("to-zones").hidden = isHidden;
}

function draw(name, ids, zones) {
  const filled = ids.filter((id) => Object.hasOwn(zones, id));
  const none = make("p", {}, translate("zones_empty"));
  find("zones-name").textContent = name;
  find("zones-shown").replaceChildren(...(filled.length ? filled.map((id) => zone(id, zones[id])) : [none]));
  pictures.turn();
  find("zones-home").hidden = ids === HOME;
  hide(false);
}

function zone(id, { type, title, items, html }) {
  const about = { id: `zone-${id}` };
  const name = make("h3", about, title ? `${title} ` : "", make("small", {}, id));
  const shown = ["recommender-category", "recommender-brand"].includes(type) ? named : row;
  return make("section", { "aria-labelledby": about.id }, name, html ? said(items) : shown(items || []));
}

/** Categories or brands: their pages are the shop's. */
function named(items) {
  return make("ul", {}, items.map((item) => make("li", {}, item.DisplayName)));
}

/** HTML of others is not for this page: its policy is strict. */
function said(items) {
  return make("p", {}, translate(items ? "zone_drawn" : "zone_html"));
}

function row(items) {
  const acts = { choose: showZones, name: "h4" };
  const cards = items.map((item) => drawCard(plain(item), pictures, acts));
  return make("ul", { class: "cards row" }, cards);
}

/** An item of a zone as one of a search. Without its link: a press chooses it here. */
function plain({ Id, Title, Image, Brand, InStock, Price, WasPrice, Options, Swatches, Variant, ...Attributes }) {
  const named = { Id, Title, Image, Brand: Brand?.DisplayName, InStock, Price, ListPrice: WasPrice };
  return { ...named, Options, Swatches, Variant: Variant && { ...Variant, Link: "" }, Attributes };
}

function showHome() {
  return put(translate("home_shows"), HOME, { page_type: "homepage" });
}

function focusZones() {
  find("zones-name").focus({ preventScroll: true });
  find("zones-name").scrollIntoView();
}

/** Opens a product as its page would: its zones follow, and what was looked at here counts in them. */
export async function showZones({ Id, Title }) {
  viewed = [...viewed.filter((id) => id !== Id), Id].slice(-VIEWED);
  const data = { product_id: Id, page_type: "product_page" };
  if (await put(translate("page_shows", { title: Title || Id }), PRODUCT, data)) focusZones();
}

/** A search is drawn: on the start page stand the zones of the home page; a new search leaves the product. */
export function leadZones(address, isStart) {
  if (address === place) return;
  place = address;
  question.stop();
  hide(true);
  if (isStart) showHome();
}

/** `acts` has `note(sentence)`, which says why no zones came; an empty one ends that. */
export function watchZones(acts) {
  act = acts;
  find("to-zones").addEventListener("click", focusZones);
  find("zones-home").addEventListener("click", async () => (await showHome()) && focusZones());
}
