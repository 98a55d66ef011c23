// <ranking-texts>: the texts of a set under tabs, each keeping its place; two side by side where there is room; and
// which of them were read: whose end was on the screen, in a quarter at least of the time that reading takes.

const IDLE = 120; // seconds without a sign of a person
const SHARE = 0.25;
const SIGNS = ["pointerdown", "pointermove", "wheel", "scroll", "keydown", "touchstart"];
const WIDE = matchMedia("(min-width: 80rem)");

class RankingTexts extends HTMLElement {
  connectedCallback() {
    this.bar = this.querySelector(".texts-bar");
    this.tabs = [...this.querySelectorAll("[data-tab]")];
    this.panes = new Map([...this.querySelectorAll("[data-letter]")].map((pane) => [pane.dataset.letter, pane]));
    this.letters = [...this.panes.keys()];
    this.toggle = this.querySelector("[data-compare]");
    this.other = null; // the letter beside the current one
    this.places = new Map(); // by letter: the share of the text above the upper edge
    this.seconds = new Map(this.letters.map((letter) => [letter, 0]));
    this.ended = new Set();
    this.still = 0; // seconds since the last sign
    this.field = document.querySelector("form[data-draft] [name=read]");
    this.readAlready = new Set(this.field ? this.field.value : this.letters);

    for (const pane of this.panes.values()) {
      pane.setAttribute("role", "tabpanel");
      pane.setAttribute("aria-labelledby", `tab-${pane.dataset.letter}`);
      pane.tabIndex = 0;
      for (const sign of ["pointerdown", "wheel", "focusin", "touchstart"]) {
        pane.addEventListener(sign, () => (this.looked = pane.dataset.letter), { passive: true });
      }
    }
    for (const tab of this.tabs) tab.addEventListener("click", () => this.open(tab.dataset.tab));
    this.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.walk(event));
    this.addEventListener("click", (event) => this.swap(event));
    this.toggle.addEventListener("click", () => this.compare(this.other === null));
    WIDE.addEventListener("change", () => !WIDE.matches && this.compare(false));
    this.watch();
    this.current = this.letters[0];
    this.show();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    this.observer.disconnect();
  }

  // --- Which text is shown ---

  open(letter) {
    if (!this.panes.has(letter)) return false;
    if (letter === this.current) return true;
    this.keepPlaces();
    if (letter === this.other) this.other = this.current;
    this.current = letter;
    this.looked = letter;
    this.show();
    this.toPlaces();
    return true;
  }

  turn(by) {
    const next = this.letters[this.letters.indexOf(this.current) + by];
    return next !== undefined && this.open(next);
  }

  compare(on) {
    if (on === (this.other !== null) || (on && !WIDE.matches)) return;
    this.keepPlaces();
    const after = this.letters.indexOf(this.current) + 1;
    this.other = on ? (this.letters[after] ?? this.letters[0]) : null;
    this.show();
    this.toPlaces();
  }

  swap(event) {
    const button = event.target.closest("[data-swap]");
    if (!button) return;
    this.keepPlaces();
    this.other = button.dataset.swap;
    this.show();
    this.toPlaces();
    this.panes.get(this.other).querySelector("[data-swap]:not([hidden])")?.focus({ preventScroll: true });
  }

  show() {
    const isComparing = this.other !== null;
    this.closest(".reading").toggleAttribute("data-comparing", isComparing);
    this.toggle.setAttribute("aria-pressed", String(isComparing));
    for (const [letter, pane] of this.panes) {
      pane.hidden = letter !== this.current && letter !== this.other;
      pane.toggleAttribute("data-right", letter === this.other);
      for (const button of pane.querySelectorAll("[data-swap]")) button.hidden = button.dataset.swap === this.current;
    }
    for (const tab of this.tabs) {
      const isShown = tab.dataset.tab === this.current;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    }
    this.mark();
    this.dispatchEvent(new CustomEvent("text-shown", { bubbles: true, detail: this.current }));
  }

  walk(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const count = this.tabs.length;
    const next = this.tabs[(this.letters.indexOf(this.current) + by + count) % count];
    this.open(next.dataset.tab);
    next.focus({ preventScroll: true });
  }

  // --- The place to which each was read ---

  get edge() {
    return this.bar.getBoundingClientRect().bottom;
  }

  keepPlaces() {
    for (const [letter, pane] of this.panes) {
      if (pane.hidden) continue;
      const above = this.other === null ? this.edge - pane.getBoundingClientRect().top : pane.scrollTop;
      this.places.set(letter, Math.max(0, above / pane.scrollHeight));
    }
  }

  toPlaces() {
    for (const [letter, pane] of this.panes) {
      if (pane.hidden) continue;
      const above = (this.places.get(letter) ?? 0) * pane.scrollHeight;
      if (this.other !== null) pane.scrollTop = above;
      else this.scrollTo(pane, above);
    }
  }

  // A text that was not begun is shown from its beginning, and nothing moves where that can be seen already.
  scrollTo(pane, above) {
    const by = pane.getBoundingClientRect().top + above - this.edge;
    if (above || by < 0) window.scrollBy({ top: by, behavior: "instant" });
  }

  // --- What was read ---

  watch() {
    const options = { passive: true, capture: true };
    for (const sign of SIGNS) document.addEventListener(sign, () => (this.still = 0), options);
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) this.ended.add(entry.target.closest("[data-letter]").dataset.letter);
      }
      this.mark();
    });
    for (const end of this.querySelectorAll(".end-mark")) this.observer.observe(end);
    this.timer = setInterval(() => this.tick(), 1000);
  }

  tick() {
    if (document.visibilityState !== "visible" || ++this.still > IDLE) return;
    const shown = this.looked === this.other ? this.other : this.current;
    this.seconds.set(shown, this.seconds.get(shown) + 1);
    this.mark();
  }

  isRead(letter) {
    if (this.readAlready.has(letter)) return true;
    const usual = Number(this.panes.get(letter).dataset.seconds);
    return this.ended.has(letter) && this.seconds.get(letter) >= SHARE * usual;
  }

  get unread() {
    return this.letters.filter((letter) => !this.isRead(letter));
  }

  mark() {
    for (const tab of this.tabs) {
      const isRead = this.isRead(tab.dataset.tab);
      tab.toggleAttribute("data-read", isRead);
      const words = tab.querySelector("[data-mark]");
      words.textContent = isRead ? words.dataset.yes : words.dataset.no;
    }
    this.keep();
  }

  // In the form, so that it is kept with the draft.
  keep() {
    if (!this.field) return;
    const { unread } = this;
    const read = this.letters.filter((letter) => !unread.includes(letter)).join("");
    const field = this.field.form.elements.unread;
    if (this.field.value === read && field.value === unread.join("")) return;
    for (const letter of read) this.readAlready.add(letter);
    this.field.value = read;
    field.value = unread.join("");
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

customElements.define("ranking-texts", RankingTexts);
