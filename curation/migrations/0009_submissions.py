"""Submissions of models to releases, what of them is published, and comparisons; once done they never change."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLES = ("curation_submission", "curation_comparison")
REFUSAL = "a submission or a comparison never changes once it is done"

POSTGRESQL = f"""
CREATE FUNCTION plumb_done_submission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'done' THEN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation'; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$
"""


def make_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL, params=None)
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                f"CREATE TRIGGER {table}_is_done BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION plumb_done_submission()"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
            )
            continue
        for event in ("UPDATE", "DELETE"):
            schema_editor.execute(
                f"CREATE TRIGGER {table}_done_no_{event.lower()} BEFORE {event} ON {table} "
                f"WHEN OLD.state = 'done' BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )


def drop_triggers(apps, schema_editor):
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            for name in ("is_done", "is_never_emptied"):
                schema_editor.execute(f"DROP TRIGGER {table}_{name} ON {table}")
            continue
        for event in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER {table}_done_no_{event}")
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION plumb_done_submission()")


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0008_yanks_and_downloads"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("claimed_by", models.CharField(blank=True, max_length=200)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("queued_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("model", models.CharField(max_length=100)),
                ("family", models.CharField(blank=True, max_length=100)),
                ("note", models.CharField(blank=True, max_length=1000)),
                ("content", models.BinaryField()),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("code_version", models.CharField(blank=True, max_length=40)),
                ("summary", models.JSONField(blank=True, null=True)),
                ("result", models.JSONField(blank=True, null=True)),
                (
                    "queued_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="curation.release",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publication",
                        to="curation.submission",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Comparison",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("claimed_by", models.CharField(blank=True, max_length=200)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("queued_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("result", models.JSONField(blank=True, null=True)),
                (
                    "queued_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="curation.submission",
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="curation.submission",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("lease_until__isnull", False),
                        ("state", "running"),
                        models.Q(("claimed_by", ""), _negated=True),
                    ),
                    models.Q(models.Q(("state", "running"), _negated=True), ("lease_until", None)),
                    _connector="OR",
                ),
                name="submission_runs_under_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="submission_says_when_it_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                fields=("release", "queued_by", "model", "sha256"), name="submission_of_a_person_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True),
                    models.Q(("result__isnull", False), ("summary__isnull", False)),
                    _connector="OR",
                ),
                name="a_done_submission_has_its_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("lease_until__isnull", False),
                        ("state", "running"),
                        models.Q(("claimed_by", ""), _negated=True),
                    ),
                    models.Q(models.Q(("state", "running"), _negated=True), ("lease_until", None)),
                    _connector="OR",
                ),
                name="comparison_runs_under_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="comparison_says_when_it_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.UniqueConstraint(fields=("first", "second"), name="comparison_of_two_once"),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__gt", models.F("second"))), name="a_comparison_has_the_later_first"
            ),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True), ("result__isnull", False), _connector="OR"
                ),
                name="a_done_comparison_has_its_result",
            ),
        ),
        migrations.RunPython(make_triggers, drop_triggers),
    ]
