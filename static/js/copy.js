// Buttons that copy a link. Without a script the field is there to be selected.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // where a page over plain HTTP has no clipboard of its own
    }
    button.firstChild.data = button.dataset.copied;
  });
}

document.getElementById("report")?.focus();
