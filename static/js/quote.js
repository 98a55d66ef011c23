// Quoting a passage of the text in the justification: ¶3 “…”. By the key q, and by a button at what is selected.

const LONGEST = 300; // characters
const button = document.querySelector("[data-quote]");
const text = document.querySelector("article.text");

function passage() {
  const selection = getSelection();
  if (!text || !selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(text)) return null;
  const paragraphs = [...text.querySelectorAll("p:not(.none)")];
  const touched = paragraphs.filter((paragraph) => holds(range, paragraph));
  if (!touched.length) return null;
  const words = touched.map((paragraph) => within(range, paragraph)).join(" ").replace(/\s+/gu, " ").trim();
  const first = paragraphs.indexOf(touched[0]) + 1;
  const last = paragraphs.indexOf(touched.at(-1)) + 1;
  const place = first === last ? `¶${first}` : `¶${first}–${last}`;
  return words && { place, words: shortened(words), box: range.getBoundingClientRect() };
}

function holds(range, paragraph) {
  return range.intersectsNode(paragraph) && within(range, paragraph).trim() !== "";
}

// What is selected of one paragraph, and nothing of the page around the text.
function within(range, paragraph) {
  const part = document.createRange();
  part.selectNodeContents(paragraph);
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0) part.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset);
  return part.toString();
}

function shortened(words) {
  const characters = [...words];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("").trimEnd()}…` : words;
}

// True where something was selected.
function quote() {
  const found = passage();
  const panel = document.querySelector("score-panel");
  if (!found || !panel) return false;
  panel.quote(`${found.place} “${found.words}”`);
  button.hidden = true;
  document.querySelector("[data-quoted]").textContent = `${button.dataset.done} ${found.place}`;
  return true;
}

function place() {
  const found = passage();
  button.hidden = !found;
  if (!found) return;
  const { box } = found;
  const half = button.offsetWidth / 2;
  const left = Math.min(Math.max(box.left + box.width / 2, half + 8), innerWidth - half - 8);
  const below = box.bottom + 8;
  const top = below + button.offsetHeight < innerHeight ? below : box.top - button.offsetHeight - 8;
  button.style.setProperty("left", `${left - half}px`);
  button.style.setProperty("top", `${Math.max(top, 60)}px`);
}

if (button && document.querySelector("score-panel")) {
  document.addEventListener("selectionchange", place);
  document.addEventListener("scroll", place, { passive: true });
  // The selection must outlive the press.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", quote);
  document.addEventListener("press", (event) => {
    if (event.detail.key === "q" && !event.detail.alt && quote()) event.preventDefault();
  });
}
