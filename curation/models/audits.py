"""Signal audits of runs, their figures, the limits that projects set, and what is kept of released texts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Job, Project
from curation.models.releases import Release
from curation.models.reports import DrawnFigure
from curation.models.runs import Run


class Audit(Job):
    """What a machine could guess of a run's pairs without reading, as a worker computed it: one for each run.

    Pages print it and compute nothing. `result` is what domain/audit/report.py gives, with the releases that it was
    held against.
    """

    run = models.OneToOneField(Run, models.PROTECT, related_name="audit")
    code_version = models.CharField(max_length=40, blank=True)
    percent_done = models.PositiveSmallIntegerField(default=0)  # while it is running
    result = models.JSONField(null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=~Q(state="done") | Q(result__isnull=False), name="a_done_audit_has_its_result"
            ),
        ]


class AuditFigure(DrawnFigure):
    """One of an audit."""

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="figures")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["audit", "key", "language"], name="audit_figure_once_per_language"
            ),
        ]


class AuditLimits(models.Model):
    """The limits that a project sets its audits, and who set them last. A project without a row has the defaults."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="+")
    limits = models.JSONField()  # as domain/audit/limits.py writes them
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    changed_at = models.DateTimeField()


class ReleasedTexts(models.Model):
    """Fingerprints of the texts of a release (domain/audit/fingerprints.py), by which later audits find them again."""

    release = models.OneToOneField(Release, models.CASCADE, related_name="+")
    method = models.CharField(max_length=120)  # of the sketches: those of another are made anew
    content = models.BinaryField()
