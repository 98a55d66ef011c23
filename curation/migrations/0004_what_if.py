import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0015_last_hand_outs"),
        ("curation", "0003_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WhatIf",
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
                ("parameters", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("code_version", models.CharField(max_length=40)),
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
                    "same_as",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="curation.whatif",
                    ),
                ),
                (
                    "snapshot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="what_ifs",
                        to="curation.snapshot",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="WhatIfBar",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=60)),
                ("total", models.PositiveBigIntegerField()),
                ("kept", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "what_if",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bars", to="curation.whatif"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WhatIfFigure",
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
                    "what_if",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="figures",
                        to="curation.whatif",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="whatif",
            index=models.Index(fields=["project", "-id"], name="what_ifs_of_a_project"),
        ),
        migrations.AddConstraint(
            model_name="whatif",
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
                name="whatif_runs_under_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="whatif",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="whatif_says_when_it_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="whatif",
            constraint=models.UniqueConstraint(
                condition=models.Q(models.Q(("state", "failed"), _negated=True), ("same_as", None)),
                fields=("snapshot", "digest"),
                name="what_if_once_per_snapshot",
            ),
        ),
        migrations.AddConstraint(
            model_name="whatif",
            constraint=models.UniqueConstraint(
                condition=models.Q(("snapshot", None), ("state__in", ["queued", "running"])),
                fields=("project", "digest"),
                name="what_if_of_now_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="whatif",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True),
                    models.Q(("result__isnull", False), ("snapshot__isnull", False)),
                    models.Q(("same_as", None), _negated=True),
                    _connector="OR",
                ),
                name="a_done_what_if_has_its_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="whatifbar",
            constraint=models.UniqueConstraint(fields=("what_if", "key"), name="bar_once_per_what_if"),
        ),
        migrations.AddConstraint(
            model_name="whatiffigure",
            constraint=models.UniqueConstraint(
                fields=("what_if", "key", "language"), name="what_if_figure_once"
            ),
        ),
    ]
