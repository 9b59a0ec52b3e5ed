// Options of a product below its link: colours as swatches, all others as texts; those of the shown variant are marked.

const OPTIONS_SHOWN = 3;
const VALUES_SHOWN = 6;
const LONG_VALUE = /^(.{40}).+/su;
const HEX = /^#([\da-f]{3}|[\da-f]{6})$/i;

/** Names and values of an object; none of anything else: a field of these names may hold whatever the shop sent. */
function membersOf(value) {
  return value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Values as texts: an answer has a list, or one value alone. */
function textsOf(values) {
  return [values].flat().filter((one) => ["string", "number"].includes(typeof one)).map(String);
}

/** A dot of a colour. It has no style, which a policy could refuse where a page takes the HTML of a zone. */
function dot(colour, attributes) {
  const [svg, circle] = ["svg", "circle"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  const round = { cx: "8", cy: "8", r: "7.5", fill: colour, stroke: "currentColor", "stroke-opacity": "0.6" };
  for (const [name, value] of Object.entries(round)) circle.setAttribute(name, value);
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", ...attributes })) svg.setAttribute(name, value);
  svg.append(circle);
  return svg;
}

/** Draws the swatch of a value, alone or before its `text`; nothing where the shop has sent none. */
function drawSwatch(swatch, value, text) {
  const size = { class: "pc-swatch", width: "16", height: "16" };
  if (HEX.test(swatch)) return dot(swatch, { ...size, ...(text ? { "aria-hidden": "true" } : { role: "img", "aria-label": value }) });
  if (/^https?:/i.test(swatch)) return make("img", { ...size, src: safe(swatch), alt: text ? "" : value, loading: "lazy" });
}

function optionRow([option, values], { Swatches, Variant }) {
  const [marked] = textsOf(Variant?.Options?.[option]);
  const isAmong = values.indexOf(marked) < VALUES_SHOWN;
  const few = isAmong ? values.slice(0, VALUES_SHOWN) : [...values.slice(0, VALUES_SHOWN - 1), marked];
  const drawn = few.map((value) => {
    const mark = value === marked ? { "aria-current": "true" } : {};
    const [swatch] = textsOf(Swatches?.[option]?.[value]);
    const made = drawSwatch(swatch, value, value === marked);
    // The title has the whole of a long value.
    const text = made && value !== marked ? "" : value.replace(LONG_VALUE, "$1…");
    return make("li", { class: "pc-value", title: value, ...mark }, made, text);
  });
  const left = values.length - few.length;
  const more = left ? make("li", { class: "pc-value", title: `${left} ${words[6]}` }, `+${left}`) : "";
  return make("ul", { class: "pc-values", "aria-label": option }, ...drawn, more);
}

function optionRows(item) {
  const options = membersOf(item.Options).map(([option, all]) => [option, textsOf(all)]);
  const told = options.filter(([, values]) => values.length).slice(0, OPTIONS_SHOWN);
  return told.map((option) => optionRow(option, item));
}
