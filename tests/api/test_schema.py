"""REST: the description is complete, valid, and true. Clients are made from it, and requests that it could not foresee.

SCHEMATHESIS_CASES=5000 .venv/bin/python -m pytest tests/api/test_schema.py -k undocumented  takes some minutes.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import pairwise, product
from math import ceil

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, seed, strategies
from hypothesis import settings as hypothesis_settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.operations import OPERATIONS
from api.schema import PREFIX
from curation import tasks
from tests.api.callers import Caller, fill, token_of
from tests.children import BIN
from tests.factories import make_user

CASES = int(os.environ.get("SCHEMATHESIS_CASES", "300"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# What the generator of clients knows nothing of is bytes to it.
OVERRIDES = """content_type_overrides:
  application/x-ndjson: application/octet-stream
  text/csv: text/plain
"""
# How requests are made: whether as the description allows, whether of things that are there, and which share of CASES.
WAYS = (
    (GenerationMode.POSITIVE, True, 1.0),
    (GenerationMode.NEGATIVE, True, 0.5),
    (GenerationMode.NEGATIVE, False, 0.2),
)
# What is there, by the part of the address before it; elsewhere by the name of the parameter.
NAMED = {
    "prompts": ["p0"],
    "responses": ["p0-0"],
    "rounds": ["Round 1", "Ranking", "Draft"],
    "recipes": ["writing-preference"],
    "genres": ["fiction", "drama"],
    "members": ["ursula", "lea"],
    "rubrics": [1],
    "tables": ["genres", "pairs"],
    "exports": ["scores", "prompts", "responses", "rankings"],
    "files": ["manifest.json"],
    "problems": ["not_found"],
    "releases": ["bridges"],
    "projects": ["bridges"],
    "submissions": [1],
    "version": ["1.0.0"],
    "number": [1],
}


@pytest.fixture(scope="module")
def description():
    return SchemaGenerator().get_schema(request=None, public=True)


# --- Complete and valid ------------------------------------------------------------------------------


def test_the_command_has_nothing_to_warn_of(tmp_path, capsys):
    path = tmp_path / "schema.yml"
    call_command("spectacular", "--fail-on-warn", "--validate", "--file", str(path))
    assert path.read_text().startswith("openapi: 3.")
    assert capsys.readouterr().err == ""


def test_every_address_is_described_and_nothing_else(description):
    there = {
        f"{method.upper()} {path.removeprefix(PREFIX)}"
        for path, methods in description["paths"].items()
        for method in methods
    }
    answered = {
        f"{method} {re.sub('{pk}', '{id}', path).removeprefix(PREFIX)}"
        for path, _regex, method, _view in EndpointEnumerator().get_api_endpoints()
        if path != f"{PREFIX}{{path}}"
    }
    assert there == answered
    assert there >= set(OPERATIONS)
    validate_schema(description)


def test_names_are_used_once(description):
    names = [each["operationId"] for methods in description["paths"].values() for each in methods.values()]
    assert [name for name, times in Counter(names).items() if times > 1] == []


def test_every_refusal_is_a_problem(description):
    for methods in description["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if status >= "400":
                    assert list(answer["content"]) == ["application/problem+json"]


@pytest.mark.django_db
def test_it_is_given_to_whoever_has_a_token(lead, client):
    assert client.get(f"{PREFIX}schema/").status_code == 401
    told = Caller(lead.user).get(f"{PREFIX}schema/")
    assert (told.status_code, told.json()["openapi"][:2]) == (200, "3.")


@pytest.mark.django_db
def test_nothing_of_the_material_stands_in_it(project, lead):
    fill(project, is_released=False)
    said = Caller(lead.user).get(f"{PREFIX}schema/").content.decode()
    assert not [name for name in ("ursula", "p0-0", "claude", "bridges") if name in said]


# --- A client made from it ---------------------------------------------------------------------------


@pytest.fixture
def generated(description, tmp_path, monkeypatch):
    """The client as openapi-python-client writes it."""
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(description))
    config = tmp_path / "config.yml"
    names = "package_name_override: plumb_client\nproject_name_override: plumb_client\n"
    config.write_text(f"{names}post_hooks: []\n{OVERRIDES}")
    made = subprocess.run(
        [BIN / "openapi-python-client", "generate", "--path", path, "--config", config, "--meta", "none"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "warning" not in made.stdout.lower() + made.stderr.lower(), made.stdout
    monkeypatch.syspath_prepend(str(tmp_path))
    yield lambda name: importlib.import_module(f"plumb_client.{name}")
    for name in [name for name in sys.modules if name.startswith("plumb_client")]:
        del sys.modules[name]


@pytest.mark.django_db(transaction=True)
def test_a_generated_client_lists_projects_starts_a_run_and_hears_why_not(
    generated, live_server, project, lead, monkeypatch
):
    monkeypatch.setattr(tasks.run_curation, "delay_on_commit", lambda pk: None)
    world = fill(project, is_released=False)
    client = generated("client").AuthenticatedClient(base_url=live_server.url, token=token_of(lead.user))
    page = generated("api.projects.list_projects").sync(client=client)
    assert [each.slug for each in page.results] == ["bridges"]
    assert page.results[0].settings.annotators_per_response == 3
    body = generated("models").NewRunRequest(recipe="writing-preference", version=1)
    start = generated("api.curation.start_run")
    run = start.sync("bridges", client=client, body=body)
    assert (run.state.value, run.recipe) == ("queued", "writing-preference")
    again = start.sync_detailed("bridges", client=client, body=body)
    assert (again.status_code.value, again.parsed.code) == (409, "run_in_progress")
    pairs = generated("api.curation.list_pairs").sync("bridges", world.run.pk, client=client)
    assert sorted(pair.prompt for pair in pairs.results) == ["p0", "p1", "p2", "p3"]
    exported = generated("api.exports.export").sync_detailed("bridges", "scores", client=client)
    assert exported.content.count(b"\n") == 24


# --- Requests made from it ---------------------------------------------------------------------------


@contextmanager
def one_connection():
    """No request closes the connection in which the test's rows are. The test client asks for that itself."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


@pytest.mark.django_db
def test_no_request_meets_an_error_of_the_server_or_an_undocumented_answer(
    project, lead, description, settings, tmp_path, monkeypatch
):
    """CASES requests over all operations, a part of them of what the description does not allow."""
    settings.RELEASES_DIR, settings.IMPORTS_DIR = tmp_path / "releases", tmp_path / "imports"
    settings.ALLOWED_HOSTS = ["*"]
    settings.API_REQUESTS_PER_MINUTE = settings.API_FAILURES_PER_MINUTE = 10**6
    for name in ("run_curation", "freeze_release", "compute_report"):
        monkeypatch.setattr(getattr(tasks, name), "delay_on_commit", lambda pk: None)
    world = fill(project)
    there = {
        **NAMED,
        "runs": [world.run.pk],
        "plans": [world.plan.pk],
        "authored": [world.authored.key],
        "imports": [_begun(Caller(lead.user))],
    }
    schema = schemathesis.openapi.from_dict(_without_security(description))
    schema.app = get_wsgi_application()
    headers = {
        person: {"Authorization": f"Bearer {token_of(user)}"}
        for person, user in (("lead", lead.user), ("operator", make_user("opal", is_superuser=True)))
    }
    told: Counter[int] = Counter()
    operations = [each.ok() for each in schema.get_all_operations()]
    with one_connection():
        for operation, (mode, is_there, share) in product(operations, WAYS):
            who = "operator" if operation.label == "POST /api/v1/projects/" else "lead"
            place = _names(operation.path, there) if is_there else None
            case = operation.as_strategy(generation_mode=mode)
            _try(case, place, headers[who], told, cases=ceil(share * CASES / len(operations)))
    sys.stdout.write(f"{sum(told.values())} requests: {dict(sorted(told.items()))}\n")
    assert sum(told.values()) >= CASES
    assert {200, 201, 202, 400, 404, 409, 422} <= set(told)


def _begun(caller):
    """An import, and a round and a genre that may go again."""
    caller.post("rounds/", {"name": "Draft"})
    caller.post("genres/", {"name_en": "Drama"})
    body = b'{"response_id": "p9-0", "prompt_id": "p9", "prompt": "Write.", "text": "A bridge."}\n'
    return caller.post("imports/", body, content_type="application/x-ndjson").json()["id"]


def _names(path, there):
    """For each name in the address what may stand there."""
    parts = path.strip("/").split("/")
    found = {}
    for before, part in pairwise(parts):
        name = re.fullmatch(r"\{(\w+)\}(?:\.\w+)?", part)
        if name:
            found[name[1]] = there.get(before) or there[name[1]]
    return found


def _try(made, place, headers, told, *, cases):
    @seed(8)
    @hypothesis_settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=made, data=strategies.data())
    def answers_as_described(case, data):
        if place:
            case.path_parameters = {
                name: data.draw(strategies.sampled_from(names)) for name, names in place.items()
            }
        response = case.call(headers=headers)
        told[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # there is nothing to get wrong
        answers_as_described()


def _without_security(description):
    """The same description; the token is ours to send."""
    found = json.loads(json.dumps(description))
    for methods in found["paths"].values():
        for operation in methods.values():
            operation.pop("security", None)
    return found
