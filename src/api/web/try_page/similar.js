// Products like one, in a dialog over the page.

import { isAborted, oneAtATime } from "./ask.js";
import { find } from "./build.js";
import { drawCard } from "./card.js";
import { keepPictures } from "./picture.js";
import { translate } from "./texts.js";

const SHOWN = 8;
const question = oneAtATime("/api/similar");
const pictures = keepPictures();
const dialog = find("similar");

export async function showSimilar(item) {
  find("similar-name").textContent = translate("similar_to", { title: item.Title || item.Id });
  find("similar-said").textContent = translate("looking");
  find("similar-items").replaceChildren();
  dialog.showModal();
  find("similar-name").focus();
  try {
    draw((await question.put({ Id: item.Id, Size: SHOWN })).Items);
  } catch (fault) {
    if (!isAborted(fault)) find("similar-said").textContent = fault.message;
  }
}

function draw(items) {
  find("similar-said").textContent = items.length ? "" : translate("none_similar");
  find("similar-items").replaceChildren(...items.map((item) => drawCard(item, pictures)));
  pictures.turn();
}

export function watchSimilar() {
  find("similar-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", question.stop);
  dialog.addEventListener("click", (event) => {
    // A press on the dialog itself and not on what is in it: the shade around it.
    const area = dialog.getBoundingClientRect();
    const isInside =
      event.clientX >= area.left &&
      event.clientX <= area.right &&
      event.clientY >= area.top &&
      event.clientY <= area.bottom;
    if (event.target === dialog && !isInside) dialog.close();
  });
}
