"""Freezing a run in the browser: checks, what changes, the release; yanking it; its access list. Sound in every look,
and nothing that was typed is lost."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.services import triage
from curation.models import Release, Yank
from curation.services import audit_work, audits, releases
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.curation.audits import audited, even, frozen, longer, make_run, run_again
from tests.factories import NOW, make_user
from tests.workers import publishing, transport

LEAK = ("As ChatGPT would say, the bridge fell.", "Nobody crossed the cold river that day.")


@pytest.fixture(autouse=True)
def nudges(tmp_path, settings):
    """Messages to workers go to a folder of this test, and so do releases."""
    settings.RELEASES_DIR = tmp_path / "releases"
    with publishing(*transport(tmp_path, "")):
        yield


@pytest.fixture
def later(project, lead):
    """A run with something to see in every part: checks that fail, and pages of pairs that left."""
    first = make_run(project, [LEAK, *longer(24), *even(54, first=90)])
    frozen(first, version="1.0.0", reason="A pilot.")
    for number in range(25, 77):
        response = project.responses.get(external_id=f"p{number:02}-c")
        triage.remove(response, kind="factual", reason="", by=lead.user, now=NOW)
    run = run_again(project)
    audited(run)
    return run


def address(run, name="freeze"):
    return reverse(name, args=[run.project.slug, run.pk])


def is_sound(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # what lies half beneath the bar has too small a target
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(LOOKS)
def test_the_page_is_sound_also_where_it_refuses(look, later, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address(later))
    expect(page.locator(".changes tbody tr")).to_have_count(50)
    is_sound(page)
    page.locator("#id_version").fill("1.0.1")
    page.locator("#id_heldout_1").check()
    page.locator("button[value=freeze]").click()
    for field in ("version", "reason", "heldout_percent", "note", "confirm"):
        expect(page.locator(f"#id_{field}_error")).to_be_visible()
    expect(page.locator("#id_version")).to_have_value("1.0.1")
    expect(page.locator("#id_heldout_1")).to_be_checked()
    is_sound(page)
    page.locator(".summary a").first.click()
    assert Release.objects.count() == 1


def test_what_was_typed_stays_from_page_to_page_and_until_it_is_frozen(later, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(address(later))
    page.get_by_label("What changed, in words").fill("Half of it left.")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".changes tbody tr")).to_have_count(2)
    expect(page.get_by_label("What changed, in words")).to_have_value("Half of it left.")
    page.get_by_label("Pairs of each genre and language, at least").fill("40")
    page.keyboard.press("Enter")
    expect(page.locator("#check-quota .chip")).to_have_text("failed")
    expect(page.get_by_label("What changed, in words")).to_have_value("Half of it left.")
    for reason in page.get_by_label("Reason for freezing all the same").all():
        reason.fill("It is a pilot.")
    page.get_by_label("To confirm, type the name of the release").fill("bridges")
    page.get_by_role("button", name="Freeze", exact=True).click()
    expect(page.get_by_text("bridges 2.0.0")).to_be_visible()
    made = Release.objects.get(version="2.0.0")
    waivers = {each["name"]: each["waiver"] for each in made.terms["checks"]}
    assert waivers["quota"] == "It is a pilot."


def test_it_is_frozen_without_scripts(project, lead, page_of, browser, live_server):
    run = make_run(project, even(2))
    audited(run)
    page = page_of(lead)
    cookies = page.context.cookies()
    with browser.new_context(java_script_enabled=False, base_url=live_server.url) as plain:
        plain.add_cookies(cookies)
        bare = plain.new_page()
        bare.goto(address(run))
        bare.locator("#id_confirm").fill("bridges")
        bare.locator("button[value=freeze]").click()
        expect(bare.locator("#releases-title")).to_be_visible()
    assert Release.objects.get().version == "0.1.0"


def test_what_is_typed_stays_while_an_audit_goes_on(project, lead, page_of):
    run = make_run(project, even(2))
    audit = audits.request(run, by=None, now=timezone.now())
    page = page_of(lead)
    page.goto(address(run))
    expect(page.get_by_text("The audit waits for a worker.")).to_be_visible()
    page.get_by_label("Version").fill("4.0.0")
    audit_work.execute(audit.pk, clock=timezone.now)
    expect(page.get_by_text("The audit has ended.")).to_be_visible(timeout=10_000)
    page.get_by_role("button", name="Check again").click()
    expect(page.locator("#check-audit .chip")).to_have_text("passed")
    expect(page.get_by_label("Version")).to_have_value("4.0.0")


@pytest.fixture
def withheld(project):
    run = make_run(project, even(2))
    return frozen(run, reason="A pilot.", heldout="labels", heldout_percent=10, note="The first.")


@in_looks(OPPOSITE_LOOKS)
def test_a_release_is_yanked(look, withheld, lead, page_of, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(reverse("release_yank", args=["bridges", "1.0.0"]))
    is_sound(page)
    page.locator("#id_reason").fill("Two annotators were one person.")
    page.locator("main form button").click()
    expect(page.locator("#id_confirm_error")).to_be_visible()
    is_sound(page)
    page.locator("#id_confirm").fill("bridges-1.0.0")
    page.locator("main form button").click()
    expect(page.locator(".yanked .reason")).to_have_text("Two annotators were one person.")
    is_sound(page)
    assert Yank.objects.get().release == withheld


@in_looks(OPPOSITE_LOOKS)
def test_readers_are_added_and_downloads_are_listed(look, withheld, lead, page_of, complaints):
    complaints.allow("status of 422")
    make_user("rita")
    for number in range(51):
        releases.note_download(withheld, f"data/pairs/{number:02}.jsonl", by=lead.user, now=NOW)
    page = page_of(lead)
    page.goto(reverse("release_readers", args=["bridges", "1.0.0"]))
    is_sound(page)
    page.locator("#id_username").fill("nobody")
    page.locator("main form.form button").click()
    expect(page.locator("#id_username_error")).to_be_visible()
    is_sound(page)
    page.locator("#id_username").fill("rita")
    page.locator("main form.form button").click()
    expect(page.get_by_role("rowheader", name="rita")).to_be_visible()
    is_sound(page)
