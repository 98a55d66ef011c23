"""Files on their way into a project: what they are, how their columns are read, what became of them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.jobs import Job
from annotation.models.project import Project


class Import(models.Model):
    """One or more files of one layout, taken as a whole.

    Rows it makes belong to it. While it is being stored or undone they may be removed again, and count
    nowhere; once it is stored they stay like any other.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Not imported yet")
        STORING = "storing", _("Being imported")
        STORED = "stored", _("Imported")
        UNDOING = "undoing", _("Being undone")
        UNDONE = "undone", _("Undone")

    project = models.ForeignKey(Project, models.PROTECT, related_name="imports")
    # [{"name", "sha256", "size", "path"}]: as the person calls it, its content, where it lies until it is stored
    files = models.JSONField()
    shape = models.JSONField(default=dict)  # format, encoding, delimiter, sheet
    layout = models.CharField(max_length=40)
    field_map = models.JSONField(default=dict)  # which column is what
    keep_names = models.BooleanField(default=False)  # of annotators, instead of pseudonyms
    leave_out_bad_rows = models.BooleanField(default=False)
    importer_version = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField()
    stored_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)  # when curation first read what came in with it

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "storing"], stored_at=None)
                | Q(state__in=["stored", "undoing", "undone"], stored_at__isnull=False),
                name="a_stored_import_says_when",
            ),
        ]


class ImportJob(Job):
    """What a worker does with an import: checks it, stores it, or undoes it."""

    class Action(models.TextChoices):
        CHECK = "check", _("Check")
        STORE = "store", _("Import")
        UNDO = "undo", _("Undo")

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    subject = models.ForeignKey(Import, models.CASCADE, related_name="jobs")
    action = models.CharField(max_length=8, choices=Action)
    rows_read = models.PositiveIntegerField(default=0)
    report = models.JSONField(null=True, blank=True)  # domain/reports.py

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="one_active_import_job_per_project",
            ),
        ]


class SavedFieldMap(models.Model):
    """A mapping that a lead keeps for the next file of the same layout."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="field_maps")
    name = models.CharField(max_length=100)
    layout = models.CharField(max_length=40)
    field_map = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="field_map_name_once_per_project"),
        ]
