"""The lead's way in the browser: from a project to a run, and from the run to a release."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from curation.models import Release, Run
from curation.services import recipes, releases, runs
from tests.factories import NOW, REASON, make_member, make_prompt, make_response, make_round, score_all
from tests.workers import publishing, transport


@pytest.fixture
def scored(project, annotator, lead):
    """Two responses, one better than the other by the word of two annotators."""
    prompt = make_prompt(project, "p1", genre=project.genres.first())
    for name in ("good", "weak"):
        make_response(prompt, name)
    other = make_member(project, "annotator", "otto")
    people = [annotator.user.username, other.user.username]
    values = {(name, person): {"good": 3, "weak": 1}[name] for name in ("good", "weak") for person in people}
    score_all(make_round(project), values)
    return project


@pytest.fixture
def nudges(tmp_path):
    """Messages to workers go to a folder of this test; no worker reads them."""
    with publishing(*transport(tmp_path, "")):
        yield


@pytest.fixture
def run(scored):
    parameters = {"length_symmetry": "off"}
    recipe = recipes.save(scored, parameters=parameters, by=None, now=NOW)
    return runs.request(scored, recipe=recipe, by=None, now=timezone.now())


@pytest.fixture
def done_run(run):
    runs.execute(run.pk, clock=timezone.now)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return run


@pytest.fixture
def release(done_run):
    found = releases.request(
        done_run, name="bridges", version="0.1.0", reason=REASON, by=None, now=timezone.now()
    )
    releases.execute(found.pk, clock=timezone.now)
    found.refresh_from_db()
    assert found.state == Release.State.DONE, found.error
    return found


@pytest.fixture
def page_of_lead(page_of, lead):
    return page_of(lead)


def address(run: Run) -> str:
    return f"/projects/{run.project.slug}/runs/{run.pk}/"


def test_a_lead_starts_a_run_and_sees_it_finish_without_reloading(scored, nudges, page_of_lead):
    page = page_of_lead
    page.goto("/")
    page.get_by_role("link", name="Bridges").click()
    page.get_by_role("button", name="Start a curation run").dblclick()
    expect(page.get_by_role("heading", name="Waiting")).to_be_visible()
    page.evaluate("window.isTheSamePage = true")
    run = Run.objects.get()
    runs.execute(run.pk, clock=timezone.now)
    expect(page.get_by_role("row", name="All candidate pairs")).to_be_visible()
    assert page.evaluate("window.isTheSamePage")
    expect(page.get_by_role("heading", name="Waiting")).to_be_hidden()


def test_a_finished_run_is_not_asked_about_again(done_run, page_of_lead):
    page_of_lead.goto(address(done_run))
    expect(page_of_lead.locator("#run")).not_to_have_attribute("hx-get", address(done_run))
    assert page_of_lead.locator("script[src*=htmx]").count() == 0


def test_a_run_that_no_worker_takes_up_says_so(run, page_of_lead):
    Run.objects.update(queued_at=timezone.now() - timedelta(minutes=2))
    page_of_lead.goto(address(run))
    expect(page_of_lead.get_by_text("No worker has taken this up.")).to_be_visible()


def test_a_poll_after_signing_out_leads_to_the_sign_in_page(run, page_of_lead, context, complaints):
    complaints.allow("status of 401")
    page_of_lead.goto(address(run))
    context.clear_cookies()
    expect(page_of_lead.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page_of_lead.locator("#run")).to_have_count(0)


def test_a_failed_run_shows_why(run, page_of_lead):
    Run.objects.update(state="failed", error="The snapshot cannot be read.", finished_at=timezone.now())
    page_of_lead.goto(address(run))
    expect(page_of_lead.get_by_text("The snapshot cannot be read.")).to_be_visible()


def test_a_lead_freezes_a_release_and_downloads_a_file(done_run, nudges, page_of_lead):
    page = page_of_lead
    page.goto(address(done_run))
    page.get_by_role("link", name="Freeze this run…").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("bridges")
    for reason in page.get_by_label("Reason for freezing all the same").all():
        reason.fill(REASON)
    page.get_by_label("To confirm, type the name of the release").fill("bridges")
    page.get_by_role("button", name="Freeze", exact=True).click()
    expect(page.get_by_text("bridges 0.1.0")).to_be_visible()
    releases.execute(Release.objects.get().pk, clock=timezone.now)
    page.get_by_role("link", name="bridges 0.1.0").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="manifest.json").click()
    assert download.value.suggested_filename == "manifest.json"


def test_a_release_says_how_to_verify_it(release, page_of_lead):
    page_of_lead.goto("/releases/bridges/0.1.0/")
    expect(page_of_lead.get_by_text("sha256sum --check SHA256SUMS")).to_be_visible()
    expect(page_of_lead.get_by_text(release.manifest_sha256).first).to_be_visible()


def test_an_annotator_may_not_open_the_project(scored, annotator, page_of, complaints):
    complaints.allow("status of 403")
    page = page_of(annotator)
    page.goto(f"/projects/{scored.slug}/")
    expect(page.get_by_text("for the leads of the project")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_no_page_of_a_lead_scrolls_sideways(release, page_of_lead, width):
    page_of_lead.set_viewport_size({"width": width, "height": 844})
    for path in ("/", "/projects/bridges/", address(release.run), "/releases/bridges/0.1.0/"):
        page_of_lead.goto(path)
        assert page_of_lead.evaluate("document.documentElement.scrollWidth") == width, path
