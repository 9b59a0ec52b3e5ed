// What is kept in the browser: nothing before the shopper consents, and nothing once they do no longer.

const scripts = [document.currentScript, ...document.querySelectorAll('script[src*="/cs.js"]')];
// A picture in the page may be named as a property of the document is.
const isOwn = (one) => one instanceof HTMLScriptElement && /\/cs\.js$/.test(new URL(one.src, location.href).pathname);
const script = scripts.find(isOwn);
if (!script) return console.warn("Lethe: the script does not find its own address");
const address = new URL(script.src);
const key = decodeURIComponent(address.pathname.split("/").at(-2));
const names = {
  visitor: `pc_v_${key}`,
  session: `pc_sessid_${key}`,
  consent: `pc_consent_${key}`,
  viewed: `pc_viewed_${key}`,
  leaving: `pc_leaving_${key}`,
  closed: `pc_closed_${key}`,
};
const YEAR = 365 * 24 * 60 * 60;
const SESSION = 300;
const VIEWED = 30;
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

/** Asked each time: another tab may have been told no. That somebody said no stands above what the page presumes. */
function consents() {
  const said = stored(names.consent);
  return said !== "0" && window.pc_consent !== false && (window.pc_consent === true || said === "1");
}

// Grows when what was begun before is of somebody else, or of nobody any more.
let generation = 0;
let stopping = new AbortController();

function viewed() {
  try {
    const all = consents() ? JSON.parse(stored(names.viewed)) : [];
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}

/** What the shopper looked at, the newest last, stands in their browser alone. */
function noteViewed(id) {
  const all = [...viewed().filter((one) => one !== id), id];
  stored(names.viewed, JSON.stringify(all.slice(-VIEWED)));
}

const closed = new Set();

/** Whether a popup was closed: on this page, and with consent in this session of the browser. */
function isClosed(id) {
  return closed.has(id) || closedBefore().includes(id);
}

function closedBefore() {
  try {
    const all = consents() ? JSON.parse(sessionStorage.getItem(names.closed)) : [];
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}

function noteClosed(id) {
  closed.add(id);
  if (consents()) keepClosed([...closedBefore(), id].slice(-VIEWED));
}

function keepClosed(ids) {
  try {
    if (ids) sessionStorage.setItem(names.closed, JSON.stringify(ids));
    else sessionStorage.removeItem(names.closed);
  } catch {
    // A browser that keeps nothing shows it again on the next page.
  }
}

/** Breaks off what says who it is of, and forgets it. */
function stop() {
  generation += 1;
  waiting = [];
  stopping.abort();
  stopping = new AbortController();
  stored(names.viewed, null);
  keepClosed(null);
  keep(names.visitor, "", 0);
  keep(names.session, "", 0);
}

function accept(said) {
  if (YES.includes(said)) {
    stored(names.consent, "1");
    for (const { name, data } of waiting) if (name === "product_view") noteViewed(data.id);
    schedule();
  } else if (NO.includes(said)) {
    stored(names.consent, "0");
    const visitor = cookie(names.visitor);
    if (visitor) stored(names.leaving, [stored(names.leaving), visitor].filter(Boolean).join(" "));
    stop();
    leave();
  } else {
    console.warn("Lethe: _pc('accept_cookies') takes true or false");
  }
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
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted && stored(names.consent) === "0") stop();
});
