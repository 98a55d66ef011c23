// Keys of the scoring page. Single keys rest while somebody writes, composes, or has a dialog open.

const SETTING = "single-keys";
const dialog = document.getElementById("keys");
const setting = dialog.querySelector("[data-single-keys]");
// Switched off for the account, they are off on every device.
setting.checked &&= localStorage.getItem(SETTING) !== "off";
setting.addEventListener("change", () => localStorage.setItem(SETTING, setting.checked ? "on" : "off"));
for (const opener of document.querySelectorAll("[data-opens]")) {
  opener.addEventListener("click", () => document.getElementById(opener.dataset.opens).showModal());
}
for (const each of document.querySelectorAll("dialog[data-closes-outside]")) {
  each.addEventListener("click", (event) => {
    if (event.target === each && !inside(each.getBoundingClientRect(), event)) each.close();
  });
}

function inside(box, { clientX: x, clientY: y }) {
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

const TEXT_FIELD = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const isComposing = (event) => event.isComposing || event.keyCode === 229;
const somethingIsOpen = () => document.querySelector("dialog[open], [popover]:popover-open");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || isComposing(event) || somethingIsOpen()) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.querySelector("form[data-ctrl-enter]").requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !setting.checked) return;
  if (event.target.closest(TEXT_FIELD)) return;
  if (press(event.key)) event.preventDefault();
});

// True where the key meant something here.
function press(key) {
  const panel = document.querySelector("score-panel");
  if (key === "?") dialog.showModal();
  else if (/^[0-3]$/.test(key) && panel) panel.choose(key);
  else if (key.toLowerCase() === "e" && panel) panel.write();
  else if (key.toLowerCase() === "j" && panel) return panel.step(1);
  else if (key.toLowerCase() === "k" && panel) return panel.step(-1);
  else if (key.toLowerCase() === "u" && panel) return panel.undo();
  else if (key.toLowerCase() === "q") return !document.dispatchEvent(new Event("quote", { cancelable: true }));
  else if (key.toLowerCase() === "p") togglePrompt();
  else if (key.toLowerCase() === "f") document.querySelector("[data-flag]")?.click();
  else return false;
  return true;
}

function togglePrompt() {
  const prompt = document.getElementById("prompt");
  if (prompt) prompt.open = !prompt.open;
}
