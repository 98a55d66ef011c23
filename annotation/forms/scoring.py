"""The shape of what pages send. Rules that depend on the state of the world stand in services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.scoring import SCALE
from annotation.queries import scoring_page

# Longer than any honest justification; a cap keeps a pasted book out of the database.
LONGEST_JUSTIFICATION = 20_000


class ScoreForm(forms.Form):
    value = forms.TypedChoiceField(
        choices=[(score, str(score)) for score in SCALE],
        coerce=int,
        error_messages={
            "required": _("Choose a score from 0 to 3."),
            "invalid_choice": _("Choose a score from 0 to 3."),
        },
    )
    justification = forms.CharField(required=False, max_length=LONGEST_JUSTIFICATION)
    # Seconds at work on the text, as the page counted them.
    active = forms.IntegerField(required=False, min_value=0, max_value=1_000_000)
    # The revision that is being changed; 0 for a first score.
    based_on = forms.IntegerField(required=False, min_value=0, max_value=10_000)

    @property
    def sent_marks(self) -> dict[tuple[str, str], str]:
        """What was sent for criteria, by (genre key, criterion key), the first "" for every genre."""
        return scoring_page.marks_in(self.data)

    def clean_based_on(self) -> int:
        return self.cleaned_data["based_on"] or 0

    def clean_justification(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["justification"].replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        scores = {str(score): score for score in SCALE}
        if not scores.keys() >= set(self.sent_marks.values()):
            raise forms.ValidationError(_("Choose marks from 0 to 3."))
        marks = {criterion: scores[value] for criterion, value in self.sent_marks.items()}
        return {**self.cleaned_data, "marks": marks}
