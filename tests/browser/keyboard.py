"""A person at a keyboard, who finds their way by the names of things and never touches a mouse."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

MOST_TABS = 200
NAME_OF_FOCUSED = """() => {
  const at = document.activeElement;
  const label = at.labels?.[0]?.querySelector("b, span:not(.help)") ?? at.labels?.[0];
  return (at.getAttribute("aria-label") ?? label?.innerText ?? at.innerText ?? "").trim().split("\\n")[0];
}"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what is called so has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if re.search(name, page.evaluate(NAME_OF_FOCUSED)):
            return
    raise AssertionError(f"no Tab leads to {name!r} on {page.url}")


def press(page: Page, name: str) -> None:
    """Follow a link or send a form, and wait for the page it leads to."""
    tab_to(page, name)
    enter(page)


@contextmanager
def next_page(page: Page) -> Iterator[None]:
    """What is done here leads to another page, which is whole at the end. So is the one before it at the beginning:
    its own end of loading is not taken for that of the next."""
    page.wait_for_load_state()
    with page.expect_event("load"):
        yield


def enter(page: Page) -> None:
    with next_page(page):
        page.keyboard.press("Enter")


def write(page: Page, name: str, text: str) -> None:
    tab_to(page, name)
    page.keyboard.type(text)


def tick(page: Page, name: str) -> None:
    tab_to(page, name)
    page.keyboard.press("Space")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name=re.compile(name)).first).to_be_visible(timeout=30_000)
