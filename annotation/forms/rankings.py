"""The shape of a ranking as its page sends it: a rank for each text by its letter, equal ranks tie."""

import re

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain import rankings
from annotation.domain.rankings import Tiers
from annotation.forms.scoring import LONGEST_JUSTIFICATION
from annotation.queries.rankings import RANK

A_RANK = re.compile(r"[1-9][0-9]?")
LONGEST_LIST = 100  # of letters


class RankingForm(forms.Form):
    justification = forms.CharField(required=False, max_length=LONGEST_JUSTIFICATION)
    # Letters of the texts whose end was not reached; a page without scripts cannot tell.
    unread = forms.CharField(required=False, max_length=LONGEST_LIST)
    # Which responses the letters of the page mean.
    shown = forms.CharField(required=False, max_length=LONGEST_LIST)
    # Seconds at work on the prompt, as the page counted them.
    active = forms.IntegerField(required=False, min_value=0, max_value=1_000_000)
    # The revision that is being changed; 0 for a first ranking.
    based_on = forms.IntegerField(required=False, min_value=0, max_value=10_000)

    def clean_based_on(self) -> int:
        return self.cleaned_data["based_on"] or 0

    def clean_justification(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["justification"].replace("\r\n", "\n")

    def clean(self) -> dict[str, object]:
        return {**self.cleaned_data, "tiers": self._tiers()}

    def _tiers(self) -> Tiers:
        """Of what was ranked; whether that is every text, and once, is for the service to say."""
        ranks: dict[str, int] = {}
        for name in (name for name in self.data if name.startswith(RANK)):
            sent = self.data.getlist(name)
            if len(sent) > 1 or not (sent[0] == "" or A_RANK.fullmatch(sent[0])):
                raise forms.ValidationError(_("Give each text one place, from 1 for the best."))
            if sent[0]:
                ranks[name.removeprefix(RANK)] = int(sent[0])
        return rankings.of_ranks(ranks)
