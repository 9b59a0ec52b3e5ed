// The card "Send a feed from this computer": a file may be dropped on it, and it says how far the sending is. Without
// this script the form sends the file by itself.

const form = document.querySelector("form[data-drop]");
const input = form.querySelector("[type=file]");
const button = form.querySelector("button");
const bar = form.querySelector("progress");
const status = form.querySelector("[role=status]");
const fault = form.querySelector("#file-fault");

let depth = 0;
function mark(change) {
  depth = Math.max(0, depth + change);
  form.classList.toggle("over", depth > 0);
}

const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
form.addEventListener("dragenter", (event) => holdsFile(event) && mark(1));
form.addEventListener("dragleave", (event) => holdsFile(event) && mark(-1));
form.addEventListener("dragover", (event) => holdsFile(event) && event.preventDefault());
form.addEventListener("drop", (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  mark(-depth);
  const [file] = event.dataTransfer.files;
  if (!file || bar.hidden === false) return;
  const one = new DataTransfer();
  one.items.add(file);
  input.files = one.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  button.focus();
});

// A browser opens a file that is dropped beside the card instead of the page: the card says where to drop it.
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => {
    if (!holdsFile(event) || form.contains(event.target)) return;
    event.preventDefault();
    if (name === "dragover" || !bar.hidden) return;
    say(form.dataset.beside);
    form.scrollIntoView({ block: "center" });
  });
}

// A refusal is about the file that was sent, and not about the next one.
input.addEventListener("change", () => say(""));

function say(sentence) {
  fault.replaceChildren();
  input.removeAttribute("aria-invalid");
  status.textContent = sentence;
}

/** Shows the reason of a refusal, and lets the operator try again. */
function refuse(reason) {
  end();
  say("");
  fault.append(...reason);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "file-fault");
  input.focus();
}

function told(sentence) {
  const reason = document.createElement("p");
  reason.className = "fault";
  reason.setAttribute("role", "alert");
  reason.textContent = sentence;
  return reason;
}

function end() {
  bar.hidden = true;
  button.disabled = false;
  window.removeEventListener("beforeunload", ask);
}

// Whoever leaves the page while a file is on its way breaks it off.
const ask = (event) => event.preventDefault();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (button.disabled) return;
  const sending = new XMLHttpRequest();
  sending.responseType = "document";
  let shown = -1;
  sending.upload.addEventListener("progress", ({ loaded, total }) => {
    const percent = Math.floor((100 * loaded) / total);
    bar.value = percent;
    // A screen reader hears each tenth.
    const tenth = 10 * Math.floor(percent / 10);
    if (tenth === shown) return;
    shown = tenth;
    status.textContent = percent < 100 ? `${form.dataset.sending} ${tenth} %` : form.dataset.checking;
  });
  sending.addEventListener("load", () => {
    const reason = sending.response?.querySelector("#file-fault")?.childNodes;
    if (sending.status < 400) {
      end();
      window.location.assign(sending.responseURL);
    } else if (reason?.length) {
      refuse([...reason]);
    } else {
      const page = sending.response?.querySelector("main .note");
      refuse([told(page?.textContent.trim() || form.dataset.broke)]);
    }
  });
  sending.addEventListener("error", () => refuse([told(form.dataset.broke)]));
  sending.open("POST", form.getAttribute("action"));
  // Read before the field is switched off, as a field that is off is not sent.
  const fields = new FormData(form);
  say(form.dataset.sending);
  bar.value = 0;
  bar.hidden = false;
  button.disabled = true;
  window.addEventListener("beforeunload", ask);
  sending.send(fields);
});
