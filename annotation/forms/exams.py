"""What the pages of exams send."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.exams import CRITIQUE_QUESTIONS, MOST_POINTS

LONGEST_COMMENT = 4000
LONGEST_REASON = 2000


class FormForm(forms.Form):
    """A new form of the exam."""

    name = forms.CharField(
        max_length=100,
        error_messages={
            "required": _("Give the form a name; candidates see it."),
            "max_length": _("Use at most 100 characters."),
        },
    )
    language = forms.ChoiceField(required=False)

    def __init__(self, data: object = None, *, languages: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["language"].choices = list(languages)


class GradeForm(forms.Form):
    """Points for one critique. Which it is comes along, so that a page left open grades nothing else."""

    attempt = forms.IntegerField(min_value=1)
    response = forms.IntegerField(min_value=1)
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)

    def __init__(self, data: object = None) -> None:
        super().__init__(data)
        for question in CRITIQUE_QUESTIONS:
            self.fields[question] = forms.TypedChoiceField(
                choices=[(points, str(points)) for points in range(MOST_POINTS + 1)],
                coerce=int,
                error_messages={
                    "required": _("Give 0, 1 or 2 points."),
                    "invalid_choice": _("Give 0, 1 or 2 points."),
                },
            )

    @property
    def points(self) -> dict[str, int]:
        return {question: self.cleaned_data[question] for question in CRITIQUE_QUESTIONS}

    def clean_comment(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["comment"].replace("\r\n", "\n")


class ReasonForm(forms.Form):
    """A lead's decision. That a reason is there is checked by the service."""

    reason = forms.CharField(required=False, max_length=LONGEST_REASON)
    action = forms.ChoiceField(choices=[(each, each) for each in ("pass", "fail", "grant")])
