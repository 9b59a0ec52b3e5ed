// Asks the server. A refusal becomes a fault with the server's own sentence.

import { translate } from "./texts.js";

const accessKey = decodeURIComponent(location.pathname.split("/").filter(Boolean).pop() || "");

export class Fault extends Error {
  /** `lang` is the language of the sentence, if it is not that of the page. */
  constructor(sentence, status, { isNetwork = false, lang } = {}) {
    super(sentence);
    this.status = status;
    this.isNetwork = isNetwork;
    this.lang = lang;
  }
}

export function isAborted(fault) {
  return fault?.name === "AbortError";
}

async function send(path, body, signal) {
  try {
    // Below the page's folder: the server may stand behind a path of a proxy.
    return await fetch(`..${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ AppKey: accessKey, ...body }),
      credentials: "omit",
      cache: "no-store",
      signal,
    });
  } catch (fault) {
    if (isAborted(fault)) throw fault;
    throw new Fault(translate("unreachable"), 0, { isNetwork: true });
  }
}

function secondsToWait(response) {
  if (response.status !== 429 && response.status !== 503) return null;
  const after = response.headers.get("Retry-After");
  if (!after) return null;
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

async function read(response) {
  const answer = await response.json().catch((fault) => {
    if (isAborted(fault)) throw fault;
    return null;
  });
  if (response.ok && answer) return answer;
  if (answer?.Error) throw new Fault(answer.Error, response.status, { lang: "en" });
  throw new Fault(translate("no_reason", { status: String(response.status) }), response.status);
}

/** Asks once, and once more when the server says how long to wait; `onWait` hears the seconds. */
export async function ask(path, body, { signal, onWait } = {}) {
  const response = await send(path, body, signal);
  const seconds = secondsToWait(response);
  if (seconds === null) return read(response);
  onWait?.(Math.ceil(seconds));
  await wait(seconds, signal);
  return read(await send(path, body, signal));
}

/** One question at a time: a new one ends the one before, whose answer is then never seen. */
export function oneAtATime(path) {
  let current = null;
  const stop = () => {
    current?.abort();
    current = null;
  };
  const put = async (body, onWait) => {
    stop();
    const mine = new AbortController();
    current = mine;
    const answer = await ask(path, body, { signal: mine.signal, onWait });
    mine.signal.throwIfAborted();
    return answer;
  };
  return { put, stop };
}
