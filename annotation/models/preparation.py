"""From invitation to work: where each annotator stands in each language, and what the project asks on the way."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.invitations import Invitation
from annotation.models.material import Response
from annotation.models.people import Membership
from annotation.models.project import Genre, Project
from annotation.models.work import Round


class Stage(models.TextChoices):
    """The order of the first six is that of the way; what each allows stands in domain/stages.py."""

    INVITED = "invited", _("Invited")
    SCREENING = "screening", _("Screening")
    EXAM = "exam", _("Exam")
    TRAINING = "training", _("Training")
    CALIBRATION = "calibration", _("Calibration")
    ACTIVE = "active", _("Active")
    PAUSED = "paused", _("Paused")
    DECLINED = "declined", _("Declined")


class Qualification(models.Model):
    """Where an annotator stands in one language of a project. What they may do follows from the stage alone."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="qualifications")
    # Null until somebody accepts the invitation.
    annotator = models.ForeignKey(
        Membership, models.PROTECT, related_name="qualifications", null=True, blank=True
    )
    invitation = models.ForeignKey(
        Invitation, models.PROTECT, related_name="qualifications", null=True, blank=True
    )
    language = models.CharField(max_length=16, blank=True)  # primary subtag; "" for any
    stage = models.CharField(max_length=16, choices=Stage)
    since = models.DateTimeField()
    # Macro-categories in which the person may score; none: all.
    genres = models.ManyToManyField(Genre, related_name="+", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "language"], name="one_qualification_per_annotator_and_language"
            ),
            models.UniqueConstraint(
                fields=["invitation", "language"],
                condition=Q(annotator=None),
                name="one_qualification_per_invitation_and_language",
            ),
            models.CheckConstraint(
                condition=Q(stage__in=[stage.value for stage in Stage]), name="a_known_stage"
            ),
            models.CheckConstraint(
                condition=Q(annotator__isnull=False)
                | Q(stage__in=["invited", "declined"], invitation__isnull=False),
                name="past_the_invitation_somebody_has_come",
            ),
        ]


class Passage(models.Model):
    """A change of stage: from where to where, by whom, when and why. Append-only."""

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="passages")
    from_stage = models.CharField(max_length=16, choices=Stage, blank=True)  # "" at the beginning
    to_stage = models.CharField(max_length=16, choices=Stage)
    # Null where a result decided.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True)
    reason = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(to_stage__in=[stage.value for stage in Stage]), name="to_a_known_stage"
            ),
        ]


class LanguageLevel(models.TextChoices):
    """Command of a language, after the Common European Framework of Reference."""

    B1 = "B1", _("B1: intermediate")
    B2 = "B2", _("B2: upper intermediate")
    C1 = "C1", _("C1: advanced")
    C2 = "C2", _("C2: proficient")
    NATIVE = "native", _("Native or equal to it")


class GateStatistic(models.TextChoices):
    ALPHA = "alpha_rest", _("Alpha against the rest")
    ALPHA_LOW = "alpha_rest_low", _("Lower end of the interval of alpha against the rest")
    KAPPA = "kappa_rest", _("Quadratic weighted kappa against the rest")


class Preparation(models.Model):
    """What a project asks of an annotator before the work. A project without a row has the defaults."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="preparation")
    uses_screening = models.BooleanField(default=True)
    uses_exam = models.BooleanField(default=True)
    uses_training = models.BooleanField(default=True)
    uses_calibration = models.BooleanField(default=True)

    # --- Screening ---
    language_level_minimum = models.CharField(max_length=8, choices=LanguageLevel, default=LanguageLevel.C1)
    familiarity_minimum = models.PositiveSmallIntegerField(default=1)  # 0-3, for a macro-category
    questions = models.JSONField(default=list, blank=True)  # questions of the project's own, as it asks them

    # --- Exam ---
    exam_items_minimum = models.PositiveSmallIntegerField(default=40)
    exam_kappa_minimum = models.DecimalField(max_digits=3, decimal_places=2, default="0.55")
    exam_exact_percent = models.PositiveSmallIntegerField(default=50)
    exam_within_one_percent = models.PositiveSmallIntegerField(default=95)
    critiques_graded = models.PositiveSmallIntegerField(default=8)  # of an attempt, by each grader
    graders = models.PositiveSmallIntegerField(default=1)
    critique_percent = models.PositiveSmallIntegerField(default=60)
    retake_hours = models.PositiveSmallIntegerField(default=48)
    retakes = models.PositiveSmallIntegerField(default=2)
    exam_days = models.PositiveSmallIntegerField(default=14)

    # --- Training ---
    worked_items = models.PositiveSmallIntegerField(default=5)
    practice_items = models.PositiveSmallIntegerField(default=35)
    check_items = models.PositiveSmallIntegerField(default=10)
    mastery_percent = models.PositiveSmallIntegerField(default=70)
    mastery_window = models.PositiveSmallIntegerField(default=10)

    # --- Calibration ---
    gate_statistic = models.CharField(max_length=16, choices=GateStatistic, default=GateStatistic.ALPHA)
    gate_threshold = models.DecimalField(max_digits=3, decimal_places=2, default="0.40")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(graders__in=[1, 2]), name="one_grader_or_two"),
            models.CheckConstraint(
                condition=Q(
                    exam_exact_percent__lte=100,
                    exam_within_one_percent__lte=100,
                    critique_percent__lte=100,
                    mastery_percent__lte=100,
                ),
                name="shares_of_a_hundred",
            ),
            models.CheckConstraint(condition=Q(familiarity_minimum__lte=3), name="familiarity_from_0_to_3"),
            models.CheckConstraint(condition=Q(mastery_window__gte=1), name="mastery_looks_at_something"),
        ]


class ScreeningAnswer(models.Model):
    """What somebody said in the screening of one language. Append-only; the last one counts."""

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="screening_answers")
    level = models.CharField(max_length=8, choices=LanguageLevel)
    familiarity = models.JSONField(default=dict)  # by key of the macro-category: 0-3
    answers = models.JSONField(default=list)  # [question, answer] of the project's own questions
    at = models.DateTimeField()


class ConsensusItem(models.Model):
    """A text of an exam or a course whose score is agreed. Fixed once its round is no draft any more."""

    class Kind(models.TextChoices):
        EXAM = "exam", _("Exam")
        WORKED = "worked", _("Worked example")
        PRACTICE = "practice", _("Practice")
        CHECK = "check", _("Check")
        EXTRA = "extra", _("Extra practice")  # unseen, for genres that are not mastered yet
        GOLD = "gold", _("Gold item")  # mixed into a round, unmarked

    round = models.ForeignKey(Round, models.PROTECT, related_name="consensus_items")
    response = models.ForeignKey(Response, models.PROTECT, related_name="consensus_items")
    kind = models.CharField(max_length=8, choices=Kind)
    position = models.PositiveIntegerField()
    value = models.PositiveSmallIntegerField()
    split = models.JSONField(default=list, blank=True)  # how many experts gave 0, 1, 2, 3; [] where not known
    rationale = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "response"], name="consensus_item_once_per_round"),
            models.UniqueConstraint(fields=["round", "position"], name="one_consensus_item_per_position"),
            models.CheckConstraint(condition=Q(value__lte=3), name="consensus_score_from_0_to_3"),
            models.CheckConstraint(
                condition=Q(kind__in=["exam", "worked", "practice", "check", "extra", "gold"]),
                name="a_known_kind_of_item",
            ),
        ]
