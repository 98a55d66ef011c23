"""Reports of agreement and progress, the columns they start from, and their figures."""

from django.db import models
from django.db.models import Q

from annotation.models import Job, Project


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


class DrawnFigure(models.Model):
    """A chart or heat map in one language, with its numbers.

    `content` is what the page prints (services/figures.py makes it); `svg` and `png` are to take away, and empty for
    a heat map, which is a table.
    """

    key = models.CharField(max_length=40)
    language = models.CharField(max_length=16)
    content = models.JSONField()
    svg = models.TextField(blank=True)
    png = models.BinaryField(blank=True)

    class Meta:
        abstract = True


class Figure(DrawnFigure):
    """One of a report."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="figures")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "key", "language"], name="figure_once_per_language"),
        ]
