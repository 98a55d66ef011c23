"""What-ifs in the browser: sound in every look, asked for and opened by keyboard alone."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from curation import tasks
from curation.models import Snapshot, WhatIf
from curation.services import recipes, runs, snapshots, what_if, what_if_work
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.work_under_way import make_under_way

CHOICES = (
    {"length_symmetry": "off"},
    {"buckets": 10, "quota": 20, "strata": "language+genre", "min_gap": "3/2"},
)


@pytest.fixture
def unasked(project, monkeypatch):
    """A project with scores and a snapshot of them; who asks is answered at once by whoever calls `work`."""
    monkeypatch.setattr(tasks.compute_what_if, "delay_on_commit", lambda pk: None)
    make_under_way(project, now=timezone.now(), prompts=8, done=60)
    snapshots.take(project, now=timezone.now())
    return project


def work(project) -> None:
    for job in WhatIf.objects.filter(project=project, state="queued").order_by("pk"):
        what_if_work.execute(job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert job.state == "done", job.error


@pytest.fixture
def computed(unasked):
    snapshot = Snapshot.objects.get()
    for parameters in CHOICES:
        what_if.request(unasked, parameters=parameters, snapshot=snapshot, by=None, now=timezone.now())
    work(unasked)
    return unasked


def address(project, *args, name="what_if") -> str:
    return reverse(name, args=[project.slug, *args])


# Tables that are wider than their card; those under the pictures may be.
WIDER = """[...document.querySelectorAll("main .table-scroll")]
    .filter(region => !region.closest(".figure") && region.scrollWidth > region.clientWidth + 1)
    .map(region => region.getAttribute("aria-labelledby"))"""


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate(WIDER) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(OPPOSITE_LOOKS)
def test_numbers_pictures_two_side_by_side_and_pairs(look, computed, lead, page_of):
    page, (one, other) = page_of(lead), WhatIf.objects.order_by("pk")
    page.goto(address(computed, name="what_ifs"))
    is_sound(page)
    for found in (one, other):
        page.goto(address(computed, found.pk))
        for part in ("funnel", "lengths", "longer", "cells", "means"):
            expect(page.locator(f"#{part}-title").first).to_be_visible()
        is_sound(page)
    for summary in page.locator("summary:visible").all():
        summary.click()
    is_sound(page)
    page.goto(address(computed, one.pk, name="what_if_compare") + f"?with={other.pk}")
    is_sound(page)
    kept = one.bars.filter(key__startswith="kept-lengths-").first()
    for key in ("rule-accepted", kept.key):
        page.goto(address(computed, one.pk, key, name="pairs_behind"))
        is_sound(page)
    page.locator("tbody th a").first.click()
    expect(page.locator(".story li").first).to_be_visible()
    is_sound(page)
    rejected = one.bars.filter(key__startswith="rule-").exclude(key="rule-accepted").first()
    page.goto(address(computed, one.pk, rejected.key, 1, name="pair_behind"))
    expect(page.locator(".story .is-decided")).to_be_visible()
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_scores_that_prefer_nothing_and_a_run_not_laid_out_yet(look, unasked, lead, page_of):
    page = page_of(lead)
    snapshot = Snapshot.objects.get()
    nothing = what_if.request(
        unasked, parameters={"min_common": 9}, snapshot=snapshot, by=None, now=timezone.now()
    )
    work(unasked)
    page.goto(address(unasked, nothing.pk))
    expect(page.locator("#lengths-title + p")).to_be_visible()
    is_sound(page)
    recipe = recipes.save(unasked, parameters={}, by=None, now=timezone.now())
    run = runs.request(unasked, recipe=recipe, by=None, now=timezone.now())
    runs.execute(run.pk, clock=timezone.now)
    page.goto(address(unasked, run.pk, name="what_if_of_run"))
    expect(page.locator("main form button")).to_be_visible()
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_before_anything_is_computed_and_what_cannot_be(look, unasked, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address(unasked, name="what_ifs"))
    is_sound(page)
    page.locator("#id_buckets").fill("7")
    page.locator("#id_quota").fill("5")
    page.locator("main form .button.primary").click()
    expect(page.locator("#id_buckets-error")).to_be_visible()
    expect(page.locator("#id_buckets")).to_be_focused()
    expect(page.locator("#id_quota")).to_have_value("5")
    is_sound(page)
    page.locator("#id_buckets").fill("10")
    page.locator("main form .button.primary").click()
    expect(page.locator("#report-state")).to_be_visible()
    is_sound(page)


def test_a_lead_asks_and_opens_a_pair_by_keyboard_alone(unasked, lead, page_of):
    page = page_of(lead)
    page.goto(address(unasked, name="what_ifs"))
    page.locator("#id_min_gap").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("1/2")
    page.keyboard.press("Enter")
    expect(page.locator("#report-state [role=status]")).to_contain_text("waits for a worker")
    work(unasked)
    # The page asks by itself, and shows the numbers once they are there.
    expect(page.locator("#funnel-title").first).to_be_visible()
    page.locator("tfoot a").first.focus()
    page.keyboard.press("Enter")
    page.locator("tbody th a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".story")).to_be_visible()
    page.locator("a[rel=next]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Pair 2")
