"""Results of calibrations. They only grow: what was measured at a close is what the annotator was judged by."""

import django.db.models.deletion
from django.db import migrations, models


def postgresql():
    table = "annotation_calibrationresult"
    yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"


def sqlite():
    table = "annotation_calibrationresult"
    for event in ("update", "delete"):
        yield (
            f"CREATE TRIGGER {table}_no_{event} BEFORE {event.upper()} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


class Migration(migrations.Migration):
    dependencies = [("annotation", "0012_training")]

    operations = [
        migrations.CreateModel(
            name="CalibrationResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("numbers", models.JSONField()),
                ("at", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calibration_results",
                        to="annotation.membership",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calibration_results",
                        to="annotation.round",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "annotator"), name="one_calibration_result_per_annotator"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("annotator", None)),
                        fields=("round",),
                        name="one_calibration_result_of_the_group",
                    ),
                ],
            },
        ),
        migrations.RunPython(forwards),
    ]
