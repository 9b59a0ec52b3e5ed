// Options of a product below its link: colours as swatches, all others as texts; those of the shown variant are marked.

const OPTIONS_SHOWN = 3;
const VALUES_SHOWN = 6;
const HEX = /^#([\da-f]{3}|[\da-f]{6})$/i;

/** A dot of a colour. It has no style, which a policy could refuse where a page takes the HTML of a zone. */
function dot(colour, attributes) {
  const [svg, circle] = ["svg", "circle"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  const round = { cx: "8", cy: "8", r: "7.5", fill: colour, stroke: "currentColor", "stroke-opacity": "0.6" };
  for (const [name, value] of Object.entries(round)) circle.setAttribute(name, value);
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", ...attributes })) svg.setAttribute(name, value);
  svg.append(circle);
  return svg;
}

/** The swatch that says a value, or stands before its `text`; nothing where the shop has sent none. */
function swatch(said, value, text) {
  const size = { class: "pc-swatch", width: "16", height: "16" };
  if (HEX.test(said)) return dot(said, { ...size, ...(text ? { "aria-hidden": "true" } : { role: "img", "aria-label": value }) });
  if (/^https?:/i.test(said)) return make("img", { ...size, src: safe(said), alt: text ? "" : value, loading: "lazy" });
}

function optionRow([option, all], { Swatches, Variant }) {
  const texts = (some) => [some ?? []].flat().map(String);
  const values = texts(all);
  const [marked] = texts(Variant?.Options?.[option]);
  if (!values.length) return "";
  const isAmong = values.indexOf(marked) < VALUES_SHOWN;
  const few = isAmong ? values.slice(0, VALUES_SHOWN) : [...values.slice(0, VALUES_SHOWN - 1), marked];
  const drawn = few.map((value) => {
    const mark = value === marked ? { "aria-current": "true" } : {};
    const said = Swatches?.[option]?.[value];
    const made = swatch(said, value, value === marked);
    return make("li", { class: "pc-value", title: value, ...mark }, made, made && value !== marked ? "" : value);
  });
  const left = values.length - few.length;
  const more = left ? make("li", { class: "pc-value", title: `${left} ${words[6]}` }, `+${left}`) : "";
  return make("ul", { class: "pc-values", "aria-label": option }, ...drawn, more);
}

function optionRows(item) {
  const options = Object.entries(item.Options ?? {}).slice(0, OPTIONS_SHOWN);
  return options.map((option) => optionRow(option, item));
}
