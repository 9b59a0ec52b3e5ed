// Telling the server what was done, and asking it.

const EVENTS = 5;
let waiting = [];
let isScheduled = false;

async function post(told) {
  const answer = await fetch(`${address.origin}/api/serverside`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: key, ...told }),
    credentials: "omit",
    keepalive: true,
    signal: stopping.signal,
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

/** Tells events, and asks for zones; without consent it tells nothing, and says not who asks. */
async function tell(events, zones) {
  const visitor = consents ? cookie(names.visitor) : "";
  const who = consents ? { visitorId: visitor, sessionId: cookie(names.session) } : {};
  const seen = zones.length ? { zones, viewed: viewed() } : {};
  const answer = await post({ ...who, ...seen, currency, events: consents ? events : [] });
  if (!consents) return answer.zones;
  keep(names.visitor, answer.visitorId, YEAR);
  keep(names.session, answer.sessionId, SESSION);
  // Nothing is stored under a number that may never come back: it has to be kept first.
  const isNew = !visitor && cookie(names.visitor) === answer.visitorId;
  if (isNew && events.length) {
    const { sessionId } = await post({ visitorId: answer.visitorId, sessionId: answer.sessionId, events });
    if (consents) keep(names.session, sessionId, SESSION);
  }
  return answer.zones;
}

/** Tells together what is done at once. */
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(async () => {
    isScheduled = false;
    const events = consents ? waiting.splice(0) : [];
    const elements = newZones();
    try {
      const parts = [events.splice(0, EVENTS)];
      while (events.length) parts.push(events.splice(0, EVENTS));
      const last = parts.pop();
      for (const part of parts) await tell(part, []);
      if (last.length || elements.length) await fill(elements, (zones) => tell(last, zones));
    } catch (fault) {
      if (fault.name !== "AbortError") console.warn(`Lethe: ${fault.message}`);
    }
  });
}
