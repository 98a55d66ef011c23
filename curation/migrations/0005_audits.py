import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0015_last_hand_outs"),
        ("curation", "0004_what_if"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="audit",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Audit",
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
                ("code_version", models.CharField(blank=True, max_length=40)),
                ("percent_done", models.PositiveSmallIntegerField(default=0)),
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
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="audit", to="curation.run"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AuditFigure",
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
                    "audit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="figures",
                        to="curation.audit",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AuditLimits",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("limits", models.JSONField()),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReleasedTexts",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("method", models.CharField(max_length=120)),
                ("content", models.BinaryField()),
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="curation.release"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="audit",
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
                name="audit_runs_under_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="audit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="audit_says_when_it_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="audit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True), ("result__isnull", False), _connector="OR"
                ),
                name="a_done_audit_has_its_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="auditfigure",
            constraint=models.UniqueConstraint(
                fields=("audit", "key", "language"), name="audit_figure_once_per_language"
            ),
        ),
    ]
