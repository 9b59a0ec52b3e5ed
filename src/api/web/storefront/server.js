// Telling the server what was done, and asking it: one thing after the other, so that a browser has one number.

const EVENTS = 5;
const TRIES = 3;
const AGAIN = 5000;
const PATIENCE = 10_000;
const MINUTE = 60_000;
const MOST = 50;
// What the server says of events that it could not take, and of zones that it could not fill, just now.
const LATER = "can be told again in a minute";
const BUSY = "the zones were left out";
let waiting = [];
/** What was told and could not be taken: it waits here, and in the tab for its next page. */
let later = [];
let laterTimer;
let isScheduled = false;
let tries = 0;
let turn = Promise.resolve();

function inTurn(work) {
  const next = turn.then(work);
  turn = next.catch(() => {});
  return next;
}

/** An answer in JSON; one that does not come in time is none, so that nothing waits behind it. */
async function answerOf(url, options, signal) {
  const control = new AbortController();
  const late = new DOMException("the server did not answer in time", "TimeoutError");
  const timer = setTimeout(() => control.abort(late), PATIENCE);
  const stop = () => control.abort();
  signal?.addEventListener("abort", stop);
  try {
    const answer = await fetch(url, { ...options, credentials: "omit", signal: control.signal });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return await answer.json();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

function post(told, signal) {
  const body = JSON.stringify({ appId: key, ...told });
  const headers = { "content-type": "application/json" };
  return answerOf(`${address.origin}/api/serverside`, { method: "POST", headers, body, keepalive: true }, signal);
}

function ask(path, asked) {
  return answerOf(`${address.origin}/api/${path}?${new URLSearchParams({ AppKey: key, ...asked })}`);
}

/** Keeps the number of an answer, if it is still of whom it was asked for; says whether it is kept. */
function kept({ visitorId, sessionId }, before, visitor) {
  if (before !== generation || !consents() || cookie(names.visitor) !== visitor) return false;
  keep(names.visitor, visitorId, YEAR);
  keep(names.session, sessionId, SESSION);
  return cookie(names.visitor) === visitorId;
}

/** Tells events, and asks for zones; without consent it tells nothing, and says not who asks. */
async function tell(events, zones) {
  const before = generation;
  const asked = { currency, ...(zones.length ? { zones, viewed: viewed() } : {}) };
  if (!consents()) return post(asked);
  const visitor = cookie(names.visitor);
  if (visitor) {
    const who = { visitorId: visitor, sessionId: cookie(names.session) };
    const answer = await post({ ...who, ...asked, events: plain(events) }, stopping.signal);
    kept(answer, before, visitor);
    if (before === generation && hasSaid(answer, LATER)) tellLater(events);
    return answer;
  }
  // Nothing is stored under a number that may never come back: it has to be kept first.
  const answer = await post(asked, stopping.signal);
  if (kept(answer, before, "") && events.length) {
    waiting.unshift(...events);
    schedule();
  }
  return answer;
}

const plain = (events) => events.map(({ name, data }) => ({ name, data }));

const hasSaid = ({ errors = [] }, sentence) => errors.some((one) => one.includes(sentence));

function keepLater(all) {
  later = all.slice(-MOST);
  inTab(names.later, later);
}

function tellLater(events) {
  const due = Date.now() + MINUTE;
  keepLater([...later, ...plain(events).map((event) => ({ ...event, due }))]);
  awaitLater();
}

function awaitLater() {
  clearTimeout(laterTimer);
  if (!later.length) return;
  laterTimer = setTimeout(() => {
    const isDue = ({ due }) => due <= Date.now();
    waiting.push(...later.filter(isDue));
    keepLater(later.filter((one) => !isDue(one)));
    if (waiting.length) schedule();
    awaitLater();
  }, later[0].due - Date.now());
}

/** Tells together what is done at once. */
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    tellNow();
  });
}

function tellNow() {
  inTurn(round).catch((fault) => console.warn(`Lethe: ${fault.message}`));
}

// The page is left: what waits is told at once, and what the server could not take before by the next page, which hears
// whether it can now.
addEventListener("pagehide", () => {
  const visitorId = cookie(names.visitor);
  if (!consents() || !visitorId) return;
  keepLater([...waiting.filter(({ due }) => due), ...later]);
  waiting = waiting.filter(({ due }) => !due);
  while (waiting.length) {
    post({ visitorId, sessionId: cookie(names.session), events: waiting.splice(0, EVENTS) }).catch(() => {});
  }
});

async function round() {
  const before = generation;
  const elements = newZones();
  elements.forEach(notice);
  const events = consents() ? waiting.splice(0, EVENTS) : [];
  if (!events.length && !elements.length) return;
  try {
    const isWhole = await fill(elements, (zones) => tell(events, zones));
    if (!isWhole) return tryAgain();
    tries = 0;
    if (waiting.length && consents()) schedule();
  } catch (fault) {
    if (fault.name === "AbortError") return schedule();
    const isTheirs = before === generation && consents();
    if (isTheirs && tries + 1 < TRIES) waiting.unshift(...events);
    else if (isTheirs) tellLater(events);
    tryAgain();
    throw fault;
  }
}

function tryAgain() {
  tries += 1;
  if (tries < TRIES) setTimeout(schedule, AGAIN);
}
