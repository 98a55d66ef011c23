"""What the databases promise by configuration, and that no statement walks around the append-only tables."""

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.models import Import, Response
from annotation.services import assignments, scoring
from tests.factories import NOW, make_import, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def score(project, annotator):
    make_response(make_prompt(project))
    project.criterion_marks = True
    project.save(update_fields=["criterion_marks"])
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    return scoring.submit(lease, value=3, justification="Kept.", marks={("", "voice"): 1}, now=NOW)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("recursive_triggers", 1)],
)
def test_sqlite_keeps_an_acknowledged_score_and_its_rules(pragma, value):
    if connection.vendor != "sqlite":
        pytest.skip("pragmas are SQLite's")
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {pragma}")
        assert cursor.fetchone()[0] == value
    assert connection.transaction_mode == "IMMEDIATE"


def statements():
    copy = (
        "SELECT id, value, justification, 'counted', revision, at, recorded_at, annotator_id, assignment_id, "
    )
    yield "UPDATE annotation_score SET value = 0"
    yield "DELETE FROM annotation_score"
    yield "UPDATE annotation_mark SET value = 0"
    yield "DELETE FROM annotation_mark"
    yield "UPDATE annotation_lease SET token = 'x'"
    yield "DELETE FROM annotation_journalentry"
    if connection.vendor == "sqlite":
        rest = "response_id, round_id, rubric_id, source_place"
        columns = copy.removeprefix("SELECT ").replace("'counted'", "standing") + rest
        yield (
            f"REPLACE INTO annotation_score ({columns}) {copy.replace('value', '0 AS value', 1)}"
            f"{rest} FROM annotation_score"
        )
    else:
        yield "TRUNCATE annotation_score CASCADE"
        yield "TRUNCATE annotation_mark"
        yield (
            "INSERT INTO annotation_score SELECT * FROM annotation_score "
            "ON CONFLICT (id) DO UPDATE SET value = 0"
        )


def test_no_statement_changes_or_removes_a_judgement(score):
    for statement in statements():
        with pytest.raises(Exception, match="never changed"), connection.cursor() as cursor:
            cursor.execute(statement)
    score.refresh_from_db()
    assert (score.value, score.justification, score.marks.get().value) == (3, "Kept.", 1)


def test_rows_of_an_import_may_be_removed_until_it_is_stored_and_never_after(project, annotator):
    brought = make_import(project, state=Import.State.STORING)
    response = make_response(make_prompt(project, source=brought), source=brought, state="incoming")
    Import.objects.filter(pk=brought.pk).update(state=Import.State.STORED, stored_at=NOW)
    for statement in ("DELETE FROM annotation_response", "DELETE FROM annotation_prompt"):
        with pytest.raises(DatabaseError, match="never changed"), connection.cursor() as cursor:
            cursor.execute(statement)
    Import.objects.filter(pk=brought.pk).update(state=Import.State.UNDOING)
    prompt = response.prompt
    response.delete()
    prompt.delete()


def test_where_a_response_comes_from_never_changes(project):
    brought = make_import(project)
    response = make_response(make_prompt(project), source=brought)
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Response.objects.filter(pk=response.pk).update(source=None)
