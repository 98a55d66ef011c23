// Pages on which somebody chooses one of a few options: their keys, the switch between two texts, one submit.

// --- Keys ---

document.addEventListener("press", (event) => {
  if (!event.detail.alt && press(event.detail.key)) event.preventDefault();
});

// True where the key meant something here.
function press(key) {
  const radio = document.querySelector(`input[data-key="${CSS.escape(key)}"]`);
  if (radio) choose(radio);
  else if (key === "e") return go("#justification");
  else if (key === "[" || key === "]") return go(key === "[" ? "#text-a" : "#text-b");
  else return false;
  return true;
}

function choose(radio) {
  radio.checked = true;
  radio.dispatchEvent(new Event("input", { bubbles: true }));
}

function go(where) {
  const target = document.querySelector(where);
  if (!target) return false;
  const button = document.querySelector(`[data-show="${where.at(-1)}"]`);
  if (button) show(button);
  target.focus();
  return true;
}

// --- Which of two texts a small screen shows; each keeps the place to which it was read ---

const sides = document.getElementById("sides");
const places = { a: 0, b: 0 };

function show(button) {
  const shown = button.dataset.show;
  if (!sides || sides.dataset.shown === shown) return;
  places[sides.dataset.shown] = window.scrollY;
  sides.dataset.shown = shown;
  for (const each of document.querySelectorAll("[data-show]")) {
    each.setAttribute("aria-pressed", String(each === button));
  }
  if (matchMedia("(max-width: 63.99rem)").matches) window.scrollTo({ top: places[shown], behavior: "instant" });
}

for (const button of document.querySelectorAll("[data-show]")) button.addEventListener("click", () => show(button));

// --- The form ---

class ChoicePanel extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.reason = this.form.elements.justification;
    this.button = this.querySelector(".submit");
    this.sending = false;
    this.form.addEventListener("submit", (event) => this.submit(event));
    this.form.addEventListener("input", () => this.chosen && this.say([]));
    this.form.addEventListener("refused", () => this.form.querySelector("[aria-invalid=true] input, textarea[aria-invalid=true]")?.focus());
    this.reason.addEventListener("keydown", (event) => this.leave(event));
    window.addEventListener("pageshow", () => this.ready());
  }

  get chosen() {
    return this.form.elements.value.value;
  }

  submit(event) {
    if (this.sending) return event.preventDefault();
    if (!this.chosen) {
      event.preventDefault();
      this.say([this.querySelector("[data-missing]").content.textContent]);
      return this.form.querySelector("[name=value]").focus({ preventScroll: true });
    }
    if (this.form.dataset.draft) return; // submit.js sends it, and tells how that goes
    this.sending = true;
    this.button.setAttribute("aria-disabled", "true");
  }

  ready() {
    if (this.form.dataset.draft) return;
    this.sending = false;
    this.button.removeAttribute("aria-disabled");
  }

  say(problems) {
    const summary = this.querySelector(".summary");
    summary.hidden = !problems.length;
    summary.querySelector("ul").replaceChildren(
      ...problems.map((problem) => Object.assign(document.createElement("li"), { textContent: problem })),
    );
    const options = this.querySelector(".options");
    if (problems.length) options.setAttribute("aria-invalid", "true");
    else options.removeAttribute("aria-invalid");
  }

  leave(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    this.reason.blur();
  }
}

customElements.define("choice-panel", ChoicePanel);
