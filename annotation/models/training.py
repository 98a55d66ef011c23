"""The course: lessons, what came of an item, what is said about it, and the time that it took."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models.material import Response
from annotation.models.people import Membership
from annotation.models.project import Genre, Project
from annotation.models.work import Round


class Lesson(models.Model):
    """A text to read before the items: Markdown without HTML. A change makes a new version of it."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        PUBLISHED = "published", pgettext_lazy("a lesson", "Published")
        RETIRED = "retired", _("Retired")

    project = models.ForeignKey(Project, models.PROTECT, related_name="lessons")
    language = models.CharField(max_length=16, blank=True)  # primary subtag; "" for any
    genre = models.ForeignKey(Genre, models.PROTECT, related_name="lessons", null=True, blank=True)
    position = models.PositiveIntegerField()
    key = models.SlugField(max_length=40, blank=True)  # of a lesson that ships with the application
    title = models.CharField(max_length=200)
    body = models.TextField()
    version = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=16, choices=State, default=State.DRAFT)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "language", "key"],
                condition=~Q(key=""),
                name="a_shipped_lesson_once_per_language",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "published", "retired"]), name="a_known_state_of_lesson"
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="versions_of_lessons_start_at_1"),
        ]


class LessonRead(models.Model):
    """That somebody said they have read a version of a lesson. Append-only."""

    lesson = models.ForeignKey(Lesson, models.PROTECT, related_name="reads")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="lessons_read")
    version = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lesson", "annotator", "version"], name="a_version_is_read_once"),
        ]


class Reflection(models.Model):
    """What a trainee means to do differently after an item. Append-only; the last one counts."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="reflections")
    response = models.ForeignKey(Response, models.PROTECT, related_name="reflections")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="reflections")
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["round", "response", "annotator"], name="reflections_of_an_item")]


class Comment(models.Model):
    """A post in the thread of a text in a round. Append-only."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="comments")
    response = models.ForeignKey(Response, models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="comments")
    body = models.TextField()
    paragraph = models.PositiveIntegerField(null=True, blank=True)  # of the text, from 1
    criterion = models.SlugField(max_length=60, blank=True)  # its key in the rubric
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["round", "response"], name="comments_of_a_thread")]


class Ruling(models.Model):
    """That a post decides the matter, for all later cases. Append-only."""

    comment = models.OneToOneField(Comment, models.PROTECT, related_name="ruling")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()


class ActiveTime(models.Model):
    """How long somebody was at work on a page that they opened once. Nothing else of it is recorded."""

    class Activity(models.TextChoices):
        LESSON = "lesson", _("Lessons")
        TRAINING = "training", _("Training")
        EXAM = "exam", _("Exam")
        CALIBRATION = "calibration", _("Calibration")
        SCORING = "scoring", _("Scoring")
        JUDGING = "judging", _("Rankings, votes and cases")
        THREAD = "thread", _("Discussion")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="active_times")
    project = models.ForeignKey(Project, models.PROTECT, related_name="active_times")
    activity = models.CharField(max_length=16, choices=Activity)
    load = models.UUIDField()  # of the opening of the page; made in the browser
    seconds = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "load"], name="one_time_per_opening_of_a_page"),
            models.CheckConstraint(
                condition=Q(
                    activity__in=["lesson", "training", "exam", "calibration", "scoring", "judging", "thread"]
                ),
                name="a_known_activity",
            ),
        ]
        indexes = [models.Index(fields=["project", "user"], name="active_times_of_a_person")]
