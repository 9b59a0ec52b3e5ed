// The search box: completions while something is typed, by mouse, keyboard and screen reader (the combobox of the ARIA
// Authoring Practices, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), and the hits of a search on the page.

const WORDS = {
  en: ["Suggestions", "results", "More", "Nothing was found"],
  de: ["Vorschläge", "Treffer", "Mehr", "Nichts gefunden"],
  fr: ["Suggestions", "résultats", "Plus", "Rien n’a été trouvé"],
};
const words = WORDS[document.documentElement.lang.slice(0, 2).toLowerCase()] || WORDS.en;
const PAUSE = 120;
const BOXES = "[data-lethe-search], form[role=search] input:not([type=hidden]), input[type=search], input[name=q]";

function completing(box) {
  const id = `pc-options-${Math.random().toString(36).slice(2, 8)}`;
  const list = make("ul", { id, role: "listbox", class: "pc-options", "aria-label": words[0], hidden: "" });
  const said = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id, autocomplete: "off" };
  for (const [name, value] of Object.entries(said)) box.setAttribute(name, value);
  box.after(list);
  let timer;
  let typed = "";
  let active = -1;

  const options = () => [...list.children];
  const shut = () => {
    active = -1;
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const go = (option) => {
    const { link, text } = option.dataset;
    shut();
    if (link) location.assign(link);
    else {
      box.value = text;
      if (box.form) box.form.requestSubmit();
      else search(text);
    }
  };
  const move = (by) => {
    const all = options();
    active = (active + by + all.length + (active < 0 && by < 0 ? 1 : 0)) % all.length;
    all.forEach((option, at) => option.setAttribute("aria-selected", String(at === active)));
    box.setAttribute("aria-activedescendant", all[active].id);
    all[active].scrollIntoView({ block: "nearest" });
  };
  const show = (completed, hits) => {
    const offers = [
      ...completed.Queries.map(({ Text }) => ({ text: Text })),
      ...hits.map(({ Title, Link }) => ({ text: Title, link: safe(Link) })),
    ];
    list.replaceChildren(
      ...offers.map(({ text, link }, at) => {
        const kind = link ? "pc-product" : "pc-query";
        const option = make("li", { id: `${id}-${at}`, role: "option", class: kind, "aria-selected": "false" }, text);
        option.dataset.text = text;
        if (link) option.dataset.link = link;
        // Before the box loses its focus.
        option.addEventListener("mousedown", (event) => {
          event.preventDefault();
          go(option);
        });
        return option;
      }),
    );
    active = -1;
    list.hidden = !offers.length;
    box.setAttribute("aria-expanded", String(!!offers.length));
  };

  box.addEventListener("input", () => {
    clearTimeout(timer);
    typed = box.value;
    if (!typed.trim()) return shut();
    timer = setTimeout(async () => {
      const asked = typed;
      try {
        const completed = await ask("autocomplete", { Query: asked, Size: 5 });
        const query = completed.Queries[0]?.Text || asked;
        const found = await ask("search", { Query: query, Size: 4, Fields: "Title,Link" });
        if (asked === box.value && document.activeElement === box) show(completed, found.Items);
      } catch {
        shut();
      }
    }, PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && active >= 0) go(options()[active]);
    else if (event.key === "Escape") shut();
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", shut);
}

/** The hits of a search in `[data-lethe-results]`, page by page. */
async function search(query, page = 1) {
  const place = document.querySelector("[data-lethe-results]");
  if (!place || !query) return;
  const found = await ask("search", { Query: query, Page: page });
  if (page === 1) place.replaceChildren(make("p", { role: "status" }), make("ul", { class: "pc-items" }));
  place.firstChild.textContent = found.Total ? `${found.Total} ${words[1]}` : words[3];
  const money = ({ Price, Currency }) =>
    new Intl.NumberFormat(document.documentElement.lang || "en", { style: "currency", currency: Currency }).format(Price);
  const priced = (item) => (item.Price === undefined ? item : { ...item, DisplayPrice: money(item) });
  const added = found.Items.map((item) => card(priced(item)));
  const list = place.querySelector("ul");
  list.append(...added);
  place.querySelector("button")?.remove();
  if (list.children.length < found.Total && found.Items.length) {
    const more = make("button", { type: "button", class: "pc-more" }, words[2]);
    more.addEventListener("click", () => search(query, page + 1).then(() => added[0] && list.children[24 * page]?.querySelector("a").focus()));
    place.append(more);
  }
  return found;
}
