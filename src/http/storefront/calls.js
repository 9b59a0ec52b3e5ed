// What the shop's pages call: `_pc(name, data)`, before and after this script was loaded.

// Of what only a page says of who somebody is, and what they bought, nothing is stored: it is not sent.
const UNSENT = ["customer_details", "order", "product_rate"];
const onPage = {};
let currency = "";

const calls = {
  accept_cookies: accept,
  currency: (code) => {
    currency = String(code);
  },
  page_view: (page) => {
    for (const name of ["page_type", "product_id", "category_id", "brand_id"]) {
      if (page?.[name] !== undefined) onPage[name] = String(page[name]);
    }
    schedule();
  },
  product_view: (view) => {
    if (view?.id === undefined) return;
    const id = String(view.id);
    onPage.product_id = id;
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
  waiting.splice(0, waiting.length - 50);
  schedule();
}

function run(name, ...rest) {
  if (Object.hasOwn(calls, name)) attempt(() => calls[name](...rest));
  else if (!UNSENT.includes(name)) console.warn(`Lethe: _pc('${name}') is not known`);
}

const name = typeof window.PureClarityObject === "string" ? window.PureClarityObject : "_pc";
const early = [...(window[name]?.q ?? [])];
window[name] = run;
window.PureClarityObject = {
  push: (call) => run(...call),
  getNextPageResults: () => document.querySelector("[data-lethe-results] .pc-more")?.click(),
};
for (const call of early) attempt(() => run(...call));

function begin() {
  leave();
  schedule();
  if (window.pc_disable_autocomplete !== true) boxes().forEach(completing);
  const query = new URLSearchParams(location.search).get("q");
  if (query) search(query).catch(warn);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
