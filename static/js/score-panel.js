// The form in which a score is given: what is chosen and counted, the sheet of a small screen, one submit.

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

// The same counts as the server's.
export function length(text, unit) {
  if (unit === "words") return (text.match(WORD) ?? []).length;
  return [...text.normalize("NFC").replace(/\s+/gu, "")].length;
}

class ScorePanel extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.radios = [...this.form.elements.value];
    this.marks = [...this.querySelectorAll(".mark input")];
    this.reason = this.form.elements.justification;
    this.submitButton = this.querySelector(".submit");
    this.toggle = this.querySelector(".sheet-toggle");
    this.scrim = document.querySelector(".scrim");
    this.draftKey = `draft-${this.dataset.token}`;
    this.sending = false;
    this.comesBack = false;

    this.form.addEventListener("submit", (event) => this.submit(event));
    this.form.addEventListener("input", () => this.changed());
    this.reason.addEventListener("keydown", (event) => this.leaveReason(event));
    this.toggle.addEventListener("click", () => this.openSheet());
    this.querySelector(".sheet-close").addEventListener("click", () => this.closeSheet());
    this.scrim.addEventListener("click", () => this.closeSheet());
    this.querySelector("a[href='#criteria-text']")?.addEventListener("click", () => this.openCriteria());
    this.querySelector("[data-flag]")?.addEventListener("click", () => this.comeBack());
    this.addEventListener("keydown", (event) => this.escape(event));
    matchMedia("(min-width: 64rem)").addEventListener("change", () => this.closeSheet());
    window.addEventListener("beforeunload", (event) => this.isUnsaved && event.preventDefault());
    window.addEventListener("pageshow", () => this.ready());

    this.restoreDraft();
    this.show();
    if ("refused" in this.dataset) this.focusFirst(this.querySelector(".summary a")?.hash);
  }

  get score() {
    return this.form.elements.value.value;
  }

  get isDock() {
    return getComputedStyle(this.toggle).display !== "none";
  }

  get isUnsaved() {
    const isChanged = [...this.radios, ...this.marks].some((radio) => radio.checked !== radio.defaultChecked);
    const isWritten = this.reason.value !== this.reason.defaultValue;
    return !this.sending && !this.comesBack && ("refused" in this.dataset || isChanged || isWritten);
  }

  choose(digit) {
    const radio = this.radios.find((one) => one.value === digit);
    radio.checked = true;
    radio.dispatchEvent(new Event("input", { bubbles: true }));
  }

  write() {
    if (this.isDock) this.openSheet();
    this.focusWithin(this.reason);
  }

  // A draft lives in this tab until another text is on the screen: a lost connection must not cost it.
  keepDraft(isSent = false) {
    const marks = Object.fromEntries(this.marks.filter((mark) => mark.checked).map((mark) => [mark.name, mark.value]));
    const draft = { score: this.score, marks, reason: this.reason.value, isSent };
    sessionStorage.setItem(this.draftKey, JSON.stringify(draft));
  }

  changed() {
    this.keepDraft();
    this.show();
    if (!this.querySelector(".summary").hidden) this.showProblems();
  }

  // The page on which the text is flagged leads back here, where the draft waits: nothing is lost on the way.
  comeBack() {
    this.keepDraft();
    this.comesBack = true;
  }

  restoreDraft() {
    dropSentDrafts(this.draftKey);
    const draft = JSON.parse(sessionStorage.getItem(this.draftKey));
    if (!draft || "refused" in this.dataset) return;
    for (const radio of this.radios) radio.checked = radio.value === draft.score;
    for (const mark of this.marks) mark.checked = mark.value === (draft.marks?.[mark.name] ?? "");
    this.reason.value = draft.reason;
  }

  show() {
    const { one, many, unit } = this.dataset;
    const chosen = this.radios.find((radio) => radio.checked);
    const output = this.querySelector("[data-chosen]");
    output.value = chosen ? `${chosen.value} ${chosen.dataset.name}` : output.dataset.none;
    if (chosen) this.querySelector(".dock-line").textContent = descriptor(chosen);
    const count = length(this.reason.value, unit);
    this.querySelector("[data-count]").textContent = (count === 1 ? one : many).replace("{n}", count);
  }

  // --- Submitting ---

  submit(event) {
    if (this.sending) return event.preventDefault();
    const problems = this.showProblems();
    if (problems.length) {
      event.preventDefault();
      return this.focusFirst(problems[0].hash);
    }
    this.sending = true;
    this.submitButton.setAttribute("aria-disabled", "true");
    this.keepDraft(true);
  }

  ready() {
    this.sending = false;
    this.comesBack = false;
    this.submitButton.removeAttribute("aria-disabled");
    this.show();
  }

  problems() {
    const missing = [];
    if (!this.score) missing.push({ kind: "score", hash: "#panel-body" });
    if (length(this.reason.value, this.dataset.unit) < Number(this.dataset.least)) {
      missing.push({ kind: "reason", hash: "#justification" });
    }
    return missing;
  }

  showProblems() {
    const problems = this.problems();
    const summary = this.querySelector(".summary");
    const kinds = problems.map((problem) => problem.kind);
    this.querySelector(".levels").toggleAttribute("aria-invalid", kinds.includes("score"));
    this.reason.toggleAttribute("aria-invalid", kinds.includes("reason"));
    for (const invalid of this.querySelectorAll("[aria-invalid]")) invalid.setAttribute("aria-invalid", "true");
    summary.hidden = !problems.length;
    summary.querySelector("ul").replaceChildren(...problems.map((problem) => this.problemLine(problem)));
    return problems;
  }

  problemLine({ kind, hash }) {
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = hash;
    link.textContent = this.querySelector(`[data-missing=${kind}]`).content.textContent;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.focusFirst(hash);
    });
    line.append(link);
    return line;
  }

  focusFirst(hash) {
    if (hash === "#justification") this.write();
    else if (hash) this.focusWithin(this.radios[0]);
  }

  // The panel may scroll to what is focused; the text that is being read may not.
  focusWithin(field) {
    field.focus({ preventScroll: true });
    this.querySelector(".panel-body").scrollTop = field.closest(".level, .field").offsetTop - 16;
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

  openCriteria() {
    this.querySelector(".criteria").open = true;
  }

  escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    this.closeSheet();
  }

  leaveReason(event) {
    if (event.key !== "Escape" || event.isComposing || this.isDock) return;
    event.preventDefault();
    this.reason.blur();
  }
}

function descriptor(radio) {
  return radio.closest("label").querySelector(".level-text")?.textContent ?? radio.dataset.name;
}

function dropSentDrafts(besides) {
  for (const key of Object.keys(sessionStorage)) {
    if (!key.startsWith("draft-") || key === besides) continue;
    if (JSON.parse(sessionStorage.getItem(key)).isSent) sessionStorage.removeItem(key);
  }
}

customElements.define("score-panel", ScorePanel);
