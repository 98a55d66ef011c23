"""The lead's page of progress in the browser: sound in every look, empty and full, and what a lead does there."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from curation.services import report_figures
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.factories import make_member, make_prompt, make_response
from tests.work_under_way import compute, make_under_way, run_recipe
from tests.workers import publishing, transport


@pytest.fixture(autouse=True)
def long_name(project):
    project.name = "Bridges and crossings: literary quality in two languages"
    project.hourly_rate = "24.50"
    project.save(update_fields=["name", "hourly_rate"])


@pytest.fixture
def under_way(project):
    now = timezone.now()
    members = make_under_way(project, now=now)
    project.genres.filter(key="fiction").update(name_en="Promotional & Communication Documents")
    run_recipe(project, now=now)
    compute(project, now=now)
    return members


@pytest.fixture(autouse=True)
def no_other_figures(monkeypatch):
    """What the page does not show is not drawn."""
    monkeypatch.setattr(report_figures, "all_charts", lambda *_: [])


def address(project) -> str:
    return reverse("progress", args=[project.slug])


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(LOOKS)
def test_work_under_way(look, under_way, project, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address(project))
    expect(page.locator(".people-at-work tbody tr")).to_have_count(7)
    expect(page.locator("figure svg:visible")).to_have_count(2)
    names = page.locator(".coverage tbody th")
    assert names.evaluate_all("all => all.every(name => name.scrollWidth <= name.clientWidth)")
    is_sound(page)
    page.goto(f"{address(project)}?wanted=0&pairs=12#planner")
    expect(page.locator("#wanted-error")).to_be_in_viewport()
    page.keyboard.press("Tab")  # reading goes on where the address leads
    expect(page.locator("#wanted")).to_be_focused()
    is_sound(page)
    page.locator("#wanted").fill("150")
    page.locator("#planner button").click()
    expect(page.locator(".ahead tfoot")).to_be_visible()
    expect(page.locator("#planner")).to_be_in_viewport()
    is_sound(page)


@in_looks(LOOKS)
def test_a_reminder(look, under_way, project, lead, page_of, complaints):
    complaints.allow("status of 409")
    page = page_of(lead)
    page.goto(address(project))
    page.locator(".people-at-work a.button").first.click()
    is_sound(page)
    page.locator("#note").fill("We freeze the release on Friday.")
    page.locator("form button.primary").click()
    expect(page.locator("#people .notice")).to_be_in_viewport()
    is_sound(page)
    page.goto(reverse("progress_remind", args=[project.slug, under_way[-1].pk]))
    expect(page.locator("form.form")).to_have_count(0)
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_nothing_and_little(look, project, lead, page_of):
    page = page_of(lead)
    page.goto(address(project))
    is_sound(page)
    compute(project, now=timezone.now())
    page.reload()
    expect(page.locator("figure")).to_have_count(2)
    is_sound(page)
    make_member(project)
    make_response(make_prompt(project))
    compute(project, now=timezone.now())
    page.reload()
    expect(page.locator(".coverage tbody tr")).to_have_count(1)
    is_sound(page)


def test_a_lead_pauses_somebody_by_keyboard_and_lets_them_go_on(under_way, project, lead, page_of):
    page = page_of(lead)
    page.goto(address(project))
    page.get_by_role("button", name="Pause Paul").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".people-at-work tbody tr").last).to_contain_text("Paused")
    page.get_by_role("button", name="Let go on Paul").click()
    expect(page.locator(".people-at-work tbody tr").first).to_contain_text("Paul")


def test_new_numbers_are_shown_when_a_worker_has_them(under_way, project, lead, page_of, tmp_path):
    page = page_of(lead)
    with publishing(*transport(tmp_path, "")):
        page.goto(address(project))
        page.get_by_role("button", name="Compute anew").click()
        expect(page.locator("#report-state")).to_contain_text("wait for a worker")
    under_way[0].user.first_name = "Ada Byron"
    under_way[0].user.save()
    compute(project, now=timezone.now())
    expect(page.get_by_role("link", name="Ada Byron", exact=True)).to_be_visible()  # the page was loaded anew
    expect(page.get_by_role("button", name="Compute anew")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 768, 390, 320])
def test_nothing_scrolls_sideways(under_way, project, lead, page_of, width):
    page = page_of(lead)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address(project))
    assert page.evaluate("document.documentElement.scrollWidth") == width
