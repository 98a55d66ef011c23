"""What of a requirement a program can check."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Requirement


class RequirementCheck(models.Model):
    """A bound on something that can be counted, or a string that must occur: a sanity figure, never a judgement."""

    class Measure(models.TextChoices):
        WORDS = "words", _("Words")
        SENTENCES = "sentences", _("Sentences")
        PARAGRAPHS = "paragraphs", _("Paragraphs")
        LIST_ITEMS = "list_items", _("List items")
        STRING = "string", _("A string occurs")

    requirement = models.OneToOneField(Requirement, models.CASCADE, related_name="check_by_program")
    measure = models.CharField(max_length=10, choices=Measure)
    least = models.PositiveIntegerField(null=True, blank=True)
    most = models.PositiveIntegerField(null=True, blank=True)
    string = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(measure="string", least=None, most=None) & ~Q(string="")
                | ~Q(measure="string") & Q(string="") & (Q(least__isnull=False) | Q(most__isnull=False)),
                name="a_check_says_what_it_checks",
            ),
            models.CheckConstraint(
                condition=Q(least=None) | Q(most=None) | Q(least__lte=F("most")), name="a_bound_has_room"
            ),
        ]
