"""Whoever was very fast is asked once whether they have read, and is never kept from going on."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import JournalEntry, Score
from annotation.services import assignments
from tests.browser.axe import axe
from tests.browser.texts import ENGLISH
from tests.factories import NOW, make_prompt, make_response, make_round
from tests.rounds_of_votes import hand_out, make_pair_round


@pytest.fixture
def clock_rate() -> int:
    return 1


@pytest.fixture
def scoring(page_of, annotator, project) -> Page:
    for _ in range(2):
        make_response(make_prompt(project), text=ENGLISH)
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    page = page_of(annotator)
    page.goto(reverse("score", args=[lease.token]))
    return page


def test_it_asks_and_takes_either_answer(scoring):
    scoring.keyboard.press("2")
    scoring.keyboard.press("Control+Enter")
    dialog = scoring.get_by_role("dialog", name="Have you read to the end?")
    expect(dialog).to_contain_text(
        re.compile(r"You finished in \d+ s; this text usually takes about \d+ min.")
    )
    assert axe(scoring) == []
    dialog.get_by_role("button", name="Check again").click()
    expect(dialog).to_be_hidden()
    assert not Score.objects.exists()
    scoring.keyboard.press("Control+Enter")
    dialog.get_by_role("button", name="Submit", exact=True).click()
    expect(scoring).to_have_title(re.compile("^Item 2 "))
    data = JournalEntry.objects.get(action="score.submitted").data
    assert data["fast"] is True
    assert data["active"] < 20


def test_it_asks_of_a_pair_too(page_of, annotator, project):
    prompt = make_prompt(project)
    pair = [make_response(prompt, text=ENGLISH) for _ in range(2)]
    lease = hand_out(annotator, make_pair_round(project, [pair]))
    page = page_of(annotator)
    page.goto(reverse("choose", args=[lease.token]))
    page.keyboard.press("a")
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Have you read to the end?")
    expect(dialog).to_be_visible()
    assert axe(page) == []
    dialog.get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(re.compile("/work/"))
    assert JournalEntry.objects.get(action="preference.submitted").data["fast"] is True
