"""The shape of what pages send. Rules that depend on the state of the world stand in services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.scoring import SCALE

# Longer than any honest justification; a cap keeps a pasted book out of the database.
LONGEST_JUSTIFICATION = 20_000
# What the names of marks begin with: mark-GENRE.CRITERION, and mark-CRITERION for those of every genre.
MARK = "mark-"


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

    @property
    def sent_marks(self) -> dict[tuple[str, str], str]:
        """What was sent for criteria, by (genre key, criterion key), the first "" for every genre."""
        return {
            _criterion(name): value for name, value in self.data.items() if name.startswith(MARK) and value
        }

    def clean_justification(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["justification"].replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        scores = {str(score): score for score in SCALE}
        if not scores.keys() >= set(self.sent_marks.values()):
            raise forms.ValidationError(_("Choose marks from 0 to 3."))
        marks = {criterion: scores[value] for criterion, value in self.sent_marks.items()}
        return {**self.cleaned_data, "marks": marks}


def _criterion(name: str) -> tuple[str, str]:
    genre, _dot, key = name.removeprefix(MARK).rpartition(".")
    return genre, key
