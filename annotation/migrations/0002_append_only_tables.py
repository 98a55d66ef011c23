"""Scores, leases, the journal and rubrics only grow; what was judged never changes. The database refuses the rest."""

from django.db import migrations

APPEND_ONLY = [
    "annotation_score",
    "annotation_lease",
    "annotation_journalentry",
    "annotation_rubric",
    "annotation_level",
    "annotation_criterion",
]
TEXT_COLUMNS = [
    "text",
    "text_sha256",
    "external_id",
    "prompt_id",
    "project_id",
    "given_length",
    "source_model",
    "parameters",
]

POSTGRESQL_FUNCTION = """
CREATE FUNCTION plumb_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$
"""


def statements(vendor):
    if vendor == "postgresql":
        yield POSTGRESQL_FUNCTION
        for table in APPEND_ONLY:
            yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
            yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        yield (
            f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} ON annotation_response "
            "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        )
    else:
        for table in APPEND_ONLY:
            for event in ("UPDATE", "DELETE"):
                yield (
                    f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
                )
        yield (
            f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} ON annotation_response "
            "BEGIN SELECT RAISE(ABORT, 'the text of a response never changes'); END"
        )


def forwards(apps, schema_editor):
    for statement in statements(schema_editor.connection.vendor):
        schema_editor.execute(statement, params=None)  # a % in it is its own


def backwards(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    suffixes = ["only_grows", "is_never_emptied"] if postgresql else ["no_update", "no_delete"]
    for table in APPEND_ONLY:
        for suffix in suffixes:
            on = f" ON {table}" if postgresql else ""
            schema_editor.execute(f"DROP TRIGGER {table}_{suffix}{on}")
    schema_editor.execute(
        "DROP TRIGGER annotation_response_text_stays" + (" ON annotation_response" if postgresql else "")
    )
    if postgresql:
        schema_editor.execute("DROP FUNCTION plumb_append_only()")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [migrations.RunPython(forwards, backwards)]
