// The search box: completions while something is typed, by mouse, keyboard and screen reader (the combobox of the ARIA
// Authoring Practices, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), and the hits of a search on the page.

const WORDS = {
  en: ["Suggestions", "results", "More", "Nothing was found", "Close", "Nothing has all words; {} have most", "more", "without"],
  de: ["Vorschläge", "Treffer", "Mehr", "Nichts gefunden", "Schließen", "Nichts hat alle Wörter; {} haben die meisten", "weitere", "ohne"],
  fr: ["Suggestions", "résultats", "Plus", "Rien n’a été trouvé", "Fermer", "Rien n’a tous les mots ; {} en ont la plupart", "autres", "sans"],
};
const language = document.documentElement.lang.replace("_", "-") || "en";
const words = WORDS[language.slice(0, 2).toLowerCase()] || WORDS.en;
const PAUSE = 120;
// Of a list, in CSS pixels: the height below which it opens upwards, the least width, the way from the edge of the window.
const ROOM = 180;
const NARROWEST = 240;
const EDGE = 8;
const BOXES = "[data-lethe-search], form[role=search] input, input[type=search], input[name=q], #pc_searchbox";
const completed = new WeakSet();
/** The list that is open now, if one is. */
let opened;

/** Boxes that have yet to be completed. One that something else completes is left alone, unless the shop marks it for this. */
function newBoxes() {
  const isTyped = (one) => one instanceof HTMLInputElement && ["search", "text"].includes(one.type);
  const isTaken = (one) =>
    one.matches("[role=combobox], [aria-autocomplete], [list], .ui-autocomplete-input") && !one.matches("[data-lethe-search]");
  return [...document.querySelectorAll(BOXES)].filter((one) => isTyped(one) && !completed.has(one) && !isTaken(one));
}

/** Puts a list below its box, or above where there is more room: over the page, so that nothing in it moves. */
function placeList(list, box) {
  const at = box.getBoundingClientRect();
  const { clientWidth: wide, clientHeight: high } = document.documentElement;
  const below = high - at.bottom;
  const isAbove = below < ROOM && at.top > below;
  const width = Math.min(Math.max(at.width, NARROWEST), wide - 2 * EDGE);
  pin(list, {
    display: "block",
    position: "absolute",
    "z-index": "2147483647",
    "box-sizing": "border-box",
    overflow: "auto",
    width: `${width}px`,
    "max-height": `${Math.max((isAbove ? at.top : below) - EDGE, ROOM / 2)}px`,
    left: "0",
    top: "0",
  });
  // Whatever it is placed against, it is moved from where that puts it to where it belongs.
  const now = list.getBoundingClientRect();
  const start = getComputedStyle(box).direction === "rtl" ? at.right - width : at.left;
  const left = Math.max(EDGE, Math.min(start, wide - EDGE - width));
  const top = isAbove ? at.top - now.height : at.bottom;
  pin(list, { left: `${left - now.left}px`, top: `${top - now.top}px` });
}

for (const kind of ["scroll", "resize"]) addEventListener(kind, () => opened?.place(), { capture: true, passive: true });

function completing(box) {
  completed.add(box);
  const id = `pc-options-${Math.random().toString(36).slice(2, 8)}`;
  const list = make("ul", { id, role: "listbox", class: "pc-options", "aria-label": words[0] });
  const said = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id, autocomplete: "off" };
  for (const [name, value] of Object.entries(said)) box.setAttribute(name, value);
  let timer;
  let typing = 0;
  let active = -1;

  const shut = () => {
    clearTimeout(timer);
    // What is on its way opens nothing.
    typing += 1;
    point(-1);
    list.remove();
    if (opened?.box === box) opened = undefined;
    box.setAttribute("aria-expanded", "false");
  };
  // In the page it stands where no style of the form reaches it; a dialog lets nothing outside of it be used.
  const open = () => {
    if (!list.isConnected) (box.closest("dialog, [popover]") ?? document.body).append(list);
    opened = { box, shut, place: () => placeList(list, box) };
    opened.place();
    box.setAttribute("aria-expanded", "true");
  };
  const go = (option) => {
    const { link, text, id, refid } = option.dataset;
    shut();
    if (link) {
      done("search_click", { id, refid });
      return location.assign(link);
    }
    box.value = text;
    if (box.form) box.form.requestSubmit();
    else search(text).catch(warn);
  };
  // Points at an option, or with -1 at none.
  const point = (at) => {
    const all = [...list.children];
    active = at;
    all.forEach((option, here) => option.setAttribute("aria-selected", String(here === at)));
    if (at < 0) return box.removeAttribute("aria-activedescendant");
    box.setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const count = list.children.length;
    point((active + by + count + (active < 0 && by < 0 ? 1 : 0)) % count);
  };
  const option = ({ text, ...product }, at) => {
    const { link } = product;
    const kind = link ? "pc-product" : "pc-query";
    const made = make("li", { id: `${id}-${at}`, role: "option", class: kind, "aria-selected": "false" }, text);
    Object.assign(made.dataset, { text, ...product });
    made.addEventListener("click", () => go(made));
    return made;
  };
  const show = ({ Queries }, { Items, RefId }) => {
    const queries = Queries.map(({ Text }) => ({ text: Text }));
    const products = Items.map(({ Id, Title, Link }) => ({ text: Title, link: safe(Link), id: Id, refid: RefId }));
    const pointed = list.children[active]?.dataset;
    list.replaceChildren(...[...queries, ...products].map(option));
    if (!list.children.length) return shut();
    open();
    // Who stands on one that is offered still, stays there.
    const isSame = ({ dataset }) => dataset.text === pointed?.text && dataset.id === pointed.id;
    point([...list.children].findIndex(isSame));
  };

  box.addEventListener("input", () => {
    clearTimeout(timer);
    if (!box.value.trim()) return shut();
    const mine = ++typing;
    timer = setTimeout(async () => {
      try {
        const begun = await ask("autocomplete", { Query: box.value, Size: 5 });
        const query = begun.Queries[0]?.Text || box.value;
        const found = await ask("search", { Query: query, Size: 4, Fields: "Id,Title,Link", ...priced() });
        if (mine === typing && document.activeElement === box) show(begun, found);
      } catch {
        if (mine === typing) shut();
      }
    }, PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") typing += 1;
    const isOpen = opened?.box === box;
    if (event.key === "Enter" && active < 0 && !box.form) {
      shut();
      search(box.value).catch(warn);
    } else if (!isOpen) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && active >= 0) go(list.children[active]);
    else if (event.key === "Escape") shut();
    else return;
    event.preventDefault();
  });
  // The box keeps its focus.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  box.addEventListener("blur", shut);
}

const priced = () => (currency ? { Currency: currency } : {});
const warn = (fault) => console.warn(`Lethe: ${fault.message}`);

function money({ Price, Currency }) {
  const format = (locale) => new Intl.NumberFormat(locale, { style: "currency", currency: Currency }).format(Price);
  try {
    return format(language);
  } catch {
    return format("en");
  }
}

/** Where hits stand: an element of this script, or one that Magento 1 leaves for the pages of searches and categories. */
const PLACES = "[data-lethe-results], [data-pureclarity^=navigation_]";
const NAVIGATION = /^navigation_(search|category)(_products)?(:(.+))?$/;
/** Of a place, which question was asked last in it, and for which address of the page it was filled. */
const turns = new WeakMap();
const drawn = new WeakMap();

function places() {
  return [...document.querySelectorAll(PLACES)].flatMap((place) => {
    if (place.matches("[data-lethe-results]")) return [{ place }];
    const [, about, , , id] = NAVIGATION.exec(place.dataset.pureclarity) ?? [];
    if (about === "category" && id) return [{ place, category: id }];
    return about === "search" ? [{ place }] : [];
  });
}

/** Fills the places of the page for its address: those that were not filled for it yet. */
function drawPlaces() {
  const query = new URLSearchParams(location.search).get("q");
  for (const { place, category } of places()) {
    const of = category ?? query;
    if (!of || drawn.get(place) === of) continue;
    drawn.set(place, of);
    const filters = JSON.stringify({ Category: [category] });
    (category ? listHits(place, { Filters: filters }) : search(query, place)).catch(warn);
  }
}

/** The hits of a search, in the first place for them. */
async function search(query, place = places().find(({ category }) => !category)?.place) {
  if (!place || !query) return;
  const found = await listHits(place, { Query: query });
  if (!found) return;
  done("search", { query, found: found.TotalRelaxed, corrected: found.Query.Corrected.length > 0 });
  if (found.Redirect) location.assign(safe(found.Redirect));
}

/** How many hits hold all words, and how many more lack one. */
function counted({ Total, TotalRelaxed, Query: { RelaxedWithout: lacking = [] } }) {
  if (!TotalRelaxed) return words[3];
  if (!Total) return words[5].replace("{}", TotalRelaxed);
  const found = `${Total} ${words[1]}`;
  if (Total === TotalRelaxed) return found;
  const more = `${found} · ${TotalRelaxed - Total} ${words[6]}`;
  return lacking.length === 1 ? `${more} ${words[7]} “${lacking[0]}”` : more;
}

/** What is found, in a place, page by page. Gives nothing when something newer was asked there meanwhile. */
async function listHits(place, asked, page = 1) {
  const mine = page === 1 ? Symbol() : turns.get(place);
  turns.set(place, mine);
  const found = await ask("search", { ...asked, Page: page, ...priced() });
  if (mine !== turns.get(place)) return;
  if (found.Redirect && page === 1) return found;
  if (page === 1) {
    const banners = (found.Banners ?? []).map((text) => make("p", { class: "pc-banner" }, text));
    place.replaceChildren(make("p", { role: "status" }), ...banners, make("ul", { class: "pc-items" }));
    if (getComputedStyle(place).display === "none") place.style.display = "block";
  }
  place.firstChild.textContent = counted(found);
  const { RefId } = found;
  const shownPrice = (item) => (item.Price === undefined ? {} : { DisplayPrice: money(item) });
  const cards = found.Items.map((item) => card({ ...item, ...shownPrice(item), RefId }));
  const items = place.querySelector("ul");
  items.append(...cards);
  const pressed = place.querySelector(".pc-more");
  const isFocused = pressed && pressed === document.activeElement;
  pressed?.remove();
  if (isFocused) cards[0]?.querySelector("a").focus();
  if (items.children.length < found.TotalRelaxed && cards.length) place.append(moreOf(place, asked, page));
  return found;
}

function moreOf(place, asked, page) {
  const more = make("button", { type: "button", class: "pc-more" }, words[2]);
  more.addEventListener("click", () => {
    if (more.getAttribute("aria-disabled")) return;
    more.setAttribute("aria-disabled", "true");
    listHits(place, asked, page + 1).catch((fault) => {
      more.removeAttribute("aria-disabled");
      warn(fault);
    });
  });
  return more;
}
