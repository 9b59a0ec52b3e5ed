// The search box: completions while something is typed, by mouse, keyboard and screen reader (the combobox of the ARIA
// Authoring Practices, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), and the hits of a search on the page.

const WORDS = {
  en: ["Suggestions", "results", "More", "Nothing was found", "Close"],
  de: ["Vorschläge", "Treffer", "Mehr", "Nichts gefunden", "Schließen"],
  fr: ["Suggestions", "résultats", "Plus", "Rien n’a été trouvé", "Fermer"],
};
const language = document.documentElement.lang.replace("_", "-") || "en";
const words = WORDS[language.slice(0, 2).toLowerCase()] || WORDS.en;
const PAUSE = 120;
const BOXES = "[data-lethe-search], form[role=search] input, input[type=search], input[name=q]";

function boxes() {
  const isTyped = (one) => one instanceof HTMLInputElement && ["search", "text"].includes(one.type);
  return [...document.querySelectorAll(BOXES)].filter(isTyped);
}

function completing(box) {
  const id = `pc-options-${Math.random().toString(36).slice(2, 8)}`;
  const list = make("ul", { id, role: "listbox", class: "pc-options", "aria-label": words[0], hidden: "" });
  const said = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id, autocomplete: "off" };
  for (const [name, value] of Object.entries(said)) box.setAttribute(name, value);
  (box.closest("label") ?? box).after(list);
  let timer;
  let typing = 0;
  let active = -1;

  const shut = () => {
    clearTimeout(timer);
    // What is on its way opens nothing.
    typing += 1;
    point(-1);
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
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
    // The box keeps its focus.
    made.addEventListener("mousedown", (event) => event.preventDefault());
    made.addEventListener("click", () => go(made));
    return made;
  };
  const show = (completed, { Items, RefId }) => {
    const queries = completed.Queries.map(({ Text }) => ({ text: Text }));
    const products = Items.map(({ Id, Title, Link }) => ({ text: Title, link: safe(Link), id: Id, refid: RefId }));
    const pointed = list.children[active]?.dataset;
    list.replaceChildren(...[...queries, ...products].map(option));
    list.hidden = !list.children.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
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
        const completed = await ask("autocomplete", { Query: box.value, Size: 5 });
        const query = completed.Queries[0]?.Text || box.value;
        const found = await ask("search", { Query: query, Size: 4, Fields: "Id,Title,Link", ...priced() });
        if (mine === typing && document.activeElement === box) show(completed, found);
      } catch {
        if (mine === typing) shut();
      }
    }, PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") typing += 1;
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && active >= 0) go(list.children[active]);
    else if (event.key === "Escape") shut();
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", shut);
}

const priced = () => (currency ? { Currency: currency } : {});
const warn = (fault) => console.warn(`Lethe: ${fault.message}`);
let searches = 0;

function money({ Price, Currency }) {
  const format = (locale) => new Intl.NumberFormat(locale, { style: "currency", currency: Currency }).format(Price);
  try {
    return format(language);
  } catch {
    return format("en");
  }
}

/** The hits of a search in `[data-lethe-results]`, page by page. */
async function search(query, page = 1) {
  const place = document.querySelector("[data-lethe-results]");
  if (!place || !query) return;
  const mine = page === 1 ? ++searches : searches;
  const found = await ask("search", { Query: query, Page: page, ...priced() });
  if (mine !== searches) return;
  if (page === 1) done("search", { query, found: found.Total, corrected: found.Query.Corrected.length > 0 });
  if (found.Redirect && page === 1) return location.assign(safe(found.Redirect));
  if (page === 1) {
    const banners = (found.Banners ?? []).map((text) => make("p", { class: "pc-banner" }, text));
    place.replaceChildren(make("p", { role: "status" }), ...banners, make("ul", { class: "pc-items" }));
  }
  place.firstChild.textContent = found.Total ? `${found.Total} ${words[1]}` : words[3];
  const { RefId } = found;
  const shownPrice = (item) => (item.Price === undefined ? {} : { DisplayPrice: money(item) });
  const cards = found.Items.map((item) => card({ ...item, ...shownPrice(item), RefId }));
  const list = place.querySelector("ul");
  list.append(...cards);
  const pressed = place.querySelector(".pc-more");
  const isFocused = pressed && pressed === document.activeElement;
  pressed?.remove();
  if (isFocused) cards[0]?.querySelector("a").focus();
  if (list.children.length >= found.Total || !cards.length) return;
  const more = make("button", { type: "button", class: "pc-more" }, words[2]);
  more.addEventListener("click", () => {
    if (more.getAttribute("aria-disabled")) return;
    more.setAttribute("aria-disabled", "true");
    search(query, page + 1).catch((fault) => {
      more.removeAttribute("aria-disabled");
      warn(fault);
    });
  });
  place.append(more);
}
