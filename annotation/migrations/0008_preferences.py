"""Votes on pairs of responses. They only grow, like scores; those of an import may be removed again until it is
stored, and while it is undone."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Greatest, Least

TABLE = "annotation_preference"
REASON = f"rows of {TABLE} are never changed or removed"
UNFINISHED = "SELECT 1 FROM annotation_import WHERE id = OLD.source_id AND state IN ('storing', 'undoing')"


def postgresql():
    yield (
        f"CREATE TRIGGER {TABLE}_only_grows BEFORE UPDATE ON {TABLE} "
        "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    )
    yield (
        f"CREATE TRIGGER {TABLE}_stays BEFORE DELETE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION plumb_of_an_import()"
    )
    yield (
        f"CREATE TRIGGER {TABLE}_is_never_emptied BEFORE TRUNCATE ON {TABLE} "
        "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
    )


def sqlite():
    yield f"CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE ON {TABLE} BEGIN SELECT RAISE(ABORT, '{REASON}'); END"
    yield (
        f"CREATE TRIGGER {TABLE}_no_delete BEFORE DELETE ON {TABLE} WHEN NOT EXISTS ({UNFINISHED}) "
        f"BEGIN SELECT RAISE(ABORT, '{REASON}'); END"
    )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def of(model, **options):
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=f"annotation.{model}", **options)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_imports_know_who_read_them")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="kind",
            field=models.CharField(
                choices=[("scores", "Scores"), ("pairs", "Votes on pairs")], default="scores", max_length=8
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["scores", "pairs"])), name="a_known_kind"
            ),
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "preferred",
                    models.CharField(
                        choices=[("a", "The first"), ("b", "The second"), ("tie", "Neither")], max_length=3
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                ("at", models.DateTimeField(blank=True, null=True)),
                ("recorded_at", models.DateTimeField()),
                ("source_place", models.CharField(blank=True, max_length=300)),
                ("annotator", of("membership", related_name="preferences")),
                ("prompt", of("prompt", related_name="preferences")),
                ("response_a", of("response", related_name="+")),
                ("response_b", of("response", related_name="+")),
                ("round", of("round", related_name="preferences")),
                ("source", of("import", related_name="preferences", blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("round"),
                        Least("response_a", "response_b"),
                        Greatest("response_a", "response_b"),
                        models.F("annotator"),
                        models.F("revision"),
                        name="one_preference_per_pair_and_revision",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("response_a", models.F("response_b")), _negated=True),
                        name="a_pair_has_two_responses",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("preferred__in", ["a", "b", "tie"])), name="a_known_preference"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="preference_revisions_start_at_1"
                    ),
                ]
            },
        ),
        migrations.RunPython(forwards),
    ]
