// The search box with its completions: a combobox whose focus stays in the box.

import { isAborted, oneAtATime } from "./ask.js";
import { find, make, number, unseen } from "./build.js";

const PER_GROUP = 4;
const GROUPS = [
  ["Queries", "Searches"],
  ["Categories", "Categories"],
  ["Brands", "Brands"],
  ["Products", "Products"],
];

const box = find("box");
const list = find("options");
const completions = oneAtATime("/api/autocomplete");
let options = [];
let active = -1;
let act = {};

function open(isOpen) {
  list.hidden = !isOpen;
  box.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) point(-1);
}

export function closeBox() {
  completions.stop();
  open(false);
}

function point(place) {
  options[active]?.element.setAttribute("aria-selected", "false");
  active = place;
  const option = options[active];
  if (!option) return box.removeAttribute("aria-activedescendant");
  option.element.setAttribute("aria-selected", "true");
  option.element.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", option.element.id);
}

function choose({ kind, said }) {
  closeBox();
  act.choose(kind, said);
}

function drawOption(kind, said) {
  const option = { kind, said };
  option.element = make(
    "div",
    {
      role: "option",
      id: `option${options.length}`,
      "aria-selected": "false",
      click: () => choose(option),
    },
    make("span", {}, said.Text),
    typeof said.Count === "number"
      ? make("span", { class: "count" }, number(said.Count), unseen(" products"))
      : null,
  );
  options.push(option);
  return option.element;
}

function drawGroup([kind, title], answer) {
  const found = answer[kind] || [];
  if (!found.length) return null;
  return make(
    "div",
    { role: "group", "aria-label": title },
    make("p", { class: "group", "aria-hidden": "true" }, title),
    found.slice(0, PER_GROUP).map((said) => drawOption(kind, said)),
  );
}

function draw(answer) {
  const pointed = options[active];
  options = [];
  active = -1;
  box.removeAttribute("aria-activedescendant");
  list.replaceChildren(...GROUPS.map((group) => drawGroup(group, answer)).filter(Boolean));
  list.classList.toggle("two", list.children.length > 1 && answer.Products?.length > 0);
  // Asking where it scrolls makes the browser lay out the page at once, so only where it may have scrolled.
  if (pointed) list.scrollTop = 0;
  open(options.length > 0 && document.activeElement === box);
  // Who stands on one that is offered still, stays there.
  const isSame = ({ kind, said }) => kind === pointed.kind && said.Text === pointed.said.Text;
  if (pointed && !list.hidden) point(options.findIndex(isSame));
}

async function complete() {
  if (!box.value.trim()) return closeBox();
  try {
    draw(await completions.put({ Query: box.value, Size: PER_GROUP }));
  } catch (fault) {
    // The search of the same letters says what is wrong; completions alone are not worth a second message.
    if (!isAborted(fault)) open(false);
  }
}

function move(step) {
  if (list.hidden) return options.length ? open(true) : complete();
  // One place more than there are options: the box itself.
  const places = options.length + 1;
  point(((active + 1 + step + places) % places) - 1);
}

function escape() {
  if (!list.hidden) return closeBox();
  if (box.value) empty();
}

function empty() {
  box.value = "";
  typed();
}

function enter() {
  const option = options[active];
  if (!list.hidden && option) return choose(option);
  closeBox();
  act.enter();
  if (matchMedia("(pointer: coarse)").matches) box.blur();
}

const KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: escape,
  Enter: enter,
};

function press(event) {
  const key = KEYS[event.key];
  if (!key || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  key();
}

function typed() {
  find("clear").hidden = !box.value;
  act.type(box.value);
  complete();
}

/** Shows a text that came from elsewhere: an address, a button, a completion. */
export function fillBox(text) {
  if (box.value !== text) {
    box.value = text;
    options = [];
  }
  find("clear").hidden = !text;
}

function isTyping(target) {
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}

/** `acts` has `type(text)`, `enter()` and `choose(kind, completion)`. */
export function watchBox(acts) {
  act = acts;
  box.addEventListener("input", typed);
  box.addEventListener("keydown", press);
  box.addEventListener("blur", closeBox);
  // Focus has to stay in the box while an option is pressed.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  find("ask").addEventListener("submit", (event) => event.preventDefault());
  find("clear").addEventListener("click", () => {
    empty();
    box.focus();
  });
  document.addEventListener("keydown", (event) => {
    const isFree = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isFree || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}
