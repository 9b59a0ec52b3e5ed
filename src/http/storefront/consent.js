// What is kept in the browser: nothing before the shopper consents, and nothing once they do no longer.

const address = new URL(document.currentScript.src);
const key = decodeURIComponent(address.pathname.split("/").at(-2));
const names = { visitor: `pc_v_${key}`, session: `pc_sessid_${key}`, consent: `pc_consent_${key}`, viewed: `pc_viewed_${key}` };
const YEAR = 365 * 24 * 60 * 60;
const SESSION = 300;
const VIEWED = 30;

/** Some browsers refuse to keep anything. */
function stored(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It is then as if nothing were kept.
  }
  return null;
}

function cookie(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

function keep(name, value, seconds) {
  const safe = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${seconds}; SameSite=Lax${safe}`;
}

let consents = window.pc_consent === true || stored(names.consent) === "1";
let stopping = new AbortController();

/** What the shopper looked at, the newest last: it stands in their browser alone. */
function viewed() {
  try {
    return consents ? JSON.parse(stored(names.viewed) || "[]") : [];
  } catch {
    return [];
  }
}

function noteViewed(id) {
  const all = [...viewed().filter((one) => one !== id), id];
  stored(names.viewed, JSON.stringify(all.slice(-VIEWED)));
}

function accept(yes) {
  if (yes) {
    consents = true;
    stored(names.consent, "1");
    for (const { name, data } of waiting) if (name === "product_view" && data.id !== undefined) noteViewed(String(data.id));
    schedule();
    return;
  }
  const visitor = cookie(names.visitor);
  consents = false;
  waiting = [];
  stopping.abort();
  stopping = new AbortController();
  // That somebody said no is all that stays.
  stored(names.consent, "0");
  stored(names.viewed, null);
  keep(names.visitor, "", 0);
  keep(names.session, "", 0);
  if (visitor) post({ visitorId: visitor, events: [{ name: "accept_cookies", data: false }] }).catch(() => {});
}
