"""Importing scores: into a round of their own, by people who get pseudonyms, append-only, all or nothing."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.domain.records import InputError
from annotation.errors import DomainError
from annotation.models import (
    Assignment,
    JournalEntry,
    Membership,
    Project,
    Prompt,
    Response,
    Round,
    Rubric,
    Score,
    User,
)
from annotation.services import intake_scores
from annotation.services.intake_files import Report, import_scores
from annotation.services.membership import add
from curation.queries.material import live_scores

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TABLES = (User, Membership, Round, Assignment, Score, JournalEntry)
FIRST, SECOND, THIRD = (f"2026-02-0{day}T10:00:00Z" for day in (1, 2, 3))


@pytest.fixture
def project(unruled: Project) -> Project:
    Rubric.objects.create(project=unruled, version=1, created_at=NOW)
    return unruled


@pytest.fixture
def unruled() -> Project:
    """A project without a rubric."""
    made = Project.objects.create(slug="lab", name="Lab", created_at=NOW)
    prompt = Prompt.objects.create(project=made, external_id="p1", created_at=NOW)
    for name in ("r1", "r2", "r3"):
        Response.objects.create(
            project=made, prompt=prompt, external_id=name, text=name, text_sha256="", created_at=NOW
        )
    return made


def row(**columns: object) -> dict[str, object]:
    return {"response_id": "r1", "annotator": "Ann", "score": 2, **columns}


def written(folder: Path, *rows: dict[str, object], name: str = "s.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def take(project: Project, path: Path, **keywords: object) -> Report:
    return import_scores(project, path, by=None, now=NOW, **keywords)


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def history(project: Project, response: str = "r1") -> list[tuple[int, int]]:
    scores = Score.objects.filter(response__project=project, response__external_id=response)
    return list(scores.order_by("annotator__pseudonym", "revision").values_list("revision", "value"))


# --- what is stored ----------------------------------------------------------------------------------------


def test_a_score_is_stored_as_the_file_has_it(project, tmp_path):
    take(project, written(tmp_path, row(at="2026-02-01T11:00:00+01:00", justification="Vivid.")))
    score = Score.objects.get()
    assert (score.response.external_id, score.value, score.justification) == ("r1", 2, "Vivid.")
    assert (score.at, score.recorded_at) == (datetime(2026, 2, 1, 10, tzinfo=UTC), NOW)
    assert (score.revision, score.standing, score.rubric.version) == (1, "counted", 1)


def test_scores_stand_in_a_live_round_that_nobody_else_can_work_in(project, tmp_path):
    take(project, written(tmp_path, row()))
    work = project.rounds.get()
    assert (work.name, work.purpose, work.state) == ("Imported scores", "live", "locked")
    assert (work.rubric.version, work.opened_at, work.locked_at) == (1, NOW, NOW)


def test_the_newest_rubric_is_the_one_of_the_round(project, tmp_path):
    newest = Rubric.objects.create(project=project, version=2, created_at=NOW)
    take(project, written(tmp_path, row()))
    assert Score.objects.get().rubric == project.rounds.get().rubric == newest


def test_every_judgement_has_a_slot_that_is_done(project, tmp_path):
    take(project, written(tmp_path, row(annotator="Cid"), row(), row(annotator="Bob"), row(response_id="r2")))
    slots = Assignment.objects.order_by("response__external_id", "slot")
    assert [(one.response.external_id, one.slot, one.annotator.external_id, one.state) for one in slots] == [
        ("r1", 1, "Ann", "done"),
        ("r1", 2, "Bob", "done"),
        ("r1", 3, "Cid", "done"),
        ("r2", 1, "Ann", "done"),
    ]
    assert all(score.assignment.annotator == score.annotator for score in Score.objects.all())


def test_an_annotator_gets_a_pseudonym_in_byte_order_of_the_names(project, tmp_path):
    take(project, written(tmp_path, *(row(annotator=name) for name in ("b", "Ö", "a", "C", "字"))))
    members = Membership.objects.order_by("pseudonym")
    assert [one.external_id for one in members] == ["C", "a", "b", "Ö", "字"]
    assert [one.pseudonym for one in members] == [f"annotator-0{number}" for number in range(1, 6)]
    assert {(one.role, one.state, one.joined_at) for one in members} == {("annotator", "active", NOW)}


def test_nobody_can_sign_in_as_an_imported_annotator(project, tmp_path):
    take(project, written(tmp_path, row()))
    user = User.objects.get()
    assert not user.has_usable_password()
    assert (user.username, user.email) == ("lab.annotator-01", "")


def test_pseudonyms_go_on_after_those_in_use(project, tmp_path):
    add(project, User.objects.create_user("eve"), role="annotator", by=None, now=NOW)
    User.objects.create_user("lab.annotator-02")
    take(project, written(tmp_path, row()))
    assert Membership.objects.get(external_id="Ann").pseudonym == "annotator-03"


def test_one_name_in_two_projects_is_two_annotators(project, tmp_path):
    other = Project.objects.create(slug="other", name="Other", created_at=NOW)
    Rubric.objects.create(project=other, version=1, created_at=NOW)
    prompt = Prompt.objects.create(project=other, external_id="p1", created_at=NOW)
    Response.objects.create(
        project=other, prompt=prompt, external_id="r1", text="x", text_sha256="", created_at=NOW
    )
    path = written(tmp_path, row())
    take(project, path)
    take(other, path)
    assert User.objects.count() == 2


def test_several_scores_in_a_file_are_revisions_in_order_of_time(project, tmp_path):
    report = take(
        project,
        written(
            tmp_path,
            row(score=1, at=THIRD),
            row(score=3, at=FIRST),
            row(score=2, at=SECOND),
            row(score=2, at=SECOND),
        ),
    )
    assert history(project) == [(1, 3), (2, 2), (3, 1)]
    assert report == Report(rows=4, unchanged=1, created_annotators=1, created_scores=1, revisions=2)


def test_an_integral_float_and_a_cell_are_scores(project, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("response_id,annotator,score\nr1,Ann,2.0\nr2,Ann,0\n")
    take(project, path)
    assert sorted(Score.objects.values_list("value", flat=True)) == [0, 2]


def test_scores_of_a_removed_response_are_kept(project, tmp_path):
    project.responses.update(state="removed", removed_at=NOW)
    assert take(project, written(tmp_path, row())).created_scores == 1


def test_a_header_alone_creates_nothing(project, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("response_id,annotator,score\n")
    before = counts()
    assert take(project, path) == Report(rows=0, unchanged=0)
    assert counts() == before


def test_the_journal_names_the_file_and_what_came_of_it(project, tmp_path):
    take(project, written(tmp_path, row()))
    entry = JournalEntry.objects.get()
    assert (entry.action, entry.project, entry.actor) == ("import.stored", project, None)
    assert (entry.data["files"][0]["name"], entry.data["scores"]) == ("s.jsonl", 1)


# --- again -------------------------------------------------------------------------------------------------


def test_a_second_import_of_the_same_file_changes_nothing(project, tmp_path):
    path = written(
        tmp_path, row(at=FIRST), row(score=3, at=SECOND), row(annotator="Bob"), row(response_id="r2")
    )
    take(project, path)
    before = counts()
    assert take(project, path) == Report(rows=4, unchanged=4)
    assert counts() == before


def test_a_second_file_finds_the_annotator_again(project, tmp_path):
    take(project, written(tmp_path, row()))
    report = take(project, written(tmp_path, row(response_id="r2"), row(annotator="Bob")))
    assert report == Report(rows=2, unchanged=0, created_annotators=1, created_scores=2)
    assert Assignment.objects.get(annotator__external_id="Bob").slot == 2


def test_a_later_score_is_a_revision(project, tmp_path):
    take(project, written(tmp_path, row(at=FIRST)))
    report = take(project, written(tmp_path, row(score=0, at=SECOND), row(score=1, at=THIRD)))
    assert (report.created_scores, report.revisions) == (0, 2)
    assert history(project) == [(1, 2), (2, 0), (3, 1)]
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize("at", [None, FIRST, SECOND, THIRD])
def test_the_same_score_again_is_unchanged_whenever_it_was_given(project, tmp_path, at):
    take(project, written(tmp_path, row(at=SECOND)))
    assert take(project, written(tmp_path, row(at=at))) == Report(rows=1, unchanged=1)


@pytest.mark.parametrize(
    ("stored", "given", "column", "reason"),
    [
        (None, None, "score", "2 as stored, and the times do not say which is later"),
        (None, SECOND, "score", "2 as stored, and the times do not say which is later"),
        (SECOND, None, "score", "2 as stored, and the times do not say which is later"),
        (SECOND, SECOND, "score", "2 as stored, and the times do not say which is later"),
        (SECOND, FIRST, "at", "has a later score for 'r1' stored already"),
    ],
)
def test_another_score_that_is_not_later_is_refused(project, tmp_path, stored, given, column, reason):
    take(project, written(tmp_path, row(at=stored)))
    before = counts()
    with pytest.raises(InputError) as caught:
        take(project, written(tmp_path, row(response_id="r2"), row(score=3, at=given)))
    assert (caught.value.line, caught.value.column) == (2, column)
    assert reason in caught.value.reason
    assert counts() == before


def test_a_score_between_two_stored_ones_is_refused(project, tmp_path):
    take(project, written(tmp_path, row(at=FIRST), row(score=3, at=THIRD)))
    with pytest.raises(InputError) as caught:
        take(project, written(tmp_path, row(score=0, at=SECOND)))
    assert (caught.value.line, caught.value.column) == (1, "at")


def test_a_whole_history_around_a_stored_score_is_refused_at_its_first_new_row(project, tmp_path):
    take(project, written(tmp_path, row(at=THIRD)))
    with pytest.raises(InputError) as caught:
        take(project, written(tmp_path, row(at=FIRST), row(score=1, at=SECOND), row(at=THIRD)))
    assert (caught.value.line, caught.value.column) == (2, "at")


# --- words are never lost -----------------------------------------------------------------------------------


def test_the_same_score_later_in_other_words_is_a_revision(project, tmp_path):
    path = written(tmp_path, row(at=FIRST, justification="Dull."))
    take(project, path)
    later = written(tmp_path, row(at=SECOND, justification="Flat."), name="later.jsonl")
    report = take(project, later)
    assert (report.created_scores, report.revisions, report.unchanged) == (0, 1, 0)
    said = Score.objects.order_by("revision").values_list("revision", "value", "justification")
    assert list(said) == [(1, 2, "Dull."), (2, 2, "Flat.")]
    assert take(project, path) == take(project, later) == Report(rows=1, unchanged=1)


def test_words_for_a_score_that_was_stored_without_any_are_a_revision(project, tmp_path):
    take(project, written(tmp_path, row()))
    path = written(tmp_path, row(justification="Dull."))
    assert take(project, path).revisions == 1
    assert take(project, path) == Report(rows=1, unchanged=1)
    assert [score.justification for score in Score.objects.order_by("revision")] == ["", "Dull."]


def test_other_words_without_a_time_are_refused_and_nothing_is_stored(project, tmp_path):
    take(project, written(tmp_path, row(justification="Dull.")))
    before = counts()
    with pytest.raises(InputError) as caught:
        take(project, written(tmp_path, row(response_id="r2"), row(justification="Flat.")))
    assert (caught.value.line, caught.value.column) == (2, "justification")
    assert "in other words as stored" in caught.value.reason
    assert counts() == before


def test_a_revision_of_the_words_alone_changes_nothing_about_what_curation_reads(project, tmp_path):
    take(project, written(tmp_path, row(at=FIRST, justification="Dull.")))
    (before,) = live_scores(project)
    take(project, written(tmp_path, row(at=SECOND, justification="Flat.")))
    (after,) = live_scores(project)
    assert after.current() == before.current()
    assert (after.score, after.largest_revision) == (2, 0)


# --- a trial run, and many rows ----------------------------------------------------------------------------


def test_a_trial_reports_and_changes_nothing(project, tmp_path):
    before = counts()
    report = take(project, written(tmp_path, row()), dry_run=True)
    assert report == Report(rows=1, unchanged=0, created_annotators=1, created_scores=1, dry_run=True)
    assert counts() == before


def test_many_rows_are_stored_in_chunks(project, tmp_path, monkeypatch):
    monkeypatch.setattr(intake_scores, "CHUNK", 2)
    names = [f"n{number}" for number in range(5)]
    take(
        project,
        written(tmp_path, *(row(annotator=name, response_id=r) for name in names for r in ("r1", "r2"))),
    )
    assert Score.objects.count() == Assignment.objects.filter(state="done").count() == 10


def test_a_failure_in_a_later_chunk_leaves_nothing(project, tmp_path, monkeypatch):
    monkeypatch.setattr(intake_scores, "CHUNK", 1)
    before = counts()
    path = written(tmp_path, row(), row(response_id="r2"))
    stored = []

    def failing(slots, keys):
        stored.append(list(keys))
        if len(stored) == 2:
            raise KeyboardInterrupt
        return original(slots, stored[-1])

    original = intake_scores._Slots.take
    with monkeypatch.context() as patched:
        patched.setattr(intake_scores._Slots, "take", failing)
        with pytest.raises(KeyboardInterrupt):
            take(project, path)
    assert counts() == before
    assert take(project, path).created_scores == 2


def queries_for(project: Project, path: Path) -> int:
    with CaptureQueriesContext(connection) as captured:
        take(project, path)
    return len(captured)


def test_queries_do_not_grow_with_rows_that_are_known(project, tmp_path):
    few = written(tmp_path, row())
    many = written(tmp_path, *(row(annotator=f"n{number}") for number in range(40)), name="many.jsonl")
    take(project, few)
    needed = queries_for(project, few)
    take(project, many)
    assert queries_for(project, many) == needed


# --- what the project does not allow -----------------------------------------------------------------------


def test_it_refuses_scores_where_there_is_no_rubric(unruled, tmp_path):
    with pytest.raises(DomainError) as caught:
        take(unruled, written(tmp_path, row()))
    assert caught.value.code == "no_rubric"
    assert User.objects.count() == 0


def test_it_refuses_a_round_of_that_name_with_another_purpose(project, tmp_path):
    Round.objects.create(
        project=project, name="Imported scores", purpose="gold", rubric=project.rubrics.get(), created_at=NOW
    )
    with pytest.raises(DomainError) as caught:
        take(project, written(tmp_path, row()))
    assert caught.value.code == "round_exists"


def test_it_refuses_scores_by_somebody_who_is_no_annotator(project, tmp_path):
    lead = User.objects.create_user("lena")
    Membership.objects.create(project=project, user=lead, role="lead", external_id="Ann", joined_at=NOW)
    with pytest.raises(DomainError) as caught:
        take(project, written(tmp_path, row()))
    assert caught.value.code == "not_an_annotator"


# --- bad files ---------------------------------------------------------------------------------------------


def with_value(column: str, value: str) -> bytes:
    """A good line, then one that has the JSON `value` in this column."""
    columns = {"response_id": '"r2"', "annotator": '"Ann"', "score": "2", column: value}
    bad = "{" + ", ".join(f'"{name}": {written}' for name, written in columns.items()) + "}\n"
    return b'{"response_id": "r1", "annotator": "Ann", "score": 2}\n' + bad.encode()


SCORES = ["4", "-1", "2.5", "true", "false", '""', '"2"', '"three"', "null", "[2]", '{"score": 2}', "1e9"]
BAD_JSONL = {
    f"a score of {value}": (with_value("score", value), 2, "score", "not a score") for value in SCORES
} | {
    "nothing": (b"", 1, "", "the file is empty"),
    "blank lines": (b"\n\n", 1, "", "the file is empty"),
    "Latin-1": (b'{"response_id": "\xe9"}\n', 1, "18", "not UTF-8"),
    "NaN": (with_value("score", "NaN"), 2, "score", "NaN"),
    "Infinity": (with_value("score", "Infinity"), 2, "score", "Infinity"),
    "a huge score": (with_value("score", "9" * 5000), 2, "score", "5000 digits"),
    "deep nesting": (with_value("score", "[" * 5000 + "]" * 5000), 2, "1", "too deep"),
    "a key twice": (b'{"score": 1, "score": 2}\n', 1, "score", "occurs twice"),
    "no score": (b'{"response_id": "r1", "annotator": "Ann"}\n', 1, "score", "missing"),
    "no annotator": (b'{"response_id": "r1", "score": 1, "annotater": "A"}\n', 1, "annotator", "'annotater'"),
    "an unknown response": (with_value("response_id", '"r9"'), 2, "response_id", "there is no response"),
    "an unknown number": (with_value("response_id", "9"), 2, "response_id", "there is no response"),
    "a null response": (with_value("response_id", "null"), 2, "response_id", "null"),
    "an empty annotator": (with_value("annotator", '""'), 2, "annotator", "empty"),
    "a padded annotator": (with_value("annotator", '" Ann"'), 2, "annotator", "white space"),
    "an annotator that is true": (with_value("annotator", "true"), 2, "annotator", "true"),
    "half of a surrogate pair": (with_value("annotator", '"\\udc00"'), 2, "annotator", "U+DC00"),
    "a NUL": (with_value("justification", '"\\u0000"'), 2, "justification", "NUL"),
    "a justification of 5": (with_value("justification", "5"), 2, "justification", "not a text"),
    "a time in words": (with_value("at", '"noon"'), 2, "at", "ISO 8601"),
    "a time in seconds": (with_value("at", "1767225600"), 2, "at", "ISO 8601"),
    "a 13th month": (with_value("at", '"2026-13-01"'), 2, "at", "ISO 8601"),
    "two scores, no time": (
        b'{"response_id": "r1", "annotator": "Ann", "score": 2}\n'
        b'{"response_id": "r1", "annotator": "Ann", "score": 3}\n',
        2,
        "score",
        "2 on line 1",
    ),
}
HEAD = b"response_id,annotator,score,at\n"
BAD_CSV = {
    "a score of 4": (HEAD + b"r1,Ann,2,\nr2,Ann,4,\n", 3, "score", '"4" is not a score'),
    "a score of 2.5": (HEAD + b"r1,Ann,2.5,\n", 2, "score", "not a score"),
    "a score of true": (HEAD + b"r1,Ann,true,\n", 2, "score", "not a score"),
    "no score": (HEAD + b"r1,Ann,,\n", 2, "score", "an empty cell is not a score"),
    "a cell too few": (HEAD + b"r1,Ann,2\n", 2, "4", "3 cells"),
    "no annotator column": (
        b"response_id,rater,score\nr1,Ann,2\n",
        1,
        "annotator",
        "found: response_id, rater",
    ),
    "an unknown response": (HEAD + b"r9,Ann,2,\n", 2, "response_id", "there is no response"),
    "a time in words": (HEAD + b"r1,Ann,2,noon\n", 2, "at", "ISO 8601"),
    "two scores, one time": (HEAD + b"r1,Ann,2,2026-01-01\nr1,Ann,3,2026-01-01\n", 3, "score", "on line 2"),
    "an open quote": (HEAD + b'r1,"Ann,2,\n', 2, "1", "not valid CSV"),
}
BAD = {f"{name}.jsonl": case for name, case in BAD_JSONL.items()} | {
    f"{name}.csv": case for name, case in BAD_CSV.items()
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_place_and_changes_nothing(project, tmp_path, name):
    content, line, column, reason = BAD[name]
    take(project, written(tmp_path, row(response_id="r3")))
    before = counts()
    path = tmp_path / ("bad" + Path(name).suffix)
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        take(project, path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason
    assert counts() == before


# --- the command -------------------------------------------------------------------------------------------


def test_the_command_says_in_words_what_it_did(project, tmp_path, capsys):
    call_command("import_scores", "lab", str(written(tmp_path, row(), row(response_id="r2"))))
    assert capsys.readouterr().out == "s.jsonl: 2 rows for lab: 1 new annotator, 2 new scores, 0 unchanged.\n"


def test_the_command_prints_counts_as_json(project, tmp_path, capsys):
    call_command("import_scores", "lab", str(written(tmp_path, row())), "--json")
    assert json.loads(capsys.readouterr().out) == {
        "rows": 1,
        "unchanged": 0,
        "created_prompts": 0,
        "created_responses": 0,
        "created_annotators": 1,
        "created_scores": 1,
        "revisions": 0,
        "dry_run": False,
    }


def test_a_trial_by_command_stores_nothing(project, tmp_path):
    before = counts()
    call_command("import_scores", "lab", str(written(tmp_path, row())), "--dry-run", "--json")
    assert counts() == before


def test_the_command_refuses_a_bad_file_in_one_line(project, tmp_path):
    path = written(tmp_path, row(score=4))
    with pytest.raises(CommandError) as caught:
        call_command("import_scores", "lab", str(path))
    assert str(caught.value) == "s.jsonl, line 1, column score: 4 is not a score; use 0, 1, 2 or 3"
    assert caught.value.returncode == 1


def test_the_command_refuses_in_words_what_the_project_does_not_allow(unruled, tmp_path):
    with pytest.raises(CommandError, match="no rubric"):
        call_command("import_scores", "lab", str(written(tmp_path, row())))


def test_the_command_refuses_an_unknown_project(project, tmp_path):
    with pytest.raises(CommandError, match="the projects are: lab"):
        call_command("import_scores", "bal", str(written(tmp_path, row())))
