import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0015_last_hand_outs"),
        ("curation", "0002_frozen_releases"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ColumnSnapshot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("content", models.BinaryField()),
                ("n_scores", models.PositiveIntegerField()),
                ("last_score", models.PositiveBigIntegerField(default=0)),
                ("taken_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Report",
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
                ("choice", models.CharField(blank=True, max_length=500)),
                ("code_version", models.CharField(blank=True, max_length=40)),
                ("percent_done", models.PositiveSmallIntegerField(default=0)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("journal_mark", models.CharField(blank=True, max_length=40)),
                ("result", models.JSONField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.project"
                    ),
                ),
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
                    "snapshot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="curation.columnsnapshot",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Figure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=40)),
                ("language", models.CharField(max_length=16)),
                ("content", models.JSONField()),
                ("svg", models.TextField(blank=True)),
                ("png", models.BinaryField(blank=True)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="figures",
                        to="curation.report",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="columnsnapshot",
            constraint=models.UniqueConstraint(fields=("project", "digest"), name="columns_once_per_content"),
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(fields=["project", "choice", "-id"], name="reports_of_a_choice"),
        ),
        migrations.AddConstraint(
            model_name="report",
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
                name="report_runs_under_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="report_says_when_it_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("project", "choice"),
                name="one_active_report_per_choice",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True),
                    models.Q(
                        ("as_of__isnull", False), ("result__isnull", False), ("snapshot__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="a_done_report_has_its_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="figure",
            constraint=models.UniqueConstraint(
                fields=("report", "key", "language"), name="figure_once_per_language"
            ),
        ),
    ]
