// Keys of the pages of work. Single keys rest while somebody writes, composes, or has a dialog open. What is the same on
// all pages is done here; of any other key the page hears as a "press", and prevents it where it meant something.

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
  const { key, altKey, repeat } = event;
  if (event.defaultPrevented || (repeat && !altKey) || isComposing(event) || somethingIsOpen()) return;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.querySelector("form[data-ctrl-enter]")?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || !setting.checked || event.target.closest(TEXT_FIELD)) return;
  if (altKey ? press(key, altKey) : common(key.toLowerCase())) event.preventDefault();
});

// Both: true where the key meant something here.
function common(key) {
  if (key === "?") dialog.showModal();
  else if (key === "p") togglePrompt();
  else if (key === "f") document.querySelector("[data-flag]")?.click();
  else return press(key, false);
  return true;
}

function press(key, alt) {
  return !document.dispatchEvent(new CustomEvent("press", { detail: { key, alt }, cancelable: true }));
}

function togglePrompt() {
  const prompt = document.getElementById("prompt");
  if (prompt) prompt.open = !prompt.open;
}
