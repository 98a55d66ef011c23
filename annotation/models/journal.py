"""Who did what, when. Written by services in the same transaction as the change; append-only."""

from django.conf import settings
from django.db import models

from annotation.models.project import Project


class JournalEntry(models.Model):
    project = models.ForeignKey(Project, models.PROTECT, related_name="journal", null=True, blank=True)
    # Null where a command or a job acted.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    action = models.CharField(max_length=60)
    data = models.JSONField(default=dict)
    at = models.DateTimeField()
