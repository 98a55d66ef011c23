"""The workbench: slots of rankings and votes beside those of scores, drafts, conflicts, quotas, adjudication.

Every slot names its prompt and its place in the shuffled circle of its round; those of before get both here. What
is judged only grows. SQLite loses the triggers of a table that a migration rebuilds, so those are made anew.
"""

import secrets

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

import annotation.models.work

ONLY_GROW = [
    "annotation_adjudicationcase",
    "annotation_casejudgement",
    "annotation_categoryvote",
    "annotation_conflict",
    "annotation_rankedresponse",
    "annotation_ranking",
    "annotation_skip",
]
ITEM = "annotation_consensusitem"
BEGUN = "SELECT 1 FROM annotation_round WHERE id = OLD.round_id AND state <> 'draft'"
UNFINISHED = "SELECT 1 FROM annotation_import WHERE id = OLD.source_id AND state IN ('storing', 'undoing')"


def postgresql():
    for table in ONLY_GROW:
        yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"


def sqlite():
    def refuse(event, table, when=""):
        yield f"DROP TRIGGER IF EXISTS {table}_no_{event.lower()}"
        yield (
            f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} {when}"
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )

    for table in [*ONLY_GROW, "annotation_lease"]:
        yield from refuse("UPDATE", table)
        yield from refuse("DELETE", table)
    yield from refuse("UPDATE", "annotation_preference")
    yield from refuse("DELETE", "annotation_preference", when=f"WHEN NOT EXISTS ({UNFINISHED}) ")
    for event in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {ITEM}_no_{event.lower()} BEFORE {event} ON {ITEM} WHEN EXISTS ({BEGUN}) "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {ITEM} stay as they are once their round has begun'); END"
        )


def step_aside(apps, schema_editor):
    """SQLite does not rebuild the table of rounds while a trigger reads it."""
    if schema_editor.connection.vendor == "sqlite":
        for event in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER {ITEM}_no_{event}")


def make_triggers(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def place_slots(apps, schema_editor):
    """The prompt of each slot, a place that is as good as random, and an address for each round."""
    Assignment, Response, Round = (
        apps.get_model("annotation", name) for name in ("Assignment", "Response", "Round")
    )
    of_response = Response.objects.filter(pk=OuterRef("response")).values("prompt")[:1]
    scattered = (F("response") * 1103515245 + 12345) % 2147483647
    Assignment.objects.update(prompt=Subquery(of_response), place=scattered)
    for work in Round.objects.all():
        Round.objects.filter(pk=work.pk).update(token=secrets.token_urlsafe(18))
    if schema_editor.connection.vendor == "postgresql":
        # What is checked at the end would keep the tables from being altered before it.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0013_calibration"),
    ]

    operations = [
        migrations.RunPython(step_aside),
        migrations.RemoveConstraint(
            model_name="assignment",
            name="slot_once_per_response",
        ),
        migrations.RemoveConstraint(
            model_name="assignment",
            name="annotator_once_per_response",
        ),
        migrations.RemoveConstraint(
            model_name="round",
            name="a_known_kind",
        ),
        migrations.RemoveIndex(
            model_name="assignment",
            name="free_slots",
        ),
        migrations.AddField(
            model_name="assignment",
            name="other",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.response",
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="place",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="prompt",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="annotation.prompt",
            ),
        ),
        migrations.AddField(
            model_name="lease",
            name="position",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="preference",
            name="assignment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="preferences",
                to="annotation.assignment",
            ),
        ),
        migrations.AddField(
            model_name="preference",
            name="standing",
            field=models.CharField(
                choices=[("counted", "Counted"), ("surplus", "Surplus")], default="counted", max_length=8
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="daily_cap",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="gold_percent",
            field=models.PositiveSmallIntegerField(
                default=0, validators=[django.core.validators.MaxValueValidator(50)]
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="instruction",
            field=models.CharField(
                choices=[
                    ("preference", "General preference"),
                    ("requirements", "How many requirements are satisfied"),
                ],
                default="preference",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="mixed_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="mixed_in",
                to="annotation.round",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="repeat_percent",
            field=models.PositiveSmallIntegerField(
                default=0, validators=[django.core.validators.MaxValueValidator(50)]
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="ties_allowed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="round",
            name="token",
            field=models.CharField(max_length=32, null=True),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="response",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="annotation.response",
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="kind",
            field=models.CharField(
                choices=[
                    ("scores", "Scores"),
                    ("rankings", "Rankings"),
                    ("categories", "Votes on categories"),
                    ("pairs", "Votes on pairs"),
                ],
                default="scores",
                max_length=10,
            ),
        ),
        migrations.RunPython(place_slots),
        migrations.AlterField(
            "assignment",
            "prompt",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="annotation.prompt",
            ),
        ),
        migrations.AlterField("assignment", "place", models.PositiveIntegerField()),
        migrations.AlterField(
            "round",
            "token",
            models.CharField(default=annotation.models.work.new_token, max_length=32, unique=True),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["round", "reserved_for", "state", "place"], name="free_slots"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["annotator", "state"], name="slots_in_hand"),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("other", None)),
                fields=("round", "response", "slot"),
                name="slot_once_per_response",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("other", None)),
                fields=("round", "response", "annotator"),
                name="annotator_once_per_response",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("response", None)),
                fields=("round", "prompt", "slot"),
                name="slot_once_per_prompt",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("response", None)),
                fields=("round", "prompt", "annotator"),
                name="annotator_once_per_prompt",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("other__isnull", False)),
                fields=("round", "response", "other", "slot"),
                name="slot_once_per_pair",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("other__isnull", False)),
                fields=("round", "response", "other", "annotator"),
                name="annotator_once_per_pair",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("other", None), ("response__lt", models.F("other")), _connector="OR"),
                name="a_pair_names_the_older_first",
            ),
        ),
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.CheckConstraint(
                condition=models.Q(("standing__in", ["counted", "surplus"])),
                name="a_known_standing_of_a_preference",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["scores", "rankings", "categories", "pairs"])),
                name="a_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("instruction__in", ["preference", "requirements"])),
                name="a_known_instruction",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                condition=models.Q(("mixed_into__isnull", False)),
                fields=("mixed_into", "purpose"),
                name="one_round_of_a_purpose_mixed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("mixed_into", None), ("purpose__in", ["gold", "repeat"]), _connector="OR"
                ),
                name="only_gold_and_repeats_are_mixed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("gold_percent__lte", 50), ("repeat_percent__lte", 50)),
                name="most_of_a_round_is_its_own",
            ),
        ),
        migrations.AddConstraint(
            model_name="flag",
            constraint=models.UniqueConstraint(
                condition=models.Q(("raised_by__isnull", False), ("state", "open")),
                fields=("prompt", "raised_by"),
                name="one_open_flag_per_annotator_and_prompt",
            ),
        ),
        migrations.CreateModel(
            name="Skip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "lease",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skip",
                        to="annotation.lease",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skips",
                        to="annotation.membership",
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Quota",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quotas",
                        to="annotation.round",
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                (
                    "genre",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.genre",
                    ),
                ),
                ("wanted", models.PositiveIntegerField()),
                ("reached_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "language", "genre"), name="one_quota_per_stratum"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("genre", None)),
                        fields=("round", "language"),
                        name="one_quota_per_language",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Conflict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conflicts",
                        to="annotation.membership",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conflicts",
                        to="annotation.prompt",
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("annotator", "prompt"), name="one_conflict_per_prompt")
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "lease",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="draft",
                        to="annotation.lease",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("content", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.membership",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.assignment",
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "prompt", "annotator", "revision"), name="one_ranking_per_revision"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="ranking_revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])),
                        name="a_known_standing_of_a_ranking",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RankedResponse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "ranking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.ranking",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                ("tier", models.PositiveSmallIntegerField()),
                ("shown", models.PositiveSmallIntegerField()),
                ("was_read", models.BooleanField(default=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ranking", "response"), name="response_once_per_ranking"),
                    models.UniqueConstraint(fields=("ranking", "shown"), name="letter_once_per_ranking"),
                    models.CheckConstraint(
                        condition=models.Q(("shown__gte", 1), ("tier__gte", 1)),
                        name="tiers_and_letters_start_at_1",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CategoryVote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.membership",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "category",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.genre"
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "prompt", "annotator", "revision"),
                        name="one_category_vote_per_revision",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="category_vote_revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])),
                        name="a_known_standing_of_a_category_vote",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AdjudicationCase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.CharField(default=annotation.models.work.new_token, max_length=32, unique=True),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cases",
                        to="annotation.round",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("tied_votes", "Tied votes"),
                            ("wide_spread", "Wide spread of scores"),
                            ("contrary_votes", "Contrary votes"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.prompt"
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                ("opened_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("response", None)),
                        fields=("round", "prompt"),
                        name="one_case_per_prompt",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other", None), ("response__isnull", False)),
                        fields=("round", "response"),
                        name="one_case_per_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other__isnull", False)),
                        fields=("round", "response", "other"),
                        name="one_case_per_pair",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason__in", ["tied_votes", "wide_spread", "contrary_votes"])),
                        name="a_known_reason_of_a_case",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseJudgement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgements",
                        to="annotation.adjudicationcase",
                    ),
                ),
                (
                    "adjudicator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="case_judgements",
                        to="annotation.membership",
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        choices=[("own", "Own judgement"), ("decision", "Decision")], max_length=8
                    ),
                ),
                ("value", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("preferred", models.CharField(blank=True, max_length=3)),
                (
                    "category",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.genre",
                    ),
                ),
                ("justification", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("step", "own")),
                        fields=("case", "adjudicator", "step"),
                        name="one_own_judgement_per_adjudicator",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("step", "decision")),
                        fields=("case",),
                        name="one_decision_per_case",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("step__in", ["own", "decision"])), name="a_known_step"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("category", None), ("preferred", ""), ("value__isnull", False)),
                            models.Q(
                                ("category", None), ("preferred__in", ["a", "b", "tie"]), ("value", None)
                            ),
                            models.Q(("category__isnull", False), ("preferred", ""), ("value", None)),
                            _connector="OR",
                        ),
                        name="a_case_is_judged_in_one_way",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("value", None), ("value__lte", 3), _connector="OR"),
                        name="case_score_from_0_to_3",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("step", "own"), models.Q(("justification", ""), _negated=True), _connector="OR"
                        ),
                        name="a_decision_has_a_reason",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint(model_name="consensusitem", name="a_known_kind_of_item"),
        migrations.AlterField(
            model_name="consensusitem",
            name="kind",
            field=models.CharField(
                choices=[
                    ("exam", "Exam"),
                    ("worked", "Worked example"),
                    ("practice", "Practice"),
                    ("check", "Check"),
                    ("extra", "Extra practice"),
                    ("gold", "Gold item"),
                ],
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="consensusitem",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["exam", "worked", "practice", "check", "extra", "gold"])),
                name="a_known_kind_of_item",
            ),
        ),
        migrations.RunPython(make_triggers),
    ]
