"""A recipe may leave out the rule of direction; the sum of the scores then decides, be it against the majority."""

from django.db import migrations, models

TABLE = "curation_pair"
NEVER_CHANGED = f"rows of {TABLE} are never changed or removed"
DONE = "a release or a run never changes once it is done"


def make_triggers_again(apps, schema_editor):
    """SQLite makes the table anew to change what it checks, and loses the triggers of 0002."""
    if schema_editor.connection.vendor != "sqlite":
        return
    for event in ("UPDATE", "DELETE"):
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_no_{event.lower()} BEFORE {event} ON {TABLE} "
            f"BEGIN SELECT RAISE(ABORT, '{NEVER_CHANGED}'); END"
        )
    for event, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD")):
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_part_no_{event.lower()} BEFORE {event} ON {TABLE} "
            f"WHEN EXISTS (SELECT 1 FROM curation_run WHERE id = {row}.run_id AND state = 'done') "
            f"BEGIN SELECT RAISE(ABORT, '{DONE}'); END"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0006_shards"),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, make_triggers_again),
        migrations.RemoveConstraint(model_name="pair", name="chosen_won_the_vote"),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.CheckConstraint(
                condition=models.Q(("votes_for__gt", 0)), name="somebody_prefers_the_chosen"
            ),
        ),
        migrations.RunPython(make_triggers_again, migrations.RunPython.noop),
    ]
