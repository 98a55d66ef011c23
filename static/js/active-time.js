// <active-time>: how long somebody is at work on a page. The clock runs while the page can be seen and the last
// sign of a person is at most two minutes old. Nothing but the running total of seconds leaves the page; a form that
// is kept as a draft has them too, with those of the pages before, so that they go with the answer.

const IDLE = 120_000; // ms
const EVERY = 30_000; // ms
const SIGNS = ["pointerdown", "pointermove", "wheel", "scroll", "keydown", "touchstart", "selectionchange"];

export class Clock {
  constructor(now) {
    this.total = 0; // ms up to `since`
    this.since = now; // null while the page cannot be seen
    this.sign = now; // of the last sign of a person
  }

  // Time counts up to the last sign and IDLE beyond it.
  #until(now) {
    return Math.min(now, this.sign + IDLE);
  }

  read(now) {
    if (this.since === null) return this.total;
    return this.total + Math.max(0, this.#until(now) - this.since);
  }

  seeSign(now) {
    if (this.since !== null) {
      this.total = this.read(now);
      this.since = now;
    }
    this.sign = now;
  }

  hide(now) {
    this.total = this.read(now);
    this.since = null;
  }

  show(now) {
    this.since ??= now;
    this.sign = now;
  }
}

// Made without crypto.randomUUID, which is missing where the page came without encryption.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// Signing in again, perhaps in another tab, changes the token; the cookie has the one that counts.
function token() {
  const named = document.cookie.split("; ").find((each) => /^(?:__Host-)?csrftoken=/.test(each));
  return named?.slice(named.indexOf("=") + 1) ?? "";
}

class ActiveTime extends HTMLElement {
  connectedCallback() {
    this.load = uuid();
    this.sent = -1;
    this.clock = new Clock(performance.now());
    if (document.visibilityState === "hidden") this.clock.hide(performance.now());
    this.stop = new AbortController();
    const options = { signal: this.stop.signal, passive: true, capture: true };
    for (const sign of SIGNS) document.addEventListener(sign, () => this.clock.seeSign(performance.now()), options);
    document.addEventListener("visibilitychange", () => this.turn(), options);
    window.addEventListener("pagehide", () => this.send(), options);
    // Before what keeps the draft or sends the form.
    document.addEventListener("input", (event) => this.tell(event.target.form), options);
    document.addEventListener("submit", (event) => this.tell(event.target, { ofAll: true }), options);
    this.form = document.querySelector("form[data-draft]");
    this.form?.addEventListener("draft:filled", () => this.readBefore(), options);
    this.readBefore();
    this.timer = setInterval(() => this.send(), EVERY);
    this.send(); // from here the server's own clock runs
  }

  disconnectedCallback() {
    this.send();
    clearInterval(this.timer);
    this.stop.abort();
  }

  readBefore() {
    this.before = Number(this.form?.elements.active?.value ?? 0);
  }

  // A form without a field for it gets one when it is sent; earlier, its draft would have changed with nobody's doing.
  tell(form, { ofAll = false } = {}) {
    if (!form || form !== this.form || !(ofAll || form.elements.active)) return;
    if (!form.elements.active) {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "active" }));
    }
    form.elements.active.value = this.before + Math.floor(this.clock.read(performance.now()) / 1000);
  }

  turn() {
    if (document.visibilityState === "hidden") {
      this.clock.hide(performance.now());
      this.send();
    } else {
      this.clock.show(performance.now());
    }
  }

  async send() {
    const seconds = Math.floor(this.clock.read(performance.now()) / 1000);
    if (seconds === this.sent) return;
    const { url, project, activity } = this.dataset;
    const body = new URLSearchParams({ project, activity, load: this.load, seconds });
    try {
      const answer = await fetch(url, {
        method: "POST",
        body,
        headers: { "X-CSRFToken": token() },
        keepalive: true,
        redirect: "manual",
      });
      if (answer.ok) this.sent = Math.max(this.sent, seconds);
    } catch {
      // The next report has the whole total, so this one is not missed.
    }
  }
}

customElements.define("active-time", ActiveTime);
