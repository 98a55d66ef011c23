// Somebody whose session has ended signs in over the page, which stays as it is.

const dialog = document.getElementById("signed-out");
const form = dialog?.querySelector("form");

window.addEventListener("session-expired", open); // of an element, where htmx tells it

function open() {
  if (!dialog || dialog.open) return;
  ask("password");
  dialog.showModal();
}

// The password, then the code where the account has a second factor.
function ask(step) {
  for (const part of form.querySelectorAll("[data-step]")) {
    part.hidden = part.dataset.step !== step;
    for (const input of part.querySelectorAll("input")) input.disabled = part.hidden;
  }
  form.dataset.step = step;
  say("");
  form.querySelector("[data-step]:not([hidden]) input[autofocus]")?.focus();
}

function say(words) {
  const error = dialog.querySelector("[data-error]");
  error.textContent = words;
  error.hidden = !words;
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { step } = form.dataset;
  const body = new FormData(form);
  body.set("csrfmiddlewaretoken", window.plumb.token());
  try {
    const answer = await fetch(form.dataset[step], {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
    });
    await take(answer);
  } catch {
    say(form.dataset.offline);
  }
});

async function take(answer) {
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const told = isJson ? await answer.json() : {};
  const next = told.next ?? told.location;
  if (next?.startsWith(form.dataset.code)) return ask("code");
  if (answer.ok && next) return restored();
  for (const input of form.querySelectorAll("input[type=password]")) input.value = "";
  say(told.form ? faults(told.form) : fault(await answer.text()));
}

function faults({ errors, fields }) {
  return [...errors, ...Object.values(fields).flatMap((field) => field.errors)].join(" ");
}

function fault(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.querySelector(".summary, .error, main p")?.textContent.trim() ?? form.dataset.offline;
}

function restored() {
  for (const input of form.querySelectorAll("input[type=password], [name=code]")) input.value = "";
  // Signing in has changed the token that the forms of this page were made with.
  for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = window.plumb.token();
  dialog.close();
  window.dispatchEvent(new Event("session-restored"));
}

// Signed out, nobody leaves the dialog for a page that would not take anything.
dialog?.addEventListener("cancel", (event) => event.preventDefault());
