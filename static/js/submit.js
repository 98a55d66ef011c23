// Sends the form of a page of work without leaving it: a page that could not be sent must not be lost. Where the
// answer leads on, the next page is loaded as any other.

const HANDED_ON = "submitted"; // in sessionStorage: what the next page says of this one

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("form[data-draft]")) return;
  event.preventDefault();
  send(form, event.submitter);
});

async function send(form, submitter) {
  if (form.dataset.sending) return;
  waiting(form, true);
  if (!(await form.draft.hold())) return waiting(form, false);
  const body = new FormData(form, submitter);
  body.set("csrfmiddlewaretoken", window.plumb.token() || body.get("csrfmiddlewaretoken"));
  let answer = null;
  try {
    answer = await fetch(form.getAttribute("action"), {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
    });
  } catch {
    // No answer is an answer of its own.
  }
  await take(form, submitter, answer);
}

async function take(form, submitter, answer) {
  const isJson = answer?.headers.get("Content-Type")?.startsWith("application/json");
  const told = isJson ? await answer.json() : {};
  if (answer?.ok && told.next) return goOn(form, told.next);
  waiting(form, false);
  if (answer?.status === 401) {
    window.addEventListener("session-restored", () => send(form, submitter), { once: true });
    return window.dispatchEvent(new Event("session-expired"));
  }
  if (answer?.status === 422 && !isJson) return showAgain(form, await answer.text());
  if (told.message && answer.status < 500) return form.draft.close(told.message, { mayChange: answer.status === 422 });
  const reference = answer?.headers.get("X-Reference") ?? "";
  form.draft.showStrip(answer ? "not-sent" : "not-sent-offline", { of: "submit", reference });
}

function goOn(form, next) {
  const { number, undo } = form.dataset;
  form.draft.submitted();
  if (number) sessionStorage.setItem(HANDED_ON, JSON.stringify({ number, undo, at: Date.now() }));
  location.assign(next);
}

// The button is never dead: it says that something is under way.
function waiting(form, isWaiting) {
  if (!isWaiting) form.draft.release();
  if (isWaiting) form.dataset.sending = "yes";
  else delete form.dataset.sending;
  for (const button of form.querySelectorAll("button:not([type=button])")) {
    button.toggleAttribute("aria-disabled", isWaiting);
    if (isWaiting) button.setAttribute("aria-disabled", "true");
  }
  form.setAttribute("aria-busy", String(isWaiting));
}

// What the server refuses comes back as a page; only what it says of the form is new to this one.
function showAgain(form, html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const was = form.querySelector(".summary");
  const now = page.querySelector("form[data-draft] .summary");
  if (!was || !now) return form.draft.showStrip("not-sent", { of: "submit" });
  was.replaceWith(document.adoptNode(now));
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const invalid of page.querySelectorAll("form[data-draft] [aria-invalid=true]")) {
    const own = invalid.id ? document.getElementById(invalid.id) : form.querySelector(`.${invalid.classList[0]}`);
    own?.setAttribute("aria-invalid", "true");
  }
  form.dispatchEvent(new CustomEvent("refused", { bubbles: true }));
}

// --- After it: the next page says what was sent, and for ten seconds how to take it up again ---

const SHOWN_FOR = 10_000; // ms

function greet() {
  const handed = JSON.parse(sessionStorage.getItem(HANDED_ON));
  const toast = document.querySelector("[data-toast]");
  sessionStorage.removeItem(HANDED_ON);
  if (!handed || !toast || Date.now() - handed.at > SHOWN_FOR) return;
  document.querySelector("[data-heading]")?.focus({ preventScroll: true });
  toast.querySelector("[data-toast-text]").textContent = toast.dataset.says.replace("{number}", handed.number);
  const link = toast.querySelector("a");
  link.hidden = !handed.undo;
  if (handed.undo) link.href = handed.undo;
  toast.dataset.shown = "";
  setTimeout(() => delete toast.dataset.shown, SHOWN_FOR);
}

greet();

// A page from the browser's memory may show what is no longer so.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
