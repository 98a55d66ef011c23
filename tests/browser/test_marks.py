"""Marks for criteria on the scoring page: keys, draft, phone, no script."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Mark, Score
from annotation.services import assignments
from tests.browser.axe import axe
from tests.browser.texts import ENGLISH
from tests.factories import NOW, PASSWORD, make_prompt, make_response, make_round

FICTION = "mark-fiction.voice"


@pytest.fixture
def address(project, annotator) -> str:
    project.criterion_marks = True
    project.save(update_fields=["criterion_marks"])
    make_response(make_prompt(project, genre=project.genres.first()), text=ENGLISH)
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    return reverse("score", args=[lease.token])


@pytest.fixture
def scoring(page_of, annotator, address) -> Page:
    page = page_of(annotator)
    page.goto(address)
    return page


def chosen(page: Page) -> dict[str, str]:
    """The score and the marks that are chosen, by name."""
    pairs = page.locator("score-panel input:checked").evaluate_all("all => all.map(e => [e.name, e.value])")
    return dict(pairs)


def stored() -> list[tuple[str, str, int]]:
    return list(Mark.objects.values_list("genre_key", "criterion_key", "value"))


def test_marks_are_reached_by_tab_and_digits_still_mean_the_score(scoring):
    scoring.get_by_label("Justification").focus()
    scoring.keyboard.press("Tab")  # to the summary of the criteria
    scoring.keyboard.press("Tab")
    scoring.keyboard.press("ArrowRight")  # from "no mark" round to 0
    scoring.keyboard.press("ArrowRight")
    scoring.keyboard.press("3")
    assert chosen(scoring) == {"value": "3", FICTION: "1", "mark-voice": ""}
    scoring.keyboard.press("Control+Enter")
    expect(scoring).not_to_have_url(re.compile("/score/"))
    assert Score.objects.get().value == 3
    assert stored() == [("fiction", "voice", 1)]


def test_a_mark_can_be_taken_back(scoring):
    group = scoring.get_by_role("radiogroup", name="en voice 1")
    group.get_by_role("radio", name="2").check()
    group.get_by_role("radio", name="No mark").check()
    assert chosen(scoring) == {FICTION: "", "mark-voice": ""}


def test_the_draft_keeps_marks(scoring, address):
    scoring.get_by_role("radiogroup", name="en voice 1").get_by_role("radio", name="2").check()
    expect(scoring.get_by_text("Draft saved")).to_be_visible()
    scoring.goto("/")
    scoring.goto(address)
    assert chosen(scoring) == {FICTION: "2", "mark-voice": ""}


def test_marks_are_given_without_javascript(browser, live_server, annotator, address):
    with browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="en-US") as context:
        page = context.new_page()
        page.goto(address)
        page.get_by_label("User name").fill(annotator.user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("radiogroup", name="Score, from 0 to 3").get_by_role("radio", name="1").check()
        page.get_by_role("radiogroup", name="en voice 0").get_by_role("radio", name="3").check()
        page.get_by_role("button", name="Submit and next").click()
        page.goto(address)
        expect(page.get_by_text("Marks for each criterion")).to_be_visible()
    assert stored() == [("", "voice", 3)]


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_no_state_with_marks_breaks_a_rule_of_axe(scoring, address, theme, width):
    scoring.emulate_media(color_scheme=theme, reduced_motion="reduce")
    scoring.set_viewport_size({"width": width, "height": 844})
    assert axe(scoring) == []
    if width == 390:
        scoring.get_by_role("button", name="Rubric, reason").click()
    scoring.get_by_role("radiogroup", name="en voice 1").get_by_role("radio", name="2").check()
    assert axe(scoring) == []
    assert scoring.evaluate("document.documentElement.scrollWidth") == width
    scoring.locator("input[name=value][value='2']").check()
    scoring.get_by_role("button", name="Submit and next").click()
    expect(scoring).not_to_have_url(re.compile(address))
    scoring.wait_for_load_state()
    scoring.goto(address)
    assert axe(scoring) == []


def test_j_and_k_go_to_a_criterion_and_a_digit_marks_it(scoring):
    scoring.keyboard.press("j")
    scoring.keyboard.press("1")  # and on to the next criterion without a mark
    scoring.keyboard.press("0")  # and on to the score, the last of all
    scoring.keyboard.press("3")
    assert chosen(scoring) == {"value": "3", FICTION: "1", "mark-voice": "0"}
    scoring.keyboard.press("k")
    scoring.keyboard.press("2")
    assert chosen(scoring) == {"value": "3", FICTION: "1", "mark-voice": "2"}
