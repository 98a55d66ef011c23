"""`manage.py demo`, as a person runs it: another process, in a folder of its own."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from annotation.models import Stage
from curation.management.commands import demo
from curation.services import verification
from tests.children import running, wait_until

pytestmark = [pytest.mark.files, pytest.mark.worker]
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """What the first run of the demo did, in which folder."""
    folder = tmp_path_factory.mktemp("demo")
    return run(folder, "--no-serve"), folder


@pytest.fixture
def data(first):
    return first[1]


def environment(data):
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {**kept, "DATA_DIR": str(data), "HOME": str(data)}


def run(data, *options, **extra):
    command = [sys.executable, str(ROOT / "manage.py"), "demo", *options]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**environment(data), **extra},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processes_over(data):
    """Processes whose environment names the folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"DATA_DIR={data}".encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_it_ends_with_a_verified_release_made_by_a_worker(first):
    done, data = first
    assert (done.returncode, done.stderr) == (0, "")
    worker = int(re.search(r"by worker \S+:(\d+):", done.stdout)[1])
    assert worker != os.getpid()
    assert verification.verify(data / "releases" / "demo" / "0.1.0").ok
    assert processes_over(data) == []


def test_it_serves_the_site_and_ctrl_c_stops_all_that_it_started(data):
    port = free_port()
    log = data / "out.txt"
    with running(
        [sys.executable, ROOT / "manage.py", "demo", "--port", str(port)], log=log, env=environment(data)
    ) as it:
        wait_until(lambda: "Press Ctrl-C" in log.read_text(), "The demo", seconds=90, process=it, log=log)
        lines = log.read_text().splitlines()
        assert f"Plumb is ready: http://127.0.0.1:{port}/" in lines
        logins = [line.split() for line in lines if line.startswith("login ")]
        assert [tuple(login[1:3]) for login in logins[:4]] == [
            ("lead", "lead"),
            ("annotator", "annotator1"),
            ("annotator", "annotator2"),
            ("annotator", "annotator3"),
        ]
        assert all(len(login) == 4 for login in logins[:5])
        # Then the adjudicator, the instructor, and one person at each stage on the way, which stands beside the name.
        stages = {login[2]: login[4:] for login in logins[4:]}
        assert stages.pop("adjudicator") == []
        assert stages.pop("ruth") == []
        assert sorted(stage for (stage,) in stages.values()) == [
            "(calibration)",
            "(declined)",
            "(exam)",
            "(paused)",
            "(screening)",
            "(training)",
        ]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as response:
            assert json.load(response) == {"status": "ok"}
        again = run(data, "--no-serve")
        assert (again.returncode, "running over" in again.stderr) == (1, True)
        it.send_signal(signal.SIGINT)
        assert it.wait(30) == 0
    assert processes_over(data) == []


def test_killed_without_mercy_it_still_leaves_nothing_behind(data):
    log = data / "killed.txt"
    command = [sys.executable, ROOT / "manage.py", "demo", "--port", str(free_port())]
    with running(command, log=log, env=environment(data)) as it:
        wait_until(lambda: "Press Ctrl-C" in log.read_text(), "The demo", seconds=90, process=it, log=log)
        it.kill()
        it.wait(10)
        wait_until(lambda: processes_over(data) == [], "What the demo started", seconds=30)


def test_its_people_are_loaded_after_the_release_and_once(data):
    """All earlier starts over this folder have met them; the release holds none of their texts."""
    with sqlite3.connect(data / "plumb.sqlite3") as database:
        stages = dict(
            database.execute("SELECT stage, count(*) FROM annotation_qualification GROUP BY stage").fetchall()
        )
        [(closed,)] = database.execute(
            "SELECT count(*) FROM annotation_round WHERE purpose = 'calibration' AND state = 'locked'"
        ).fetchall()
    assert set(stages) == set(Stage.values)
    assert closed == 1
    released = (data / "releases" / "demo" / "0.1.0").rglob("*")
    assert not any(b"item-1" in file.read_bytes() for file in released if file.is_file())


def test_its_secrets_are_for_its_owner_alone(data):
    for name in ("secret_key", "demo_logins.json"):
        assert stat.S_IMODE((data / name).stat().st_mode) == 0o600


def test_passwords_are_made_anew_where_the_database_is_new(data, tmp_path):
    shutil.copy(data / "demo_logins.json", tmp_path)
    assert run(tmp_path, "--no-serve").returncode == 0
    assert (tmp_path / "demo_logins.json").read_text() != (data / "demo_logins.json").read_text()


@pytest.mark.parametrize("port", ["0", "70000"])
def test_a_port_that_cannot_be_is_said_so(data, port):
    done = run(data, "--port", port)
    assert (done.returncode, "choose one from 1 to 65535" in done.stderr) == (1, True)


def test_a_port_in_use_is_said_before_anything_is_started(data):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(data, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert "Choose another: make demo PORT=8001" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_another_version_is_left_alone(data, tmp_path):
    data = shutil.copytree(data, tmp_path / "copy")
    path = data / "plumb.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('curation', '0999_from_the_future', '2030-01-01')"
        )
    done = run(data, "--no-serve")
    assert done.returncode == 1
    assert "made by another version of Plumb" in done.stderr
    assert "0999_from_the_future" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    path = tmp_path / "plumb.sqlite3"
    path.write_text("This is a diary, not a database. " * 100)
    done = run(tmp_path, "--no-serve")
    assert done.returncode == 1
    assert "made by another version of Plumb" in done.stderr
    assert path.read_text().startswith("This is a diary")
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_said_so():
    sentence = demo._about_the_database(sqlite3.OperationalError("database or disk is full"))
    assert "is full. Make room" in sentence


def test_it_does_not_touch_a_database_of_ones_own(data):
    done = run(data, "--no-serve", DATABASE_URL="sqlite:////nonexistent/db", SECRET_KEY="x" * 50)
    assert done.returncode == 1
    assert "Unset DATABASE_URL" in done.stderr
