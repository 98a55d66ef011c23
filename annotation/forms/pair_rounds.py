"""What leads send to draw pairs, or texts in two languages, for a round of their own."""

from collections.abc import Iterable, Mapping

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.forms.rounds import LONGEST_SEED, MOST_ANNOTATORS, SEED

# Studies ask ten to thirteen people about a pair, and some of them more.
MOST_PER_PAIR = 50
MOST_DRAWN = 100_000

NAME_ERRORS: Mapping[str, str | Promise] = {
    "required": _("Give the round a name; annotators see it."),
    "max_length": _("Use at most 100 characters."),
}
PER_PAIR = _("Write a whole number from 1 to 50.")
PER_TEXT = _("Write a number from 1 to 15.")
DRAWN = _("Write a whole number from 1 to 100,000.")


def _errors(text: str | Promise) -> dict[str, str | Promise]:
    return dict.fromkeys(("required", "invalid", "min_value", "max_value"), text)


class NameForm(forms.Form):
    name = forms.CharField(max_length=100, label=_("Name"), error_messages=dict(NAME_ERRORS))


class PairsForm(forms.Form):
    """How many pairs, for how many people, and whether they may call it a tie."""

    pairs = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_DRAWN,
        label=_("Pairs"),
        help_text=_("How many to draw at random. Empty: all of them."),
        error_messages=_errors(DRAWN),
    )
    annotators = forms.IntegerField(
        min_value=1,
        max_value=MOST_PER_PAIR,
        initial=3,
        label=_("Annotators per pair"),
        help_text=_("From 1 to 50. Studies ask ten or more."),
        error_messages=_errors(PER_PAIR),
    )
    seed = forms.CharField(
        required=False,
        max_length=LONGEST_SEED,
        initial=SEED,
        label=_("Seed"),
        help_text=_("The same seed draws the same pairs, another draws others."),
    )
    ties_allowed = forms.BooleanField(
        required=False,
        label=_("Ties allowed"),
        help_text=_("Annotators may say that neither text is better."),
    )

    def draw(self) -> dict[str, object]:
        """As services take it; the defaults where nothing was sent."""
        sent = self.cleaned_data if self.is_bound else {"pairs": None, "annotators": 3, "seed": SEED}
        return {
            "sample": sent["pairs"],
            "annotators": sent["annotators"],
            "seed": sent["seed"] or SEED,
            "ties_allowed": bool(sent.get("ties_allowed")),
        }


class ValidationForm(forms.Form):
    """Two languages, and how many texts of each are scored anew by how many people."""

    languages = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=_("Languages"),
        error_messages={
            "required": _("Choose two languages: the same people score texts of both."),
            "invalid_choice": _("Choose two languages: the same people score texts of both."),
        },
    )
    sample = forms.IntegerField(
        min_value=1,
        max_value=MOST_DRAWN,
        initial=30,
        label=_("Texts in each language"),
        help_text=_("Drawn at random from those with live scores."),
        error_messages=_errors(DRAWN),
    )
    annotators = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANNOTATORS,
        initial=2,
        label=_("Validators per text"),
        help_text=_("People who work in both languages and have not worked on the prompt."),
        error_messages=_errors(PER_TEXT),
    )
    seed = forms.CharField(
        required=False,
        max_length=LONGEST_SEED,
        initial=SEED,
        label=_("Seed"),
        help_text=_("The same seed draws the same texts, another draws others."),
    )

    def __init__(self, data: Mapping[str, str] | None, *, languages: Iterable[tuple[str, str]]) -> None:
        found = list(languages)
        super().__init__(data or None, initial={"languages": [key for key, _name in found[:2]]})
        self.fields["languages"].choices = found

    def clean_languages(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["languages"]
        if len(chosen) < 2:
            raise forms.ValidationError(_("Choose two languages: the same people score texts of both."))
        return chosen

    def draw(self) -> dict[str, object] | None:
        """As services take it; None where what was sent cannot be read, or nothing was."""
        if not self.is_bound or not self.is_valid():
            return None
        sent = self.cleaned_data
        return {
            "languages": sent["languages"],
            "sample": sent["sample"],
            "annotators": sent["annotators"],
            "seed": sent["seed"] or SEED,
        }
