"""What an operator sends of a model that the site may ask."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, validate_slug
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import Refusable
from annotation.queries.imports import said_of
from authoring.domain.endpoint_rules import read_extra
from authoring.models import Endpoint

PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
MOST_PRICE_DIGITS = {"max_digits": 12, "decimal_places": 4}


def _whole(label: str, most: int, does: str, *, required: bool = True) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=does,
        required=required,
        min_value=1,
        max_value=most,
        widget=forms.NumberInput({"class": "short", "inputmode": "numeric"}),
        error_messages={"required": _("Write a whole number."), "invalid": _("Write a whole number.")},
    )


def _price(label: str, does: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text=does,
        min_value=0,
        initial=0,
        **MOST_PRICE_DIGITS,
        widget=forms.NumberInput({"class": "short", "step": "0.0001"}),
        error_messages={
            "required": _("Write an amount with a point, such as 2.50, or 0."),
            "invalid": _("Write an amount with a point, such as 2.50, or 0."),
        },
    )


class JsonObject(forms.CharField):
    """An object as JSON, taken strictly."""

    widget = forms.Textarea

    def to_python(self, value: object) -> dict[str, object]:
        if isinstance(value, dict):
            return value
        try:
            return read_extra(super().to_python(value))
        except ValueError as error:
            raise ValidationError(said_of(error.args[0]), code="bad_json") from error

    def prepare_value(self, value: object) -> object:
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False, indent=2) if value else ""
        return value

    def validate(self, value: dict[str, object]) -> None:
        """Nothing is an object without anything in it."""

    def run_validators(self, value: dict[str, object]) -> None:
        """Those of texts say nothing of an object."""


class EndpointForm(Refusable):
    version = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name = forms.CharField(
        max_length=60,
        label=_("Name"),
        help_text=_(
            "By which leads choose it: letters, digits and hyphens. Once a plan has used it, it stays."
        ),
        error_messages={"required": _("Give the end point a name.")},
        widget=forms.TextInput(PLAIN),
    )
    kind = forms.ChoiceField(
        choices=Endpoint.Kind.choices,
        initial=Endpoint.Kind.CHAT,
        label=_("What it gives"),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what it gives.")},
    )
    base_url = forms.CharField(
        max_length=300,
        label=_("Address"),
        help_text=_("Of the interface, such as https://models.example.org/v1, on one of the servers above."),
        error_messages={"required": _("Write the address of the interface.")},
        widget=forms.TextInput({**PLAIN, "inputmode": "url"}),
    )
    model = forms.CharField(
        max_length=200,
        label=_("Model"),
        help_text=_("As the server calls it."),
        error_messages={"required": _("Write the name of the model.")},
        widget=forms.TextInput(PLAIN),
    )
    public_name = forms.CharField(
        max_length=200,
        label=_("Public name"),
        help_text=_("As releases call the source of its texts. Annotators never see it."),
        error_messages={"required": _("Write the public name of the model.")},
        widget=forms.TextInput(PLAIN),
    )
    family = forms.CharField(
        required=False,
        max_length=100,
        label=_("Family of models"),
        help_text=_("Models of one family can be told from others, such as all by one maker."),
        widget=forms.TextInput(PLAIN),
    )
    key_name = forms.CharField(
        required=False,
        max_length=77,
        label=_("Variable of the key"),
        help_text=_(
            "The name of a variable such as PLUMB_MODEL_KEY_MAIN. It, or the file that PLUMB_MODEL_KEY_MAIN_FILE "
            "names, holds the key in the environment of the workers. Left empty, no key is sent. The key itself is "
            "never written here."
        ),
        widget=forms.TextInput({**PLAIN, "autocapitalize": "characters"}),
    )
    input_price = _price(_("Price of input"), _("For a million tokens that the model reads."))
    output_price = _price(_("Price of output"), _("For a million tokens that it writes."))
    currency = forms.CharField(
        max_length=3,
        initial="USD",
        label=_("Currency"),
        help_text=_("Three letters, such as USD, EUR or CNY."),
        validators=[
            RegexValidator(r"^[A-Za-z]{3}\Z", _("Use the three letters of the currency, such as USD or CNY."))
        ],
        error_messages={"required": _("Use the three letters of the currency, such as USD or CNY.")},
        widget=forms.TextInput({"class": "short", **PLAIN}),
    )
    parallel = _whole(
        _("Requests at once"), 1_000, _("How many may be under way at the same time, of all plans together.")
    )
    tokens_per_minute = _whole(
        _("Tokens a minute"),
        2_000_000_000,
        _("As the server limits them, read and written together. Left empty, there is no limit."),
        required=False,
    )
    timeout_seconds = _whole(
        _("Time to answer"), 3_600, _("Seconds after which a request counts as not answered in time.")
    )
    length_parameter = forms.ChoiceField(
        choices=Endpoint.LengthParameter.choices,
        initial=Endpoint.LengthParameter.MAX_TOKENS,
        label=_("Name of the length limit"),
        help_text=_(
            "As what the server takes the limit of an answer; some models know the longer name alone."
        ),
        error_messages={"required": _("Choose the name of the length limit.")},
    )
    extra = JsonObject(
        required=False,
        label=_("More of the request"),
        help_text=_(
            'A JSON object that goes along with each request, such as {"top_p": 0.95}. It is kept with every answer '
            "and stands in releases, so no secret belongs here."
        ),
        widget=forms.Textarea({"rows": 3, **PLAIN}),
    )

    GROUPS = (
        (_("End point"), ("name", "kind", "base_url", "model", "key_name")),
        (_("As a source of texts"), ("public_name", "family")),
        (_("Prices"), ("input_price", "output_price", "currency")),
        (_("Limits"), ("parallel", "tokens_per_minute", "timeout_seconds", "length_parameter", "extra")),
    )

    def clean_name(self) -> str:
        name = self.cleaned_data["name"].strip().lower()
        try:
            validate_slug(name)
        except ValidationError as error:
            raise ValidationError(_now("Use letters, digits, hyphens and underscores alone.")) from error
        return name

    def clean_base_url(self) -> str:
        return self.cleaned_data["base_url"].rstrip("/")

    def clean_currency(self) -> str:
        return self.cleaned_data["currency"].upper()

    def values(self) -> Mapping[str, Any]:
        """Without the mark of what the form was made from."""
        return {name: value for name, value in self.cleaned_data.items() if name != "version"}

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [(title, [self[name] for name in names]) for title, names in self.GROUPS]

    def shown(self, field: str, value: object) -> str:
        if field == "extra":
            return json.dumps(value, ensure_ascii=False)
        return super().shown(field, value)
