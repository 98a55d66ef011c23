"""The page of an audit and its limits in the browser: sound in every look, nothing lost."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from curation.models import Audit
from curation.services import audit_work
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.curation.audits import audited, even, frozen, longer, make_run
from tests.factories import make_project
from tests.workers import publishing, transport

LEAK = ("As ChatGPT would say, the bridge fell.", "Nobody crossed the cold river that day.")


@pytest.fixture(autouse=True)
def nudges(tmp_path, settings):
    """Messages to workers go to a folder of this test, and so do releases."""
    settings.RELEASES_DIR = tmp_path / "releases"
    with publishing(*transport(tmp_path, "")):
        yield


@pytest.fixture
def run(project):
    """A run whose audit finds a bit of everything: copies by pages, a text of an earlier release, a leak."""
    frozen(make_run(make_project("walls"), even(1, first=90)), name="walls", reason="First.")
    run = make_run(project, [*longer(24), *even(8, first=90), LEAK])
    audited(run)
    return run


def address(run, name="audit"):
    return reverse(name, args=[run.project.slug, run.pk])


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(OPPOSITE_LOOKS)
def test_an_audit_with_all_its_parts(look, run, lead, page_of):
    page = page_of(lead)
    page.goto(address(run))
    for part in ("limits", "signals", "families", "copies", "earlier", "leaks"):
        expect(page.locator(f"#{part}-title")).to_be_visible()
    is_sound(page)
    for summary in page.locator("summary:visible").all():
        summary.click()
    expect(page.locator("#genres-longer-title")).to_be_visible()
    is_sound(page)
    page.locator("#copies nav a").click()
    expect(page.locator("#copies")).to_be_in_viewport()
    page.locator("#leaks tbody a").first.click()
    expect(page.locator("article.text")).to_contain_text("As ChatGPT would say")


@in_looks(OPPOSITE_LOOKS)
def test_before_there_is_an_audit_and_while_it_waits(look, project, lead, page_of):
    run = make_run(project, even(1))
    page = page_of(lead)
    page.goto(address(run))
    is_sound(page)
    page.locator(".report-state button").click()
    expect(page.locator(".report-state [role=status]")).to_be_visible()
    expect(page.locator(".report-state a")).to_be_visible()
    is_sound(page)
    audit_work.execute(Audit.objects.get().pk, clock=timezone.now)
    expect(page.locator("#signals-title")).to_be_visible(timeout=10_000)  # the page was loaded anew by itself


@in_looks(OPPOSITE_LOOKS)
def test_limits_are_changed_and_a_fault_is_shown_beside_its_field(look, project, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(reverse("audit_limits", args=["bridges"]))
    is_sound(page)
    page.locator("#id_longer").fill("99")
    page.locator("main form button").click()
    expect(page.locator("#id_longer_error")).to_be_visible()
    is_sound(page)
    page.locator("#id_longer").fill("7.5")
    page.locator("main form button").click()
    expect(page.locator(".notice[role=status]")).to_be_visible()
    expect(page.locator("#id_longer")).to_have_value("7.5")


@in_looks(OPPOSITE_LOOKS)
def test_the_release_tells_of_its_audit(look, run, lead, page_of):
    frozen(run, reason="The name is the story's own.")
    page = page_of(lead)
    page.goto(reverse("release", args=["bridges", "1.0.0"]))
    expect(page.locator(".reason")).to_have_text("The name is the story's own.")
    is_sound(page)
