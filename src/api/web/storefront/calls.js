// What the shop's pages call: `_pc(name, data)`, before and after this script was loaded.

// Of what only a page says of who somebody is, and what they bought, nothing is stored: it is not sent.
const UNSENT = ["customer_details", "order", "product_rate"];
/** What the page is about: as its `page_view` says, and what was looked at on it. */
let onPage = {};
let currency = "";
// Grows with each page of a shop that draws its pages itself.
let pages = 0;

const calls = {
  accept_cookies: accept,
  currency: (code) => {
    currency = String(code);
  },
  page_view: (page) => {
    const said = ["page_type", "product_id", "category_id", "brand_id"].filter((name) => page?.[name] !== undefined);
    // What is looked at before the first one is looked at on that page.
    onPage = { ...(pages ? {} : onPage), ...Object.fromEntries(said.map((name) => [name, String(page[name])])) };
    pages += 1;
    tries = 0;
    schedule();
    look();
  },
  product_view: (view) => {
    if (view?.id === undefined) return;
    const id = String(view.id);
    Object.assign(onPage, { product_id: id, viewed: id });
    onPage.page_type ||= "product_page";
    if (consents()) noteViewed(id);
    done("product_view", { id });
  },
  set_basket: (lines) => done("set_basket", lines ?? []),
  customer_logout: stop,
  getzone: getZones,
  callback_event: (call) => after.push(call),
  prerender_callback_event: (call) => before.push(call),
  search: (asked) => done("search", asked),
  item_click: (click) => done("item_click", click),
  search_click: (click) => done("search_click", click),
  add_popup: (zone) => popUp(zone),
  start_chat: () => {},
};

/** Until somebody consents it is held, on this page alone. */
function done(name, data) {
  waiting.push({ name, data });
  waiting.splice(0, waiting.length - MOST);
  // A click leads away from the page.
  if (name.endsWith("_click")) tellNow();
  else schedule();
}

function run(name, ...rest) {
  if (Object.hasOwn(calls, name)) attempt(() => calls[name](...rest));
  else if (!UNSENT.includes(name)) console.warn(`Lethe: _pc('${name}') is not known`);
}

let name = "_pc";

/** Takes the place of the page's queue, and does what is in it. */
function install() {
  if (typeof window.PureClarityObject === "string") name = window.PureClarityObject;
  const early = [...(window[name]?.q ?? [])];
  window[name] = run;
  window.PureClarityObject = {
    push: (call) => run(...call),
    getNextPageResults: () => document.querySelector(".pc-more")?.click(),
  };
  for (const call of early) attempt(() => run(...call));
}

// What is to be filled and was noticed already: an answer that does not come is not asked for at each change of the page.
const noticed = new WeakMap();
const sign = (element) => `${pages} ${wanted(element)}`;
const notice = (element) => noticed.set(element, sign(element));
const LOOK = 50;
let isLooking = false;

/** Looks, in a moment, for zones, search boxes and places for hits that came into the page or changed. */
function look() {
  if (isLooking) return;
  isLooking = true;
  setTimeout(() => {
    isLooking = false;
    if (opened && !opened.box.isConnected) opened.shut();
    if (window.pc_disable_autocomplete !== true) newBoxes().forEach(completing);
    drawPlaces();
    if (newZones().some((element) => noticed.get(element) !== sign(element))) schedule();
  }, LOOK);
}

/** The page is shown again as it was left, out of the browser's memory: what it is about is looked at once more. */
function comeBack() {
  takeLater();
  if (onPage.viewed !== undefined) calls.product_view({ id: onPage.viewed });
}

function takeLater() {
  if (consents()) later = inTab(names.later);
  awaitLater();
}

function begin() {
  endViewed();
  heed();
  leave();
  takeLater();
  style();
  schedule();
  look();
  const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["data-pureclarity"] };
  new MutationObserver(look).observe(document.documentElement, changes);
}

install();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
