"""Frozen releases and their files; who may read what is withheld, who took what, and what was yanked."""

from django.conf import settings
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
    # What was asked for (domain/terms.py); null in releases of earlier versions.
    terms = models.JSONField(null=True, blank=True)

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


class Yank(models.Model):
    """A release that nobody should use any more, and why. It stays what it is, and where it is."""

    release = models.OneToOneField(Release, models.PROTECT, related_name="yank")
    reason = models.TextField()
    yanked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    yanked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="a_yank_has_a_reason"),
        ]


class ReleaseReader(models.Model):
    """Somebody who may take what a release withholds, beside the leads of its project."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    added_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "user"], name="release_reader_once"),
        ]


class Download(models.Model):
    """Somebody took something of a release: `path` is that of a file, or of the whole as an archive."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="downloads")
    path = models.CharField(max_length=200)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    taken_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["release", "-id"], name="downloads_of_a_release")]
