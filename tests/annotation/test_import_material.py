"""Importing prompts and responses: all of a file or nothing, a second time without effect, never over something."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.domain.records import InputError
from annotation.models import Genre, Import, JournalEntry, Project, Prompt, Requirement, Response, User
from annotation.services import intake_material
from annotation.services.intake_files import Report, import_material

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TABLES = (
    Project,
    Genre,
    Prompt,
    Requirement,
    Response,
    Response.kept_requirements.through,
    JournalEntry,
    User,
)


@pytest.fixture
def project() -> Project:
    made = Project.objects.create(slug="lab", name="Lab", created_at=NOW)
    for position, (key, en, zh) in enumerate(
        [("poetry", "Poetry", "诗歌"), ("fiction", "Fiction", "小说"), ("role-play", "Role play", "角色扮演")]
    ):
        Genre.objects.create(project=made, key=key, name_en=en, name_zh=zh, position=position)
    return made


def row(**columns: object) -> dict[str, object]:
    return {"id": "r1", "prompt_id": "p1", "text": "Once.", **columns}


def written(folder: Path, *rows: dict[str, object], name: str = "r.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def take(project: Project, path: Path, **keywords: object) -> Report:
    return import_material(project, path, by=None, now=NOW, **keywords)


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


FULL = row(
    prompt="Write a sad, short poem.",
    language="en",
    genre="poetry",
    model="m-1",
    length=7,
    parameters={"temperature": 0.7},
    requirements=["sad", "short", "a poem"],
    kept_requirements=[1, 3],
)


# --- what is stored ----------------------------------------------------------------------------------------


def test_it_stores_every_column(project, tmp_path):
    take(project, written(tmp_path, FULL))
    response = project.responses.get()
    prompt = response.prompt
    assert (prompt.external_id, prompt.text, prompt.language) == ("p1", "Write a sad, short poem.", "en")
    assert (prompt.genre.key, prompt.created_at) == ("poetry", NOW)
    assert list(prompt.requirements.values_list("position", "text")) == [
        (1, "sad"),
        (2, "short"),
        (3, "a poem"),
    ]
    assert (response.external_id, response.text, response.state) == ("r1", "Once.", "active")
    assert response.text_sha256 == hashlib.sha256(b"Once.").hexdigest()
    assert (response.source_model, response.given_length) == ("m-1", 7)
    assert response.parameters == {"temperature": 0.7}
    assert [one.text for one in response.kept_requirements.all()] == ["sad", "a poem"]


def test_three_columns_are_enough(project, tmp_path):
    take(project, written(tmp_path, row()))
    response = project.responses.get()
    assert (response.given_length, response.source_model, response.parameters) == (None, "", {})
    assert (response.prompt.genre, response.prompt.text) == (None, "")


def test_it_reports_what_it_did(project, tmp_path):
    rows = [row(), row(id="r2"), row(id="r3", prompt_id="p2"), row()]
    report = take(project, written(tmp_path, *rows))
    assert report == Report(rows=4, unchanged=1, created_prompts=2, created_responses=3)


def test_csv_and_jsonl_store_the_same(project, tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid,prompt_id,text,genre,requirements,kept_requirements\r\n"
        b'r1,p1,"One\r\ntwo",Poetry,"[""sad"", ""short""]",[2]\r\n'
    )
    take(project, path)
    response = project.responses.get()
    assert (response.text, response.prompt.genre.key) == ("One\r\ntwo", "poetry")
    assert [one.text for one in response.kept_requirements.all()] == ["short"]


@pytest.mark.parametrize("genre", ["role-play", "Role play", "role play", "角色扮演"])
def test_a_genre_goes_by_its_key_or_either_name(project, tmp_path, genre):
    take(project, written(tmp_path, row(genre=genre)))
    assert project.prompts.get().genre.key == "role-play"


def test_the_same_id_in_another_project_is_another_response(project, tmp_path):
    other = Project.objects.create(slug="other", name="Other", created_at=NOW)
    take(project, written(tmp_path, row()))
    take(other, written(tmp_path, row(text="Else.")))
    assert Response.objects.count() == 2


def test_the_journal_names_the_file_and_what_came_of_it(project, tmp_path):
    user = User.objects.create_user("ann")
    path = written(tmp_path, row())
    import_material(project, path, by=user, now=NOW)
    entry = JournalEntry.objects.get()
    assert (entry.action, entry.project, entry.actor, entry.at) == ("import.stored", project, user, NOW)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert entry.data["files"] == [{"name": "r.jsonl", "sha256": digest}]
    assert entry.data["responses"] == 1


def test_each_row_knows_the_import_file_and_line_it_came_from(project, tmp_path):
    take(project, written(tmp_path, row(), row(id="r2")))
    brought = Import.objects.get()
    assert (brought.state, brought.importer_version, brought.stored_at) == ("stored", 1, NOW)
    places = project.responses.order_by("pk").values_list("source", "source_place")
    assert list(places) == [(brought.pk, "r.jsonl, line 1"), (brought.pk, "r.jsonl, line 2")]
    assert project.prompts.get().source_place == "r.jsonl, line 1"


# --- again -------------------------------------------------------------------------------------------------


def test_a_second_import_of_the_same_file_changes_nothing(project, tmp_path):
    path = written(tmp_path, FULL, {**FULL, "id": "r2", "kept_requirements": []})
    take(project, path)
    before = counts()
    assert take(project, path) == Report(rows=2, unchanged=2)
    assert counts() == before


def test_a_column_left_empty_says_nothing_against_what_is_stored(project, tmp_path):
    take(project, written(tmp_path, FULL))
    assert take(project, written(tmp_path, row())).unchanged == 1


def test_a_second_file_may_add_responses_to_a_known_prompt(project, tmp_path):
    take(project, written(tmp_path, FULL))
    report = take(project, written(tmp_path, {**FULL, "id": "r2", "kept_requirements": [2]}))
    assert (report.created_prompts, report.created_responses) == (0, 1)
    added = project.responses.get(external_id="r2")
    assert [one.text for one in added.kept_requirements.all()] == ["short"]


def test_a_removed_response_stays_removed(project, tmp_path):
    path = written(tmp_path, row())
    take(project, path)
    project.responses.update(state="removed", removed_at=NOW)
    assert take(project, path).unchanged == 1
    assert project.responses.get().state == "removed"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("text", "Twice."),
        ("text", "Once. "),
        ("prompt_id", "p2"),
        ("model", "m-2"),
        ("length", 8),
        ("length", 0),
        ("parameters", {"temperature": 1}),
        ("kept_requirements", [1, 2]),
        ("prompt", "Write another."),
        ("language", "zh"),
        ("genre", "fiction"),
        ("requirements", ["sad", "short", "a haiku"]),
    ],
)
def test_a_known_id_with_other_content_is_refused(project, tmp_path, column, value):
    take(project, written(tmp_path, FULL))
    before = counts()
    path = written(tmp_path, row(id="new", prompt_id="p0"), {**FULL, column: value})
    with pytest.raises(InputError) as caught:
        take(project, path)
    assert (caught.value.line, caught.value.column, caught.value.source) == (2, column, "r.jsonl")
    assert "never overwritten: give this one an id of its own" in caught.value.reason
    assert counts() == before


# --- a trial run -------------------------------------------------------------------------------------------


def test_a_trial_reports_and_changes_nothing(project, tmp_path):
    before = counts()
    report = take(project, written(tmp_path, FULL), dry_run=True)
    assert report == Report(rows=1, unchanged=0, created_prompts=1, created_responses=1, dry_run=True)
    assert counts() == before


def test_a_trial_refuses_what_the_import_would_refuse(project, tmp_path):
    take(project, written(tmp_path, row()))
    with pytest.raises(InputError):
        take(project, written(tmp_path, row(text="Twice.")), dry_run=True)


# --- many rows ---------------------------------------------------------------------------------------------


def test_a_failure_in_a_later_chunk_leaves_nothing(project, tmp_path, monkeypatch):
    monkeypatch.setattr(intake_material, "CHUNK", 2)
    before = counts()
    chunks = []

    def failing(self, pairs):
        chunks.append(list(pairs))
        if len(chunks) == 3:
            raise KeyboardInterrupt

    path = written(tmp_path, *(row(id=f"r{number}") for number in range(7)))
    with monkeypatch.context() as patched:
        patched.setattr(intake_material.MaterialIntake, "_keep_requirements", failing)
        with pytest.raises(KeyboardInterrupt):
            take(project, path)
    assert counts() == before
    assert take(project, path).created_responses == 7


def queries_for(project: Project, path: Path) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        take(project, path)
    return len(captured)


def test_queries_do_not_grow_with_rows_that_are_known(project, tmp_path):
    rows = [{**FULL, "id": f"r{number}", "prompt_id": f"p{number}"} for number in range(60)]
    few, many = written(tmp_path, *rows[:3]), written(tmp_path, *rows, name="many.jsonl")
    take(project, few)
    needed = queries_for(project, few)
    take(project, many)
    assert queries_for(project, many) == needed


# --- bad files ---------------------------------------------------------------------------------------------

GOOD = b'{"id": "r1", "prompt_id": "p1", "text": "Once."}\n'


def after_good(line: str) -> bytes:
    return GOOD + line.encode() + b"\n"


def with_value(column: str, value: str) -> bytes:
    """A good line, then one that has the JSON `value` in this column."""
    columns = {"id": '"r2"', "prompt_id": '"p2"', "text": '"Two."', column: value}
    return after_good("{" + ", ".join(f'"{name}": {written}' for name, written in columns.items()) + "}")


BAD_JSONL = {
    "nothing": (b"", 1, "", "the file is empty"),
    "blank lines": (b"\n\n \n", 1, "", "the file is empty"),
    "a mark alone": (b"\xef\xbb\xbf", 1, "", "the file is empty"),
    "Latin-1": (GOOD + b'{"id": "caf\xe9"}\n', 2, "12", "0xe9 is not UTF-8"),
    "UTF-16": ('{"id": "r1"}'.encode("utf-16"), 1, "1", "UTF-16"),
    "an archive": (b"PK\x03\x04\x14\x00\x00\x00", 1, "6", "NUL"),
    "a web page": (b"<!DOCTYPE html>\n", 1, "1", "not valid JSON"),
    "one array": (b"[" + GOOD.strip() + b"]\n", 1, "1", "is not an object"),
    "an indented object": (b'{\n  "id": "r1"\n}\n', 1, "2", "one JSON object a line"),
    "a cut line": (after_good('{"id": "r2", "prompt_id"'), 2, "25", "not valid JSON"),
    "a number": (after_good("3"), 2, "1", "is not an object"),
    "null": (after_good("null"), 2, "1", "is not an object"),
    "no id": (after_good('{"prompt_id": "p1", "text": "x"}'), 2, "id", "missing"),
    "no prompt_id": (after_good('{"id": "r2", "text": "x"}'), 2, "prompt_id", "missing"),
    "a misspelt text": (after_good('{"id": "r2", "prompt_id": "p1", "txt": "x"}'), 2, "text", "mean 'txt'"),
    "a null id": (with_value("id", "null"), 2, "id", "null"),
    "an empty id": (with_value("id", '""'), 2, "id", "empty"),
    "a blank id": (with_value("id", '" "'), 2, "id", "empty"),
    "a padded id": (with_value("id", '"r2 "'), 2, "id", "white space"),
    "an id on two lines": (with_value("id", '"r\\n2"'), 2, "id", "control character"),
    "an id that is true": (with_value("id", "true"), 2, "id", "true"),
    "an id that is 1.5": (with_value("id", "1.5"), 2, "id", "1.5"),
    "an id without end": (with_value("id", '"' + "r" * 300 + '"'), 2, "id", "300 characters"),
    "a list as prompt_id": (with_value("prompt_id", '["p"]'), 2, "prompt_id", "cannot be a name"),
    "an empty text": (with_value("text", '""'), 2, "text", "empty"),
    "a blank text": (with_value("text", '" \\n"'), 2, "text", "empty"),
    "a null text": (with_value("text", "null"), 2, "text", "null"),
    "a text that is false": (with_value("text", "false"), 2, "text", "false is not a text"),
    "half of a surrogate pair": (with_value("text", '"\\ud83d"'), 2, "text", "U+D83D"),
    "a NUL": (with_value("text", '"a\\u0000"'), 2, "text", "NUL"),
    "a NUL in parameters": (with_value("parameters", '{"a": "\\u0000"}'), 2, "parameters", "NUL"),
    "NaN": (with_value("length", "NaN"), 2, "length", "NaN"),
    "Infinity": (with_value("parameters", '{"a": Infinity}'), 2, "parameters", "Infinity"),
    "a key twice": (after_good('{"id": "r2", "id": "r2"}'), 2, "id", "occurs twice"),
    "a key twice within": (with_value("parameters", '{"a": 1, "a": 2}'), 2, "parameters", "occurs twice"),
    "deep nesting": (with_value("parameters", '{"a":' * 5000 + "1" + "}" * 5000), 2, "1", "too deep"),
    "some nesting": (with_value("parameters", '{"a":' * 60 + "1" + "}" * 60), 2, "parameters", "too deep"),
    "a huge integer": (with_value("length", "1" * 5000), 2, "length", "5000 digits"),
    "a large length": (with_value("length", "99999999999"), 2, "length", "too large"),
    "a negative length": (with_value("length", "-1"), 2, "length", "not a count"),
    "a length in words": (with_value("length", '"ten"'), 2, "length", "not a count"),
    "parameters in a list": (with_value("parameters", "[1]"), 2, "parameters", "not a JSON object"),
    "requirements in a text": (with_value("requirements", '"sad"'), 2, "requirements", "not a list"),
    "an empty requirement": (with_value("requirements", '["sad", ""]'), 2, "requirements", "not a text"),
    "a requirement too many": (with_value("kept_requirements", "[1]"), 2, "kept_requirements", "no position"),
    "an unknown genre": (with_value("genre", '"poetri"'), 2, "genre", "did you mean 'poetry'?"),
    "a strange genre": (with_value("genre", '"xyz"'), 2, "genre", "it has: poetry, fiction, role-play"),
    "a long language": (with_value("language", '"' + "x" * 36 + '"'), 2, "language", "36 characters"),
    "one id, two texts": (with_value("id", '"r1"'), 2, "id", "line 1"),
    "ids that differ in case": (with_value("id", '"R1"'), 2, "id", "differs only in case"),
    "one prompt, two texts": (
        after_good('{"id": "r2", "prompt_id": "p1", "text": "x", "prompt": "y"}'),
        2,
        "prompt",
        "line 1",
    ),
}
HEAD = b"id,prompt_id,text\n"
BAD_CSV = {
    "nothing": (b"", 1, "", "the file is empty"),
    "no text column": (b"id,prompt_id,txt\nr1,p1,x\n", 1, "text", "mean 'txt'"),
    "no header": (b"r1,p1,Once.\n", 1, "id", "found: r1, p1, Once."),
    "semicolons": (b"id;prompt_id;text\nr1;p1;x\n", 1, "1", "semicolons"),
    "a column twice": (b"id,prompt_id,text,text\nr1,p1,x,y\n", 1, "text", "twice"),
    "a cell too few": (HEAD + b"r1,p1,x\nr2,p2\n", 3, "3", "2 cells"),
    "a cell too many": (HEAD + b"r1,p1,one, two\n", 2, "4", "4 cells"),
    "an open quote": (HEAD + b'r1,p1,x\nr2,p2,"y\n', 3, "1", "not valid CSV"),
    "an empty text": (HEAD + b'r1,p1,"a\nb"\nr2,p2,\n', 4, "text", "missing"),
    "Latin-1": (HEAD + b"r1,p1,caf\xe9\n", 2, "10", "0xe9"),
    "a NUL": (HEAD + b"r1,p1,x\x00\n", 2, "text", "NUL"),
    "parameters that are no JSON": (b"id,prompt_id,text,parameters\nr1,p1,x,hot\n", 2, "parameters", "JSON"),
    "a length of 2.5": (b"id,prompt_id,text,length\nr1,p1,x,2.5\n", 2, "length", "not a count"),
}
BAD = {f"{name}.jsonl": case for name, case in BAD_JSONL.items()} | {
    f"{name}.csv": case for name, case in BAD_CSV.items()
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_place_and_changes_nothing(project, tmp_path, name):
    content, line, column, reason = BAD[name]
    take(project, written(tmp_path, row(id="r0", prompt_id="p0")))
    before = counts()
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        take(project, path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason
    assert counts() == before


# --- the command -------------------------------------------------------------------------------------------


def test_the_command_says_in_words_what_it_did(project, tmp_path, capsys):
    call_command("import_material", "lab", str(written(tmp_path, row(), row(id="r2"))))
    assert capsys.readouterr().out == "r.jsonl: 2 rows for lab: 1 new prompt, 2 new responses, 0 unchanged.\n"


def test_the_command_prints_counts_as_json(project, tmp_path, capsys):
    call_command("import_material", "lab", str(written(tmp_path, row())), "--json", "--dry-run")
    printed = json.loads(capsys.readouterr().out)
    assert (printed["rows"], printed["created_responses"], printed["dry_run"]) == (1, 1, True)
    assert Response.objects.count() == 0


def test_the_command_says_that_a_trial_stored_nothing(project, tmp_path, capsys):
    call_command("import_material", "lab", str(written(tmp_path, row())), "--dry-run")
    assert "Nothing was stored" in capsys.readouterr().out


def test_the_command_refuses_a_bad_file_in_one_line(project, tmp_path, capsys):
    path = written(tmp_path, row(), row(id="r2", text=5))
    with pytest.raises(CommandError, match=r"^r.jsonl, line 2, column text: 5 is not a text;") as caught:
        call_command("import_material", "lab", str(path), "--json")
    assert caught.value.returncode == 1
    assert capsys.readouterr().out == ""


def test_the_command_names_the_projects_there_are(project, tmp_path):
    with pytest.raises(CommandError, match=r"no project 'labb'; did you mean 'lab'\?; the projects are: lab"):
        call_command("import_material", "labb", str(written(tmp_path, row())))


def test_the_command_says_when_there_is_no_project(tmp_path):
    with pytest.raises(CommandError, match="there is no project yet"):
        call_command("import_material", "lab", str(written(tmp_path, row())))
