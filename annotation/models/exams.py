"""The exam: who sat it when and what came of it, and how the critiques were graded."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.material import Response
from annotation.models.preparation import Qualification
from annotation.models.work import Round


class Attempt(models.Model):
    """One sitting of the exam: a form, as a round, taken by one annotator in one language."""

    class State(models.TextChoices):
        OPEN = "open", _("Under way")
        FINISHED = "finished", _("Waiting for the critiques")  # every text is scored
        PASSED = "passed", _("Passed")
        FAILED = "failed", _("Failed")

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="attempts")
    round = models.ForeignKey(Round, models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    marks = models.JSONField()  # domain.exams.PassMarks, as they stood at the start
    started_at = models.DateTimeField()
    due_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)  # where time ran out: when it did
    decided_at = models.DateTimeField(null=True, blank=True)
    # Null where the numbers decided.
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    reason = models.TextField(blank=True)  # of the lead who decided
    # Tables of counts by genre, points of the critiques, marks that were missed; see services/exams.py.
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["qualification", "number"], name="attempt_number_once"),
            models.UniqueConstraint(fields=["qualification", "round"], name="a_form_is_taken_once"),
            models.UniqueConstraint(
                fields=["qualification"],
                condition=Q(state__in=["open", "finished"]),
                name="one_attempt_at_a_time",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="attempts_start_at_1"),
            models.CheckConstraint(condition=Q(due_at__gt=F("started_at")), name="an_attempt_has_time"),
            models.CheckConstraint(
                condition=Q(state="open", finished_at=None, decided_at=None)
                | Q(state="finished", finished_at__isnull=False, decided_at=None)
                | Q(state__in=["passed", "failed"], finished_at__isnull=False, decided_at__isnull=False),
                name="an_attempt_says_when_it_finished_and_was_decided",
            ),
            models.CheckConstraint(
                condition=Q(decided_by=None) | Q(decided_at__isnull=False) & ~Q(reason=""),
                name="who_decides_an_attempt_says_why",
            ),
        ]


class ExtraAttempt(models.Model):
    """That a lead lets somebody sit the exam once more than the project allows. Append-only."""

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="extra_attempts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True)
    reason = models.TextField()
    at = models.DateTimeField()


class CritiqueGrade(models.Model):
    """What one grader gave for one critique of an attempt. Append-only."""

    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="grades")
    response = models.ForeignKey(Response, models.PROTECT, related_name="+")
    grader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    points = models.JSONField()  # by question of domain.exams.CRITIQUE_QUESTIONS
    comment = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "response", "grader"], name="a_grader_grades_a_critique_once"
            ),
        ]
