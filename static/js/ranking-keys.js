// Keys of the ranking page alone; those of every page of work, and when keys rest, stand in shortcuts.js.

const texts = document.querySelector("ranking-texts");
const panel = document.querySelector("ranking-panel");

document.addEventListener("press", (event) => {
  const { key, alt } = event.detail;
  if (alt ? move(key) : press(key)) event.preventDefault();
});

// A to E alone: F flags here as on every page of work. Further texts are turned to.
// Both: true where the key meant something here.
function move(key) {
  const what = { ArrowUp: "up", ArrowDown: "down" }[key];
  if (!what || !panel) return false;
  panel.board.do(what, texts.current);
  return true;
}

function press(key) {
  if (/^[a-e]$/.test(key)) return texts.open(key.toUpperCase());
  if (key === "[" || key === "]") return texts.turn(key === "[" ? -1 : 1);
  if (!panel) return false;
  if (/^[1-9]$/.test(key) && Number(key) <= texts.letters.length) panel.board.do(Number(key) - 1, texts.current);
  else if (key === "=") panel.board.do("tie", texts.current);
  else if (key === "w") panel.write();
  else if (key === "u") panel.board.undo();
  else return false;
  return true;
}
