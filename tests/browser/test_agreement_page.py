"""The lead's page of agreement in the browser: sound in every look, with much, with little and with nothing."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.services import assignments, consensus, mixing, rankings, scoring
from curation.domain.choice import Choice
from curation.models import Report
from curation.services import report_work, reports
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.factories import make_prompt, make_response, make_round, score_all
from tests.ranking_rounds import hand_out, make_ranking_round, tiers
from tests.work_under_way import compute, make_people, make_under_way

GROUND = {"statistic": "self_consistency", "threshold": "0.5", "value": 0.4, "n": 10}


@pytest.fixture
def measured(project):
    """All that the page can show: gold items, repeats and rankings beside live scores, and somebody to talk to."""
    now = timezone.now()
    members = make_under_way(project, now=now)
    ranked = make_ranking_round(project)
    for prompt in range(12):
        make_response(make_prompt(project), f"more-{prompt}")
    work = make_round(project, "Second round")
    mixing.set_rates(work, gold=30, repeat=20, by=None, now=now)
    gold = work.mixed_in.get(purpose="gold")
    for number in range(9):
        text = make_response(make_prompt(project), f"gold-{number}")
        consensus.add(gold, text, kind="gold", value=number % 4, by=None, now=now)
    mixing.open_gold(gold, by=None, now=now)
    for number, member in enumerate(members[:2]):
        for turn in range(16):
            lease = assignments.claim(member, work, now=now)
            value = (turn + number) % 4
            scoring.submit(lease, value=value, justification="The bridge carries it.", now=now)
        for _ in range(2):
            lease = hand_out(member, ranked, now=now)
            rankings.submit(lease, tiers=tiers("B > A = C"), justification="", now=now)
    report = compute(project, now=now)
    report.result["annotators"][0]["proposal"] = [GROUND]
    Report.objects.filter(pk=report.pk).update(result=report.result)
    return project


def address(project) -> str:
    return reverse("agreement", args=[project.slug])


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(OPPOSITE_LOOKS)
def test_a_report_with_all_its_parts_and_a_response_of_it(look, measured, lead, page_of):
    page = page_of(lead)
    page.goto(address(measured))
    for part in ("proposals", "gold", "gold-of-each", "pairs", "drift", "people", "rankings", "worst"):
        expect(page.locator(f"#{part}-title")).to_be_visible()
    is_sound(page)
    for summary in page.locator("summary:visible").all():
        summary.click()
    is_sound(page)
    page.locator("#worst tbody a").first.click()
    expect(page.locator(".scores-of-response tbody tr").first).to_be_visible()
    is_sound(page)
    page.locator(".page-head a.button").click()
    expect(page.locator("#worst")).to_be_in_viewport()


@in_looks(OPPOSITE_LOOKS)
def test_nothing_little_and_what_cannot_be_chosen(look, project, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address(project))
    is_sound(page)
    compute(project, now=timezone.now())
    page.reload()
    expect(page.locator("figure")).to_have_count(0)
    is_sound(page)
    make_people(project, ["Ada", "Mei"], now=timezone.now())
    make_response(make_prompt(project), "r1")
    score_all(make_round(project), {("r1", "person-1"): 2, ("r1", "person-2"): 2})
    compute(project, now=timezone.now())
    page.reload()
    expect(page.locator("figure").first).to_be_visible()
    is_sound(page)
    page.goto(f"{address(project)}?since=2026-03-02&until=2026-03-01&genre=drama")
    expect(page.locator(".error:visible")).to_have_count(2)
    is_sound(page)


def test_numbers_appear_by_themselves_once_a_worker_has_them(project, lead, page_of):
    now = timezone.now()
    make_people(project, ["Ada", "Mei"], now=now)
    make_response(make_prompt(project), "r1")
    score_all(make_round(project), {("r1", "person-1"): 2, ("r1", "person-2"): 2})
    report = reports.request(project, choice=Choice(), by=None, now=now)
    page = page_of(lead)
    page.goto(address(project))
    expect(page.get_by_text("New numbers wait for a worker.")).to_be_visible()
    report_work.execute(report.pk, clock=lambda: now)
    expect(page.locator("figure").first).to_be_visible(timeout=20_000)


def test_labels_of_a_chart_lie_inside_it(measured, lead, page_of):
    page = page_of(lead)
    page.goto(address(measured))
    cut = """all => all.flatMap(svg => {
        const box = svg.getBoundingClientRect()
        return [...svg.querySelectorAll('text')].filter(text => {
            const own = text.getBoundingClientRect()
            return own.left < box.left - 0.5 || own.right > box.right + 0.5
        }).map(text => text.textContent)
    })"""
    assert page.locator("figure svg").evaluate_all(cut) == []


def test_cells_of_a_heat_map_are_reached_by_arrows(measured, lead, page_of):
    page = page_of(lead)
    page.goto(address(measured))
    cells = page.locator("figure:has(#gold-of-each-title) td[tabindex]")
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cells.nth(1)).to_be_focused()
    expect(cells.nth(1).locator(".note")).to_be_in_viewport()
