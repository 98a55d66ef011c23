// Every page: what forms and moments gain from a script. Without it they work as they are.

const root = document.documentElement;
root.dataset.script = "";

// A theme chosen here must not cost what has been written on the page, so the page stays.
async function changeTheme(form, button) {
  const theme = button.value;
  if (theme === "device") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const other of form.querySelectorAll("[name=theme]")) {
    if (other.value === theme) other.setAttribute("aria-current", "true");
    else other.removeAttribute("aria-current");
  }
  await fetch(form.action, { method: "POST", body: new FormData(form, button), redirect: "manual" });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (event.submitter?.name === "theme") {
    event.preventDefault();
    changeTheme(form, event.submitter);
  } else if ("once" in form.dataset) {
    if (form.dataset.once === "sent") event.preventDefault();
    form.dataset.once = "sent";
    form.querySelector("button")?.setAttribute("aria-disabled", "true");
  } else if ("signOut" in form.dataset) {
    sessionStorage.clear();
  }
});

// A page that comes back from the browser's memory may be sent again.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("[data-once]")) {
    form.dataset.once = "";
    form.querySelector("button")?.removeAttribute("aria-disabled");
  }
});

// The server writes moments in its own zone; a reader thinks in theirs.
function showLocalTimes(within) {
  const own = navigator.languages.find((language) => language.slice(0, 2) === root.lang.slice(0, 2));
  const format = new Intl.DateTimeFormat(own ?? root.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const moment of within.querySelectorAll("time[datetime]")) {
    moment.textContent = format.format(new Date(moment.dateTime));
  }
}
showLocalTimes(document);
document.addEventListener("htmx:after:swap", () => showLocalTimes(document));

if (/Mac|iPhone|iPad/.test(navigator.platform)) {
  for (const key of document.querySelectorAll("[data-ctrl]")) key.textContent = "⌘ ↵";
}

// On a narrow screen the tabs scroll; the one of this page is to be seen.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
