"""Snapshots, recipes, runs, pairs, releases and reports. What points down to annotation has no name there."""

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
    """One application of a recipe to a snapshot."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    recipe = models.ForeignKey(Recipe, models.PROTECT, related_name="runs")
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="runs", null=True, blank=True)
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="+", null=True, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
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
            models.CheckConstraint(condition=Q(votes_for__gt=F("votes_against")), name="chosen_won_the_vote"),
        ]


class Release(Job):
    """A frozen, numbered benchmark. Once done, neither it nor its files change: the database refuses."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="releases")
    name = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    manifest_sha256 = models.CharField(max_length=64, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["name", "version"], name="release_version_once"),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(manifest_sha256=""), name="a_done_release_has_its_manifest"
            ),
        ]


class ReleaseFile(models.Model):
    release = models.ForeignKey(Release, models.PROTECT, related_name="files")
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(fields=["release", "path"], name="release_path_once"),
        ]


class ColumnSnapshot(models.Model):
    """The judgements of a project at one instant as columns (domain/columns.py), named by the SHA-256 of the bytes."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    content = models.BinaryField()
    n_scores = models.PositiveIntegerField()
    # The newest score that was there when it was taken, counted or not: what came since is counted from here.
    last_score = models.PositiveBigIntegerField(default=0)
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="columns_once_per_content"),
        ]


class Report(Job):
    """Agreement and progress as a worker computed them for one choice of the judgements.

    Pages print reports and compute nothing. A newer report of the same choice takes the place of an older one.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    choice = models.CharField(max_length=500, blank=True)  # as domain/choice.py spells it; "" for everything
    snapshot = models.ForeignKey(
        ColumnSnapshot, models.PROTECT, related_name="reports", null=True, blank=True
    )
    code_version = models.CharField(max_length=40, blank=True)
    percent_done = models.PositiveSmallIntegerField(default=0)  # while it is running
    as_of = models.DateTimeField(null=True, blank=True)  # when the judgements were read
    # How much the project's journal held then: whatever changes a judgement, or what it is of, is written there.
    journal_mark = models.CharField(max_length=40, blank=True)
    result = models.JSONField(null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["project", "choice"],
                condition=Q(state__in=["queued", "running"]),
                name="one_active_report_per_choice",
            ),
            models.CheckConstraint(
                condition=~Q(state="done")
                | Q(snapshot__isnull=False, result__isnull=False, as_of__isnull=False),
                name="a_done_report_has_its_result",
            ),
        ]
        indexes = [
            # A page asks for the newest report of a choice.
            models.Index(fields=["project", "choice", "-id"], name="reports_of_a_choice"),
        ]


class Figure(models.Model):
    """A chart or heat map of a report in one language, with its numbers.

    `content` is what the page prints (services/figures.py makes it); `svg` and `png` are to take away, and empty for
    a heat map, which is a table.
    """

    report = models.ForeignKey(Report, models.CASCADE, related_name="figures")
    key = models.CharField(max_length=40)
    language = models.CharField(max_length=16)
    content = models.JSONField()
    svg = models.TextField(blank=True)
    png = models.BinaryField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "key", "language"], name="figure_once_per_language"),
        ]
