// One stop of the Tab key for a whole heat map; the arrow keys go from cell to cell, and each tells what it rests on.

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class HeatMap extends HTMLElement {
  connectedCallback() {
    const first = this.querySelector("td[tabindex]");
    if (first) first.tabIndex = 0;
    this.addEventListener("focusin", (event) => this.remember(event.target.closest("td")));
    this.addEventListener("keydown", (event) => this.move(event));
  }

  remember(cell) {
    if (!cell) return;
    for (const other of this.querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  }

  move(event) {
    const step = STEPS[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const rows = [...this.querySelectorAll("tbody tr")];
    let row = rows.indexOf(cell.parentElement);
    let column = cell.cellIndex;
    // Cells that rest on nothing, such as a person with themselves, are passed over.
    do {
      row += step[0];
      column += step[1];
    } while (rows[row]?.cells[column] && !rows[row].cells[column].hasAttribute("tabindex"));
    rows[row]?.cells[column]?.focus();
  }
}

customElements.define("heat-map", HeatMap);
