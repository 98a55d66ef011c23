"""The whole way, once: the demo project, a score given in the browser, the next run, a release that verifies."""

import re
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Score, User
from annotation.services import demo, tokens
from curation.models import Release, Run
from curation.services import recipes, releases, runs
from tests.factories import PASSWORD
from tests.workers import running_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
TODAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def project(transactional_db, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    project = demo.load(now=TODAY)
    for user in User.objects.all():
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])
    first = runs.request(
        project, recipe=recipes.save(project, parameters=demo.RECIPE, by=None, now=TODAY), by=None, now=TODAY
    )
    runs.execute(first.pk, clock=lambda: TODAY)
    return project


def sign_in(page, username):
    page.goto("/")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_visible()


def verify(release):
    try:
        call_command("verify_release", str(releases.folder(release)))
    except CommandError as refusal:
        return refusal.returncode
    return 0


def test_a_score_given_in_the_browser_reaches_the_next_release(project, page, live_server):
    before = Run.objects.get()
    with running_worker() as worker:
        sign_in(page, "annotator3")
        page.get_by_role("button", name=re.compile("Continue")).click()
        page.wait_for_url(re.compile("/score/"), wait_until="load")
        page.keyboard.press("3")
        page.get_by_label("Justification").fill("The turn in the last line is earned.")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_label("Justification")).to_have_value("")
        given = Score.objects.latest("pk")
        assert (given.annotator.user.username, given.value) == ("annotator3", 3)
        page.context.clear_cookies()

        sign_in(page, "lead")
        page.get_by_role("link", name=project.name).first.click()
        page.get_by_role("button", name="Start a curation run").click()
        expect(page.get_by_role("link", name="Freeze this run…")).to_be_visible(timeout=30_000)
        run = Run.objects.latest("pk")
        assert int(run.claimed_by.rpartition(":")[2]) == worker.pid
        assert run.snapshot.n_scores == before.snapshot.n_scores + 1

        page.get_by_role("link", name="Freeze this run…").click()
        for reason in page.get_by_label("Reason for freezing all the same").all():
            reason.fill("The demo is too small for an audit.")
        page.get_by_label("To confirm, type the name of the release").fill("demo")
        page.get_by_role("button", name="Freeze", exact=True).click()
        page.get_by_role("link", name="demo 0.1.0").click(timeout=30_000)
        expect(page.get_by_role("heading", name=re.compile("demo 0.1.0"))).to_be_visible()
        release = Release.objects.get()

    assert verify(release) == 0
    token = tokens.create(release.queued_by, name="script", now=timezone.now(), days=1)
    path = "data/pairs/test.jsonl"
    got = Client().get(
        f"/api/v1/releases/demo/0.1.0/files/{path}", headers={"authorization": f"Bearer {token}"}
    )
    content = b"".join(got.streaming_content)
    assert content == (releases.folder(release) / path).read_bytes()

    (releases.folder(release) / path).write_bytes(content.replace(b'"k":3', b'"k":4', 1))
    assert verify(release) == 1
