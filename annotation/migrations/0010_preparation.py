"""Stages, screening and consensus items. Passages and answers only grow; a consensus item stays once its round began."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

APPEND_ONLY = ["annotation_passage", "annotation_screeninganswer"]
BEGUN = "SELECT 1 FROM annotation_round WHERE id = OLD.round_id AND state <> 'draft'"
ITEM = "annotation_consensusitem"

POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION plumb_until_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS ({BEGUN}) THEN
    RAISE EXCEPTION 'rows of % stay as they are once their round has begun', TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$
"""


def postgresql():
    for table in APPEND_ONLY:
        yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    for table in [*APPEND_ONLY, ITEM]:
        yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
    yield POSTGRESQL_FUNCTION
    yield f"CREATE TRIGGER {ITEM}_stays BEFORE UPDATE OR DELETE ON {ITEM} FOR EACH ROW EXECUTE FUNCTION plumb_until_begun()"


def sqlite():
    for event in ("UPDATE", "DELETE"):
        for table in APPEND_ONLY:
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )
        yield (
            f"CREATE TRIGGER {ITEM}_no_{event.lower()} BEFORE {event} ON {ITEM} WHEN EXISTS ({BEGUN}) "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {ITEM} stay as they are once their round has begun'); END"
        )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def begin_stages(apps, schema_editor):
    """Whoever was an annotator before there were stages is active in the languages noted for them."""
    Membership = apps.get_model("annotation", "Membership")
    Qualification = apps.get_model("annotation", "Qualification")
    Passage = apps.get_model("annotation", "Passage")
    members = Membership.objects.filter(role="annotator", external_id="")
    for member in members.order_by("pk").iterator():
        for language in member.languages or [""]:
            held = Qualification.objects.create(
                project_id=member.project_id,
                annotator=member,
                language=language,
                stage="active",
                since=member.joined_at,
            )
            Passage.objects.create(qualification=held, to_stage="active", at=member.joined_at)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_accounts")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="closes_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="follows",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="followed_by",
                to="annotation.round",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="language",
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.CreateModel(
            name="Preparation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uses_screening", models.BooleanField(default=True)),
                ("uses_exam", models.BooleanField(default=True)),
                ("uses_training", models.BooleanField(default=True)),
                ("uses_calibration", models.BooleanField(default=True)),
                (
                    "language_level_minimum",
                    models.CharField(
                        choices=[
                            ("B1", "B1: intermediate"),
                            ("B2", "B2: upper intermediate"),
                            ("C1", "C1: advanced"),
                            ("C2", "C2: proficient"),
                            ("native", "Native or equal to it"),
                        ],
                        default="C1",
                        max_length=8,
                    ),
                ),
                ("familiarity_minimum", models.PositiveSmallIntegerField(default=1)),
                ("questions", models.JSONField(blank=True, default=list)),
                ("exam_items_minimum", models.PositiveSmallIntegerField(default=40)),
                ("exam_kappa_minimum", models.DecimalField(decimal_places=2, default="0.55", max_digits=3)),
                ("exam_exact_percent", models.PositiveSmallIntegerField(default=50)),
                ("exam_within_one_percent", models.PositiveSmallIntegerField(default=95)),
                ("critiques_graded", models.PositiveSmallIntegerField(default=8)),
                ("graders", models.PositiveSmallIntegerField(default=1)),
                ("critique_percent", models.PositiveSmallIntegerField(default=60)),
                ("retake_hours", models.PositiveSmallIntegerField(default=48)),
                ("retakes", models.PositiveSmallIntegerField(default=2)),
                ("exam_days", models.PositiveSmallIntegerField(default=14)),
                ("worked_items", models.PositiveSmallIntegerField(default=5)),
                ("practice_items", models.PositiveSmallIntegerField(default=35)),
                ("check_items", models.PositiveSmallIntegerField(default=10)),
                ("mastery_percent", models.PositiveSmallIntegerField(default=70)),
                ("mastery_window", models.PositiveSmallIntegerField(default=10)),
                (
                    "gate_statistic",
                    models.CharField(
                        choices=[
                            ("alpha_rest", "Alpha against the rest"),
                            ("alpha_rest_low", "Lower end of the interval of alpha against the rest"),
                            ("kappa_rest", "Quadratic weighted kappa against the rest"),
                        ],
                        default="alpha_rest",
                        max_length=16,
                    ),
                ),
                ("gate_threshold", models.DecimalField(decimal_places=2, default="0.40", max_digits=3)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preparation",
                        to="annotation.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Qualification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=16)),
                (
                    "stage",
                    models.CharField(
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                ("since", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.membership",
                    ),
                ),
                ("genres", models.ManyToManyField(blank=True, related_name="+", to="annotation.genre")),
                (
                    "invitation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.invitation",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "from_stage",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "to_stage",
                    models.CharField(
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="passages",
                        to="annotation.qualification",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ScreeningAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[
                            ("B1", "B1: intermediate"),
                            ("B2", "B2: upper intermediate"),
                            ("C1", "C1: advanced"),
                            ("C2", "C2: proficient"),
                            ("native", "Native or equal to it"),
                        ],
                        max_length=8,
                    ),
                ),
                ("familiarity", models.JSONField(default=dict)),
                ("answers", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="screening_answers",
                        to="annotation.qualification",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConsensusItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("exam", "Exam"),
                            ("worked", "Worked example"),
                            ("practice", "Practice"),
                            ("check", "Check"),
                            ("extra", "Extra practice"),
                        ],
                        max_length=8,
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("value", models.PositiveSmallIntegerField()),
                ("split", models.JSONField(blank=True, default=list)),
                ("rationale", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consensus_items",
                        to="annotation.response",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consensus_items",
                        to="annotation.round",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "response"), name="consensus_item_once_per_round"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "position"), name="one_consensus_item_per_position"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("value__lte", 3)), name="consensus_score_from_0_to_3"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["exam", "worked", "practice", "check", "extra"])),
                        name="a_known_kind_of_item",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.CheckConstraint(
                condition=models.Q(("graders__in", [1, 2])), name="one_grader_or_two"
            ),
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("critique_percent__lte", 100),
                    ("exam_exact_percent__lte", 100),
                    ("exam_within_one_percent__lte", 100),
                    ("mastery_percent__lte", 100),
                ),
                name="shares_of_a_hundred",
            ),
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.CheckConstraint(
                condition=models.Q(("familiarity_minimum__lte", 3)), name="familiarity_from_0_to_3"
            ),
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.CheckConstraint(
                condition=models.Q(("mastery_window__gte", 1)), name="mastery_looks_at_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                fields=("annotator", "language"), name="one_qualification_per_annotator_and_language"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("annotator", None)),
                fields=("invitation", "language"),
                name="one_qualification_per_invitation_and_language",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "stage__in",
                        [
                            "invited",
                            "screening",
                            "exam",
                            "training",
                            "calibration",
                            "active",
                            "paused",
                            "declined",
                        ],
                    )
                ),
                name="a_known_stage",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("annotator__isnull", False),
                    models.Q(("invitation__isnull", False), ("stage__in", ["invited", "declined"])),
                    _connector="OR",
                ),
                name="past_the_invitation_somebody_has_come",
            ),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "to_stage__in",
                        [
                            "invited",
                            "screening",
                            "exam",
                            "training",
                            "calibration",
                            "active",
                            "paused",
                            "declined",
                        ],
                    )
                ),
                name="to_a_known_stage",
            ),
        ),
        migrations.RunPython(forwards),
        migrations.RunPython(begin_stages),
    ]
