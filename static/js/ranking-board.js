// <ranking-board>: texts in rows from the best, and those that are not ranked yet. What it shows is what stands in the
// selects of the form, which are sent and kept as a draft. A row holds letters; the board is its rows.

const MOST_UNDOS = 200;

// --- What can be done to rows; each gives new rows ---

const without = (rows, letter) => rows.map((row) => row.filter((each) => each !== letter));
const full = (rows) => rows.filter((row) => row.length).map((row) => [...row].sort());

export function rowOf(rows, letter) {
  return rows.findIndex((row) => row.includes(letter));
}

// A row of its own before the row of that index.
export function place(rows, letter, index) {
  const rest = full(without(rows, letter));
  return [...rest.slice(0, index), [letter], ...rest.slice(index)];
}

// Up is -1 and down 1. With ties, a step out of a row or into the next; without, past the next.
export function step(rows, letter, direction, ties) {
  const index = rowOf(rows, letter);
  if (index < 0) return [...rows, [letter]];
  const isTied = rows[index].length > 1;
  const next = index + direction;
  if (isTied) {
    const rest = rows[index].filter((each) => each !== letter);
    const pair = direction < 0 ? [[letter], rest] : [rest, [letter]];
    return [...rows.slice(0, index), ...pair, ...rows.slice(index + 1)];
  }
  if (next < 0 || next >= rows.length) return rows;
  return ties ? join(rows, letter, next) : place(rows, letter, next);
}

export function join(rows, letter, index) {
  if (index < 0) return rows;
  return full(without(rows, letter).map((row, at) => (at === index ? [...row, letter] : row)));
}

// --- The board ---

class RankingBoard extends HTMLElement {
  connectedCallback() {
    this.form = this.closest("form");
    this.ties = "ties" in this.closest("ranking-panel").dataset;
    this.selects = [...this.form.querySelectorAll("select[name^=rank-]")];
    this.letters = this.selects.map((select) => select.name.slice("rank-".length));
    this.cards = new Map(this.letters.map((letter) => [letter, this.querySelector(`[data-card="${letter}"]`)]));
    this.list = this.querySelector("[data-tiers]");
    this.pool = this.querySelector("[data-pool]");
    this.undos = [];
    this.sortables = [];

    this.addEventListener("click", (event) => this.press(event));
    this.form.addEventListener("draft:filled", () => this.show(this.inFields()));
    this.form.addEventListener("change", (event) => this.selects.includes(event.target) && this.show(this.inFields()));
    this.form.querySelector("[data-undo]").addEventListener("click", () => this.undo());
    this.show(this.inFields());
  }

  word(name, values = {}) {
    const words = this.form.querySelector("[data-words]").content.querySelector(`[data-word="${name}"]`);
    return words.textContent.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  }

  ordinal(index) {
    return this.word("ordinals").split(",")[index] ?? String(index + 1);
  }

  listOf(letters) {
    return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(letters);
  }

  get unranked() {
    return this.letters.filter((letter) => rowOf(this.rows, letter) < 0);
  }

  inFields() {
    const ranked = Map.groupBy(
      this.selects.filter((select) => select.value),
      (select) => Number(select.value),
    );
    const rows = [...ranked].sort(([one], [other]) => one - other).map(([, selects]) => selects);
    return rows.map((row) => row.map((select) => select.name.slice("rank-".length)).sort());
  }

  // --- Changes ---

  change(rows, letter) {
    if (JSON.stringify(rows) === JSON.stringify(this.rows)) return;
    this.undos.push(this.rows);
    this.undos.splice(0, this.undos.length - MOST_UNDOS);
    this.put(rows);
    this.say(this.whereIs(letter));
  }

  undo() {
    if (!this.undos.length) return;
    this.put(this.undos.pop());
    this.say(`${this.word("undone")}. ${this.inWords()}`);
  }

  put(rows) {
    this.show(rows);
    for (const select of this.selects) {
      const row = rowOf(rows, select.name.slice("rank-".length));
      select.value = row < 0 ? "" : String(row + 1);
    }
    this.selects[0].dispatchEvent(new Event("input", { bubbles: true }));
  }

  do(what, letter) {
    const rows = this.rows;
    if (what === "up" || what === "down") this.change(step(rows, letter, what === "up" ? -1 : 1, this.ties), letter);
    else if (what === "out") this.change(full(without(rows, letter)), letter);
    else if (what === "tie" && this.ties && rowOf(rows, letter) > 0) {
      this.change(join(rows, letter, rowOf(rows, letter) - 1), letter);
    } else if (what === "first") this.change(place(rows, letter, 0), letter);
    else if (what === "second") this.change(place(rows, letter, 1), letter);
    else if (what === "last") this.change(place(rows, letter, this.letters.length), letter);
    else if (typeof what === "number") this.change(place(rows, letter, what), letter);
  }

  press(event) {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    const card = button.closest("[data-card]");
    this.do(button.dataset.do, card.dataset.card);
    // A card that has moved keeps the focus, on the same button where it still has it.
    const again = [button, card.querySelector("[data-do=up]"), card.querySelector("[data-do=first]")];
    again.find((each) => each.checkVisibility() && !each.disabled)?.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
  }

  // --- What is shown and said ---

  show(rows) {
    this.rows = rows;
    this.sortables.forEach((sortable) => sortable.destroy());
    const shown = rows.flatMap((row, index) => [this.gap(index), this.row(row, index, rows.length)]);
    this.list.replaceChildren(...shown, this.gap(rows.length));
    this.pool.replaceChildren(...this.unranked.map((letter) => this.cards.get(letter)));
    for (const card of this.cards.values()) this.fit(card);
    const left = this.unranked.length;
    this.querySelector("[data-left]").textContent = left ? this.word("left", { n: left }) : "";
    this.querySelector(".pool-head").hidden = !left;
    this.form.querySelector("[data-undo]").disabled = !this.undos.length;
    const order = this.form.querySelector("[data-order]");
    order.textContent = rows.map((row) => row.join(" = ")).join(" > ") || this.word("nothing");
    order.toggleAttribute("data-empty", !rows.length);
    this.form.querySelector("[data-order-words]").textContent = this.inWords();
    this.makeDraggable();
    this.dispatchEvent(new CustomEvent("ranked", { bubbles: true }));
  }

  row(letters, index) {
    const row = document.createElement("li");
    row.className = "tier";
    const isTie = letters.length > 1;
    const rank = document.createElement("span");
    rank.className = "tier-rank";
    rank.append(Object.assign(document.createElement("b"), { textContent: index + 1 }));
    const name = index === 0 ? (isTie ? "bestTied" : "best") : isTie ? "tie" : "";
    if (name) rank.append(Object.assign(document.createElement("span"), { textContent: this.word(name) }));
    const cards = document.createElement("ul");
    cards.className = isTie ? "tier-cards is-tie" : "tier-cards";
    cards.dataset.drop = "row";
    cards.dataset.index = index;
    cards.append(...letters.map((letter) => this.cards.get(letter)));
    row.append(rank, cards);
    return row;
  }

  // Where a card is dropped between rows; there only while one is dragged.
  gap(index) {
    const gap = document.createElement("li");
    gap.className = "gap";
    gap.setAttribute("aria-hidden", "true");
    const cards = document.createElement("ul");
    cards.dataset.drop = "gap";
    cards.dataset.index = index;
    gap.append(cards);
    return gap;
  }

  // The buttons that mean something where the card is now.
  fit(card) {
    const letter = card.dataset.card;
    const at = rowOf(this.rows, letter);
    const button = (what) => card.querySelector(`[data-do=${what}]`);
    const isTied = at >= 0 && this.rows[at].length > 1;
    card.toggleAttribute("data-ranked", at >= 0);
    button("up").disabled = at === 0 && !isTied;
    button("down").disabled = at === this.rows.length - 1 && !isTied;
    button("second").hidden = this.rows.length < 2;
    button("last").hidden = !this.rows.length;
  }

  whereIs(letter) {
    const at = rowOf(this.rows, letter);
    if (at < 0) return this.word("out", { letter });
    return this.word(this.rows[at].length > 1 ? "tied" : "at", { letter, place: this.ordinal(at) });
  }

  inWords() {
    if (!this.rows.length) return this.word("nothing");
    const rows = this.rows.map((row, index) =>
      this.word("inOrder", { place: this.ordinal(index), texts: this.listOf(row) }),
    );
    return rows.join(this.word("between"));
  }

  say(words) {
    this.querySelector("[data-said]").textContent = words;
  }

  // --- Dragging, by the grip alone ---

  makeDraggable() {
    if (!window.Sortable) return;
    const put = (to, _from, card) => this.ties || to.el.dataset.drop !== "row" || to.el.contains(card);
    this.sortables = [...this.querySelectorAll("[data-drop]")].map((list) =>
      window.Sortable.create(list, {
        group: { name: "ranking", pull: true, put },
        handle: ".grip",
        draggable: ".text-card",
        forceFallback: true, // the same for mouse and touch
        fallbackTolerance: 3,
        emptyInsertThreshold: 12,
        onStart: () => this.toggleAttribute("data-dragging", true),
        onEnd: (event) => this.drop(event),
      }),
    );
  }

  drop({ item, to }) {
    this.toggleAttribute("data-dragging", false);
    const letter = item.dataset.card;
    const index = Number(to.dataset.index);
    const rest = without(this.rows, letter);
    let rows = full(rest);
    if (to.dataset.drop === "gap") rows = full([...rest.slice(0, index), [letter], ...rest.slice(index)]);
    if (to.dataset.drop === "row") rows = full(rest.map((row, at) => (at === index ? [...row, letter] : row)));
    // Sortable has moved the card by itself, so the rows are shown anew in any case. It is not done with it yet.
    queueMicrotask(() => {
      const was = this.rows;
      this.change(rows, letter);
      if (this.rows === was) this.show(was);
    });
  }
}

customElements.define("ranking-board", RankingBoard);
