"""The ranking page breaks no rule of axe and never scrolls sideways, whatever its state; its lines stay readable."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Membership
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, in_looks
from tests.browser.ranking import make_long_set, read_all
from tests.browser.test_scoring_page import LINES, LONGEST_LINE
from tests.factories import NOW
from tests.ranking_rounds import hand_out, make_ranking_round

WIDTHS = [1440, 1280, 1024, 720, 390, 320]


@pytest.fixture
def address(project, annotator):
    """Of a set to be ranked by requirements, in Chinese."""
    prompt = make_long_set(project, "zh", texts=3)
    for number, text in enumerate(("写到一条河", "结尾是一个问句"), start=1):
        prompt.requirements.create(position=number, text=text)
    lease = hand_out(annotator, make_ranking_round(project, instruction="requirements"))
    return reverse("rank", args=[lease.token])


def wider(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def is_sound(page: Page) -> None:
    assert axe(page) == []
    assert wider(page) <= 0


@in_looks(LOOKS)
def test_no_state_of_the_page_breaks_a_rule(look, page_of, annotator: Membership, address, complaints):
    page = page_of(annotator)
    page.goto(address)
    is_sound(page)  # nothing ranked yet
    for key in ("p", "a", "1", "b", "2", "b", "="):
        page.keyboard.press(key)
    is_sound(page)  # a tie, and one text left
    page.keyboard.press("Control+Enter")
    expect(page.locator("#summary")).to_be_visible()
    is_sound(page)  # what is missing
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    compare = page.locator("[data-compare]")
    if compare.is_visible():
        compare.click()
        is_sound(page)
        compare.click()
    else:
        page.locator(".sheet-toggle").click()
        is_sound(page)
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    is_sound(page)
    page.keyboard.press("Escape")
    for key in ("c", "3", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator("#unread")).to_be_visible()
    is_sound(page)
    page.locator("[data-submit-anyway]").click()
    expect(page.locator(".order-stored")).to_be_visible()
    is_sound(page)  # stored
    page.goto(f"{address}?edit")
    is_sound(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_states_of_the_connection_break_no_rule(page_of, annotator, address, complaints, context, scheme):
    complaints.allow("Failed to load resource")
    page = page_of(annotator)
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("[data-strip]")).to_be_visible()
    is_sound(page)
    context.set_offline(False)  # the page hears of it and tries by itself
    expect(page.locator("[data-strip]")).to_be_hidden()
    context.clear_cookies(name=re.compile("session"))
    for key in ("b", "2"):
        page.keyboard.press(key)
    expect(page.locator("#signed-out")).to_be_visible()
    is_sound(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_closed_round_breaks_no_rule(page_of, annotator, address, project, scheme):
    project.rounds.update(state="locked", locked_at=NOW)
    page = page_of(annotator)
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    expect(page.locator("#summary")).to_be_visible()
    expect(page.locator(".submit")).to_have_count(0)
    is_sound(page)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_scrolls_sideways_and_lines_stay_short(page_of, annotator, project, language, width):
    make_long_set(project, language)
    lease = hand_out(annotator, make_ranking_round(project))
    page = page_of(annotator)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(reverse("rank", args=[lease.token]))
    for key in ("a", "1", "b", "1", "a", "=", "c", "3"):
        page.keyboard.press(key)
    assert wider(page) <= 0
    lines = page.locator("#text-C .text p").evaluate_all(LINES)
    assert max(lines) <= LONGEST_LINE[language]
    if width >= 1280:
        page.locator("[data-compare]").click()
        assert wider(page) <= 0
        assert max(page.locator("#text-D .text p").evaluate_all(LINES)) <= LONGEST_LINE[language]
    if width < 1024:
        page.locator(".sheet-toggle").click()
        assert page.locator(".panel-body").evaluate("body => body.scrollWidth - body.clientWidth") <= 0


def test_twice_as_large_nothing_scrolls_sideways(page_of, annotator, project):
    """What a browser shows at 200 %: half the pixels, each twice as large."""
    make_long_set(project)
    lease = hand_out(annotator, make_ranking_round(project))
    page = page_of(annotator)
    page.set_viewport_size({"width": 720, "height": 450})
    page.goto(reverse("rank", args=[lease.token]))
    page.keyboard.press("1")
    assert wider(page) <= 0
    assert page.locator("ranking-panel").bounding_box()["height"] < 225  # more than half is left to read in


def test_the_dialog_gives_the_focus_back_and_what_has_it_is_never_hidden(page_of, annotator, address):
    page = page_of(annotator)
    page.goto(address)
    read_all(page)
    for key in ("a", "1", "b", "2"):
        page.keyboard.press(key)
    for _ in range(40):
        page.keyboard.press("Tab")
        covered = page.evaluate(
            """() => {
              const at = document.activeElement, box = at.getBoundingClientRect();
              if (!box.width || at === document.body || at.matches(".pane, .reading")) return null;
              const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
              return top && (at.contains(top) || top.contains(at)) ? null : at.outerHTML.slice(0, 120);
            }"""
        )
        assert covered is None
