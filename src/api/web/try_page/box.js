// The search box with its completions: a combobox whose focus stays in the box.

import { isAborted, oneAtATime } from "./ask.js";
import { countOf, find, make } from "./build.js";
import { drawPrice } from "./card.js";
import { keepPictures } from "./picture.js";
import { translate } from "./texts.js";

const PER_GROUP = 4;
/** What stands at the left, above or below each other. */
const WORDS = { Queries: "searches", Categories: "categories", Brands: "brands" };

const box = find("box");
const list = find("options");
const completions = oneAtATime("/api/autocomplete");
const pictures = keepPictures();
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

function drawOption(kind, said, ...content) {
  const option = { kind, said };
  option.element = make(
    "div",
    {
      role: "option",
      id: `option${options.length}`,
      class: kind === "Products" ? "product" : null,
      "aria-selected": "false",
      click: () => choose(option),
    },
    content,
  );
  options.push(option);
  return option.element;
}

function drawWords(said) {
  return [make("span", {}, said.Text), typeof said.Count === "number" ? countOf(said.Count) : null];
}

function drawProduct({ Text, ...said }) {
  const item = { ...said, Title: Text };
  return [pictures.show(item), make("span", { class: "what" }, make("span", {}, Text), " ", drawPrice(item, "span"))];
}

function drawGroup(kind, title, answer, content) {
  const found = answer[kind] || [];
  if (!found.length) return null;
  return make(
    "div",
    { role: "group", "aria-label": title },
    make("p", { class: "group", "aria-hidden": "true" }, title),
    found.slice(0, PER_GROUP).map((said) => drawOption(kind, said, ...content(said))),
  );
}

/** Words at the left and products at the right. Products come last, so that a listener hears them last. */
function drawOptions(answer) {
  const words = Object.entries(WORDS).map(([kind, key]) => drawGroup(kind, translate(key), answer, drawWords));
  const products = drawGroup("Products", translate("products_name"), answer, drawProduct);
  pictures.turn();
  const left = words.some(Boolean) ? make("div", { role: "presentation" }, words) : null;
  return [left, products].filter(Boolean);
}

function draw(answer) {
  const pointed = options[active];
  options = [];
  active = -1;
  box.removeAttribute("aria-activedescendant");
  const drawn = drawOptions(answer);
  list.replaceChildren(...drawn);
  list.classList.toggle("two", drawn.length > 1);
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

/** A checkbox, a button or a select takes no letters: there the key leads to the box too. */
function isTyping(target) {
  const takesText = "textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range])";
  return target.isContentEditable || target.matches?.(takesText);
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
