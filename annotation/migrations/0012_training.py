"""Lessons, reflections, threads, rulings and active time. What somebody read, said or ruled only grows."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

APPEND_ONLY = ["annotation_lessonread", "annotation_reflection", "annotation_comment", "annotation_ruling"]


def postgresql():
    for table in APPEND_ONLY:
        yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"


def sqlite():
    for table in APPEND_ONLY:
        for event in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )


def forwards(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0011_exams"),
    ]

    operations = [
        migrations.CreateModel(
            name="ActiveTime",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "activity",
                    models.CharField(
                        choices=[
                            ("lesson", "Lessons"),
                            ("training", "Training"),
                            ("exam", "Exam"),
                            ("calibration", "Calibration"),
                            ("scoring", "Scoring"),
                            ("thread", "Discussion"),
                        ],
                        max_length=16,
                    ),
                ),
                ("load", models.UUIDField()),
                ("seconds", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("body", models.TextField()),
                ("paragraph", models.PositiveIntegerField(blank=True, null=True)),
                ("criterion", models.SlugField(blank=True, max_length=60)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Lesson",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=16)),
                ("position", models.PositiveIntegerField()),
                ("key", models.SlugField(blank=True, max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("body", models.TextField()),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "Draft"), ("published", "Published"), ("retired", "Retired")],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["position", "pk"],
            },
        ),
        migrations.CreateModel(
            name="LessonRead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Reflection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                condition=models.Q(("purpose", "training"), ("state__in", ["open", "paused"])),
                fields=("project", "language"),
                name="one_open_course_per_language",
            ),
        ),
        migrations.AddField(
            model_name="activetime",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="active_times",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="activetime",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="active_times",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="author",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="comments",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="response",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="annotation.response"
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="annotation.round"
            ),
        ),
        migrations.AddField(
            model_name="lesson",
            name="created_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="lesson",
            name="genre",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lessons",
                to="annotation.genre",
            ),
        ),
        migrations.AddField(
            model_name="lesson",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="lessons", to="annotation.project"
            ),
        ),
        migrations.AddField(
            model_name="lessonread",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lessons_read",
                to="annotation.membership",
            ),
        ),
        migrations.AddField(
            model_name="lessonread",
            name="lesson",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="reads", to="annotation.lesson"
            ),
        ),
        migrations.AddField(
            model_name="reflection",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reflections",
                to="annotation.membership",
            ),
        ),
        migrations.AddField(
            model_name="reflection",
            name="response",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reflections",
                to="annotation.response",
            ),
        ),
        migrations.AddField(
            model_name="reflection",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="reflections", to="annotation.round"
            ),
        ),
        migrations.AddField(
            model_name="ruling",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="ruling",
            name="comment",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="ruling", to="annotation.comment"
            ),
        ),
        migrations.AddIndex(
            model_name="activetime",
            index=models.Index(fields=["project", "user"], name="active_times_of_a_person"),
        ),
        migrations.AddConstraint(
            model_name="activetime",
            constraint=models.UniqueConstraint(
                fields=("user", "load"), name="one_time_per_opening_of_a_page"
            ),
        ),
        migrations.AddConstraint(
            model_name="activetime",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("activity__in", ["lesson", "training", "exam", "calibration", "scoring", "thread"])
                ),
                name="a_known_activity",
            ),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(fields=["round", "response"], name="comments_of_a_thread"),
        ),
        migrations.AddConstraint(
            model_name="lesson",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key", ""), _negated=True),
                fields=("project", "language", "key"),
                name="a_shipped_lesson_once_per_language",
            ),
        ),
        migrations.AddConstraint(
            model_name="lesson",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "published", "retired"])),
                name="a_known_state_of_lesson",
            ),
        ),
        migrations.AddConstraint(
            model_name="lesson",
            constraint=models.CheckConstraint(
                condition=models.Q(("version__gte", 1)), name="versions_of_lessons_start_at_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="lessonread",
            constraint=models.UniqueConstraint(
                fields=("lesson", "annotator", "version"), name="a_version_is_read_once"
            ),
        ),
        migrations.AddIndex(
            model_name="reflection",
            index=models.Index(fields=["round", "response", "annotator"], name="reflections_of_an_item"),
        ),
        migrations.RunPython(forwards),
    ]
