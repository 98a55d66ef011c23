"""Waiting for what a page says of itself."""

import time

from playwright.sync_api import Page

LONGEST = 10  # seconds


def until(page: Page, expression: str) -> None:
    """Until the expression is true.

    Playwright's wait_for_function evaluates a string in the page each time it looks again, which the content security
    policy refuses.
    """
    end = time.monotonic() + LONGEST
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression} did not come true"
        page.wait_for_timeout(20)
