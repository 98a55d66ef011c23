// The editor of a prompt: shows at once how it will be read, and has what is typed saved before a model is asked.
// The form is kept by draft.js, which is loaded behind this.

const form = document.querySelector("form.editor");
const shown = document.querySelector("[data-preview-text]");

// As the page of annotators sets a prompt: paragraphs between blank lines, and every other line end as it is.
function paragraphs(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((part) => {
      const paragraph = document.createElement("p");
      part.split("\n").forEach((line, place) => {
        if (place) paragraph.append(document.createElement("br"));
        paragraph.append(line);
      });
      return paragraph;
    });
}

function show() {
  const written = paragraphs(form.elements.text.value);
  const language = form.elements.language.value;
  const isChinese = language.toLowerCase().split("-")[0] === "zh";
  shown.lang = written.length ? (language === "zh" ? "zh-Hans" : language) : document.documentElement.lang;
  shown.closest("[data-preview]").classList.toggle("is-chinese", isChinese);
  if (!written.length) {
    const none = document.createElement("p");
    none.className = "none";
    none.textContent = shown.dataset.empty;
    written.push(none);
  }
  shown.replaceChildren(...written);
}

form.addEventListener("input", show);
form.addEventListener("draft:filled", show);
// A form that comes back from the browser's memory may be filled with more than the server sent.
window.addEventListener("pageshow", show);

// Whoever sends the form itself follows the last draft that was kept, not the one that the page came with.
form.addEventListener("formdata", (event) => {
  if (form.draft) event.formData.set("after", form.draft.version);
});

// What is asked of a model, or taken over from it, is of the prompt as it is saved.
document.addEventListener(
  "submit",
  async (event) => {
    const asking = event.target;
    if (!("afterDraft" in asking.dataset) || asking.dataset.flushed || !form.draft?.isDirty) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    await form.draft.flush();
    asking.dataset.flushed = "yes";
    asking.requestSubmit();
  },
  true,
);
