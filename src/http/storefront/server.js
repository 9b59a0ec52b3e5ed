// Telling the server what was done, and asking it: one thing after the other, so that a browser has one number.

const EVENTS = 5;
const TRIES = 3;
const AGAIN = 5000;
let waiting = [];
let isScheduled = false;
let tries = 0;
let turn = Promise.resolve();

function inTurn(work) {
  const next = turn.then(work);
  turn = next.catch(() => {});
  return next;
}

async function post(told, signal) {
  const answer = await fetch(`${address.origin}/api/serverside`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: key, ...told }),
    credentials: "omit",
    keepalive: true,
    signal,
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

async function ask(path, asked) {
  const query = new URLSearchParams({ AppKey: key, ...asked });
  const answer = await fetch(`${address.origin}/api/${path}?${query}`, { credentials: "omit" });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
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
  if (!consents()) return (await post(asked)).zones;
  const visitor = cookie(names.visitor);
  if (visitor) {
    const who = { visitorId: visitor, sessionId: cookie(names.session) };
    const answer = await post({ ...who, ...asked, events }, stopping.signal);
    kept(answer, before, visitor);
    return answer.zones;
  }
  // Nothing is stored under a number that may never come back: it has to be kept first.
  const answer = await post(asked, stopping.signal);
  if (kept(answer, before, "") && events.length) {
    waiting.unshift(...events);
    schedule();
  }
  return answer.zones;
}

/** Tells together what is done at once. */
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    inTurn(round).catch((fault) => console.warn(`Lethe: ${fault.message}`));
  });
}

// The page is left: what waits is told at once.
addEventListener("pagehide", () => {
  const visitorId = cookie(names.visitor);
  if (!consents() || !visitorId) return;
  while (waiting.length) {
    post({ visitorId, sessionId: cookie(names.session), events: waiting.splice(0, EVENTS) }).catch(() => {});
  }
});

async function round() {
  const before = generation;
  const elements = newZones();
  const events = consents() ? waiting.splice(0, EVENTS) : [];
  if (!events.length && !elements.length) return;
  try {
    await fill(elements, (zones) => tell(events, zones));
    tries = 0;
    if (waiting.length && consents()) schedule();
  } catch (fault) {
    if (fault.name === "AbortError") return schedule();
    if (before === generation && consents()) waiting.unshift(...events);
    tries += 1;
    if (tries < TRIES) setTimeout(schedule, AGAIN);
    throw fault;
  }
}
