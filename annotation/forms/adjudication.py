"""From where on a split goes to an adjudicator, as the page of a lead sends it."""

from collections.abc import Collection, Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.scoring import SCALE
from annotation.domain.splits import Thresholds
from annotation.models import AdjudicationCase

Reason = AdjudicationCase.Reason
DEFAULTS = Thresholds()
MOST_VOTES = 99


class RulesForm(forms.Form):
    """The rules that ask something of a round, each with its threshold. Not sent: the defaults."""

    rules = forms.MultipleChoiceField(
        choices=Reason.choices, error_messages={"required": _("Choose a rule.")}
    )
    spread = forms.TypedChoiceField(
        choices=[(width, str(width)) for width in SCALE if width],
        coerce=int,
        required=False,
        empty_value=DEFAULTS.spread,
    )
    minority = forms.IntegerField(
        min_value=1,
        max_value=MOST_VOTES,
        required=False,
        error_messages={
            "invalid": _("Write a whole number from 1."),
            "min_value": _("Write a whole number from 1."),
            "max_value": _("Write a whole number up to 99."),
        },
    )

    def __init__(self, data: Mapping[str, str] | None, *, asked: Collection[Reason]) -> None:
        initial = {
            "rules": [reason.value for reason in asked],
            "spread": DEFAULTS.spread,
            "minority": DEFAULTS.minority,
        }
        super().__init__(data or None, initial=initial)
        self.asked = asked
        self.fields["rules"].choices = [(reason.value, reason.label) for reason in asked]

    def thresholds(self) -> Thresholds | None:
        """None where what was sent cannot be read. Rules that were not chosen are not asked."""
        if not self.is_bound:
            return DEFAULTS
        if not self.is_valid():
            return None
        rules, sent = set(self.cleaned_data["rules"]), self.cleaned_data
        return Thresholds(
            spread=sent["spread"] if Reason.WIDE_SPREAD in rules else None,
            minority=(sent["minority"] or DEFAULTS.minority) if Reason.CONTRARY_VOTES in rules else None,
            ties=Reason.TIED_VOTES in rules,
        )
