"""A real Chromium before the live server: one browser a worker, a fresh context a test.

A test fails on whatever the browser complains of: an error in the console or in a script, a violation of
the content security policy. One that provokes a complaint on purpose says so: complaints.allow("status of 422").
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from annotation.models import Membership, User
from tests import chromium

# How many seconds pass on a page's own clock in one of ours, so that nobody is asked whether they have read at all.
HURRY = """
const now = performance.now.bind(performance);
performance.now = () => RATE * now();
"""
TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class Complaints:
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        self.allowed.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        return [said for said in self.heard if not any(pattern.search(said) for pattern in self.allowed)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever stands in this folder drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        try:
            path = chromium.executable(playwright)
        except chromium.NoChromiumError as error:
            pytest.fail(str(error), pytrace=False)
        with playwright.chromium.launch(executable_path=path, args=chromium.flags()) as running:
            yield running


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def clock_rate() -> int:
    """A test of what takes time sets it to 1."""
    return 10_000


@pytest.fixture
def context(
    browser: Browser, live_server, complaints: Complaints, clock_rate: int
) -> Iterator[BrowserContext]:
    with browser.new_context(
        base_url=live_server.url, locale="en-US", viewport={"width": 1440, "height": 900}
    ) as context:
        context.set_default_timeout(10_000)
        context.add_init_script(TELL_VIOLATIONS)
        if clock_rate != 1:
            context.add_init_script(HURRY.replace("RATE", str(clock_rate)))
        context.route("**/active-time/", lambda route: route.fulfill(status=204))
        context.on("weberror", lambda error: complaints.heard.append(str(error.error)))
        context.on(
            "console",
            lambda said: said.type == "error" and complaints.heard.append(f"{said.text} ({said.page.url})"),
        )
        yield context
        for page in context.pages:
            # It would report its time when it is closed, to a database that is being emptied.
            page.evaluate("document.querySelector('active-time')?.remove()")


@pytest.fixture
def page(context: BrowserContext, complaints: Complaints) -> Iterator[Page]:
    yield context.new_page()
    assert not complaints.unexpected()


@pytest.fixture
def page_of(context: BrowserContext, page: Page, live_server) -> Callable[[User | Membership], Page]:
    """The page of a person who has signed in already."""

    def signed_in(person: User | Membership) -> Page:
        client = Client()
        client.force_login(person.user if isinstance(person, Membership) else person)
        name = settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        return page

    return signed_in


@pytest.fixture
def look(request, page: Page, context, live_server) -> Page:
    """A page in one theme, language and width."""
    theme, language, width = request.param
    context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 844})
    return page
