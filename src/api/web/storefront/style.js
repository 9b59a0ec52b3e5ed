// How completions and lists of products look where the shop says nothing: in a style sheet made by this script, which a
// policy for style elements and attributes does not concern. Any class in the shop's own style stands above it.

const SHEET = `
html body ul:where(.pc-options) { margin: 0; padding: 0; border: 1px solid GrayText; background: Canvas; color: CanvasText;
  box-shadow: 0 4px 12px #0004; list-style: none; text-align: start; }
html body ul:where(.pc-options) li { display: block; float: none; margin: 0; padding: 0.6em 0.8em; border: 0; background: none;
  color: inherit; font-size: inherit; line-height: 1.4; list-style: none; cursor: pointer; overflow-wrap: anywhere; }
html body ul:where(.pc-options) li:where(:hover) { text-decoration: underline; }
html body ul:where(.pc-options) li:where([aria-selected=true]) { background: #1b4f8f; color: #fff; outline: 2px solid;
  outline-offset: -2px; }
:where(.pc-items) { display: grid; grid-template-columns: repeat(auto-fill, minmax(9em, 1fr)); gap: 1em; padding: 0;
  list-style: none; }
:where(.pc-item) { margin: 0; list-style: none; overflow-wrap: anywhere; }
:where(.pc-link > img) { display: block; max-width: 100%; height: auto; }
:where(.pc-name) { display: block; }
:where(.pc-values) { display: flex; flex-wrap: wrap; gap: 0.5em; margin: 0.5em 0; padding: 0; font-size: 0.85em; list-style: none; }
:where(.pc-value) { display: flex; align-items: center; gap: 0.3em; min-width: 0; margin: 0; list-style: none; overflow-wrap: anywhere; }
:where(.pc-value[aria-current]) { outline: 1px solid; outline-offset: 1px; }
:where(.pc-swatch) { flex: none; border-radius: 50%; object-fit: cover; }
`;

function style() {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(SHEET);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  } catch {
    // A browser of before 2023.
    document.head.append(make("style", {}, SHEET));
  }
}

/** Sets properties of an element above every rule of the page. */
function pin(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, "important");
}
