"""Jobs in a real worker: another process, over the file system and over Redis."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import ImportJob, Job
from annotation.services import imports
from annotation.tasks import run_import_job
from curation import tasks
from curation.models import Release, Run
from curation.services import recipes, releases, runs, verification
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
from tests.workers import running_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
NAMES = ("ann", "ben", "cat")


@pytest.fixture(params=["filesystem", "redis"])
def worker(request, transactional_db, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    with running_worker(redis_url=url) as started:
        yield started


@pytest.fixture
def project(transactional_db):
    project = make_project("bridges")
    for name in NAMES:
        make_member(project, "annotator", name)
    prompt = make_prompt(project, "p1")
    make_response(prompt, "good", "The bridge stood where nobody needed it.")
    make_response(prompt, "poor", "Bridges are a very important invention.")
    score_all(
        make_round(project),
        {(key, name): value for key, value in (("good", 3), ("poor", 0)) for name in NAMES},
    )
    return project


def requested_run(project, *, now):
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    return runs.request(project, recipe=recipe, by=None, now=now)


def ended(job):
    job.refresh_from_db()
    return job.state in (Job.State.DONE, Job.State.FAILED)


def test_a_worker_runs_and_freezes_what_this_process_only_asked_for(project, worker):
    run = requested_run(project, now=timezone.now())
    tasks.run_curation.delay(run.pk)
    worker.wait_until(lambda: ended(run), "The run does not end")
    assert (run.state, run.funnel["accepted"]) == ("done", 1)
    assert int(run.claimed_by.rpartition(":")[2]) == worker.pid != os.getpid()

    release = releases.request(
        run, name="bridges", version="1.0.0", reason=REASON, by=None, now=timezone.now()
    )
    tasks.freeze_release.delay(release.pk)
    worker.wait_until(lambda: ended(release), "The release does not end")
    assert (release.state, release.error) == ("done", "")
    assert int(release.claimed_by.rpartition(":")[2]) == worker.pid
    assert verification.verify(releases.folder(release)).ok


def test_the_sweep_takes_up_what_no_message_spoke_of(project, worker):
    lost = requested_run(project, now=timezone.now() - timedelta(minutes=1))
    tasks.sweep.delay()
    worker.wait_until(lambda: ended(lost), "The sweep does not find the run")
    assert (lost.state, lost.attempt) == ("done", 1)


def test_messages_that_come_many_times_do_the_work_once(project, worker):
    run = requested_run(project, now=timezone.now())
    for _ in range(5):
        tasks.run_curation.delay(run.pk)
        tasks.run_curation.delay(run.pk + 1000)
    worker.wait_until(lambda: ended(run), "The run does not end")
    after = requested_run(project, now=timezone.now())
    tasks.run_curation.delay(after.pk)
    worker.wait_until(lambda: ended(after), "The second run does not end")
    run.refresh_from_db()
    assert (run.attempt, run.pairs.count()) == (1, 1)
    assert (Run.objects.count(), Release.objects.count()) == (2, 0)


def test_a_worker_takes_files_that_this_process_only_uploaded(project, worker):
    text = b'{"prompt_id": "p2", "prompt": "Write.", "model": "m", "response": "Nobody crossed the bridge twice."}\n'
    found = imports.upload(project, [("texts.jsonl", [text])], by=None, now=timezone.now())
    job = imports.request(found, ImportJob.Action.STORE, by=None, now=timezone.now())
    run_import_job.delay(job.pk)
    worker.wait_until(lambda: ended(job), "The import does not end")
    assert (job.state, job.report["responses"]) == ("done", 1)
    assert int(job.claimed_by.rpartition(":")[2]) == worker.pid != os.getpid()
    assert project.responses.get(external_id="p2|m").state == "active"


def test_an_import_whose_message_was_lost_is_taken_up_by_the_sweep(project, worker):
    text = b'{"prompt_id": "p2", "prompt": "Write.", "model": "m", "response": "Nobody crossed the bridge twice."}\n'
    found = imports.upload(project, [("texts.jsonl", [text])], by=None, now=NOW)
    job = imports.request(found, ImportJob.Action.CHECK, by=None, now=NOW)
    tasks.sweep.delay()
    worker.wait_until(lambda: ended(job), "The check does not end")
    assert (job.state, job.report["responses"]) == ("done", 1)
