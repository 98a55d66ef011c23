// Keys of the ranking page. Single keys rest while somebody writes, composes, or has a dialog open.

const SETTING = "single-keys";
const dialog = document.getElementById("keys");
const setting = dialog.querySelector("[data-single-keys]");
// Switched off for the account, they are off on every device.
setting.checked &&= localStorage.getItem(SETTING) !== "off";
setting.addEventListener("change", () => localStorage.setItem(SETTING, setting.checked ? "on" : "off"));
document.querySelector("[data-open-keys]").addEventListener("click", () => dialog.showModal());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog && !inside(dialog.getBoundingClientRect(), event)) dialog.close();
});

function inside(box, { clientX: x, clientY: y }) {
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

const TEXT_FIELD = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const isComposing = (event) => event.isComposing || event.keyCode === 229;
const somethingIsOpen = () => document.querySelector("dialog[open], [popover]:popover-open");
const texts = document.querySelector("ranking-texts");
const panel = document.querySelector("ranking-panel");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || isComposing(event) || somethingIsOpen()) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!event.repeat) document.querySelector("form[data-ctrl-enter]").requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || !setting.checked || event.target.closest(TEXT_FIELD)) return;
  const isHeard = event.altKey ? move(event.key) : !event.repeat && press(event.key.toLowerCase());
  if (isHeard) event.preventDefault();
});

function move(key) {
  const what = { ArrowUp: "up", ArrowDown: "down" }[key];
  if (!what || !panel) return false;
  panel.board.do(what, texts.current);
  return true;
}

// True where the key meant something here.
function press(key) {
  if (key === "?") dialog.showModal();
  else if (/^[a-e]$/.test(key)) return texts.open(key.toUpperCase());
  else if (key === "[" || key === "]") return texts.turn(key === "[" ? -1 : 1);
  else if (key === "p") return togglePrompt();
  else if (!panel) return false;
  else if (/^[1-5]$/.test(key) && Number(key) <= texts.letters.length) panel.board.do(Number(key) - 1, texts.current);
  else if (key === "=") panel.board.do("tie", texts.current);
  else if (key === "w") panel.write();
  else if (key === "u") panel.board.undo();
  else return false;
  return true;
}

function togglePrompt() {
  const prompt = document.getElementById("prompt");
  if (prompt) prompt.open = !prompt.open;
  return Boolean(prompt);
}
