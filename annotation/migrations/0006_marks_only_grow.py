"""Marks only grow, like the scores that they stand beside. The database refuses the rest."""

from django.db import migrations


def postgresql():
    yield (
        "CREATE TRIGGER annotation_mark_only_grows BEFORE UPDATE OR DELETE ON annotation_mark "
        "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    )
    yield (
        "CREATE TRIGGER annotation_mark_is_never_emptied BEFORE TRUNCATE ON annotation_mark "
        "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
    )


def sqlite():
    for event in ("update", "delete"):
        yield (
            f"CREATE TRIGGER annotation_mark_no_{event} BEFORE {event.upper()} ON annotation_mark "
            "BEGIN SELECT RAISE(ABORT, 'rows of annotation_mark are never changed or removed'); END"
        )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_marks")]

    operations = [migrations.RunPython(forwards)]
