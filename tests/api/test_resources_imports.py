"""REST: a file of lines as the body itself, beside the form; the limits of tokens; writes that are done once."""

import json

import pytest

from annotation import tasks
from annotation.models import Import, Membership, Project
from annotation.services import imports as service
from curation import tasks as curation_tasks
from curation.models import Run
from tests.api.callers import Caller, at, refusal_of
from tests.factories import make_member, make_project, make_prompt, make_user

pytestmark = pytest.mark.django_db
LINES = {"content_type": "application/x-ndjson"}
ROWS = [
    {"response_id": f"p1-{side}", "prompt_id": "p1", "prompt": "Write.", "text": f"Bridge {side}."}
    for side in "ab"
]
BODY = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path, monkeypatch):
    settings.IMPORTS_DIR = tmp_path / "imports"
    monkeypatch.setattr(tasks.run_import_job, "delay_on_commit", lambda pk: None)
    monkeypatch.setattr(curation_tasks.run_curation, "delay_on_commit", lambda pk: None)


@pytest.fixture
def caller(lead):
    return Caller(lead.user)


# --- Lines as the body -------------------------------------------------------------------------------


def test_lines_are_an_import_of_one_file(caller):
    uploaded = caller.post("imports/?name=texts.jsonl", BODY, **LINES)
    told = uploaded.json()
    assert (uploaded.status_code, told["state"]) == (201, "draft")
    assert [(file["name"], file["size"]) for file in told["files"]] == [("texts.jsonl", len(BODY))]
    assert (told["shape"]["format"], told["missing"]) == ("jsonl", [])
    assert caller.post(f"{told['url']}store/").status_code == 202


def test_the_same_by_a_form_is_the_same_import(caller, client, tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(BODY)
    with path.open("rb") as file:
        by_form = client.post(at("imports/"), {"file": file}, headers=caller.headers).json()
    as_body = caller.post("imports/", BODY, **LINES).json()
    differing = {"id", "url", "created_at"}
    assert {k: v for k, v in by_form.items() if k not in differing} == {
        k: v for k, v in as_body.items() if k not in differing
    }


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b"", 422),
        (b"no lines\n", 422),
        (b'{"a": 1\n', 422),
        (b"\xff\xfe\x00{", 422),
        (b"[1]\n", 422),
    ],
)
def test_what_is_no_table_is_refused_and_nothing_is_kept(caller, settings, body, refused):
    assert refusal_of(caller.post("imports/", body, **LINES))[0] == refused
    assert not Import.objects.exists()
    assert not settings.IMPORTS_DIR.exists() or list(settings.IMPORTS_DIR.iterdir()) == []


def test_a_body_beyond_the_limit_is_refused_while_it_arrives(caller, monkeypatch, settings):
    monkeypatch.setattr(service, "MAX_BYTES", 100)
    assert refusal_of(caller.post("imports/", BODY, **LINES)) == (422, "too_large")
    assert list(settings.IMPORTS_DIR.iterdir()) == []


def test_a_body_of_another_type_is_refused(caller):
    answer = caller.post("imports/", BODY, content_type="text/csv")
    assert refusal_of(answer) == (415, "unsupported_media_type")
    assert refusal_of(caller.post("imports/?folder=x", BODY, **LINES))[0] == 400


@pytest.mark.parametrize(("role", "refused"), [("annotator", 403), ("instructor", 403), (None, 404)])
def test_nobody_but_a_lead_sends_lines(project, role, refused):
    user = make_member(project, role, "somebody").user if role else make_user("somebody")
    assert refusal_of(Caller(user).post("imports/", BODY, **LINES))[0] == refused
    assert not Import.objects.exists()


# --- The limits of a token ---------------------------------------------------------------------------


def test_a_token_that_may_only_read_changes_nothing(project, lead):
    reader = Caller(lead.user, scopes=["read"])
    assert reader.get("members/").status_code == 200
    calls = [
        reader.patch("", {"name": "Changed"}),
        reader.post("rounds/", {"name": "Round 1"}),
        reader.post("imports/", BODY, **LINES),
        reader.post("members/", {"username": "lea", "role": "instructor"}),
        reader.delete("genres/fiction/"),
        reader.post("runs/"),
    ]
    assert {refusal_of(answer) for answer in calls} == {(403, "scope_missing")}
    project.refresh_from_db()
    assert (project.name, project.genres.count(), Run.objects.count()) == ("Bridges", 2, 0)


def test_a_token_of_one_project_knows_no_other(project, lead):
    other = make_project("tunnels")
    Membership.objects.create(project=other, user=lead.user, role="lead", joined_at=other.created_at)
    make_prompt(other, "t1")
    limited = Caller(lead.user, project=project)
    assert [row["slug"] for row in limited.all("/api/v1/projects/")] == ["bridges"]
    assert len(Caller(lead.user).all("/api/v1/projects/")) == 2
    for place in ("", "prompts/", "prompts/t1/", "exports/prompts.jsonl"):
        assert limited.get(f"/api/v1/projects/tunnels/{place}").status_code == 404
    assert refusal_of(limited.patch("/api/v1/projects/tunnels/", {"name": "x"}))[0] == 404


def test_a_token_of_one_project_makes_none(project, lead):
    lead.user.is_superuser = True
    lead.user.save()
    limited = Caller(lead.user, project=project)
    assert refusal_of(limited.post("/api/v1/projects/", {"name": "Tunnels"})) == (403, "token_limited")
    assert Project.objects.count() == 1


# --- Once --------------------------------------------------------------------------------------------


def test_a_write_that_is_sent_again_with_its_key_is_done_once(caller):
    key = {"idempotency_key": "round 1"}
    first = caller.post("runs/", {}, **key)
    again = caller.post("runs/", {}, **key)
    assert (first.status_code, again.status_code, again["Location"]) == (202, 202, first["Location"])
    assert again.json() == first.json()
    assert Run.objects.count() == 1
    other = caller.post("runs/", {"recipe": "writing-preference"}, **key)
    assert refusal_of(other)[1] == "idempotency_conflict"


def test_lines_that_are_sent_again_with_their_key_are_one_import(caller):
    answers = [caller.post("imports/", BODY, idempotency_key="texts", **LINES) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert Import.objects.count() == 1
    refused = caller.post("imports/", BODY + BODY, idempotency_key="texts", **LINES)
    assert refusal_of(refused)[1] == "idempotency_conflict"


def test_a_password_is_kept_nowhere_for_whoever_asks_again(caller, project):
    body = {"username": "newcomer", "role": "annotator", "new_account": True}
    told = caller.post("members/", body, idempotency_key="newcomer").json()
    assert told["password"]
    again = caller.post("members/", body, idempotency_key="newcomer")
    assert refusal_of(again) == (409, "answer_not_kept")
    assert project.memberships.filter(user__username="newcomer").count() == 1
