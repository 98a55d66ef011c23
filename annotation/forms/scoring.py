"""The shape of what pages send. Rules that depend on the state of the world stand in services."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.scoring import SCALE

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

    def clean_justification(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["justification"].replace("\r\n", "\n")
