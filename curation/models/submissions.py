"""What models answered to a release, how well they did, and what of it every reader of the release sees."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Job
from curation.models.releases import Release


class Submission(Job):
    """A model's predictions for a release. Once done, it never changes: the database refuses.

    `summary` is the line of the leaderboard, `result` all that is said of the submission; they are apart because lists
    read the first alone.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="submissions")
    model = models.CharField(max_length=100)
    family = models.CharField(max_length=100, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    content = models.BinaryField()  # the file as it was sent, gzipped
    size = models.PositiveBigIntegerField()  # of the file
    sha256 = models.CharField(max_length=64)  # of the file
    code_version = models.CharField(max_length=40, blank=True)
    summary = models.JSONField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["release", "queued_by", "model", "sha256"], name="submission_of_a_person_once"
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(summary__isnull=False, result__isnull=False),
                name="a_done_submission_has_its_result",
            ),
        ]


class Publication(models.Model):
    """A submission that every reader of the release sees, for as long as the row is there."""

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="publication")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    at = models.DateTimeField()


class Comparison(Job):
    """Two submissions to one release on the same pairs, the later one first."""

    first = models.ForeignKey(Submission, models.PROTECT, related_name="+")
    second = models.ForeignKey(Submission, models.PROTECT, related_name="+")
    result = models.JSONField(null=True, blank=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["first", "second"], name="comparison_of_two_once"),
            models.CheckConstraint(
                condition=Q(first__gt=models.F("second")), name="a_comparison_has_the_later_first"
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(result__isnull=False), name="a_done_comparison_has_its_result"
            ),
        ]
