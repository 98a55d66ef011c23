// <ranking-panel>: the form in which a ranking is given: what is missing, what was not read, the dock and the sheet of
// a small screen. The board ranks; other scripts keep the draft and send the form.

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

// The same counts as the server's.
export function length(text, unit) {
  if (unit === "words") return (text.match(WORD) ?? []).length;
  return [...text.normalize("NFC").replace(/\s+/gu, "")].length;
}

class RankingPanel extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.board = this.querySelector("ranking-board");
    this.texts = document.querySelector("ranking-texts");
    this.reason = this.form.elements.justification;
    this.toggle = this.querySelector(".sheet-toggle");
    this.scrim = document.querySelector(".scrim");
    this.dialog = document.getElementById("unread");
    this.isConfirmed = false;

    this.form.addEventListener("submit", (event) => this.submit(event));
    this.form.addEventListener("input", () => this.changed());
    this.form.addEventListener("draft:filled", () => this.changed());
    this.form.addEventListener("refused", () => this.focusFirst(this.querySelector(".summary a")?.hash));
    this.addEventListener("ranked", () => this.changed());
    this.addEventListener("click", (event) => this.press(event));
    this.addEventListener("keydown", (event) => this.escape(event));
    document.addEventListener("text-shown", () => this.changed());
    this.toggle.addEventListener("click", () => this.openSheet());
    this.querySelector(".sheet-close").addEventListener("click", () => this.closeSheet());
    this.scrim.addEventListener("click", () => this.closeSheet());
    matchMedia("(min-width: 64rem)").addEventListener("change", () => this.closeSheet());
    this.dialog.querySelector("[data-open-unread]").addEventListener("click", () => this.openUnread());
    this.dialog.querySelector("[data-submit-anyway]").addEventListener("click", () => this.submitAnyway());
    this.changed();
    if ("refused" in this.dataset) this.focusFirst(this.querySelector(".summary a")?.hash);
  }

  get isDock() {
    return getComputedStyle(this.toggle).display !== "none";
  }

  get current() {
    return this.texts.current;
  }

  press(event) {
    const opener = event.target.closest("[data-open-text]");
    const dock = event.target.closest("[data-dock]");
    if (opener) this.openText(opener.dataset.openText);
    if (dock) {
      this.board.do(dock.dataset.dock, this.current);
      if (!dock.checkVisibility()) this.querySelector("[data-dock]:not([disabled])")?.focus({ preventScroll: true });
    }
  }

  openText(letter) {
    this.closeSheet();
    this.texts.open(letter);
  }

  write() {
    if (this.isDock) this.openSheet();
    this.focusWithin(this.reason);
  }

  changed() {
    if (!this.board.rows) return;
    const { unit, one, many } = this.dataset;
    const count = length(this.reason.value, unit);
    this.querySelector("[data-count]").textContent = (count === 1 ? one : many).replace("{n}", count);
    for (const [letter, card] of this.board.cards) card.toggleAttribute("data-current", letter === this.current);
    this.showTicks();
    this.showDock();
    if (this.hasAsked && !this.querySelector(".summary").hidden) this.showProblems();
  }

  showTicks() {
    for (const list of this.querySelectorAll("[data-checklist]")) {
      const letter = list.dataset.checklist;
      const boxes = [...list.querySelectorAll("input")];
      const n = boxes.filter((box) => box.checked).length;
      list.hidden = letter !== this.current;
      list.querySelector("[data-ticked-of]").textContent = this.board.word("ticked", { n, total: boxes.length });
      this.board.cards.get(letter).querySelector("[data-ticked]").textContent = `${n}/${boxes.length}`;
    }
  }

  showDock() {
    const { rows } = this.board;
    const letter = this.current;
    const at = rows.findIndex((row) => row.includes(letter));
    const isTied = at >= 0 && rows[at].length > 1;
    const words = at < 0 ? "place" : isTied ? "moveTied" : "move";
    this.querySelector("[data-dock-line]").textContent = this.board.word(words, {
      letter,
      place: this.board.ordinal(at),
    });
    this.querySelector("[data-dock-moves]").hidden = at < 0;
    this.querySelector("[data-dock-places]").hidden = at >= 0;
    const button = (what) => this.querySelector(`[data-dock=${what}]`);
    button("up").disabled = at === 0 && !isTied;
    button("down").disabled = at === rows.length - 1 && !isTied;
    button("second").hidden = rows.length < 2;
    button("last").hidden = !rows.length;
    this.toggleAttribute("data-complete", !this.board.unranked.length);
  }

  // --- Submitting ---

  submit(event) {
    const problems = this.showProblems();
    const { unread } = this.texts;
    if (problems.length) {
      event.preventDefault();
      this.focusFirst(problems[0].hash);
    } else if (unread.length && !this.isConfirmed) {
      event.preventDefault();
      this.warn(unread);
    }
    this.isConfirmed = false;
  }

  warn(unread) {
    const { board } = this;
    this.dialog.querySelector("[data-unread-text]").textContent = board.word("notRead", { texts: board.listOf(unread) });
    const opener = this.dialog.querySelector("[data-open-unread]");
    opener.textContent = board.word("open", { letter: unread[0] });
    opener.dataset.openUnread = unread[0];
    this.dialog.showModal();
  }

  openUnread() {
    this.dialog.close();
    const letter = this.dialog.querySelector("[data-open-unread]").dataset.openUnread;
    this.openText(letter);
    document.getElementById(`tab-${letter}`).focus({ preventScroll: true });
  }

  submitAnyway() {
    this.dialog.close();
    this.isConfirmed = true;
    this.form.requestSubmit();
  }

  problems() {
    const missing = [];
    const { board } = this;
    if (board.unranked.length) {
      missing.push({ hash: "#ranks", text: board.word("unranked", { texts: board.listOf(board.unranked) }) });
    }
    if (length(this.reason.value, this.dataset.unit) < Number(this.dataset.least)) {
      missing.push({ hash: "#justification", text: board.word("reason") });
    }
    return missing;
  }

  showProblems() {
    const problems = this.problems();
    const summary = this.querySelector(".summary");
    this.hasAsked = true;
    this.board.toggleAttribute("data-invalid", problems.some((problem) => problem.hash === "#ranks"));
    if (problems.some((problem) => problem.hash === "#justification")) this.reason.setAttribute("aria-invalid", "true");
    else this.reason.removeAttribute("aria-invalid");
    summary.hidden = !problems.length;
    const things = summary.querySelector("[data-things]");
    things.textContent = problems.length ? this.board.word(`things${problems.length}`) : "";
    summary.querySelector("ul").replaceChildren(...problems.map((problem) => this.problemLine(problem)));
    return problems;
  }

  problemLine({ hash, text }) {
    const line = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: hash, textContent: text });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.focusFirst(hash);
    });
    line.append(link);
    return line;
  }

  focusFirst(hash) {
    if (hash === "#justification") return this.write();
    if (!hash) return;
    if (this.isDock) this.openSheet();
    const first = this.querySelector(".pool [data-do=first]") ?? this.querySelector("[data-tiers] [data-do]:enabled");
    if (first) this.focusWithin(first);
  }

  // The panel may scroll to what is focused; the text that is being read may not.
  focusWithin(field) {
    field.focus({ preventScroll: true });
    const body = this.querySelector(".panel-body");
    const box = (field.closest(".text-card, .field") ?? field).getBoundingClientRect();
    const frame = body.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) body.scrollTop += box.top - frame.top - 16;
  }

  // --- The sheet of a small screen ---

  openSheet() {
    this.dataset.open = "";
    this.toggle.setAttribute("aria-expanded", "true");
    this.scrim.hidden = false;
    this.outside((element) => (element.inert = true));
    this.querySelector(".sheet-close").focus();
  }

  closeSheet() {
    if (!("open" in this.dataset)) return;
    delete this.dataset.open;
    this.toggle.setAttribute("aria-expanded", "false");
    this.scrim.hidden = true;
    this.outside((element) => (element.inert = false));
    if (this.isDock) this.toggle.focus({ preventScroll: true });
  }

  outside(change) {
    document.querySelectorAll(".bar, .reading").forEach(change);
  }

  escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    if (event.target === this.reason && !this.isDock) {
      event.preventDefault();
      this.reason.blur();
    } else {
      this.closeSheet();
    }
  }
}

customElements.define("ranking-panel", RankingPanel);
