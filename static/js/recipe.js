// Whoever writes a number of a rule wants the rule. Without this script its box is ticked by hand.

for (const row of document.querySelectorAll(".rule-row")) {
  const rule = row.querySelector('input[type="checkbox"][name^="on_"]');
  row.addEventListener("input", ({ target }) => {
    if (target !== rule && !target.name.startsWith("place_") && target.value) rule.checked = true;
  });
}
