"""What the page of a recipe sends."""

import copy

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.errors import DomainError
from annotation.queries.imports import said_of
from curation.domain import recipe_json
from curation.domain.recipe_values import RecipeError, read
from curation.domain.recipes import AnyRecipe, WritingPreference
from curation.domain.rules import Kind, Rule
from curation.forms import WhatIfForm
from curation.queries.recipe_page import TITLES, meaning_of
from curation.services import recipes

COLON = {"colon": pgettext_lazy("after a label", ": ")}
PLACE = {**COLON, "place": _("Place")}
REFUSED_AT = {"bad_name": "name", "name_taken": "name", "not_of_scores": "file"}
BAD_PLACE = dict.fromkeys(
    ("required", "invalid", "min_value", "max_value"), _("Use a whole number from 1 to 99.")
)
# Here a rule is switched off beside it: its number is never "off".
NUMBERS = dict.fromkeys(WhatIfForm.MAY_BE_OFF, _("Use a whole number of 1 or more."))
NUMBERS["max_length_ratio"] = _("Use a number of 1 or more, such as 2 or 3/2.")


class RecipeForm(forms.Form):
    """A recipe as its rules: each on or off, those on single candidates at a place, with their parameters as they are
    written. What a rule that is off would have is kept on the page and not read."""

    def __init__(self, *args: object, is_copy: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        if is_copy:
            help_text = _("Small letters, digits, dots, hyphens and underscores. It stands on every run.")
            self.fields["name"] = forms.CharField(max_length=60, label=_("Name"), help_text=help_text)
        else:
            self.fields["after"] = forms.IntegerField(widget=forms.HiddenInput)
        for rule in WritingPreference.all_rules:
            self.fields[f"on_{rule.name}"] = forms.BooleanField(
                required=False, label=TITLES[rule.name], help_text=meaning_of(rule)
            )
            if rule.kind is Kind.CANDIDATE:
                self.fields[f"place_{rule.name}"] = forms.IntegerField(
                    min_value=1,
                    max_value=99,
                    label=format_lazy("{rule}{colon}{place}", rule=TITLES[rule.name], **PLACE),
                    widget=forms.NumberInput({"class": "short"}),
                    error_messages=BAD_PLACE,
                )
            for name in rule.parameters():
                self.fields[name] = _as_written(name)
        for name in WritingPreference.settings:
            self.fields[name] = _as_written(name)

    def refuse(self, refusal: DomainError) -> None:
        """Show it above the form, or at the name; sent again after a newer version was shown, the form stands."""
        field = REFUSED_AT.get(refusal.code)
        self.add_error(field if field in self.fields else None, refusal.message)
        if isinstance(refusal, recipes.Newer):
            self.data = {**self.data.dict(), "after": refusal.version}

    def rows(self) -> list[dict[str, object]]:
        """By rule: its name, its switch, its place if it has one, and its parameters, each a field."""
        return [
            {
                "name": rule.name,
                "kind": rule.kind.value,
                "switch": self[f"on_{rule.name}"],
                "place": self[f"place_{rule.name}"] if rule.kind is Kind.CANDIDATE else None,
                "parameters": [self[name] for name in rule.parameters()],
            }
            for rule in WritingPreference.all_rules
        ]

    def settings(self) -> list[forms.BoundField]:
        return [self[name] for name in WritingPreference.settings]

    def clean(self) -> dict[str, object]:
        found = super().clean()
        for name in self._parameters():
            try:
                is_off = read(name, found.get(name, "")) is None
            except RecipeError as error:
                self.add_error(name, NUMBERS.get(name) or _sentence(error.remedy))
            else:
                if is_off:
                    self.add_error(name, NUMBERS[name])
        if not self.errors:
            try:
                WritingPreference.from_parameters(self.parameters())
            except RecipeError as error:
                field = error.field if error.field in self.fields else None
                self.add_error(field, _sentence(error.reason))
        return found

    def parameters(self) -> dict[str, object]:
        """As a recipe reads them."""
        listed = sorted(self._held(), key=lambda rule: self.cleaned_data.get(f"place_{rule.name}", 100))
        values = {name: self.cleaned_data[name] for name in self._parameters()}
        return {**values, "rules": [rule.name for rule in listed]}

    def _held(self) -> list[type[Rule]]:
        return [rule for rule in WritingPreference.all_rules if self.cleaned_data.get(f"on_{rule.name}")]

    def _parameters(self) -> list[str]:
        return [*(name for rule in self._held() for name in rule.parameters()), *WritingPreference.settings]


class RecipeFileForm(forms.Form):
    """A recipe as JSON, and the name that it is to have in the project. What is wrong is said at the file, with the
    place in the JSON."""

    name = forms.CharField(
        max_length=60,
        label=_("Name"),
        help_text=_(
            "A name that the project has: the file becomes its next version. Another name: a new recipe. Small "
            "letters, digits, dots, hyphens and underscores."
        ),
    )
    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        widget=forms.FileInput({"accept": ".json,application/json"}),
        error_messages={"required": _("Choose a file."), "invalid": _("Choose a file.")},
        help_text=_(
            "JSON as the page of a recipe gives it, or as the manifest of a release has it under recipe. Up to 64 KB."
        ),
    )

    def clean_file(self) -> AnyRecipe:
        try:
            return recipe_json.read(self.cleaned_data["file"].read())
        except RecipeError as error:
            place = format_lazy("{place}{colon}", place=error.place, **COLON) if error.place else ""
            raise forms.ValidationError(f"{place}{_sentence(error.remedy)}") from error

    def refuse(self, refusal: DomainError) -> None:
        self.add_error(REFUSED_AT.get(refusal.code), refusal.message)


def recipe_initial(recipe: WritingPreference) -> dict[str, object]:
    """How RecipeForm shows a recipe; a rule that it leaves out with its shipped parameters, and behind the others of a
    list that is not the shipped one."""
    shipped, held = WritingPreference(), [rule.name for rule in recipe.rules()]
    alone = [rule.name for rule in recipe.all_rules if rule.kind is Kind.CANDIDATE]
    listed = [name for name in recipe.order if name in alone]
    order = [*listed, *(name for name in alone if name not in listed)]
    values = {
        name: getattr(recipe if rule.name in held else shipped, name)
        for rule in recipe.all_rules
        for name in rule.parameters()
    }
    return {
        **{f"on_{rule.name}": rule.name in held for rule in recipe.all_rules},
        **{f"place_{name}": place for place, name in enumerate(order, start=1)},
        **{name: "" if value is None else str(value) for name, value in values.items()},
        **{name: getattr(recipe, name) for name in recipe.settings},
    }


def _as_written(name: str) -> forms.Field:
    field = copy.deepcopy(WhatIfForm.base_fields[name])
    field.required = False
    if name in WhatIfForm.MAY_BE_OFF:
        # Here a rule is switched off beside it, and not by an empty field.
        field.help_text = (
            _("A number such as 2 or 3/2.") if name == "max_length_ratio" else _("A whole number.")
        )
    return field


def _sentence(said: str) -> str:
    shown = said_of(said)
    return shown[:1].upper() + shown[1:] + "."
