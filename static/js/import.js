// Says before the sending what the server would say after it.
const field = document.querySelector("input[type=file][data-most-bytes]");

field?.addEventListener("change", () => {
  const tooLarge = [...field.files].some((file) => file.size > Number(field.dataset.mostBytes));
  field.setCustomValidity(tooLarge ? field.dataset.tooLarge : "");
  if (tooLarge) field.reportValidity();
});
