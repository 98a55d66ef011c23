"""What a release was asked to be, who reads what it withholds; yanks and downloads, which only grow."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLES = ("curation_yank", "curation_download")


def make_triggers(apps, schema_editor):
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                f"CREATE TRIGGER {table}_stays BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
            )
            continue
        for event in ("UPDATE", "DELETE"):
            schema_editor.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )


def drop_triggers(apps, schema_editor):
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            for name in ("stays", "is_never_emptied"):
                schema_editor.execute(f"DROP TRIGGER {table}_{name} ON {table}")
            continue
        for event in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER {table}_no_{event}")


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0007_pairs_without_a_majority"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="terms",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Download",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=200)),
                ("taken_at", models.DateTimeField()),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downloads",
                        to="curation.release",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["release", "-id"], name="downloads_of_a_release")],
            },
        ),
        migrations.CreateModel(
            name="ReleaseReader",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("added_at", models.DateTimeField()),
                (
                    "added_by",
                    models.ForeignKey(
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
                        related_name="readers",
                        to="curation.release",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("release", "user"), name="release_reader_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Yank",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("yanked_at", models.DateTimeField()),
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="yank",
                        to="curation.release",
                    ),
                ),
                (
                    "yanked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="a_yank_has_a_reason"
                    )
                ],
            },
        ),
        migrations.RunPython(make_triggers, drop_triggers),
    ]
