"""Adjudication in the browser: each kind of case by keys alone, on a phone, and within the rules of axe."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.domain.splits import Thresholds
from annotation.models import AdjudicationCase, CaseJudgement
from annotation.services import adjudication
from tests.browser.axe import axe
from tests.browser.keyboard import next_page
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.browser.texts import ENGLISH
from tests.factories import NOW, make_member
from tests.split_rounds import compared, scored, send, voted

KINDS = ["score", "pair", "category"]
REASON = "The middle carries it, whatever the end does."


@pytest.fixture
def adjudicator(project):
    return make_member(project, "adjudicator", "adj")


@pytest.fixture
def case_of(project):
    """A case of a kind."""
    voters = [make_member(project, "annotator", name) for name in ("ann", "bob", "cem")]

    def made(kind: str) -> AdjudicationCase:
        if kind == "score":
            work = scored(project, ENGLISH, wide=(0, 3, 1))
        elif kind == "pair":
            work = compared(project, voters, ["r1", "r2", "r1"], ENGLISH)
        else:
            project.genres.create(key="essay", name_en="Essay", name_zh="议论文", position=2)
            work = voted(project, voters, ["fiction", "poetry", "essay"])
        send(work, Thresholds(minority=1 if kind == "pair" else None))
        return AdjudicationCase.objects.get(round=work)

    return made


def judged() -> list[tuple[str, int | None, str, str | None]]:
    rows = CaseJudgement.objects.order_by("pk")
    return list(rows.values_list("step", "value", "preferred", "category__key"))


def wide(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth")


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_decided_by_keys_alone(kind, case_of, adjudicator, page_of, project):
    case = case_of(kind)
    page = page_of(adjudicator)
    page.goto(reverse("adjudicate", args=[case.token]))
    first, second = {"score": ("1", "2"), "pair": ("a", "b"), "category": ("1", "3")}[kind]
    page.keyboard.press(first)
    with next_page(page):
        page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Rater C")).to_be_visible()
    page.keyboard.press(second)
    page.keyboard.press("e")
    page.keyboard.type(REASON)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Adjudication")).to_be_visible()
    steps = judged()
    assert [step for step, *_ in steps] == ["own", "decision"]
    assert steps[0][1:] != steps[1][1:]
    assert CaseJudgement.objects.get(step="decision").justification == REASON


def test_nothing_chosen_and_no_reason_are_said_where_they_are_missing(
    case_of, adjudicator, page_of, complaints
):
    complaints.allow("status of 422")
    page = page_of(adjudicator)
    page.goto(reverse("adjudicate", args=[case_of("score").token]))
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose a score from 0 to 3.")
    for _step in ("own", "decision"):
        page.keyboard.press("2")
        with next_page(page):
            page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Write why you decide so.")
    expect(page.get_by_label("Reason")).to_be_focused()
    assert axe(page) == []


@in_looks(LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_of_a_case(look, kind, case_of, adjudicator, page_of):
    case = case_of(kind)
    width = look.viewport_size["width"]
    page_of(adjudicator)
    address = reverse("adjudicate", args=[case.token])
    for step in ("own", "decision", None):
        look.goto(address)
        assert axe(look) == []
        assert wide(look) == width
        choice = {"score": "1", "pair": "a", "category": "fiction"}[kind]
        if step == "own":
            adjudication.own(case, adjudicator, choice=choice, justification="Flat.", now=NOW)
        elif step == "decision":
            adjudication.decide(case, adjudicator, choice=choice, reason=REASON, now=NOW)


@in_looks(LOOKS)
def test_the_queue(look, case_of, adjudicator, page_of, project):
    address = reverse("adjudication", args=[project.slug])
    page_of(adjudicator)
    look.goto(address)
    assert axe(look) == []
    case = case_of("score")
    case_of("pair")
    adjudication.own(case, adjudicator, choice="1", justification="", now=NOW)
    adjudication.decide(case, adjudicator, choice="1", reason=REASON, now=NOW)
    look.goto(address)
    assert axe(look) == []
    assert wide(look) == look.viewport_size["width"]


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_the_lead(look, case_of, adjudicator, lead, page_of, project):
    case = case_of("score")
    adjudication.own(case, adjudicator, choice="1", justification="", now=NOW)
    adjudication.decide(case, adjudicator, choice="1", reason=REASON, now=NOW)
    page_of(lead)
    for address in (
        reverse("adjudication", args=[project.slug]),
        reverse("send_cases", args=[project.slug, case.round_id]),
    ):
        look.goto(address)
        assert axe(look) == []
        assert wide(look) == look.viewport_size["width"]
