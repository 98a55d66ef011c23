// Asks before a page is left that has what nobody stored: in forms with data-guard, whatever differs from how the
// page came; data-guard="unsaved" where it came with something that was sent and not stored.

function differs(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field instanceof HTMLSelectElement) {
    const marked = [...field.options].findLastIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(marked, field.options.length ? 0 : -1);
  }
  return "defaultValue" in field && field.value !== field.defaultValue;
}

let sent = null;

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) sent = event.target;
});

window.addEventListener("beforeunload", (event) => {
  const guarded = [...document.querySelectorAll("form[data-guard]")].filter((form) => form !== sent);
  if (!guarded.some((form) => form.dataset.guard || [...form.elements].some(differs))) return;
  event.preventDefault();
  // Whoever stays may send once more what the question has stopped.
  setTimeout(() => {
    for (const form of document.querySelectorAll('[data-once="sent"]')) {
      form.dataset.once = "";
      form.querySelector("button")?.removeAttribute("aria-disabled");
    }
  });
});

window.addEventListener("pageshow", () => {
  sent = null;
});
