// Drafts of the pages of work: on the device at once, on the server within two seconds.
//
// A form with data-draft (where drafts are sent) and data-draft-version (of the draft on the server when the page was
// made, 0 for none) is kept by the names of its fields; whatever a script changes in it is told by an `input` event.
// The form gets `draft`; on it `draft:filled` is heard when another version has been put into the fields. Beside it
// stand annotation/_save_state.html, _draft_foot.html and _draft_dialogs.html.

const TYPING = 800; // ms after the last key
const LATEST = 2000; // ms after the first change
const FIRST_RETRY = 2000; // ms, doubled up to
const LAST_RETRY = 60_000;
const LONGEST_WAIT = 3000; // ms for which a submit waits for the answer to a draft
const MOST_UNHEARD = 20; // drafts kept in mind whose answer was never heard
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const LEFT_OUT = new Set(["csrfmiddlewaretoken", "after"]);

export function read(form) {
  const found = {};
  for (const [name, value] of new FormData(form)) {
    if (LEFT_OUT.has(name) || typeof value !== "string") continue;
    const text = value.replace(/\r\n?/g, "\n");
    found[name] = name in found ? [found[name], text].flat() : text;
  }
  return found;
}

// Whatever somebody wrote before this script was there is not on the server.
function asServed(form) {
  const copy = form.cloneNode(true);
  copy.reset();
  return read(copy);
}

function fill(form, content) {
  for (const field of form.elements) {
    if (!field.name || LEFT_OUT.has(field.name) || field.type === "submit" || field.type === "button") continue;
    const values = [content[field.name] ?? []].flat();
    if (field.type === "radio" || field.type === "checkbox") field.checked = values.includes(field.value);
    else if (field.name in content) field.value = values[0] ?? "";
  }
  form.dispatchEvent(new CustomEvent("draft:filled"));
}

// To compare by: a database may give the names of what it keeps back in another order.
function pressed(content) {
  return JSON.stringify(Object.entries(content).sort(([one], [other]) => (one < other ? -1 : 1)));
}

class Draft {
  constructor(form) {
    this.form = form;
    this.url = form.dataset.draft;
    this.version = Number(form.dataset.draftVersion);
    this.key = `draft:${document.body.dataset.deviceKey}:${this.url.split("/").at(-2)}`;
    this.kept = asServed(form); // what the server has, or would make of nothing
    this.unheard = []; // sent by this page and perhaps kept: nobody answered
    this.firstChange = null;
    this.retry = FIRST_RETRY;
    this.isOver = false; // submitted, or not waited for any more
    this.isSending = false;
    this.isHeld = false; // while the form itself is on its way
    this.isLeaving = false;

    form.addEventListener("input", (event) => this.changed(event));
    window.addEventListener("online", () => this.tryAgain());
    window.addEventListener("session-restored", () => this.tryAgain());
    window.addEventListener("beforeunload", (event) => this.ask(event));
    window.addEventListener("pagehide", () => this.isDirty && this.save());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.isDirty) this.save();
    });
    document.querySelector("[data-try-now]")?.addEventListener("click", () => this.tryAgain());
    // Whoever flags a text comes back to it, where the draft waits.
    document.querySelector("[data-flag]")?.addEventListener("click", () => (this.isLeaving = true));
    document.getElementById("conflict")?.addEventListener("submit", () => (this.isLeaving = true));
    window.addEventListener("pageshow", () => (this.isLeaving = false));
  }

  get isDirty() {
    return !this.isOver && !this.isKept(read(this.form));
  }

  isKept(content) {
    return pressed(content) === pressed(this.kept);
  }

  // A version that only looks like another tab's: it was sent from here, and its answer was lost.
  isOwn(content) {
    return this.unheard.some((sent) => pressed(sent) === pressed(content));
  }

  // --- On the device ---

  restore() {
    const found = this.onDevice();
    if (!found?.isDirty) return this.isDirty && this.later(0);
    const { version, content, unheard = [] } = found;
    if (this.isKept(content) || content.based_on !== read(this.form).based_on) return this.forget();
    this.unheard = unheard;
    if (version < this.version && !this.isOwn(this.kept)) {
      return this.choose({ version: this.version, content: this.kept }, content);
    }
    fill(this.form, content);
    this.save();
  }

  onDevice() {
    try {
      return JSON.parse(localStorage.getItem(this.key));
    } catch {
      return null;
    }
  }

  keep() {
    const content = read(this.form);
    const { version, unheard } = this;
    try {
      localStorage.setItem(this.key, JSON.stringify({ version, content, isDirty: !this.isKept(content), unheard }));
    } catch {
      // A full device, or one that keeps nothing: the server has it within two seconds.
    }
  }

  forget() {
    localStorage.removeItem(this.key);
  }

  // --- On the server ---

  changed(event) {
    if (this.isOver || !this.isDirty) return;
    this.keep();
    this.say("saving");
    this.firstChange ??= Date.now();
    const isTyped = event.target instanceof HTMLElement && event.target.matches("textarea, input[type=text]");
    const wait = isTyped ? Math.min(TYPING, this.firstChange + LATEST - Date.now()) : 0;
    this.later(Math.max(0, wait));
  }

  later(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), wait);
  }

  tryAgain() {
    this.retry = FIRST_RETRY;
    if (this.isDirty && !this.isSending) this.save();
  }

  save() {
    if (this.isSending) return this.underWay;
    if (this.isHeld || this.isOver || document.getElementById("draft-conflict")?.open) return undefined;
    return (this.underWay = this.send(read(this.form)));
  }

  async send(content) {
    clearTimeout(this.timer);
    this.isSending = true;
    this.stop = new AbortController();
    this.firstChange = null;
    this.unheard = [...this.unheard, content].slice(-MOST_UNHEARD);
    if (this.isDirty) this.keep(); // the page may be gone before the answer is here
    let answer = null;
    let told = {};
    try {
      answer = await fetch(this.url, {
        method: "POST",
        body: JSON.stringify({ version: this.version, content }),
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": window.plumb.token() },
        keepalive: true,
        signal: this.stop.signal,
      });
      if (answer.headers.get("Content-Type")?.startsWith("application/json")) told = await answer.json();
    } catch {
      answer = null; // which is an answer of its own
    }
    this.isSending = false;
    this.take(answer, told, content);
    if (answer?.ok && this.isDirty) this.later(TYPING);
  }

  take(answer, told, content) {
    if (this.isOver) return;
    if (answer?.ok && told.version) return this.saved(told, content);
    if (answer?.status === 404) return location.reload(); // somebody else has signed in: the draft stays its owner's
    if (answer?.status === 409 && told.content) {
      return this.isOwn(told.content) ? this.goOn(told) : this.choose(told, read(this.form));
    }
    if (this.isHeld) return; // of whatever else is wrong the form hears for itself
    if (answer?.status === 401) return window.dispatchEvent(new Event("session-expired"));
    if (told.message && answer.status < 500) {
      const isMine = told.code === "submitted"; // perhaps by this page, and the answer was lost: sending again tells
      return this.close(told.message, { mayChange: answer.status === 413, maySubmit: isMine });
    }
    this.failed(answer === null ? "offline" : "failed");
  }

  saved({ version, saved_at: at }, content) {
    this.has({ version, content });
    this.retry = FIRST_RETRY;
    this.keep();
    if (this.strip?.dataset.shown === "draft") this.hideStrip();
    // What was written meanwhile is not there yet.
    if (this.isDirty) this.say("saving");
    else this.say("saved", new Date(at));
  }

  // What the server is known to have.
  has({ version, content }) {
    this.version = version;
    this.kept = content;
    this.unheard = [];
  }

  goOn(told) {
    this.has(told);
    if (this.isDirty) this.later(0);
  }

  failed(how) {
    this.keep();
    this.say("device");
    this.showStrip(how, { of: "draft" });
    this.later(this.retry * (0.8 + 0.4 * Math.random()));
    this.retry = Math.min(2 * this.retry, LAST_RETRY);
  }

  // Nothing is taken any more. What was written stays on the page, to be read and copied.
  close(message, { mayChange = false, maySubmit = false } = {}) {
    this.isOver = !mayChange;
    this.say(mayChange ? "device" : "none");
    this.showStrip("", { text: message, of: "end", isFinal: !mayChange });
    this.form.toggleAttribute("data-closed", !mayChange && !maySubmit);
  }

  // Before the form goes: a draft that came in behind it would be of something that is over, and one that is cut off
  // leaves a version that this page does not know. False where the form may not go.
  async hold() {
    this.isHeld = true;
    clearTimeout(this.timer);
    await this.answered();
    if (this.isSending) this.stop.abort();
    return !document.getElementById("draft-conflict")?.open;
  }

  // Until the save under way has ended, if it ends soon.
  async answered() {
    if (!this.isSending) return;
    let timer;
    const isLate = new Promise((resolve) => (timer = setTimeout(resolve, LONGEST_WAIT)));
    await Promise.race([Promise.allSettled([this.underWay]), isLate]);
    clearTimeout(timer);
  }

  async flush() {
    await this.answered();
    this.save();
    await this.answered();
  }

  release() {
    this.isHeld = false;
    if (this.isDirty) this.later(0);
  }

  submitted() {
    this.isOver = true;
    clearTimeout(this.timer);
    this.forget();
  }

  // Another tab or device has saved meanwhile.
  choose({ version, content }, mine) {
    const dialog = document.getElementById("draft-conflict");
    this.say("device");
    dialog.showModal();
    dialog.onclose = () => {
      this.has({ version, content });
      fill(this.form, dialog.returnValue === "theirs" ? content : mine);
      if (dialog.returnValue === "theirs") this.forget();
      else this.save();
      this.say(dialog.returnValue === "theirs" ? "none" : "saving");
    };
    dialog.oncancel = (event) => event.preventDefault();
  }

  ask(event) {
    if (this.isDirty && !this.isLeaving) event.preventDefault();
  }

  // --- What is said about it ---

  get strip() {
    return document.querySelector("[data-strip]");
  }

  say(state, at = null) {
    const shown = document.querySelector("[data-save-state]");
    if (!shown) return;
    const was = shown.dataset.saveState;
    const time = at?.toLocaleTimeString(document.documentElement.lang, CLOCK);
    shown.dataset.saveState = state;
    shown.querySelector("[data-save-words]").textContent = (shown.dataset[state] ?? "").replace("{time}", time);
    // Only failure and recovery are read aloud.
    const said = shown.querySelector("[data-save-said]");
    if (state === "device" || was === "device") said.textContent = shown.textContent.trim();
  }

  showStrip(says, { text = "", of, isFinal = false, reference = "" }) {
    const { strip } = this;
    if (!strip) return;
    const template = strip.querySelector(`template[data-says="${says}"]`);
    const words = [text || template?.content.textContent.trim()];
    if (reference) words.push(strip.dataset.reference.replace("{reference}", reference));
    strip.dataset.shown = of;
    strip.querySelector("[data-strip-text]").textContent = words.join(" ");
    strip.querySelector("[data-try-now]").hidden = of !== "draft";
    strip.querySelector("[data-copy-own]").hidden = !isFinal;
    strip.hidden = false;
  }

  hideStrip() {
    if (this.strip) this.strip.hidden = true;
  }
}

for (const form of document.querySelectorAll("form[data-draft]")) {
  form.draft = new Draft(form);
}

// After the page's own scripts, which hear what is filled in.
window.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form[data-draft]")) form.draft.restore();
});

document.querySelector("[data-copy-own]")?.addEventListener("click", (event) => {
  const written = document.querySelector("form[data-draft] textarea")?.value ?? "";
  navigator.clipboard?.writeText(written).then(() => (event.target.textContent = event.target.dataset.done));
});

// What is left on the device goes with the person, once the server has it.
document.addEventListener("submit", async (event) => {
  const forms = [...document.querySelectorAll("form[data-draft]")].filter((form) => form.draft.isDirty);
  if (!("signOut" in event.target.dataset) || !forms.length || event.target.dataset.flushed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  await Promise.all(forms.map((form) => form.draft.flush()));
  event.target.dataset.flushed = "yes";
  event.target.requestSubmit();
}, true);
