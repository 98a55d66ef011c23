"""What a lead sends while a round is on: a cap, rates of what is mixed in, quotas, seats that change hands."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.next_up import Stratum
from annotation.queries.quotas import StratumLine

NUMBER = {
    "invalid": _("Write a whole number, or leave this empty."),
    "min_value": _("Write a whole number from 1 on, or leave this empty."),
    "max_value": _("That is too many."),
}
RATE = {
    "required": _("Write a whole number from 0 to 50."),
    "invalid": _("Write a whole number from 0 to 50."),
    "min_value": _("Write a whole number from 0 to 50."),
    "max_value": _("Write a whole number from 0 to 50."),
}


class CapForm(forms.Form):
    daily_cap = forms.IntegerField(required=False, min_value=1, max_value=1000, error_messages=NUMBER)


class MixtureForm(forms.Form):
    gold = forms.IntegerField(min_value=0, max_value=50, error_messages=RATE)
    repeat = forms.IntegerField(min_value=0, max_value=50, error_messages=RATE)


class QuotaForm(forms.Form):
    """A number for each stratum of the round; empty where it has none."""

    def __init__(self, data: Mapping[str, str] | None = None, *, lines: Sequence[StratumLine]) -> None:
        super().__init__(data)
        self.stratum_lines = lines
        for line in lines:
            self.fields[line.key] = forms.IntegerField(
                required=False,
                min_value=1,
                max_value=1_000_000,
                initial=line.wanted,
                error_messages=NUMBER,
            )

    def rows(self) -> list[tuple[StratumLine, forms.BoundField]]:
        return [(line, self[line.key]) for line in self.stratum_lines]

    def wanted(self) -> dict[Stratum, int | None]:
        return {line.stratum: self.cleaned_data[line.key] for line in self.stratum_lines}


class HandOverForm(forms.Form):
    """Whose unfinished seats go to whom; nobody named: to whoever comes next."""

    member = forms.TypedChoiceField(
        coerce=int,
        error_messages={"required": _("Choose whose seats."), "invalid_choice": _("Choose whose seats.")},
    )
    successor = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        error_messages={"invalid_choice": _("Choose an annotator of the list.")},
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        holders: Sequence[tuple[int, str]],
        successors: Sequence[tuple[int, str]],
    ) -> None:
        super().__init__(data)
        self.fields["member"].choices = holders
        self.fields["successor"].choices = [("", _("Whoever comes next")), *successors]
