"""The browser tests notice what they are there to notice."""

import pytest
from playwright.sync_api import Page, Route

from tests.browser.axe import axe

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
SOUND = '<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1></main></html>'


@pytest.fixture
def show(page: Page):
    def shown(html: str) -> Page:
        def answer(route: Route) -> None:
            route.fulfill(body=html, content_type="text/html", headers={"Content-Security-Policy": POLICY})

        page.route("**/shown", answer)
        page.goto("/shown")
        return page

    return shown


def test_a_sound_page_gives_no_complaint(show, complaints):
    assert axe(show(SOUND)) == []
    assert complaints.heard == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("<script>alert(1)</script>", "content security policy: script-src-elem inline"),
        ('<p style="color: red">x</p>', "content security policy: style-src-attr inline"),
        ('<img src="https://elsewhere.example/x.png" alt="">', "content security policy: img-src"),
    ],
)
def test_a_violation_of_the_policy_is_a_complaint(show, complaints, fault, words):
    show(SOUND.replace("</main>", f"{fault}</main>"))
    assert any(words in said for said in complaints.unexpected())
    complaints.allow("Content Security Policy|content security policy")
    assert complaints.unexpected() == []


def test_an_error_in_a_script_is_a_complaint(show, page, complaints):
    page.route("**/broken.js", lambda route: route.fulfill(body="nowhere()", content_type="text/javascript"))
    show(SOUND.replace("</main>", '<script src="/broken.js"></script></main>'))
    assert any("nowhere is not defined" in said for said in complaints.unexpected())
    complaints.allow("nowhere is not defined")


def test_axe_finds_a_picture_without_a_text(show):
    faults = axe(
        show(SOUND.replace("</main>", '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></main>'))
    )
    assert [fault.split(":")[0] for fault in faults] == ["image-alt"]
