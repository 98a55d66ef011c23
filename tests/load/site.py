"""The site as in production, on this machine: a database, two web processes with four threads each, and its people."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from curation.management.serving import WEB
from tests import children, servers

SECRET = "for-the-load-test-alone-which-signs-nothing-else-0123456789"
SET_UP = "import django; django.setup(); from tests.load import material"
TICKS = os.sysconf("SC_CLK_TCK")
LAST_WORDS = 3000  # characters of a log that tell of what went wrong
GRACE = 30  # seconds in which what is under way is finished


@dataclass(slots=True)
class Site:
    folder: Path
    environment: Mapping[str, str]
    port: int
    has_server: bool
    web: subprocess.Popen[bytes] = field(init=False)
    crashes: list[str] = field(default_factory=list)

    def serve(self) -> None:
        """Returns once it answers."""
        log = self.folder / "web.log"
        command = [sys.executable, *WEB.split(), "--bind", f"127.0.0.1:{self.port}"]
        self.web = children.start(command, log=log, env=self.environment)
        children.wait_until(lambda: _answers(self.port), "The site does not start", process=self.web, log=log)

    def serve_anew(self) -> int:
        """As an update does: asked to end, waited for, started again. Gives with what the old one ended."""
        self.web.terminate()
        ended = self.web.wait(GRACE)
        self.crashes.append("served anew")
        self.serve()
        return ended

    def stored(self) -> dict:
        """What the database holds, as `material.stored` says it."""
        return _filled(self.environment, "stored()")

    def last_words(self) -> str:
        """The end of what the web processes logged."""
        return (self.folder / "web.log").read_text(errors="replace")[-LAST_WORDS:]

    def web_processes(self) -> list[int]:
        """The web processes, without the one that watches over them."""
        tree = _tree(self.web.pid)
        watching = {_parent(pid) for pid in tree}
        return [pid for pid in tree if "gunicorn" in _command(pid) and pid not in watching]

    def kill_a_web_process(self, number: int) -> None:
        """Without warning. The one that watches over them starts another."""
        running = self.web_processes()
        if running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(running[number % len(running)], signal.SIGKILL)
            self.crashes.append("web process killed")

    def stop_postgresql_at_once(self) -> subprocess.Popen[bytes]:
        """As in a crash, and up again: what was committed comes back from its log. Gives the new server."""
        old = self._postmaster()
        programs = Path(f"/proc/{old}/exe").readlink().parent
        os.kill(old, signal.SIGQUIT)
        children.wait_until(lambda: _stat(old)[:1] in ([], ["Z"]), "PostgreSQL does not stop")
        user = servers.UNPRIVILEGED if os.geteuid() == 0 else ""
        self.crashes.append("PostgreSQL stopped at once")
        return servers.start_postgresql(programs, self.folder / "postgresql", user=user, keeps=True)

    def _postmaster(self) -> int:
        return int((self.folder / "postgresql" / "data" / "postmaster.pid").read_text().split()[0])

    def cpu_seconds(self) -> float:
        """Of the web processes and of the database, those that ended included."""
        return sum(_cpu(pid) for pid in self._processes())

    def memory(self) -> tuple[int, int]:
        """Bytes of the web tree, and of the database; a page that several share is shared out among them."""
        web = sum(_resident(pid) for pid in _tree(self.web.pid))
        database = sum(_resident(pid) for pid in _tree(self._postmaster())) if self.has_server else 0
        return web, database

    def _processes(self) -> list[int]:
        return _tree(self.web.pid) + (_tree(self._postmaster()) if self.has_server else [])


@contextlib.contextmanager
def running(folder: Path, *, database: str, annotators: int, responses: int) -> Iterator[tuple[Site, dict]]:
    """Yields the site and what was made in it: the round's token, user names, their password."""
    with _database(folder, database) as environment, contextlib.ExitStack() as opened:
        _run(
            [sys.executable, str(children.ROOT / "manage.py"), "collectstatic", "--no-input", "-v0"],
            environment,
        )
        made = _filled(environment, f"main({annotators}, {responses})")
        site = Site(folder, environment, _free_port(), has_server=database == "postgresql")
        opened.callback(lambda: children.stop(site.web))
        site.serve()
        yield site, made


@contextlib.contextmanager
def _database(folder: Path, database: str) -> Iterator[dict[str, str]]:
    """The environment of a site over a database that is set up and empty."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")},
        "DATA_DIR": str(folder / "data"),
        "RELEASES_DIR": str(folder / "releases"),
        "SECRET_KEY": SECRET,
        "HTTPS": "False",
        "DEBUG": "False",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    (folder / "data").mkdir()
    with contextlib.ExitStack() as opened:
        if database == "postgresql":
            environment["DATABASE_URL"] = opened.enter_context(
                servers.postgresql(folder / "postgresql", keeps=True)
            )
            servers.create_database(folder / "postgresql")
        _run([sys.executable, str(children.ROOT / "manage.py"), "migrate", "--no-input", "-v0"], environment)
        yield environment


def _filled(environment: Mapping[str, str], how: str) -> Any:
    return json.loads(_run([sys.executable, "-c", f"{SET_UP}; material.{how}"], environment))


def claims_far_in(folder: Path, *, database: str, done: int, responses: int) -> list[float]:
    """Seconds of each claim of somebody who has scored that many texts of a round."""
    with _database(folder, database) as environment:
        return _filled(environment, f"far_in(done={done}, responses={responses})")


def _run(command: list[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, env=dict(environment), cwd=children.ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise children.CannotStartError(f"{' '.join(command[1:])}: {done.stderr[-2000:]}")
    return done.stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(port: int) -> bool:
    site = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        site.request("GET", "/healthz")
        return site.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        site.close()


# --- Processes -----------------------------------------------------------------------------------


def _stat(pid: int) -> list[str]:
    """What /proc says of a process after its name; [] where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def _parent(pid: int) -> int:
    found = _stat(pid)
    return int(found[1]) if found else 0


def _tree(root: int) -> list[int]:
    """The process and all that descend from it."""
    parents = {
        int(each.name): _parent(int(each.name)) for each in Path("/proc").iterdir() if each.name.isdigit()
    }
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _cpu(pid: int) -> float:
    """User and system time of a process and of its children that have ended."""
    found = _stat(pid)
    return sum(int(found[place]) for place in (11, 12, 13, 14)) / TICKS if found else 0.0


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    return 0
