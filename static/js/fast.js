// Asks once whether a text was read, where its answer comes after less than a part of the time that reading it takes.
// It hears a submit after the page's own script, which may have stopped it, and before submit.js.

const FAST = 4; // asked about where less than one part in so many of the usual time was spent
const dialog = document.getElementById("fast");
const words = dialog?.querySelector("[data-says]");
let isSure = false;

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || isSure || !dialog || !form.matches("form[data-usual]")) return;
  const seconds = Number(form.elements.active?.value ?? Infinity); // which <active-time> has told just now
  const usual = Number(form.dataset.usual);
  if (seconds * FAST >= usual) return;
  event.preventDefault();
  words.textContent = words.dataset.says.replace("{active}", inWords(seconds)).replace("{usual}", inWords(usual));
  dialog.returnValue = "";
  dialog.showModal();
  dialog.onclose = () => {
    if (dialog.returnValue !== "submit") return;
    isSure = true;
    form.requestSubmit();
  };
});

function inWords(seconds) {
  const { seconds: asSeconds, minutes: asMinutes } = dialog.dataset;
  if (seconds < 90) return asSeconds.replace("{n}", seconds);
  return asMinutes.replace("{n}", Math.round(seconds / 60));
}
