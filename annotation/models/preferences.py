"""Votes on pairs of responses."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least
from django.utils.translation import gettext_lazy as _

from annotation.models.imports import Import
from annotation.models.material import Prompt, Response
from annotation.models.people import Membership
from annotation.models.work import Assignment, Round, Score


class Preference(models.Model):
    """Which of two responses to a prompt somebody holds to be better. Append-only: a change of mind is a new
    revision, the earlier ones stay. No score: it stands in a round of pairs, which curation does not read."""

    class Preferred(models.TextChoices):
        A = "a", _("The first")
        B = "b", _("The second")
        TIE = "tie", _("Neither")

    round = models.ForeignKey(Round, models.PROTECT, related_name="preferences")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="preferences")
    # Null for a vote from a file.
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, related_name="preferences", null=True, blank=True
    )
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="preferences")
    # In the order in which they were shown.
    response_a = models.ForeignKey(Response, models.PROTECT, related_name="+")
    response_b = models.ForeignKey(Response, models.PROTECT, related_name="+")
    preferred = models.CharField(max_length=3, choices=Preferred)
    revision = models.PositiveSmallIntegerField(default=1)
    justification = models.TextField(blank=True)
    standing = models.CharField(max_length=8, choices=Score.Standing, default=Score.Standing.COUNTED)
    # When it was given; null where an imported file does not say.
    at = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField()
    # Of a vote from a file: the import, and file and line, row or item in it.
    source = models.ForeignKey(Import, models.PROTECT, related_name="preferences", null=True, blank=True)
    source_place = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            # In whichever order the two were shown.
            models.UniqueConstraint(
                F("round"),
                Least("response_a", "response_b"),
                Greatest("response_a", "response_b"),
                F("annotator"),
                F("revision"),
                name="one_preference_per_pair_and_revision",
            ),
            models.CheckConstraint(condition=~Q(response_a=F("response_b")), name="a_pair_has_two_responses"),
            models.CheckConstraint(condition=Q(preferred__in=["a", "b", "tie"]), name="a_known_preference"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="preference_revisions_start_at_1"),
            models.CheckConstraint(
                condition=Q(standing__in=["counted", "surplus"]), name="a_known_standing_of_a_preference"
            ),
        ]
