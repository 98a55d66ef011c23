from collections.abc import Sequence
from datetime import date

from django import forms
from django.utils.translation import gettext_lazy as _

from curation.domain.choice import Choice


class FreezeForm(forms.Form):
    name = forms.CharField(max_length=60, label=_("Name"))
    version = forms.CharField(max_length=40, label=_("Version"))


class ChoiceForm(forms.Form):
    """Of which judgements a report is to speak; nothing chosen: of all."""

    genre = forms.ChoiceField(required=False, label=_("Genre"))
    language = forms.ChoiceField(required=False, label=_("Language"))
    annotator = forms.ChoiceField(required=False, label=_("Annotator"))
    round = forms.ChoiceField(required=False, label=_("Round"))
    # In one spelling: 01/02/2026 is January to some and February to others.
    DAY = {"required": False, "input_formats": ["%Y-%m-%d"]}
    BAD_DAY = {"invalid": _("Write the day as year, month and day: 2026-01-31.")}
    since = forms.DateField(label=_("From"), error_messages=BAD_DAY, **DAY)
    until = forms.DateField(label=_("To"), error_messages=BAD_DAY, **DAY)

    def __init__(
        self, *args: object, options: dict[str, Sequence[tuple[str, str]]], **kwargs: object
    ) -> None:
        """`options` by field: value and name of what there is to choose from."""
        super().__init__(*args, **kwargs)
        for name, there in options.items():
            self.fields[name].choices = [("", _("All")), *there]

    def clean(self) -> dict[str, object]:
        found = super().clean()
        for name in self.fields:
            if len(self.data.getlist(name)) > 1:
                self.add_error(name, _("This stands in the address more than once. Choose one."))
        since, until = found.get("since"), found.get("until")
        if isinstance(since, date) and isinstance(until, date) and since > until:
            self.add_error("until", _("The last day comes before the first. Choose a later one."))
        return found

    def choice(self) -> Choice:
        return Choice(**self.cleaned_data)


class PlannerForm(forms.Form):
    """What is to be reached: accepted pairs of each genre, and pairs over which a model's accuracy is taken."""

    WHOLE = {
        "required": _("Write a whole number from 1 on."),
        "invalid": _("Write a whole number from 1 on."),
        "min_value": _("Write a whole number from 1 on."),
        "max_value": _("That is too many."),
    }
    wanted = forms.IntegerField(min_value=1, max_value=100_000, error_messages=WHOLE)
    pairs = forms.IntegerField(min_value=1, max_value=10_000_000, error_messages=WHOLE)


class ReminderForm(forms.Form):
    note = forms.CharField(required=False, max_length=500, widget=forms.Textarea)
