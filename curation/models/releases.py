"""Frozen releases and their files."""

from django.db import models
from django.db.models import Q

from annotation.models import Job, Project
from curation.models.runs import Run


class Release(Job):
    """A frozen, numbered benchmark. Once done, neither it nor its files change: the database refuses."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="releases")
    name = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    # What was known of the run's audit when this was asked for, and why it is made all the same
    # (domain/audit/record.py); null where nobody asked yet for one.
    audit = models.JSONField(null=True, blank=True)

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
