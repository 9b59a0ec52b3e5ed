// Editors of rules and campaigns without loading the page again: buttons and typing are sent in the background, and
// lists are sorted by drag or by keyboard. Without it all works by the buttons of the form.

const PAUSE = 400;
const form = document.getElementById("editor-form");
const status = document.getElementById("editor-says");
const kept = ["publish", "delete"];
let isChanged = form.hasAttribute("data-unpublished");
let newest = 0;
let pause = 0;

const say = (name, values = {}) => {
  const text = status.dataset[name] ?? "";
  status.textContent = text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
};

/** The fields as they would be sent; `button` is the value of the pressed one. */
function fields(button) {
  const data = new URLSearchParams(new FormData(form));
  data.append("do", button);
  return data;
}

/** The same field in another document or after a replacement. */
function same(field, root) {
  const all = [...root.querySelectorAll(`[name="${CSS.escape(field.name)}"]`)];
  const isChoice = field.type === "radio" || field.type === "checkbox" || field.tagName === "BUTTON";
  return isChoice ? all.find((one) => one.value === field.value) : all.length === 1 ? all[0] : undefined;
}

const isTyped = (field) => field.matches?.("input:not([type=hidden]), select, textarea") && field.name;
const state = (field) => (field.type === "radio" || field.type === "checkbox" ? field.checked : field.value);

/** What is typed in each field now. */
const typed = () => new Map([...form.elements].filter(isTyped).map((field) => [field, state(field)]));

/** Puts a part of the answer in the place of the one on the page. */
function replace(id, answer, sent) {
  const now = document.getElementById(id);
  const next = answer.getElementById(id);
  // Somebody typed on while the answer was on its way.
  for (const [field, before] of sent) {
    const other = now.contains(field) && state(field) !== before ? same(field, next) : undefined;
    if (other === undefined) continue;
    if (typeof before === "boolean") other.checked = field.checked;
    else other.value = field.value;
  }
  for (const open of now.querySelectorAll("details[id][open]")) {
    const other = next.querySelector(`#${CSS.escape(open.id)}`);
    if (other) other.open = true;
  }
  now.replaceWith(next);
}

/** Does something that replaces parts, and gives the focus back to the same control. */
function keepFocus(work) {
  const had = document.activeElement;
  const isInside = form.contains(had);
  const list = had.closest?.("fieldset[id]")?.id;
  const item = had.closest?.("[data-id]")?.dataset.id;
  const caret = had.matches?.("input[type=text], input[type=search], textarea") ? had.selectionStart : null;
  work();
  if (!isInside || form.contains(document.activeElement)) return;
  const inList = (what) => list && document.querySelector(`#${CSS.escape(list)} ${what}`);
  const found = (had.id && document.getElementById(had.id)) || (had.name && same(had, form));
  // A button that went, as that of the first item which moves up, leaves the focus with its item or in its list.
  const near = item && inList(`[data-id="${CSS.escape(item)}"] .tools button`);
  const next = found || near || inList(":is(button, input:not([type=hidden]))");
  next?.focus({ preventScroll: true });
  if (caret !== null && found?.setSelectionRange) found.setSelectionRange(caret, caret);
}

/** Lets the browser send the form, as it would without a script. */
function sendPlainly(button) {
  isChanged = false;
  const own = document.createElement("input");
  Object.assign(own, { type: "hidden", name: "do", value: button });
  form.append(own);
  form.submit();
}

/** Sends the form in the background and shows the answer; of several only the newest counts. */
async function send(button, parts) {
  clearTimeout(pause);
  newest += 1;
  const mine = newest;
  const sent = typed();
  form.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(form.action, { method: "POST", body: fields(button), credentials: "same-origin" });
    const answer = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (mine !== newest) return;
    if (parts.some((id) => answer.getElementById(id) === null)) throw new Error(`status ${reply.status}`);
    keepFocus(() => {
      parts.forEach((id) => replace(id, answer, sent));
      prepare();
    });
    say("updated");
  } catch {
    // The session ended, or the server cannot be reached: the browser says so, and keeps the page behind it.
    if (mine === newest && parts.includes("editor")) sendPlainly(button);
  } finally {
    if (mine === newest) form.removeAttribute("aria-busy");
  }
}

const both = ["editor", "effect"];

form.addEventListener("submit", (event) => {
  const button = event.submitter?.value ?? "try";
  if (kept.includes(button)) {
    isChanged = false;
    return;
  }
  event.preventDefault();
  if (button !== "try") isChanged = true;
  send(button, both);
});

form.addEventListener("keydown", (event) => {
  const find = event.target.matches?.("input[name^=find_]") && event.target.nextElementSibling;
  if (event.key !== "Enter" || !find) return;
  event.preventDefault();
  send(find.value, both);
});

for (const kind of ["input", "change"]) {
  form.addEventListener(kind, (event) => {
    if (!isTyped(event.target) || event.target.matches("[data-quiet], [name^=find_]")) return;
    isChanged = true;
    clearTimeout(pause);
    pause = setTimeout(() => send("try", ["effect"]), PAUSE);
  });
}

window.addEventListener("beforeunload", (event) => {
  if (isChanged) event.preventDefault();
});

// Sorting. One item is lifted at a time: by the pointer, or by the keyboard on its handle.
let lifted = null;

const items = (list) => [...list.children].filter((item) => item.dataset.id !== undefined);

function told(item) {
  const all = items(item.parentElement);
  return { name: item.dataset.name, place: all.indexOf(item) + 1, count: all.length };
}

function lift(item, isByKey) {
  lifted = { item, isByKey, from: told(item).place };
  item.classList.add("lifted");
}

/** Lets the item go where it is, and returns where it came from. */
function letGo() {
  const { item, from } = lifted;
  item.classList.remove("lifted");
  lifted = null;
  return from;
}

function drop() {
  const { item } = lifted;
  if (letGo() === told(item).place) return;
  isChanged = true;
  send(item.parentElement.dataset.sortable.replace("{id}", () => item.dataset.id), both);
}

function putBack() {
  const { item } = lifted;
  moveTo(item, letGo());
  say("returned", told(item));
}

/** Moves an item to a place, from 1: the others move around it, so that it keeps the focus and the pointer. */
function moveTo(item, place) {
  const list = item.parentElement;
  const all = items(list);
  const from = all.indexOf(item);
  const behind = item.nextSibling;
  for (const other of all.slice(from + 1, place)) list.insertBefore(other, item);
  for (const other of all.slice(place - 1, from)) list.insertBefore(other, behind);
}

function sortByKey(event, item) {
  const isMine = lifted?.item === item;
  const steps = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };
  if (event.key === " " || (isMine && event.key === "Enter")) {
    event.preventDefault();
    if (isMine) {
      drop();
      say("dropped", told(item));
    } else {
      if (lifted) putBack();
      lift(item, true);
      say("lifted", told(item));
    }
  } else if (isMine && event.key in steps) {
    event.preventDefault();
    const { place, count } = told(item);
    moveTo(item, Math.min(Math.max(place + steps[event.key], 1), count));
    say("moved", told(item));
  } else if (isMine && event.key === "Escape") {
    event.preventDefault();
    putBack();
  }
}

/** The item of the same list at a point. */
function itemAt(list, x, y) {
  const found = document.elementFromPoint(x, y)?.closest("[data-id]");
  return found?.parentElement === list ? found : null;
}

const EDGE = 40;

/** Scrolls near an edge: the page, and the part of it that scrolls by itself. */
function scrollNear(item, y) {
  const part = item.closest("#effect");
  const edges = part?.getBoundingClientRect();
  for (const [scrolled, top, bottom] of [[window, 0, window.innerHeight], [part, edges?.top, edges?.bottom]]) {
    if (y < top + EDGE) scrolled.scrollBy(0, -EDGE / 2);
    if (y > bottom - EDGE) scrolled.scrollBy(0, EDGE / 2);
  }
}

function sortByPointer(event, item, source) {
  if (event.button !== 0 || lifted) return;
  event.preventDefault();
  source.setPointerCapture(event.pointerId);
  lift(item, false);
  const heard = new AbortController();
  const move = ({ clientX, clientY }) => {
    scrollNear(item, clientY);
    const over = itemAt(item.parentElement, clientX, clientY);
    if (over !== null && over !== item) moveTo(item, told(over).place);
  };
  const end = (isDropped) => {
    heard.abort();
    if (lifted?.item !== item) return;
    if (isDropped) drop();
    else putBack();
  };
  const { signal } = heard;
  source.addEventListener("pointermove", move, { signal });
  source.addEventListener("pointerup", () => end(true), { signal });
  source.addEventListener("pointercancel", () => end(false), { signal });
  document.addEventListener("keydown", (key) => key.key === "Escape" && end(false), { signal, capture: true });
}

/** Gives each item of a sorted list a handle. */
function prepare() {
  for (const item of form.querySelectorAll("[data-sortable] > [data-id]")) {
    const tools = item.querySelector(".tools");
    if (tools === null || tools.querySelector(".handle") !== null) continue;
    const handle = document.createElement("button");
    handle.type = "button";
    handle.className = "tool handle";
    handle.id = `move-${item.parentElement.closest("[id]").id}-${item.dataset.id}`;
    handle.textContent = "\u2807";
    handle.setAttribute("aria-label", status.dataset.handle.replace("{name}", () => item.dataset.name));
    handle.addEventListener("keydown", (event) => sortByKey(event, item));
    handle.addEventListener("blur", () => lifted?.item === item && lifted.isByKey && item.isConnected && putBack());
    handle.addEventListener("pointerdown", (event) => sortByPointer(event, item, handle));
    // A mouse takes the whole card; a finger needs it to scroll.
    item.addEventListener("pointerdown", (event) => {
      const isFree = event.pointerType === "mouse" && !event.target.closest("a, button, input, details");
      if (isFree) sortByPointer(event, item, item);
    });
    item.addEventListener("dragstart", (event) => event.preventDefault());
    tools.prepend(handle);
  }
}

prepare();
