"""`make demo`: a project with texts and scores, a verified release, and the site with a worker beside it."""

import fcntl
import http.client
import signal
import socket
import sqlite3
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from annotation.errors import DomainError
from annotation.models import Job, Project
from annotation.queries.jobs import error_of
from annotation.services import demo, demo_workbench, jobs
from curation import tasks
from curation.domain.choice import Choice
from curation.management.children import Children, ChildStopped
from curation.management.serving import WEB, WORKER
from curation.models import Release, Run
from curation.services import audits, demo_preparation, recipes, releases, reports, runs, verification

FOLDERS = ("queue/messages", "queue/control", "logs", "releases")
PORTS = range(1, 65536)
JOB_SECONDS = 120
START_SECONDS = 60
DEMO_VERSION = "0.1.0"
# Kept in the release only as far as its audit is outside the limits.
REASON = "This is a demonstration: the texts are made up, the scores simulated, and the pairs too few for a benchmark."
ANOTHER_VERSION = (
    "The database {path} was made by another version of Plumb ({what}). Check out that version, "
    "or move {folder} out of the way and run 'make demo' again."
)


class Stopped(BaseException):
    """A signal asked us to end. Not an Exception: nothing on the way may swallow it."""


class Command(BaseCommand):
    help = "Loads the demo project, has a worker release it, and serves the site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="stop after the verified release")

    def handle(self, *, port: int, no_serve: bool, **options: object) -> None:
        if not settings.EMBEDDED:
            raise CommandError("The demo uses a database of its own. Unset DATABASE_URL and run it again.")
        if not no_serve and port not in PORTS:
            raise CommandError(f"There is no port {port}; choose one from {PORTS[0]} to {PORTS[-1]}.")
        for name in FOLDERS:
            (settings.DATA_DIR / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _stop)
        try:
            with _only_one(), Children() as children:
                if not no_serve:
                    _refuse_used_port(port)
                try:
                    self._run(children, port=port, serve=not no_serve)
                except Stopped:
                    self._say("Stopping (the worker takes a few seconds) ...")
                    raise
        except Stopped:
            self._say("Stopped.")
        except (ChildStopped, DomainError) as error:
            raise CommandError(str(error)) from error
        except (DatabaseError, sqlite3.Error) as error:
            raise CommandError(_about_the_database(error)) from error

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()  # whoever reads from a pipe wants it now

    def _run(self, children: Children, *, port: int, serve: bool) -> None:
        _prepare()
        project = demo.load(now=timezone.now())
        log = settings.DATA_DIR / "logs"
        children.start("worker", [sys.executable, *WORKER.split()], log=log / "worker.log")
        release = self._released(children, project)
        self._verify(releases.folder(release))
        # After the release, which so is of the shipped scores alone, and the same whenever it is made.
        demo_workbench.load(project, now=timezone.now())
        demo_preparation.prepare(project, now=timezone.now())
        logins = demo.logins(settings.DATA_DIR / "demo_logins.json")
        if not serve:
            return
        self._report(children, project)
        bind = ["--bind", f"127.0.0.1:{port}"]
        children.start("web server", [sys.executable, *WEB.split(), *bind], log=log / "web.log")
        address = f"http://127.0.0.1:{port}/"
        children.wait_until(lambda: _answers(port), seconds=START_SECONDS, what="Starting the site")
        self._say(f"Plumb is ready: {address}")
        stages = demo.stages_of(logins)
        for login in logins:
            stage = f" ({stages[login.username]})" if login.username in stages else ""
            self._say(f"login {login.role} {login.username} {login.password}{stage}")
        self._say("Press Ctrl-C to stop it.")
        children.watch()

    def _released(self, children: Children, project: Project) -> Release:
        """The demo's first release, made by the worker unless an earlier start has made it."""
        released = Release.objects.filter(project=project, version=DEMO_VERSION).first()
        if released is None:
            run = self._done(children, self._requested_run(project), tasks.run_curation)
            self._say(f"Run {run.pk} by worker {run.claimed_by}: {run.funnel['accepted']} pairs accepted.")
            self._audited(children, run)
            released = releases.request(
                run, name=project.slug, version=DEMO_VERSION, reason=REASON, by=None, now=timezone.now()
            )
        elif released.state == Job.State.FAILED:
            jobs.try_again(released, now=timezone.now())
            released.refresh_from_db()
        return self._done(children, released, tasks.freeze_release)

    def _audited(self, children: Children, run: Run) -> None:
        """The worker audits each run that is done by itself; here only the end of it is waited for."""
        self._done(children, audits.request_first(run, now=timezone.now()), tasks.audit_run)

    def _report(self, children: Children, project: Project) -> None:
        """Agreement and progress of all that is there now, also where an earlier report is still worked on."""
        now = timezone.now()
        report = reports.request(project, choice=Choice(), by=None, now=now)
        if report.queued_at < now:
            self._done(children, report, tasks.compute_report)
            report = reports.request(project, choice=Choice(), by=None, now=timezone.now())
        tasks.compute_report.delay(report.pk)

    def _requested_run(self, project: Project) -> Run:
        begun = Run.objects.filter(project=project).exclude(state=Job.State.FAILED).order_by("pk").first()
        if begun:
            return begun
        recipe = recipes.save(project, parameters=demo.RECIPE, by=None, now=timezone.now())
        return runs.request(project, recipe=recipe, by=None, now=timezone.now())

    def _done(self, children: Children, job: Job, nudge) -> Job:
        ended = (Job.State.DONE, Job.State.FAILED)
        if job.state not in ended:
            nudge.delay(job.pk)

        def has_ended() -> bool:
            job.refresh_from_db()
            return job.state in ended

        children.wait_until(has_ended, seconds=JOB_SECONDS, what="The worker's job")
        if job.state == Job.State.FAILED:
            raise CommandError(f"The worker could not do its job: {error_of(job)}")
        return job

    def _verify(self, path: Path) -> None:
        verdict = verification.verify(path)
        if not verdict.ok:
            raise CommandError(f"The release {path} does not verify: {verdict}")
        self._say(f"Release verified: {path}")


def _stop(number: int, frame: object) -> None:
    # Further signals find the children being stopped already.
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise Stopped


@contextmanager
def _only_one() -> Iterator[None]:
    with (settings.DATA_DIR / "demo.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CommandError(
                f"A demo is running over {settings.DATA_DIR} already. Stop it first, or use another DATA_DIR."
            ) from error
        yield


def _refuse_used_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be had: {error.strerror}. Choose another: make demo PORT=8001"
            ) from error


def _prepare() -> None:
    """The database at this version's schema, and the static files in place."""
    loader = MigrationLoader(connection)
    unknown = sorted(set(loader.applied_migrations) - set(loader.disk_migrations))
    if unknown:
        raise CommandError(_another_version(f"it knows {'.'.join(unknown[0])}, which this one does not"))
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def _another_version(what: str) -> str:
    path = settings.DATABASES["default"]["NAME"]
    return ANOTHER_VERSION.format(path=path, folder=settings.DATA_DIR, what=what)


def _about_the_database(error: Exception) -> str:
    words = str(error)
    if "full" in words:
        return f"The disk that holds {settings.DATA_DIR} is full. Make room and run 'make demo' again."
    if "not a database" in words or "no such" in words or "already exists" in words:
        return _another_version(words)
    return f"The database answered: {words}. Its file is {settings.DATABASES['default']['NAME']}."


def _answers(port: int) -> bool:
    site = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        site.request("GET", "/healthz")
        return site.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        site.close()
