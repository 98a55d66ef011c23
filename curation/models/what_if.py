"""What recipes would give: computed by a worker from a snapshot, kept for a while."""

from django.db import models
from django.db.models import Q

from annotation.models import Job, Project
from curation.models.reports import DrawnFigure
from curation.models.runs import Snapshot


class WhatIf(Job):
    """One set of parameters of the writing-preference recipe on one snapshot.

    Numbers are there as soon as `result` is, which is before the pictures are drawn and the job is done. One that was
    to take the scores of the moment, and found them unchanged, is the same as another.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    # None until a worker has taken it, where the scores of the moment were asked for.
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="what_ifs", null=True, blank=True)
    parameters = models.JSONField()  # all of them, in their canonical form
    digest = models.CharField(max_length=64)  # of the parameters and the version of the code
    code_version = models.CharField(max_length=40)
    result = models.JSONField(null=True, blank=True)  # curation/domain/what_if.py
    same_as = models.ForeignKey("self", models.CASCADE, related_name="+", null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["snapshot", "digest"],
                condition=~Q(state="failed") & Q(same_as=None),
                name="what_if_once_per_snapshot",
            ),
            models.UniqueConstraint(
                fields=["project", "digest"],
                condition=Q(snapshot=None, state__in=["queued", "running"]),
                name="what_if_of_now_once",
            ),
            models.CheckConstraint(
                condition=~Q(state="done")
                | Q(result__isnull=False, snapshot__isnull=False)
                | ~Q(same_as=None),
                name="a_done_what_if_has_its_result",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="what_ifs_of_a_project")]


class WhatIfBar(models.Model):
    """The candidates behind one number of a what-if: the first of them (curation/domain/behind.py), as bytes."""

    what_if = models.ForeignKey(WhatIf, models.CASCADE, related_name="bars")
    key = models.CharField(max_length=60)
    total = models.PositiveBigIntegerField()
    kept = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["what_if", "key"], name="bar_once_per_what_if"),
        ]


class WhatIfFigure(DrawnFigure):
    """One of a what-if."""

    what_if = models.ForeignKey(WhatIf, models.CASCADE, related_name="figures")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["what_if", "key", "language"], name="what_if_figure_once"),
        ]
