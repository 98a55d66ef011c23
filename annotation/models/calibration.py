"""What came of a calibration, as it was measured at its close."""

from django.db import models
from django.db.models import Q

from annotation.models.people import Membership
from annotation.models.work import Round


class CalibrationResult(models.Model):
    """The numbers of one annotator in a closed round; without an annotator, those of the group. Append-only.

    curation measures them, and nothing computes them again; their shape is that of curation/services/calibration.py.
    """

    round = models.ForeignKey(Round, models.PROTECT, related_name="calibration_results")
    annotator = models.ForeignKey(
        Membership, models.PROTECT, related_name="calibration_results", null=True, blank=True
    )
    numbers = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "annotator"], name="one_calibration_result_per_annotator"
            ),
            models.UniqueConstraint(
                fields=["round"], condition=Q(annotator=None), name="one_calibration_result_of_the_group"
            ),
        ]
