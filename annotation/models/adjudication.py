"""What rules sent to an adjudicator, what the adjudicator thought first, and what was decided."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.material import Prompt, Response
from annotation.models.people import Membership
from annotation.models.project import Genre
from annotation.models.work import Round, new_token


class AdjudicationCase(models.Model):
    """A prompt, a response or a pair on which annotators were split. Who gave what stays as it was given."""

    class Reason(models.TextChoices):
        TIED_VOTES = "tied_votes", _("Tied votes")
        WIDE_SPREAD = "wide_spread", _("Wide spread of scores")
        CONTRARY_VOTES = "contrary_votes", _("Contrary votes")

    token = models.CharField(max_length=32, unique=True, default=new_token)
    round = models.ForeignKey(Round, models.PROTECT, related_name="cases")  # in which they were split
    reason = models.CharField(max_length=16, choices=Reason)
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="+")
    response = models.ForeignKey(Response, models.PROTECT, related_name="+", null=True, blank=True)
    other = models.ForeignKey(Response, models.PROTECT, related_name="+", null=True, blank=True)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "prompt"], condition=Q(response=None), name="one_case_per_prompt"
            ),
            models.UniqueConstraint(
                fields=["round", "response"],
                condition=Q(response__isnull=False, other=None),
                name="one_case_per_response",
            ),
            models.UniqueConstraint(
                fields=["round", "response", "other"],
                condition=Q(other__isnull=False),
                name="one_case_per_pair",
            ),
            models.CheckConstraint(
                condition=Q(reason__in=["tied_votes", "wide_spread", "contrary_votes"]),
                name="a_known_reason_of_a_case",
            ),
        ]


class CaseJudgement(models.Model):
    """What an adjudicator says of a case: first on their own, then as the decision. Append-only.

    One of `value` (a response), `preferred` (a pair) and `category` (a prompt) is filled.
    """

    class Step(models.TextChoices):
        OWN = "own", _("Own judgement")  # given before the others' are seen
        DECISION = "decision", _("Decision")

    case = models.ForeignKey(AdjudicationCase, models.PROTECT, related_name="judgements")
    adjudicator = models.ForeignKey(Membership, models.PROTECT, related_name="case_judgements")
    step = models.CharField(max_length=8, choices=Step)
    value = models.PositiveSmallIntegerField(null=True, blank=True)
    preferred = models.CharField(max_length=3, blank=True)  # "a" for `response`, "b" for `other`, "tie"
    category = models.ForeignKey(Genre, models.PROTECT, related_name="+", null=True, blank=True)
    justification = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "adjudicator", "step"],
                condition=Q(step="own"),
                name="one_own_judgement_per_adjudicator",
            ),
            models.UniqueConstraint(
                fields=["case"], condition=Q(step="decision"), name="one_decision_per_case"
            ),
            models.CheckConstraint(condition=Q(step__in=["own", "decision"]), name="a_known_step"),
            models.CheckConstraint(
                condition=Q(value__isnull=False, preferred="", category=None)
                | Q(value=None, preferred__in=["a", "b", "tie"], category=None)
                | Q(value=None, preferred="", category__isnull=False),
                name="a_case_is_judged_in_one_way",
            ),
            models.CheckConstraint(condition=Q(value=None) | Q(value__lte=3), name="case_score_from_0_to_3"),
            models.CheckConstraint(
                condition=Q(step="own") | ~Q(justification=""), name="a_decision_has_a_reason"
            ),
        ]
