"""A job of a worker, as a row."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """A job is a row. It is claimed by compare-and-set; a Celery message is only a nudge to look at it."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    claimed_by = models.CharField(max_length=200, blank=True)  # host:pid of the worker
    lease_until = models.DateTimeField(null=True, blank=True)
    queued_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)  # as domain/sentences.py keeps one; older rows hold plain English

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(state="running", lease_until__isnull=False) & ~Q(claimed_by="")
                    | ~Q(state="running") & Q(lease_until=None)
                ),
                name="%(class)s_runs_under_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed"], finished_at__isnull=False)
                | Q(state__in=["queued", "running"], finished_at=None),
                name="%(class)s_says_when_it_ended",
            ),
        ]
