"""Snapshots in parts, and the shards of a run."""

from django.db import models
from django.db.models import F, Q

from annotation.models import Job
from curation.models.runs import Run, Snapshot


class SnapshotPart(models.Model):
    """What a snapshot holds of one bucket of prompts (domain/shards/buckets.py), as bytes named by their SHA-256."""

    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="parts")
    bucket = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    content = models.BinaryField()

    class Meta:
        ordering = ["bucket"]
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "bucket"], name="snapshot_part_once"),
            models.CheckConstraint(condition=Q(bucket__lt=256), name="a_bucket_is_a_byte"),
        ]


class Shard(Job):
    """Neighbouring buckets of a run's prompts, decided by one worker; `first` and the ones before `end`."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="shards")
    first = models.PositiveSmallIntegerField()
    end = models.PositiveSmallIntegerField()
    folder = models.CharField(max_length=16)  # that of all parts of the run, in the storage of runs
    tally = models.CharField(max_length=120, blank=True)  # names there
    parts = models.JSONField(default=list)

    class Meta(Job.Meta):
        ordering = ["first"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "first"], name="shard_once_per_run"),
            models.CheckConstraint(condition=Q(first__lt=F("end"), end__lte=256), name="a_shard_has_buckets"),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(tally=""), name="a_done_shard_has_its_tally"
            ),
        ]
