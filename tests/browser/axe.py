"""Accessibility by axe-core's rules, within the page's own content security policy."""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def axe(page: Page) -> list[str]:
    """Every violation on the page as 'rule: help: where'; empty where there is none."""
    page.wait_for_load_state()  # before its styles are there, every target is small
    page.evaluate(_script())
    found = page.evaluate("levels => axe.run(document, {runOnly: levels})", LEVELS)["violations"]
    return [
        f"{fault['id']}: {fault['help']}: {' '.join(str(part) for part in node['target'])}"
        for fault in found
        for node in fault["nodes"]
    ]


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")
