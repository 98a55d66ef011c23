from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import Refusable
from annotation.queries.imports import said_of
from curation.domain.audit.found import COUNTS
from curation.domain.audit.limits import DISTANCES, RATES, Limits
from curation.domain.choice import Choice
from curation.domain.recipe_values import READERS, RecipeError, read
from curation.domain.recipes import WritingPreference
from curation.queries.audit_words import LIMITS, MEANINGS, limit_in_words


class LimitsForm(Refusable):
    """The limits of a project's audits, shares in percent. A field left empty sets no limit."""

    version = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for name, label in LIMITS.items():
            self.fields[name] = _field(name, label, MEANINGS[name])

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        groups = (
            (_("Points from 50 %, either way"), DISTANCES),
            (_("Percent of pairs, at most"), RATES),
            (_("Responses, at most"), COUNTS),
        )
        return [(title, [self[name] for name in names]) for title, names in groups]

    def limits(self) -> Limits:
        given = {name: self.cleaned_data[name] for name in LIMITS}
        shares = {name: value for name, value in given.items() if name not in COUNTS and value is not None}
        return Limits(**{**given, **{name: (value / 100).normalize() for name, value in shares.items()}})

    def kept(self, field: str) -> object:
        return self.limits().as_dict()[field]

    def shown(self, field: str, value: object) -> str:
        return limit_in_words(field, value)


def limits_initial(limits: Limits) -> dict[str, object]:
    """How LimitsForm shows limits."""
    return {
        name: format((100 * value).normalize(), "f") if isinstance(value, Decimal) else value
        for name, value in ((name, getattr(limits, name)) for name in LIMITS)
    }


def _field(name: str, label: str, does: str) -> forms.Field:
    if name in COUNTS:
        return forms.IntegerField(
            required=False,
            min_value=0,
            max_value=1_000_000,
            label=label,
            help_text=does,
            widget=forms.NumberInput({"class": "short", "inputmode": "numeric"}),
            error_messages={"invalid": _("Write a whole number, or leave it empty for no limit.")},
        )
    return forms.DecimalField(
        required=False,
        min_value=0,
        max_value=50 if name in DISTANCES else 100,
        max_digits=5,
        decimal_places=2,
        label=label,
        help_text=does,
        widget=forms.NumberInput({"class": "short", "step": "0.01"}),
        error_messages={"invalid": _("Write a number such as 5 or 7.5, or leave it empty for no limit.")},
    )


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


class WhatIfForm(forms.Form):
    """Parameters of the recipe, each as it is written; what cannot be is refused at its field with what may. An empty
    field of a rule that may be off turns it off. `rules` is the list of a recipe that does not hold all rules."""

    ON = ("unanimous", "length_symmetry")
    MAY_BE_OFF = ("max_length_ratio", "max_pairs_per_response", "max_pairs_per_prompt", "quota")
    GROUPS = (
        (_("The scores"), ("min_gap", "min_common", "unanimous")),
        (_("How many pairs"), ("max_pairs_per_response", "max_pairs_per_prompt", "quota", "strata")),
        (_("Length"), ("length_symmetry", "buckets", "max_length_ratio", "length_unit")),
        (_("Chance"), ("seed",)),
    )

    min_gap = forms.CharField(
        max_length=20,
        label=_("Smallest gap"),
        help_text=_("How far the two means must be apart: from 0 to 3, such as 1, 1.5 or 4/3."),
    )
    min_common = forms.CharField(
        max_length=10,
        label=_("Annotators in common"),
        help_text=_("How many people must have scored both texts: 2 or more."),
    )
    unanimous = forms.BooleanField(
        required=False, label=_("Unanimous"), help_text=_("All who scored both prefer the same text.")
    )
    max_pairs_per_response = forms.CharField(
        required=False,
        max_length=10,
        label=_("Pairs of one response"),
        help_text=_("No response stands in more. Empty: any number."),
    )
    max_pairs_per_prompt = forms.CharField(
        required=False,
        max_length=10,
        label=_("Pairs of one prompt"),
        help_text=_("No prompt has more. Empty: any number."),
    )
    quota = forms.CharField(
        required=False,
        max_length=10,
        label=_("Quota of a stratum"),
        help_text=_("At most so many pairs stay in each. Empty: all."),
    )
    strata = forms.ChoiceField(
        choices=[
            ("none", _("one for all pairs")),
            ("language", _("one for each language")),
            ("language+genre", _("one for each genre in each language")),
        ],
        label=_("Strata"),
        help_text=_("Quota and length symmetry hold in each by itself."),
    )
    length_symmetry = forms.BooleanField(
        required=False,
        label=_("Length symmetry"),
        help_text=_("As many pairs stay whose longer text is chosen as whose shorter one is."),
    )
    buckets = forms.CharField(
        max_length=10,
        label=_("Buckets"),
        help_text=_("Of length differences, on both sides together: an even number. Few pairs want few."),
    )
    max_length_ratio = forms.CharField(
        required=False,
        max_length=20,
        label=_("Greatest ratio of lengths"),
        help_text=_("So many times may one text be as long as the other, such as 2 or 3/2. Empty: any."),
    )
    length_unit = forms.ChoiceField(
        choices=[
            ("auto", _("characters for Chinese and the like, words for the rest")),
            ("words", _("words")),
            ("characters", _("characters")),
        ],
        label=_("Length is counted in"),
    )
    seed = forms.CharField(
        max_length=200,
        label=_("Seed"),
        help_text=_("Decides which pairs go where not all can stay: the same seed, the same pairs."),
    )
    rules = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)
    scores = forms.ChoiceField(
        choices=[("stored", _("those of the last snapshot")), ("now", _("those of this moment"))],
        label=_("Scores"),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        listed = self.data.get("rules", "") if self.is_bound else self.initial.get("rules", "")
        if listed:
            self._leave_out([name.strip() for name in listed.split(",")])

    def _leave_out(self, rules: Sequence[str]) -> None:
        """What is no parameter of these rules: they are on, and what is not listed is off."""
        kinds = [rule for rule in WritingPreference.all_rules if rule.name in rules]
        stay = {*WritingPreference.settings, *(name for rule in kinds for name in rule.parameters())}
        for name in [name for name in self.fields if name in READERS and name not in stay]:
            del self.fields[name]
        for name in self.MAY_BE_OFF:
            if name in self.fields:
                self.fields[name].required = True

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        there = [
            (title, [self[name] for name in names if name in self.fields]) for title, names in self.GROUPS
        ]
        return [(title, fields) for title, fields in there if fields]

    def clean(self) -> dict[str, object]:
        found = super().clean()
        for name in [name for name in found if name in READERS]:
            try:
                read(name, self._written(name))
            except RecipeError as error:
                self._refuse(error)
        if not self.errors:
            try:
                WritingPreference.from_parameters(self.parameters())
            except RecipeError as error:
                self._refuse(error)
        return found

    def _refuse(self, error: RecipeError) -> None:
        sentence = error.remedy if error.field in self.fields else error.reason
        shown = said_of(sentence)
        self.add_error(
            error.field if error.field in self.fields else None, shown[:1].upper() + shown[1:] + "."
        )

    def parameters(self) -> dict[str, object]:
        """As a recipe reads them."""
        names = [name for name in self.fields if name in READERS]
        return {name: self._written(name) for name in names} | (
            {"rules": self.cleaned_data["rules"]} if self.cleaned_data["rules"] else {}
        )

    def _written(self, name: str) -> object:
        value = self.cleaned_data[name]
        return "off" if name in self.MAY_BE_OFF and not value else value


def what_if_initial(parameters: Mapping[str, object]) -> dict[str, object]:
    """How WhatIfForm shows the parameters of a recipe."""
    shown = {
        name: "" if value is None else value
        for name, value in WritingPreference.from_parameters(parameters).parameters().items()
    }
    return {**shown, "rules": ",".join(parameters.get("rules", ())), "scores": "stored"}
