"""Attempts at the exam and the grades of critiques. What was graded, and what a lead granted, stays."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q
from django.utils import timezone

APPEND_ONLY = ["annotation_extraattempt", "annotation_critiquegrade"]


def postgresql():
    for table in APPEND_ONLY:
        yield (
            f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        )
        yield (
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )


def sqlite():
    for table in APPEND_ONLY:
        for event in ("update", "delete"):
            yield (
                f"CREATE TRIGGER {table}_no_{event} BEFORE {event.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def end_rounds_of_old(apps, schema_editor):
    """Before there were exams, courses and calibrations, rounds could bear their names; the work in them is over.

    Left open, they would be drawn as exams, and two of training would both be the course in a language.
    """
    apps.get_model("annotation", "Round").objects.filter(
        purpose__in=["exam", "training", "calibration"], state__in=["open", "paused"]
    ).update(state="locked", locked_at=timezone.now())


def key():
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def to(model, name="+", **options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name=name, to=model, **options
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_preparation")]

    operations = [
        migrations.RunPython(end_rounds_of_old),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", key()),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Under way"),
                            ("finished", "Waiting for the critiques"),
                            ("passed", "Passed"),
                            ("failed", "Failed"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("marks", models.JSONField()),
                ("started_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
                ("result", models.JSONField(blank=True, default=dict)),
                ("decided_by", to(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("qualification", to("annotation.qualification", "attempts")),
                ("round", to("annotation.round", "attempts")),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=["qualification", "number"], name="attempt_number_once"),
                    models.UniqueConstraint(fields=["qualification", "round"], name="a_form_is_taken_once"),
                    models.UniqueConstraint(
                        fields=["qualification"],
                        condition=Q(state__in=["open", "finished"]),
                        name="one_attempt_at_a_time",
                    ),
                    models.CheckConstraint(condition=Q(number__gte=1), name="attempts_start_at_1"),
                    models.CheckConstraint(
                        condition=Q(due_at__gt=F("started_at")), name="an_attempt_has_time"
                    ),
                    models.CheckConstraint(
                        condition=Q(state="open", finished_at=None, decided_at=None)
                        | Q(state="finished", finished_at__isnull=False, decided_at=None)
                        | Q(
                            state__in=["passed", "failed"],
                            finished_at__isnull=False,
                            decided_at__isnull=False,
                        ),
                        name="an_attempt_says_when_it_finished_and_was_decided",
                    ),
                    models.CheckConstraint(
                        condition=Q(decided_by=None) | Q(decided_at__isnull=False) & ~Q(reason=""),
                        name="who_decides_an_attempt_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ExtraAttempt",
            fields=[
                ("id", key()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                ("by", to(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("qualification", to("annotation.qualification", "extra_attempts")),
            ],
        ),
        migrations.CreateModel(
            name="CritiqueGrade",
            fields=[
                ("id", key()),
                ("points", models.JSONField()),
                ("comment", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                ("attempt", to("annotation.attempt", "grades")),
                ("grader", to(settings.AUTH_USER_MODEL)),
                ("response", to("annotation.response")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["attempt", "response", "grader"], name="a_grader_grades_a_critique_once"
                    ),
                ],
            },
        ),
        migrations.RunPython(forwards),
    ]
