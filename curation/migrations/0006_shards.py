"""Snapshots in parts, which never change, and shards of runs."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLE = "curation_snapshotpart"


def make_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_stays BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_is_never_emptied BEFORE TRUNCATE ON {TABLE} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )
        return
    for event in ("UPDATE", "DELETE"):
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_no_{event.lower()} BEFORE {event} ON {TABLE} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {TABLE} are never changed or removed'); END"
        )


def drop_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name in ("stays", "is_never_emptied"):
            schema_editor.execute(f"DROP TRIGGER {TABLE}_{name} ON {TABLE}")
        return
    for event in ("update", "delete"):
        schema_editor.execute(f"DROP TRIGGER {TABLE}_no_{event}")


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0005_audits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="merging_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Shard",
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
                ("first", models.PositiveSmallIntegerField()),
                ("end", models.PositiveSmallIntegerField()),
                ("folder", models.CharField(max_length=16)),
                ("tally", models.CharField(blank=True, max_length=120)),
                ("parts", models.JSONField(default=list)),
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
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shards", to="curation.run"
                    ),
                ),
            ],
            options={
                "ordering": ["first"],
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("lease_until__isnull", False),
                                ("state", "running"),
                                models.Q(("claimed_by", ""), _negated=True),
                            ),
                            models.Q(models.Q(("state", "running"), _negated=True), ("lease_until", None)),
                            _connector="OR",
                        ),
                        name="shard_runs_under_a_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                            models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                            _connector="OR",
                        ),
                        name="shard_says_when_it_ended",
                    ),
                    models.UniqueConstraint(fields=("run", "first"), name="shard_once_per_run"),
                    models.CheckConstraint(
                        condition=models.Q(("end__lte", 256), ("first__lt", models.F("end"))),
                        name="a_shard_has_buckets",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(("tally", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_done_shard_has_its_tally",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SnapshotPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("bucket", models.PositiveSmallIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("content", models.BinaryField()),
                (
                    "snapshot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parts",
                        to="curation.snapshot",
                    ),
                ),
            ],
            options={
                "ordering": ["bucket"],
                "constraints": [
                    models.UniqueConstraint(fields=("snapshot", "bucket"), name="snapshot_part_once"),
                    models.CheckConstraint(
                        condition=models.Q(("bucket__lt", 256)), name="a_bucket_is_a_byte"
                    ),
                ],
            },
        ),
        migrations.RunPython(make_triggers, drop_triggers),
    ]
