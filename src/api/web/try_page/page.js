// The try page: a state that stands in the address, one search at a time, and the answer drawn.

import { isAborted, oneAtATime } from "./ask.js";
import { closeBox, fillBox, watchBox } from "./box.js";
import { button, currency, find, make, shop, shopGroup } from "./build.js";
import { drawCard } from "./card.js";
import { drawChips, drawFacets } from "./facets.js";
import { clearNone, drawNone } from "./none.js";
import { drawNotes, headline, noteZones } from "./notes.js";
import { learnOptions, optionsAmong } from "./options.js";
import { keepPictures } from "./picture.js";
import { isOpen, openedNow, refuseSecret, watchShop, withSecret } from "./shop.js";
import { showSimilar, watchSimilar } from "./similar.js";
import { filtersOf, isStart, ranged, readState, toggled, writeState } from "./state.js";
import { translate } from "./texts.js";
import { leadZones, showZones, watchZones } from "./zones.js";

const SIZE = 24;
const LAST_HIT = 10000;
const WRITE_AFTER = 200;
const SAY_AFTER = 400;
const SLOW_AFTER = 400;

const search = oneAtATime("/api/search");
const beginning = oneAtATime("/api/autocomplete");
const pictures = keepPictures();
const whyOpen = new Set();
let state = readState(location.hash);
let answer = null;
let isTyping = false;
let asked = 0;
let writing = 0;
let saying = 0;
let slowing = 0;

const act = {
  toggle: (facet, value) => go({ chosen: toggled(state.chosen, facet, value), page: 1 }),
  range: (facet, range) => go({ chosen: ranged(state.chosen, facet, range), page: 1 }),
  redraw: () => keepFocus(() => drawFacets(answer.Facets, state.chosen, act)),
  clear: () => go({ chosen: {}, page: 1 }).then(focusFound),
  all: () => go({ query: "", chosen: {}, page: 1 }).then(focusFound),
  first: () => go({ page: 1 }).then(focusFound),
  search: (query) => go({ query, page: 1 }).then(focusFound),
  category: (id) => go({ query: "", page: 1, chosen: { Category: [id] } }).then(focusFound),
};

function say(text) {
  clearTimeout(saying);
  // Said when typing rests: a number for every letter would only be noise.
  saying = setTimeout(() => {
    find("status").textContent = text;
  }, SAY_AFTER);
}

function write(push) {
  clearTimeout(writing);
  writing = 0;
  const address = writeState(state);
  if (address === (location.hash || "#")) return;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

function focusFound(isDrawn) {
  if (!isDrawn) return;
  find("found").focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

/** A step that back undoes. */
function go(change) {
  if (writing) write(false);
  isTyping = false;
  state = { ...state, ...change };
  write(true);
  closeBox();
  fillBox(state.query);
  return show();
}

/** All letters of one run of typing are one step for back; browsers limit how often an address may change. */
function type(query) {
  state = { ...state, query, page: 1 };
  if (isTyping) {
    clearTimeout(writing);
    writing = setTimeout(() => write(false), WRITE_AFTER);
  } else {
    isTyping = true;
    write(true);
  }
  show();
}

/** Typing has ended: what was typed is a word now, and no longer the beginning of one. */
function rest() {
  if (writing) write(false);
  isTyping = false;
  if (answer?.isBegun) show();
}

function choose(kind, said) {
  if (kind === "Categories") return go({ query: "", page: 1, chosen: { Category: [said.Id] } });
  if (kind === "Brands") return go({ query: "", page: 1, chosen: { Brand: [said.Id] } });
  if (kind === "Products") return go({ query: said.Text, page: 1, chosen: {} });
  return go({ query: said.Text, page: 1 });
}

function question() {
  return withSecret({
    Query: state.query,
    Page: state.page,
    Size: SIZE,
    Sort: state.order,
    GroupBy: state.group,
    Highlight: true,
    Filters: filtersOf(state.chosen),
    Facets: ["*"],
  });
}

/** Old results fade only when the new ones take long; a fade at every letter would be unrest. */
function setBusy(isBusy) {
  const items = find("items");
  items.setAttribute("aria-busy", String(isBusy));
  if (!isBusy) items.classList.remove("slow");
  clearTimeout(slowing);
  if (isBusy) slowing = setTimeout(() => items.classList.add("slow"), SLOW_AFTER);
}

/** What the question finds; while one types and nothing holds the letters, what the first word that begins so finds. */
async function findNow() {
  const onWait = (seconds) => {
    drawFault(translate("busy", { count: seconds }));
  };
  const mine = (asked += 1);
  const found = await search.put(question(), onWait);
  if (found.TotalRelaxed || !isTyping || !state.query.trim()) return found;
  const { Queries } = await beginning.put({ Query: state.query, Size: 1 });
  // A newer question has come: a second search of this one would end that of the newer.
  if (mine !== asked) throw new DOMException("a newer question has come", "AbortError");
  if (!Queries?.length) return found;
  return { ...(await search.put({ ...question(), Query: Queries[0].Text }, onWait)), isBegun: true };
}

/** Asks and draws; false when a newer question came first, whose asker then says where the focus goes. */
async function show() {
  setBusy(true);
  try {
    answer = await findNow();
    keepFocus(draw);
  } catch (fault) {
    if (isAborted(fault)) return false;
    if (isOpen() && fault.status === 403) {
      refuseSecret(fault.message);
      return show();
    }
    drawFailure(fault);
  }
  setBusy(false);
  return true;
}

function draw() {
  drawFault();
  const title = headline(answer, state.query, Boolean(group()));
  find("found").textContent = title;
  document.title = state.query.trim() ? `${state.query.trim()} · ${shop}` : translate("title", { shop });
  drawNotes(answer, state, (query) => go({ query, page: 1 }));
  learnOptions(answer.Items);
  drawFacets(answer.Facets, state.chosen, act);
  drawChips(answer.Facets, state.chosen, act);
  drawItems();
  drawNone(answer, state, act);
  drawPages();
  find("sort").value = state.order;
  drawGroups();
  openedNow(answer);
  leadZones(writeState(state), isStart(state));
  const showFound = group() ? "show_cards" : "show_found";
  find("show-found").textContent = translate(showFound, { count: answer.TotalRelaxed });
  say(answer.TotalRelaxed ? `${title}.` : title);
}

function drawItems() {
  const acts = { similar: showSimilar, choose: showZones, why: whyOpen, group: group() };
  const cards = answer.Items.map((item) => drawCard(item, pictures, acts));
  pictures.turn();
  const relaxed = answer.Query?.RelaxedFrom;
  // Where no product holds all words, the heading says so.
  const isSaid = relaxed === 1 && answer.TotalRelaxed > 0;
  if (relaxed && !isSaid && cards.length) {
    const place = Math.max(0, relaxed - 1 - (state.page - 1) * SIZE);
    const line = make("li", { class: "fewer" }, make("span", {}, translate("fewer")));
    if (place < cards.length) cards.splice(place, 0, line);
  }
  find("items").replaceChildren(...cards);
}

/** The option for each of whose values a product has a card; an empty text for one card a product. */
function group() {
  return state.group ?? shopGroup;
}

/** Offers a card per value for the options that can be filtered by. */
function drawGroups() {
  const names = optionsAmong(answer.Facets);
  if (group() && !names.includes(group())) names.push(group());
  const select = find("group");
  const offered = ["", ...names];
  const isSame = offered.length === select.options.length && offered.every((one, at) => one === select.options[at].value);
  // It may be open: only other names take the place of these.
  if (!isSame) {
    select.replaceChildren(...offered.map((value) => make("option", { value }, value || translate("group_product"))));
  }
  select.value = group();
  find("grouping").hidden = !names.length;
}

function drawPages() {
  const pages = Math.ceil(Math.min(answer.TotalRelaxed, LAST_HIT) / SIZE);
  find("pages").hidden = pages < 2;
  find("place").textContent = translate("place", { page: state.page, pages });
  find("previous").disabled = state.page <= 1;
  find("next").disabled = state.page >= pages;
}

function drawFault(sentence, again, lang) {
  const area = find("fault");
  if (!sentence) return area.replaceChildren();
  area.replaceChildren(make("p", { lang }, sentence), again ? button(translate("try_again"), again) : "");
}

function drawFailure(fault) {
  answer = null;
  find("found").textContent = translate("no_answer");
  for (const id of ["notes", "items"]) find(id).replaceChildren();
  clearNone();
  find("pages").hidden = true;
  drawChips({}, state.chosen, act);
  leadZones(null, false);
  const again = fault.isNetwork || fault.status >= 429 ? () => show().then(focusFound) : null;
  drawFault(fault.message, again, fault.lang);
  say("");
}

/** Drawing replaces elements; the focus goes to the one that took the place of the one that had it. */
function keepFocus(redraw) {
  const held = document.activeElement;
  const key = held?.dataset?.key;
  redraw();
  if (!key || held.isConnected) return;
  const next = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  (next || find("found")).focus({ preventScroll: true });
}

function noteOfZones(sentence) {
  noteZones(sentence);
  if (sentence) say(sentence);
}

function turnPage(step) {
  go({ page: state.page + step }).then(focusFound);
}

function watchWidth() {
  const wide = matchMedia("(min-width: 56rem)");
  const fit = () => {
    find("filters").open = wide.matches;
    // Beside the results the filters stay open: nothing to press, so nothing to stop at.
    find("filters-name").tabIndex = wide.matches ? -1 : 0;
  };
  wide.addEventListener("change", fit);
  fit();
}

/** On a phone the filters cover the products: a button leads to them. */
function watchFilters() {
  find("show-found").addEventListener("click", () => {
    find("filters").open = false;
    focusFound(true);
  });
}

function start() {
  watchBox({ type, enter: rest, choose });
  watchShop({ change: show, asked: () => ({ Query: state.query, Filters: filtersOf(state.chosen) }) });
  watchSimilar();
  watchZones({ note: noteOfZones });
  watchWidth();
  watchFilters();
  find("sort").addEventListener("change", (event) => go({ order: event.target.value, page: 1 }));
  find("group").addEventListener("change", ({ target: { value } }) => {
    go({ group: value === shopGroup ? undefined : value, page: 1 });
  });
  find("previous").addEventListener("click", () => turnPage(-1));
  find("next").addEventListener("click", () => turnPage(1));
  find("skip").addEventListener("click", (event) => {
    event.preventDefault();
    find("found").focus();
  });
  addEventListener("pagehide", rest);
  addEventListener("popstate", () => {
    clearTimeout(writing);
    writing = 0;
    isTyping = false;
    state = readState(location.hash);
    closeBox();
    fillBox(state.query);
    show();
  });
  for (const option of find("sort").options) {
    // Without a currency the server cannot compare prices.
    if (/price/.test(option.value)) option.disabled = !currency;
  }
  find("sort").value = state.order;
  fillBox(state.query);
  show();
}

start();
