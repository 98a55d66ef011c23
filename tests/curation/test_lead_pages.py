"""The lead's pages: a project, a run, a release. Each with its lead, another role and a stranger."""

import errno
from datetime import timedelta

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from annotation.models import Flag
from annotation.services import jobs
from curation import tasks
from curation.models import Run
from curation.queries import runs as shown
from curation.services import directory, recipes, releases, runs
from tests.factories import (
    NOW,
    REASON,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    score_all,
)

pytestmark = pytest.mark.django_db
NAMES = ("ann", "ben", "cat")


@pytest.fixture
def nudged(monkeypatch):
    """What would have been sent to a worker."""
    sent = []
    monkeypatch.setattr(tasks.run_curation, "delay_on_commit", lambda pk: sent.append(("run", pk)))
    monkeypatch.setattr(tasks.freeze_release, "delay_on_commit", lambda pk: sent.append(("release", pk)))
    return sent


@pytest.fixture
def run(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    for name in NAMES:
        make_member(project, "annotator", name)
    prompt = make_prompt(project, "p1")
    for key in ("good", "poor"):
        make_response(prompt, key)
    values = {(key, name): value for key, value in (("good", 3), ("poor", 1)) for name in NAMES}
    score_all(make_round(project), values)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    return run


@pytest.fixture
def release(run):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(requested.pk, clock=lambda: NOW)
    requested.refresh_from_db()
    return requested


def pages(run):
    return [
        ("get", reverse("project", args=["bridges"])),
        ("post", reverse("start_run", args=["bridges"])),
        ("get", reverse("run", args=["bridges", run.pk])),
        ("post", reverse("freeze", args=["bridges", run.pk])),
    ]


def test_annotators_are_refused_and_for_strangers_nothing_is_there(run, nudged, stranger, browser_of):
    leader_elsewhere = make_member(make_project(), "lead")
    for method, url in pages(run):
        for person, status in (
            (run.project.memberships.get(user__username="ann"), 403),
            (make_member(run.project, "instructor"), 403),
            (stranger, 404),
            (leader_elsewhere, 404),
        ):
            assert getattr(browser_of(person), method)(url).status_code == status, url
    assert (Run.objects.count(), nudged) == (1, [])


def test_a_run_of_another_project_is_not_found_under_ones_own(run, browser_of):
    elsewhere = make_member(make_project("elsewhere"), "lead")
    assert browser_of(elsewhere).get(reverse("run", args=["elsewhere", run.pk])).status_code == 404


def test_the_lead_starts_a_run_and_a_worker_is_nudged(run, lead, nudged, browser_of):
    response = browser_of(lead).post(reverse("start_run", args=["bridges"]))
    started = Run.objects.latest("pk")
    assert response.url == reverse("run", args=["bridges", started.pk])
    assert (started.state, started.queued_by, nudged) == ("queued", lead.user, [("run", started.pk)])


def test_a_second_run_at_once_is_refused_on_a_page_that_says_why(run, lead, nudged, browser_of):
    client = browser_of(lead)
    client.post(reverse("start_run", args=["bridges"]))
    response = client.post(reverse("start_run", args=["bridges"]))
    assert response.status_code == 409
    assert "waiting or running already" in response.content.decode()
    assert len(nudged) == 1


def test_a_waiting_run_asks_again_and_says_so_when_no_worker_comes(run, lead, nudged, browser_of):
    client = browser_of(lead)
    url = client.post(reverse("start_run", args=["bridges"])).url
    page = client.get(url).content.decode()
    assert "every 2s" in page
    assert "No worker has taken this up" not in page
    Run.objects.filter(state="queued").update(queued_at=timezone.now() - timedelta(minutes=1))
    assert "No worker has taken this up" in client.get(url).content.decode()


def test_why_a_run_failed_is_said_in_the_language_of_each_reader(run, lead, browser_of):
    died = runs.request(run.project, recipe=run.recipe, by=None, now=NOW)
    later = NOW + timedelta(seconds=settings.JOB_LEASE_SECONDS + 1)
    Run.objects.filter(pk=died.pk).update(
        state="running", attempt=jobs.ATTEMPTS, claimed_by="worker", lease_until=NOW
    )
    assert jobs.give_up(Run, now=later) == 1
    client, url = browser_of(lead), reverse("run", args=["bridges", died.pk])
    english = "The worker stopped before the end, 3 times."
    assert english in client.get(url).content.decode()
    client.post(reverse("set_language"), {"language": "zh-hans"})
    page = client.get(url).content.decode()
    assert "后台进程 3 次中途停止。" in page
    assert english not in page


def test_why_a_release_failed_is_said_in_the_language_of_each_reader(run, lead, browser_of, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    failed = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    monkeypatch.setattr(directory.os, "fsync", full)
    releases.execute(failed.pk, clock=lambda: NOW)
    client, url = browser_of(lead), reverse("run", args=["bridges", run.pk])
    assert "cannot be written: No space left on device." in client.get(url).content.decode()
    client.post(reverse("set_language"), {"language": "zh-hans"})
    page = client.get(url).content.decode()
    assert "：No space left on device。没有在其中留下任何新内容。" in page
    assert "cannot be written" not in page


def test_what_an_earlier_version_kept_of_a_failure_is_shown_as_it_stands(run, lead, browser_of):
    died = runs.request(run.project, recipe=run.recipe, by=None, now=NOW)
    plain = "The snapshot 0a1b2c is damaged. Start a {new} run."
    Run.objects.filter(pk=died.pk).update(state="failed", finished_at=NOW, error=plain)
    url = reverse("run", args=["bridges", died.pk])
    for language in ("en", "zh-hans"):
        page = browser_of(lead).get(url, headers={"accept-language": language}).content.decode()
        assert plain in page


def test_htmx_gets_the_fragment_alone(run, lead, browser_of):
    url = reverse("run", args=["bridges", run.pk])
    fragment = browser_of(lead).get(url, headers={"hx-request": "true"}).content.decode()
    assert fragment.strip().startswith('<div id="run"')
    assert "<html" not in fragment


def test_the_funnel_stands_in_the_order_of_the_rules_and_adds_up(run):
    page = shown.run_page(run, now=NOW)
    assert [line.reason for line in page.funnel] == list(shown.REASONS)
    assert [line.level for line in page.alpha] == list(shown.LEVELS.values())
    assert page.parameters[0] == ("min_gap", "1")
    assert page.funnel[-1].left == page.accepted == 1


def test_the_lines_of_the_chart_of_agreement_are_those_of_the_project(run, lead, browser_of):
    page = reverse("run", args=["bridges", run.pk])
    html = browser_of(lead).get(page).content.decode()
    assert "acceptable from 0.4 on, and good from 0.667 on" in html
    run.project.alpha_acceptable, run.project.alpha_good = "0.5", "0.8"
    run.project.save()
    html = browser_of(lead).get(page).content.decode()
    assert "acceptable from 0.5 on, and good from 0.8 on" in html
    assert 'class="threshold" d="M0.500 0V1M0.800 0V1"' in html


def test_the_overview_says_how_many_flags_wait_also_once_a_round_was_opened(run, lead, browser_of):
    page = reverse("project", args=["bridges"])
    client = browser_of(lead)
    assert "for a decision" not in client.get(page).content.decode()
    for response in run.project.responses.all():
        Flag.objects.create(
            project=run.project, response=response, check_key="refusal", rules_version=1, raised_at=NOW
        )
    link = f'<a href="{reverse("triage", args=["bridges"])}">2 flags wait for a decision</a>'
    assert link in client.get(page).content.decode()


def test_a_failed_run_says_what_went_wrong(run, lead, browser_of):
    failed = runs.request(run.project, recipe=run.recipe, by=None, now=NOW)
    jobs.fail(jobs.claim(Run, failed.pk, now=NOW), reason="The moon was in the way.", now=NOW)
    page = browser_of(lead).get(reverse("run", args=["bridges", failed.pk])).content.decode()
    assert "The moon was in the way." in page


def test_a_release_is_shown_with_its_checksums_and_its_files_can_be_fetched(release, lead, browser_of):
    client = browser_of(lead)
    page = client.get(reverse("release", args=["bridges", "1.0.0"])).content.decode()
    for file in release.files.all():
        assert file.sha256 in page
    response = client.get(reverse("release_file", args=["bridges", "1.0.0", "data/pairs/test.jsonl"]))
    assert b"".join(response.streaming_content).startswith(b'{"id":"p1:good:poor"')
    assert response["Content-Disposition"].startswith("attachment")
    assert client.get(reverse("release_file", args=["bridges", "1.0.0", "none"])).status_code == 404


def kept(release, path):
    """Where the storage has the file."""
    sha256 = release.files.get(path=path).sha256
    return settings.RELEASES_DIR / ".objects" / sha256[:2] / sha256


def test_a_file_lost_on_the_server_is_said_so(release, lead, browser_of):
    kept(release, "manifest.json").unlink()
    response = browser_of(lead).get(reverse("release_file", args=["bridges", "1.0.0", "manifest.json"]))
    assert response.status_code == 409
    assert "missing on the server" in response.content.decode()


@pytest.mark.parametrize("change", [lambda b: b + b"x", lambda b: b.replace(b"good", b"poor", 1)])
def test_a_file_changed_on_the_server_is_not_given_away(release, lead, browser_of, change):
    path = kept(release, "data/pairs/test.jsonl")
    path.write_bytes(change(path.read_bytes()))
    url = reverse("release_file", args=["bridges", "1.0.0", "data/pairs/test.jsonl"])
    response = browser_of(lead).get(url)
    assert response.status_code == 409
    assert "was changed on the server" in response.content.decode()


def test_an_address_that_a_refused_form_left_behind_leads_back(run, lead, browser_of):
    client = browser_of(lead)
    assert client.get(reverse("start_run", args=["bridges"])).url == reverse("project", args=["bridges"])


def test_a_release_does_not_exist_for_its_annotators_and_strangers(release, stranger, browser_of):
    ann = release.project.memberships.get(user__username="ann")
    for person in (ann, stranger):
        client = browser_of(person)
        assert client.get(reverse("release", args=["bridges", "1.0.0"])).status_code == 404
        url = reverse("release_file", args=["bridges", "1.0.0", "manifest.json"])
        assert client.get(url).status_code == 404


def test_a_run_that_somebody_cancelled_is_called_that_and_not_failed(project, run, lead, browser_of):
    second = runs.request(project, recipe=run.recipe, by=None, now=NOW)
    runs.cancel(second, by=lead.user, now=NOW)
    client = browser_of(lead)
    for address in (reverse("project", args=["bridges"]), reverse("run", args=["bridges", second.pk])):
        page = client.get(address).content.decode()
        assert "Cancelled" in page
        assert "Failed" not in page
