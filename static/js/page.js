// Every page: what forms and moments gain from a script. Without it they work as they are.

const root = document.documentElement;
root.dataset.script = "";

// Signing in again, perhaps in another tab, changes the token; the cookie has the one that counts.
function token() {
  const named = document.cookie.split("; ").find((each) => /^(?:__Host-)?csrftoken=/.test(each));
  return named?.slice(named.indexOf("=") + 1) ?? "";
}

// For the other scripts of a page, which run after this one.
window.plumb = { token };

// What is as usual is not written on the root element.
const LOOKS = { theme: "device", text_size: "m", text_face: "" };
const ATTRIBUTES = { theme: "theme", text_size: "textSize", text_face: "textFace" };

// A look chosen here must not cost what has been written on the page, so the page stays.
async function changeLook(form, button) {
  const { name, value } = button;
  if (value === LOOKS[name]) delete root.dataset[ATTRIBUTES[name]];
  else root.dataset[ATTRIBUTES[name]] = value;
  for (const other of form.elements) {
    if (other.name !== name) continue;
    if (other.value === value) other.setAttribute("aria-current", "true");
    else other.removeAttribute("aria-current");
  }
  const body = new FormData(form, button);
  body.set("csrfmiddlewaretoken", token() || body.get("csrfmiddlewaretoken"));
  await fetch(button.getAttribute("formaction") ?? form.action, { method: "POST", body, redirect: "manual" });
}

// What waits on the device to be submitted leaves it with its owner.
function forgetDrafts() {
  sessionStorage.clear();
  const own = `draft:${document.body.dataset.deviceKey}:`;
  for (const key of Object.keys(localStorage)) if (key.startsWith(own)) localStorage.removeItem(key);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (event.submitter && event.submitter.name in LOOKS) {
    event.preventDefault();
    changeLook(form, event.submitter);
  } else if ("once" in form.dataset) {
    if (form.dataset.once === "sent") event.preventDefault();
    form.dataset.once = "sent";
    form.querySelector("button")?.setAttribute("aria-disabled", "true");
  } else if ("signOut" in form.dataset) {
    forgetDrafts();
  }
});

// Where the session has ended and nobody can sign in over the page, signing in comes before it. Of an element, where htmx
// tells it.
window.addEventListener("session-expired", () => {
  if (!document.getElementById("signed-out")) location.reload();
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
