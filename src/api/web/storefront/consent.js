// What is kept in the browser: nothing before the shopper consents, and nothing once they do no longer.

const scripts = [document.currentScript, ...document.querySelectorAll('script[src*="/cs.js"]')];
// A picture in the page may be named as a property of the document is.
const isOwn = (one) => one instanceof HTMLScriptElement && /\/cs\.js$/.test(new URL(one.src, location.href).pathname);
const script = scripts.find(isOwn);
if (!script) return console.warn("Lethe: the script does not find its own address");
// A page that loads it twice, by a plugin and by a tag of its own, has the first one.
const MARK = Symbol.for("lethe.storefront");
if (window[MARK]) return window[MARK]();
window[MARK] = install;
const address = new URL(script.src);
const key = decodeURIComponent(address.pathname.split("/").at(-2));
const names = {
  visitor: `pc_v_${key}`,
  session: `pc_sessid_${key}`,
  consent: `pc_consent_${key}`,
  viewed: `pc_viewed_${key}`,
  leaving: `pc_leaving_${key}`,
  closed: `pc_closed_${key}`,
  later: `pc_later_${key}`,
};
const YEAR = 365 * 24 * 60 * 60;
const SESSION = 300;
const VIEWED = 30;
// As long as the server keeps what a visitor does of whom nothing else is known.
const VIEWED_DAYS = 30;
const YES = [true, "true", 1, "1"];
const NO = [false, "false", 0, "0"];

/** Of a browser that keeps nothing: for as long as the page lives. */
const memory = new Map();

function stored(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    if (value === undefined) return memory.get(name) ?? null;
    memory.set(name, value);
  }
  return value ?? null;
}

function cookie(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  try {
    return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
  } catch {
    return "";
  }
}

function keep(name, value, seconds) {
  const safe = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${seconds}; SameSite=Lax${safe}`;
}

/** Global Privacy Control: what the shopper's browser says to all sites, https://globalprivacycontrol.org. */
const objects = () => navigator.globalPrivacyControl === true;
// A yes that was said although the browser objects: it stands above that.
const YES_ALL_THE_SAME = "2";

/** Asked each time: another tab may have been told no. That somebody said no stands above what the page presumes. */
function consents() {
  const said = stored(names.consent);
  if (said === "0" || window.pc_consent === false) return false;
  return window.pc_consent === true || said === YES_ALL_THE_SAME || (said === "1" && !objects());
}

// Grows when what was begun before is of somebody else, or of nobody any more.
let generation = 0;
let stopping = new AbortController();

const today = () => Math.floor(Date.now() / 86_400_000);

/** What the shopper looked at, the newest last, stands in their browser alone: pairs of a product and a day. */
function looks() {
  try {
    return JSON.parse(stored(names.viewed)).filter(([, day]) => Math.abs(today() - day) < VIEWED_DAYS);
  } catch {
    return [];
  }
}

const viewed = () => (consents() ? looks().map(([id]) => id) : []);

function noteViewed(id) {
  const all = [...looks().filter(([one]) => one !== id), [id, today()]];
  stored(names.viewed, JSON.stringify(all.slice(-VIEWED)));
}

/** A browser's storage ends nothing by itself: what is too old goes when a page of the shop is opened. */
function endViewed() {
  const left = looks();
  stored(names.viewed, left.length ? JSON.stringify(left) : null);
}

/** A list that ends with the tab. */
function inTab(name, list) {
  try {
    if (list?.length) sessionStorage.setItem(name, JSON.stringify(list));
    else if (list) sessionStorage.removeItem(name);
    const all = JSON.parse(sessionStorage.getItem(name));
    return Array.isArray(all) ? all : [];
  } catch {
    // A browser that keeps nothing.
    return [];
  }
}

const closed = new Set();

/** Whether a popup was closed: on this page, and with consent in this session of the browser. */
function isClosed(id) {
  return closed.has(id) || (consents() && inTab(names.closed).includes(id));
}

function noteClosed(id) {
  closed.add(id);
  if (consents()) inTab(names.closed, [...inTab(names.closed), id].slice(-VIEWED));
}

/** Breaks off what says who it is of, and forgets it. */
function stop() {
  generation += 1;
  waiting = [];
  stopping.abort();
  stopping = new AbortController();
  stored(names.viewed, null);
  inTab(names.closed, []);
  keepLater([]);
  keep(names.visitor, "", 0);
  keep(names.session, "", 0);
}

function accept(said) {
  if (YES.includes(said)) {
    stored(names.consent, objects() ? YES_ALL_THE_SAME : "1");
    for (const { name, data } of waiting) if (name === "product_view") noteViewed(data.id);
    schedule();
  } else if (NO.includes(said)) {
    stored(names.consent, "0");
    withdraw();
  } else {
    console.warn("Lethe: _pc('accept_cookies') takes true or false");
  }
}

function withdraw() {
  const visitor = cookie(names.visitor);
  if (visitor) stored(names.leaving, [stored(names.leaving), visitor].filter(Boolean).join(" "));
  stop();
  leave();
}

/** A yes of before the browser objected counts no longer. */
function heed() {
  if (stored(names.consent) !== "1" || consents() || window.pc_consent === false) return;
  stored(names.consent, null);
  withdraw();
}

/** Until the server has heard it, the number of who said no is kept for that alone. */
async function leave() {
  for (const visitor of (stored(names.leaving) ?? "").split(" ").filter(Boolean)) {
    try {
      await post({ visitorId: visitor, events: [{ name: "accept_cookies", data: false }] });
      const others = (stored(names.leaving) ?? "").split(" ").filter((one) => one && one !== visitor);
      stored(names.leaving, others.length ? others.join(" ") : null);
    } catch {
      // The next page tells it.
    }
  }
}

window.addEventListener("storage", ({ key: changed, newValue }) => {
  if (changed === names.consent && newValue === "0") stop();
});
// A page that comes back out of the browser's memory begins nothing by itself.
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  heed();
  if (stored(names.consent) === "0") stop();
  else comeBack();
});
