"""A real Celery worker for a test: another process, on the test's database, over a real transport."""

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection
from kombu import pools

from config.celery import app
from tests import children

# Fewer parts in motion: the worker has no one to gossip with.
FLAGS = "--pool solo --loglevel INFO --without-gossip --without-mingle --without-heartbeat"


@dataclass(frozen=True)
class Worker:
    process: Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_until(self, condition: Callable[[], object], what: str, *, seconds: float = 30) -> None:
        """Polls what the worker should bring about; a failure shows the end of the worker's log."""
        children.wait_until(condition, what, seconds=seconds, process=self.process, log=self.log)


@contextlib.contextmanager
def running_worker(*, redis_url: str = "", **variables: str) -> Iterator[Worker]:
    """A worker that is ready, over Redis where an address is given, else over the filesystem.

    Its transport starts out empty, and this process publishes over it for as long as the worker runs. The
    test must see its own rows committed (transactional_db), since another process reads them.
    """
    with running_workers(1, redis_url=redis_url, **variables) as (worker,):
        yield worker


@contextlib.contextmanager
def running_workers(count: int, *, redis_url: str = "", **variables: str) -> Iterator[list[Worker]]:
    """Workers that are ready, with these environment variables beside the common ones. Over Redis each has a folder
    of its own, and shares with the others what the variables say."""
    with (
        tempfile.TemporaryDirectory(prefix="worker-", dir=settings.DATA_DIR) as name,
        contextlib.ExitStack() as end,
    ):
        folder = Path(name)
        end.enter_context(publishing(*transport(folder, redis_url)))
        app.control.purge()
        workers = []
        for number in range(count):
            place = folder / str(number) if redis_url else folder
            place.mkdir(exist_ok=True)
            log = place / f"worker-{number}.log"
            command = [
                sys.executable,
                "-m",
                "celery",
                "-A",
                "config",
                "worker",
                "-n",
                f"{number}@%h",
                *FLAGS.split(),
            ]
            env = {**environment(place), "REDIS_URL": redis_url, **variables}
            # Killed at the end: a polite stop takes Celery four seconds, and the test has seen what it wanted.
            process = end.enter_context(children.running(command, log=log, env=env, by=signal.SIGKILL))
            workers.append(Worker(process=process, log=log))
        for worker in workers:
            worker.wait_until(partial(_is_ready, worker.log), "The worker does not start")
        yield workers


def _is_ready(log: Path) -> bool:
    return " ready." in log.read_text(encoding="utf-8", errors="replace")


def environment(folder: Path) -> dict[str, str]:
    """The product's own settings on the test's database, with all that is written under `folder`."""
    return {
        **{name: value for name, value in os.environ.items() if not name.endswith("_FILE")},
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url(),
        "DATA_DIR": str(folder),
        "RELEASES_DIR": str(settings.RELEASES_DIR),
        "IMPORTS_DIR": str(settings.IMPORTS_DIR),
        "RUNS_DIR": str(settings.RUNS_DIR),
        "HTTPS": "False",
        "PATH": os.pathsep.join([str(children.BIN), os.environ.get("PATH", os.defpath)]),
    }


def database_url() -> str:
    """The database of this test process: pytest gives each its own, under a name that the settings lack."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    person = quote(database["USER"], safe="")
    if database["PASSWORD"]:
        person += f":{quote(database['PASSWORD'], safe='')}"
    port = f":{database['PORT']}" if database["PORT"] else ""
    return f"postgresql://{person}@{quote(database['HOST'], safe='')}{port}/{database['NAME']}"


def transport(folder: Path, redis_url: str) -> tuple[str, dict[str, Any]]:
    """The broker's address and options, as config/settings.py chooses them for that DATA_DIR."""
    if redis_url:
        return redis_url, {"visibility_timeout": 3600}
    queue = folder / "queue"
    for name in ("messages", "control"):
        (queue / name).mkdir(parents=True, exist_ok=True)
    options = {
        "data_folder_in": str(queue / "messages"),
        "data_folder_out": str(queue / "messages"),
        "control_folder": str(queue / "control"),
        "polling_interval": 0.1,
    }
    return "folder://localhost/", options


@contextlib.contextmanager
def publishing(url: str, options: dict[str, Any]) -> Iterator[None]:
    """Lets this process's own messages go over another transport for a while."""
    before = app.conf.broker_url, app.conf.broker_transport_options
    _publish_over(url, options)
    try:
        yield
    finally:
        _publish_over(*before)


def _publish_over(url: str, options: dict[str, Any]) -> None:
    """Celery keeps the connection it opened first; both the pool and what holds it are let go of."""
    app.conf.broker_url = url
    app.conf.broker_transport_options = options
    app.close()
    app.__dict__.pop("amqp", None)
    pools.reset()
