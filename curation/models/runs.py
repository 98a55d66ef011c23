"""Snapshots, recipes, runs and their pairs."""

from django.db import models
from django.db.models import F, Q

from annotation.models import Job, Project, Response, Rubric


class Snapshot(models.Model):
    """The judgements of a project at one instant, as canonical bytes named by their SHA-256."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    content = models.BinaryField()
    n_responses = models.PositiveIntegerField()
    n_scores = models.PositiveIntegerField()
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="snapshot_once_per_content"),
        ]


class Recipe(models.Model):
    """A named set of rules with their parameters. A changed recipe is a new version."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField()
    parameters = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name", "version"], name="recipe_version_once"),
        ]


class Run(Job):
    """One application of a recipe to a snapshot.

    It goes through three stages. Who claims a row without a snapshot takes one; then its shards are jobs of their own
    (models/shards.py), and nobody holds the row; who finds the last of them done merges, from `merging_since` on.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    recipe = models.ForeignKey(Recipe, models.PROTECT, related_name="runs")
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="runs", null=True, blank=True)
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="+", null=True, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    merging_since = models.DateTimeField(null=True, blank=True)
    funnel = models.JSONField(null=True, blank=True)
    agreement = models.JSONField(null=True, blank=True)
    symmetry = models.JSONField(null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="one_active_run_per_project",
            ),
            models.CheckConstraint(
                condition=~Q(state="done")
                | Q(snapshot__isnull=False, funnel__isnull=False, agreement__isnull=False),
                name="a_done_run_has_its_results",
            ),
        ]


class Pair(models.Model):
    """An accepted pair of a run."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="pairs")
    key = models.CharField(max_length=620)  # prompt:chosen:rejected, the id it has in a release
    chosen = models.ForeignKey(Response, models.PROTECT, related_name="+")
    rejected = models.ForeignKey(Response, models.PROTECT, related_name="+")
    votes_for = models.PositiveSmallIntegerField()
    votes_against = models.PositiveSmallIntegerField()
    ties = models.PositiveSmallIntegerField()
    k = models.PositiveSmallIntegerField()
    gap_numerator = models.PositiveIntegerField()
    gap_denominator = models.PositiveIntegerField()
    mean_chosen = models.FloatField()
    mean_rejected = models.FloatField()
    length_chosen = models.PositiveIntegerField()
    length_rejected = models.PositiveIntegerField()
    flags = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "chosen", "rejected"], name="pair_once_per_run"),
            models.CheckConstraint(condition=~Q(chosen=F("rejected")), name="a_pair_has_two_sides"),
            # No more: where a recipe asks for no majority, the sum of the scores alone decides.
            models.CheckConstraint(condition=Q(votes_for__gt=0), name="somebody_prefers_the_chosen"),
        ]
