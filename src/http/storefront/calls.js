// What the shop's pages call: `_pc(name, data)`, before and after this script was loaded.

const TOLD = ["page_view", "product_view", "set_basket", "customer_details", "customer_logout", "order", "product_rate"];
const onPage = {};
let currency = "";

const calls = {
  accept_cookies: (yes) => accept(yes === true || yes === "true"),
  currency: (code) => {
    currency = String(code);
  },
  getzone: getZones,
  callback_event: (call) => after.push(call),
  prerender_callback_event: (call) => before.push(call),
  // A click is known by the page that it leads to.
  item_click: () => {},
  add_popup: () => {},
  start_chat: () => {},
};

function run(name, data, ...rest) {
  if (calls[name]) return calls[name](data, ...rest);
  if (!TOLD.includes(name)) return console.warn(`Lethe: _pc('${name}') is not known`);
  if (name === "page_view") Object.assign(onPage, data);
  if (name === "product_view" && data?.id !== undefined) {
    onPage.product_id = String(data.id);
    onPage.page_type ||= "product_page";
    if (consents) noteViewed(String(data.id));
  }
  // Until somebody consents it is held, on this page alone.
  waiting.push({ name, data: data ?? [] });
  waiting.splice(0, waiting.length - 50);
  if (name === "customer_logout") {
    keep(names.visitor, "", 0);
    keep(names.session, "", 0);
  }
  schedule();
}

const name = typeof window.PureClarityObject === "string" ? window.PureClarityObject : "_pc";
const early = window[name]?.q || [];
window[name] = (...all) => run(...all);
window.PureClarityObject = {
  push: ([event, data, ...rest]) => run(event, data, ...rest),
  getNextPageResults: (selector) => {
    const place = document.querySelector(selector);
    place?.querySelector(".pc-more")?.click();
  },
};
for (const call of early) run(...call);

function begin() {
  schedule();
  if (window.pc_disable_autocomplete !== true) document.querySelectorAll(BOXES).forEach(completing);
  const query = new URLSearchParams(location.search).get("q");
  if (query) search(query).catch((fault) => console.warn(`Lethe: ${fault.message}`));
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
