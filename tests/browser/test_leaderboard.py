"""The leaderboard of a release, its form and a submission in the browser: sound in every look, nothing lost."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from curation.models import Comparison, Submission
from curation.services import submission_work
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.curation.submissions import make_release, right_in, scores, submit
from tests.workers import publishing, transport


@pytest.fixture(autouse=True)
def nudges(tmp_path, settings):
    """Messages to workers go to a folder of this test, and so do releases."""
    settings.RELEASES_DIR = tmp_path / "releases"
    with publishing(*transport(tmp_path, "")):
        yield


@pytest.fixture
def release(project):
    return make_release(project, pairs=12)


def address(name="leaderboard", *more):
    return reverse(name, args=["bridges", "1.0.0", *more])


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(OPPOSITE_LOOKS)
def test_a_leaderboard_is_sorted_and_two_models_are_compared(look, release, lead, page_of):
    for n, model in ((11, "long-name-of-a-judge-with-many-parts-70b-instruct"), (6, "small-judge")):
        submit(release, lead.user, right_in(n, pairs=12), model=model, family="Judges", note="Greedy.")
    submit(release, lead.user, scores({"who": 1}), model="lost")
    page = page_of(lead)
    page.goto(address())
    rows = page.locator("section:has(#models-title) tbody th[scope=row] a")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("long-name")
    is_sound(page)
    page.locator("th[aria-sort] a").click()
    expect(rows.first).to_contain_text("small-judge")
    rows.first.click()
    expect(page.locator("#genres-title")).to_be_visible()
    is_sound(page)
    page.locator(".compare button").click()
    expect(page.locator("#against [role=status]")).to_be_visible()
    submission_work.compare(Comparison.objects.get().pk, clock=timezone.now)
    page.locator("#against [role=status] a").click()
    expect(page.locator("#against-genres")).to_be_visible()
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_a_file_is_refused_beside_its_field_and_then_scored(look, release, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address())
    is_sound(page)
    page.locator("a.primary").click()
    is_sound(page)
    page.locator("summary").click()
    is_sound(page)
    bad = {
        "name": "bad.jsonl",
        "mimeType": "application/json",
        "buffer": b'{"response_id": "a", "score": "x"}',
    }
    page.locator("#id_file").set_input_files(bad)
    page.locator("#id_model").fill("judge-1")
    page.locator("main form button").click()
    expect(page.locator("#id_file_error")).to_be_visible()
    expect(page.locator("#id_model")).to_have_value("judge-1")
    is_sound(page)
    values = {f"p{n:02}-{side}": 2 - "cr".index(side) for n in range(11) for side in "cr"}
    good = {**bad, "buffer": scores({**values, "who": 1})}
    page.locator("#id_file").set_input_files(good)
    page.locator("main form button").click()
    expect(page.locator(".report-state a")).to_be_visible()
    is_sound(page)
    submission_work.execute(Submission.objects.get().pk, clock=timezone.now)
    expect(page.locator("#pairs-title")).to_be_visible(timeout=10_000)  # the page was loaded anew by itself
    page.locator("#problems summary").click()
    expect(page.locator("#problems td", has_text="who")).to_be_visible()
    is_sound(page)
    page.locator("form[action$='/publish/'] button").click()
    expect(page.locator("button[name=take_back]")).to_be_visible()
