"""A run by two real workers that share a database, a broker and an S3 bucket, and nothing else."""

import threading
from datetime import timedelta
from http import HTTPStatus

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from annotation.models import Job
from annotation.queries.jobs import error_of
from curation import tasks
from curation.models import Run, Shard
from curation.services import recipes, runs
from tests.curation.run_samples import PARAMETERS, digest, scored_project
from tests.factories import NOW, make_member
from tests.workers import running_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
BUCKET = "plumb-runs"
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}


class Gate:
    """An S3 service that may hold what workers write until the test lets it go on."""

    def __init__(self) -> None:
        self.service = DomainDispatcherApplication(create_backend_app)
        self.opened = threading.Event()
        self.opened.set()
        self.waiting = threading.Semaphore(0)

    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] == "PUT" and not self.opened.is_set():
            self.waiting.release()
            self.opened.wait(60)
        return self.service(environ, start_response)

    def wait_for(self, workers: int) -> None:
        for _ in range(workers):
            assert self.waiting.acquire(timeout=60), "no worker has come to write"


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def bucket(gate, settings, monkeypatch, tmp_path):
    """An S3 bucket as the storage of runs, here and for workers; its contents by name."""
    server = make_server("127.0.0.1", 0, gate, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = {**VARIABLES, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = boto3.resource("s3").create_bucket(Bucket=BUCKET)
    options = {"bucket_name": BUCKET, "location": "runs", "file_overwrite": True, "default_acl": None}
    s3 = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "runs": s3}
    settings.RUNS_DIR = tmp_path / "runs"
    yield found
    found.objects.all().delete()
    found.delete()
    server.shutdown()


@pytest.fixture
def workers(transactional_db, bucket, redis_url, tmp_path):
    with running_workers(
        2, redis_url=redis_url, RUNS_BUCKET=BUCKET, RUN_SHARD_RESPONSES="5", RUNS_DIR=""
    ) as started:
        yield started


@pytest.fixture
def expected(transactional_db, bucket):
    """What this process alone makes of the same project, in one shard."""
    run = requested(scored_project())
    runs.execute(run.pk, clock=timezone.now)
    return digest(run)


def requested(project) -> Run:
    recipe = recipes.save(project, parameters=PARAMETERS, by=None, now=NOW)
    return runs.request(project, recipe=recipe, by=None, now=timezone.now())


def ended(job: Job) -> bool:
    job.refresh_from_db()
    return job.state in (Job.State.DONE, Job.State.FAILED)


def names(bucket) -> list[str]:
    return sorted(each.key for each in bucket.objects.all())


def held_by(run: Run) -> dict[int, list[int]]:
    """The shards in work, by the process that works on them."""
    found: dict[int, list[int]] = {}
    for shard in run.shards.filter(state=Job.State.RUNNING):
        found.setdefault(int(shard.claimed_by.rpartition(":")[2]), []).append(shard.pk)
    return found


def test_two_workers_share_the_shards_and_one_of_them_is_killed(expected, workers, gate, bucket):
    first, second = workers
    project = Run.objects.get().project
    run = requested(project)
    gate.opened.clear()
    tasks.run_curation.delay(run.pk)
    gate.wait_for(2)
    held = held_by(run)
    assert held.keys() == {first.pid, second.pid}
    assert run.shards.count() == 10
    first.process.kill()
    first.process.wait()
    gate.opened.set()
    (lost,) = held[first.pid]
    second.wait_until(
        lambda: run.shards.filter(state=Job.State.DONE).count() == 9, "The other worker does not do the rest"
    )
    Shard.objects.filter(pk=lost).update(lease_until=timezone.now() - timedelta(seconds=1))
    Shard.objects.filter(pk=lost).update(queued_at=NOW)
    tasks.sweep.delay()
    second.wait_until(lambda: ended(run), "The lost shard is not taken again")
    assert (run.error, digest(run)) == ("", expected)
    assert int(run.claimed_by.rpartition(":")[2]) == second.pid
    assert run.pairs.count() == run.funnel["accepted"]
    second.wait_until(lambda: names(bucket) == [], "The parts are not removed")


def test_a_run_is_cancelled_while_two_workers_are_at_it(expected, workers, gate, bucket):
    project = Run.objects.get().project
    lead = make_member(project, "lead", "lea")
    run = requested(project)
    gate.opened.clear()
    tasks.run_curation.delay(run.pk)
    gate.wait_for(2)
    runs.cancel(run, by=lead.user, now=timezone.now())
    gate.opened.set()
    again = requested(project)
    tasks.run_curation.delay(again.pk)
    workers[0].wait_until(lambda: ended(again), "The run after the cancelled one does not end")
    assert digest(again) == expected
    run.refresh_from_db()
    assert (run.state, error_of(run), run.pairs.count()) == ("failed", "Cancelled by lea.", 0)
    tasks.sweep.delay()
    workers[0].wait_until(lambda: names(bucket) == [], "The parts are not removed")


def test_a_part_in_a_bucket_is_read_as_it_was_written(bucket):
    storage = storages["runs"]
    assert storage.save("a/b", ContentFile(b"one")) == "a/b"
    assert storage.save("a/b", ContentFile(b"another")) == "a/b"
    assert storage.open("a/b").read() == b"another"
    assert storage.listdir("a") == ([], ["b"])
    assert storage.listdir("nowhere") == ([], [])
    with pytest.raises(FileNotFoundError):
        storage.open("a/c")
    assert names(bucket) == ["runs/a/b"]
    answer = boto3.client("s3").head_object(Bucket=BUCKET, Key="runs/a/b")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == HTTPStatus.OK
