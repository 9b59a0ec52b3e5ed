// What the pages of the console do beyond reading: they show times where the reader is, and follow what happens while
// somebody looks. Without it all pages work.

// The country of the reader is known to the browser, the language to the page.
const page = document.documentElement.lang;
const language = navigator.languages.find((one) => one.split("-")[0] === page) ?? page;
const DATE_AND_TIME = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
const thisYear = new Intl.DateTimeFormat(language, DATE_AND_TIME);
const otherYear = new Intl.DateTimeFormat(language, { ...DATE_AND_TIME, year: "numeric" });
const exact = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
const onPaper = new Intl.DateTimeFormat(language, { ...DATE_AND_TIME, year: "numeric", timeZoneName: "short" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A moment within a day as its distance from now, any other as its date and time. */
function written(at) {
  const distance = at.getTime() - Date.now();
  const far = Math.abs(distance);
  if (far < MINUTE) return relative.format(0, "second");
  if (far < HOUR) return relative.format(Math.trunc(distance / MINUTE), "minute");
  if (far < DAY) return relative.format(Math.trunc(distance / HOUR), "hour");
  return (at.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(at);
}

function local(root, isPrinted = false) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.title = exact.format(at);
      time.textContent = isPrinted ? onPaper.format(at) : written(at);
    }
  }
}

// A part that follows what happens: closed while the page is hidden, and for good at its end.
function follow(part) {
  let source = null;
  let ended = false;
  const open = () => {
    if (ended || source || document.hidden) return;
    source = new EventSource(part.dataset.live);
    source.addEventListener("message", (event) => {
      part.innerHTML = event.data;
      local(part);
    });
    // It was refused: the session may be over, and the page says so when it is asked for again. Not at once: when the
    // server has too much to do, all who follow would come again at the same moment.
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      ended = true;
      setTimeout(() => window.location.reload(), 5000 + 5000 * Math.random());
    });
    source.addEventListener("end", () => {
      ended = true;
      close();
      // The rest of the page is about something that went on: it is asked for again.
      if (part.dataset.reload) window.location.replace(part.dataset.reload);
    });
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  open();
}

local(document);
// A page that is left open says how long ago it is now.
setInterval(() => document.hidden || local(document), MINUTE);
window.addEventListener("beforeprint", () => local(document, true));
window.addEventListener("afterprint", () => local(document));
document.querySelectorAll("[data-live]").forEach(follow);
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
// A link may lead to a field that is begun: typing goes on at its end.
const begun = document.getElementById(window.location.hash.slice(1));
if (begun?.matches("input[type=text]")) begun.setSelectionRange(begun.value.length, begun.value.length);
// A choice acts at once where there is a script; without one a button sends it.
for (const choice of document.querySelectorAll("select[data-send]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}
