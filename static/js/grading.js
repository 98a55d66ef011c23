// Points by key while a critique is graded: 0, 1 and 2 answer the question with the focus, else the first without an
// answer; Ctrl or Command and Enter keeps them. Single keys rest while somebody writes, and where they are switched
// off. Without this script the form works as it is.

const form = document.querySelector("form[data-grading]");
const singleKeys = form && !("noKeys" in form.dataset) && localStorage.getItem("single-keys") !== "off";

const TEXT_FIELD = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const isComposing = (event) => event.isComposing || event.keyCode === 229;
const somethingIsOpen = () => document.querySelector("dialog[open], [popover]:popover-open");
const answered = (question) => question.querySelector("input:checked");

document.addEventListener("keydown", (event) => {
  if (!form || event.defaultPrevented || event.repeat || isComposing(event) || somethingIsOpen()) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !singleKeys) return;
  if (event.target.closest(TEXT_FIELD) || !/^[0-2]$/.test(event.key)) return;
  event.preventDefault();
  answer(event.target.closest("fieldset"), event.key);
});

function answer(focused, points) {
  const questions = [...form.querySelectorAll("fieldset")];
  const question = focused ?? questions.find((each) => !answered(each)) ?? questions[0];
  const choice = question.querySelector(`input[value="${points}"]`);
  choice.checked = true;
  const next = questions.find((each) => !answered(each));
  (next?.querySelector("input") ?? choice).focus();
}
