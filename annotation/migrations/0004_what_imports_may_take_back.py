"""Material and scores of an import may be removed again until it is stored, and while it is undone; else they stay.

Guidelines join the tables that only grow. SQLite loses the triggers of a table that a migration rebuilds, so all are
made anew here, whether or not they are still there.
"""

from django.db import migrations

APPEND_ONLY = [
    "annotation_score",
    "annotation_lease",
    "annotation_journalentry",
    "annotation_rubric",
    "annotation_level",
    "annotation_criterion",
    "annotation_guideline",
]
OF_IMPORTS = ["annotation_prompt", "annotation_response", "annotation_score"]
TEXT_COLUMNS = [
    "text",
    "text_sha256",
    "external_id",
    "prompt_id",
    "project_id",
    "given_length",
    "source_model",
    "parameters",
    "source_id",
    "source_place",
]
UNFINISHED = "SELECT 1 FROM annotation_import WHERE id = OLD.source_id AND state IN ('storing', 'undoing')"

POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION plumb_of_an_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS ({UNFINISHED}) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""


def postgresql():
    yield POSTGRESQL_FUNCTION
    yield "DROP TRIGGER annotation_score_only_grows ON annotation_score"
    yield (
        "CREATE TRIGGER annotation_score_only_grows BEFORE UPDATE ON annotation_score "
        "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    )
    for table in OF_IMPORTS:
        yield (
            f"CREATE TRIGGER {table}_stays BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_of_an_import()"
        )
    yield (
        "CREATE TRIGGER annotation_guideline_only_grows BEFORE UPDATE OR DELETE ON annotation_guideline "
        "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    )
    for table in ("annotation_guideline", "annotation_prompt", "annotation_response"):
        yield (
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )
    yield "DROP TRIGGER annotation_response_text_stays ON annotation_response"
    yield (
        f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} ON annotation_response "
        "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    )


def sqlite():
    for table in APPEND_ONLY:
        for event in ("update", "delete"):
            yield f"DROP TRIGGER IF EXISTS {table}_no_{event}"
        yield (
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )
    for table in [table for table in APPEND_ONLY if table not in OF_IMPORTS]:
        yield (
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )
    for table in OF_IMPORTS:
        yield (
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN NOT EXISTS ({UNFINISHED}) "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )
    yield "DROP TRIGGER IF EXISTS annotation_response_text_stays"
    yield (
        f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} ON annotation_response "
        "BEGIN SELECT RAISE(ABORT, 'the text of a response never changes'); END"
    )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_set_up_imports_and_panels")]

    operations = [migrations.RunPython(forwards)]
