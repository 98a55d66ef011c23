"""Rankings of the responses to a prompt, and votes on what a prompt is about."""

from django.db import models
from django.db.models import Q

from annotation.models.material import Prompt, Response
from annotation.models.people import Membership
from annotation.models.project import Genre
from annotation.models.work import Assignment, Round, Score


class Ranking(models.Model):
    """All responses of a prompt in order, ties as tiers. Append-only: a change of mind is a new revision."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="rankings")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="rankings")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="rankings")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="rankings")
    revision = models.PositiveSmallIntegerField(default=1)
    justification = models.TextField(blank=True)
    standing = models.CharField(max_length=8, choices=Score.Standing, default=Score.Standing.COUNTED)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "prompt", "annotator", "revision"], name="one_ranking_per_revision"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="ranking_revisions_start_at_1"),
            models.CheckConstraint(
                condition=Q(standing__in=["counted", "surplus"]), name="a_known_standing_of_a_ranking"
            ),
        ]


class RankedResponse(models.Model):
    """Where a response stands in a ranking. Those of one tier tie."""

    ranking = models.ForeignKey(Ranking, models.PROTECT, related_name="responses")
    response = models.ForeignKey(Response, models.PROTECT, related_name="+")
    tier = models.PositiveSmallIntegerField()  # 1 = best; tiers follow each other without gaps
    shown = models.PositiveSmallIntegerField()  # 1 = shown as A
    was_read = models.BooleanField(default=True)  # to its end, as far as the page could tell

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ranking", "response"], name="response_once_per_ranking"),
            models.UniqueConstraint(fields=["ranking", "shown"], name="letter_once_per_ranking"),
            models.CheckConstraint(
                condition=Q(tier__gte=1, shown__gte=1), name="tiers_and_letters_start_at_1"
            ),
        ]


class CategoryVote(models.Model):
    """To which macro-category a prompt belongs, in one voter's eyes. Append-only."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="category_votes")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="category_votes")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="category_votes")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="category_votes")
    category = models.ForeignKey(Genre, models.PROTECT, related_name="+")
    revision = models.PositiveSmallIntegerField(default=1)
    justification = models.TextField(blank=True)
    standing = models.CharField(max_length=8, choices=Score.Standing, default=Score.Standing.COUNTED)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "prompt", "annotator", "revision"], name="one_category_vote_per_revision"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="category_vote_revisions_start_at_1"),
            models.CheckConstraint(
                condition=Q(standing__in=["counted", "surplus"]), name="a_known_standing_of_a_category_vote"
            ),
        ]
