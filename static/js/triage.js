// The triage queue: one button ticks every response of the page, and unticks them again.

const button = document.querySelector("[data-tick-all]");
const boxes = [...document.querySelectorAll("input[name=ticked]")];

button?.addEventListener("click", () => {
  const isOn = !boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = isOn;
});
