// Says before the sending what the server would say after it.
const field = document.querySelector("input[type=file][data-most-bytes]");

field?.addEventListener("change", () => {
  const tooLarge = [...field.files].some((file) => file.size > Number(field.dataset.mostBytes));
  field.setCustomValidity(tooLarge ? field.dataset.tooLarge : "");
  if (tooLarge) field.reportValidity();
});

// A field whose Enter belongs to its own button, not to the first one of its form.
document.addEventListener("keydown", (event) => {
  const button = event.target.dataset?.enter;
  if (!button || event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  document.getElementById(button).click();
});

// Whoever chooses in the list below means that, not the column marked above it.
document.addEventListener("change", (event) => {
  if (event.target.id !== "id_score") return;
  const other = document.querySelector('[name="rating"][value=""]');
  if (other) other.checked = true;
});
