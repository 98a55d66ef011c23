// The form in which a score is given: what is chosen and counted, undo, the sheet of a small screen.
// Drafts and sending stand in draft.js and submit.js.

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;
const A_BURST = 1000; // ms: what is typed without such a pause is undone at once

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
    this.groups = [...this.querySelectorAll("fieldset.mark")];
    this.reason = this.form.elements.justification;
    this.toggle = this.querySelector(".sheet-toggle");
    this.scrim = document.querySelector(".scrim");
    this.undone = this.querySelector("[data-undo-change]");
    this.past = [];
    this.present = this.state();

    this.form.addEventListener("submit", (event) => this.submit(event));
    this.form.addEventListener("input", () => this.changed(), { capture: true });
    this.form.addEventListener("draft:filled", () => this.filled());
    this.form.addEventListener("refused", () => this.focusFirst(this.querySelector(".summary a")?.hash));
    this.reason.addEventListener("keydown", (event) => this.leaveReason(event));
    this.toggle.addEventListener("click", () => this.openSheet());
    this.undone.addEventListener("click", () => this.undo());
    this.querySelector(".sheet-close").addEventListener("click", () => this.closeSheet());
    this.scrim.addEventListener("click", () => this.closeSheet());
    this.addEventListener("keydown", (event) => this.escape(event));
    document.addEventListener("press", (event) => this.press(event.detail) && event.preventDefault());
    matchMedia("(min-width: 64rem)").addEventListener("change", () => this.closeSheet());

    this.show();
    if ("refused" in this.dataset) this.focusFirst(this.querySelector(".summary a")?.hash);
  }

  get score() {
    return this.form.elements.value.value;
  }

  get isDock() {
    return getComputedStyle(this.toggle).display !== "none";
  }

  // --- Choosing by keys ---

  press({ key, alt }) {
    if (alt) return false;
    if (/^[0-3]$/.test(key)) this.choose(key);
    else if (key === "e") this.write();
    else if (key === "j") return this.step(1);
    else if (key === "k") return this.step(-1);
    else if (key === "u") return this.undo();
    else return false;
    return true;
  }

  // A digit means the criterion that j and k have gone to, else the score.
  choose(digit) {
    const group = this.groups.find((each) => "current" in each.dataset);
    const radios = group ? [...group.querySelectorAll("input")] : this.radios;
    const radio = radios.find((one) => one.value === digit);
    radio.checked = true;
    radio.dispatchEvent(new Event("input", { bubbles: true }));
    if (group) this.goTo(this.groups.slice(this.groups.indexOf(group) + 1).find((each) => !markOf(each)));
  }

  // Before the first and after the last criterion stands the score.
  step(by) {
    if (!this.groups.length) return false;
    const stops = [undefined, ...this.groups];
    const at = stops.indexOf(this.groups.find((each) => "current" in each.dataset));
    this.goTo(stops.at((at + by) % stops.length));
    return true;
  }

  goTo(group) {
    for (const each of this.groups) delete each.dataset.current;
    if (!group) return this.focusWithin(this.radios.find((radio) => radio.checked) ?? this.radios[0]);
    this.querySelector(".criteria").open = true;
    group.dataset.current = "";
    this.focusWithin(group.querySelector("input:checked"));
  }

  write() {
    if (this.isDock) this.openSheet();
    this.focusWithin(this.reason);
  }

  quote(words) {
    const { reason } = this;
    const gap = reason.value && !/\s$/.test(reason.value) ? " " : "";
    reason.value = `${reason.value}${gap}${words} `;
    reason.scrollTop = reason.scrollHeight;
    reason.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // --- What stands in the form ---

  state() {
    const marks = Object.fromEntries(this.marks.filter((mark) => mark.checked).map((mark) => [mark.name, mark.value]));
    return { score: this.score, marks, reason: this.reason.value };
  }

  changed() {
    this.remember();
    this.show();
    if (!this.querySelector(".summary").hidden) this.showProblems();
  }

  filled() {
    this.past = [];
    this.present = this.state();
    this.show();
  }

  remember() {
    const [before, now] = [this.present, this.state()];
    if (JSON.stringify(before) === JSON.stringify(now)) return;
    const isTyped = before.score === now.score && JSON.stringify(before.marks) === JSON.stringify(now.marks);
    const isBurst = isTyped && this.typedAt && Date.now() - this.typedAt < A_BURST;
    if (!isBurst) this.past.push(before);
    this.typedAt = isTyped ? Date.now() : 0;
    this.present = now;
  }

  undo() {
    const before = this.past.pop();
    if (!before) return false;
    for (const radio of this.radios) radio.checked = radio.value === before.score;
    for (const mark of this.marks) mark.checked = mark.value === (before.marks[mark.name] ?? "");
    this.reason.value = before.reason;
    this.present = before;
    this.typedAt = 0;
    this.form.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  }

  show() {
    const { one, many, unit } = this.dataset;
    const chosen = this.radios.find((radio) => radio.checked);
    const output = this.querySelector("[data-chosen]");
    output.value = chosen ? `${chosen.value} ${chosen.dataset.name}` : output.dataset.none;
    if (chosen) this.querySelector(".dock-line").textContent = descriptor(chosen);
    const count = length(this.reason.value, unit);
    this.querySelector("[data-count]").textContent = (count === 1 ? one : many).replace("{n}", count);
    this.undone.hidden = !this.past.length;
  }

  // --- Submitting ---

  submit(event) {
    const problems = this.showProblems();
    if (!problems.length) return;
    event.preventDefault();
    this.focusFirst(problems[0].hash);
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
    const { one, many } = summary.dataset;
    summary.querySelector("p").textContent = (problems.length === 1 ? one : many).replace("{n}", problems.length);
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
    this.querySelector(".panel-body").scrollTop = field.closest(".level, .field, .mark").offsetTop - 16;
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

function markOf(group) {
  return group.querySelector("input:checked").value;
}

customElements.define("score-panel", ScorePanel);
