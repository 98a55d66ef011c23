"""What a lead sends to have models asked: of which prompts, which models, and how."""

from collections.abc import Mapping
from decimal import Decimal

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.errors import DomainError
from annotation.forms.projects import NameField
from authoring.models import Endpoint, Plan
from authoring.queries.plan_prompts import Offered, Wanted

MOST_NAMES = 5_000
MOST_SAMPLES = 100
MOST_TOKENS = 1_000_000
KINDS = (
    (Plan.Kind.RESPONSES, _("Each model writes to each prompt as often as asked.")),
    (
        Plan.Kind.DROPOUT,
        _(
            "Each model writes to variants of each prompt, from which more and more of its requirements are dropped. "
            "The order of the responses is known by construction."
        ),
    ),
)
# Where on the page a refusal of the service is shown; the summary of the form shows the others.
FIELD_OF = {
    "name_taken": "name",
    "bad_kind": "kind",
    "no_endpoints": "endpoints",
    "bad_endpoint": "endpoints",
    "bad_samples": "samples",
    "bad_temperature": "temperature",
    "bad_max_tokens": "max_tokens",
    "too_many_requests": "samples",
}


class PromptsForm(forms.Form):
    """Which prompts. What is chosen combines; nothing chosen: all."""

    language = forms.MultipleChoiceField(required=False)
    genre = forms.MultipleChoiceField(required=False)
    imported = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    without_responses = forms.BooleanField(required=False, initial=True)
    with_requirements = forms.BooleanField(required=False)
    names = forms.CharField(required=False, max_length=200 * MOST_NAMES, widget=forms.Textarea)

    def __init__(self, data: Mapping[str, str] | None = None, *, offered: Offered) -> None:
        super().__init__(data)
        self.offered = offered
        self.fields["language"].choices = [(one.key, one.name) for one in offered.languages]
        self.fields["genre"].choices = [(one.key, one.name) for one in offered.genres]
        self.fields["imported"].choices = [("", ""), *((one.key, one.name) for one in offered.imports)]

    def clean_names(self) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(line.strip() for line in self.cleaned_data["names"].splitlines()))
        named = tuple(name for name in names if name)
        if len(named) > MOST_NAMES:
            message = _now("These are more than %(most)s ids. Choose by the other filters.")
            raise ValidationError(message % {"most": MOST_NAMES})
        return named

    def wanted(self) -> Wanted | None:
        """None where what was sent cannot be read."""
        if not self.is_bound:
            return Wanted(without_responses=True)
        if not self.is_valid():
            return None
        sent = self.cleaned_data
        return Wanted(
            languages=tuple(sent["language"]),
            genres=tuple(sent["genre"]),
            imported=sent["imported"],
            without_responses=sent["without_responses"],
            with_requirements=sent["with_requirements"],
            names=sent["names"],
        )


def _whole(label: str, most: int, begins: int, does: str) -> forms.IntegerField:
    message = _("Write a whole number.")
    return forms.IntegerField(
        label=label,
        help_text=does,
        initial=begins,
        min_value=1,
        max_value=most,
        widget=forms.NumberInput({"class": "short", "inputmode": "numeric"}),
        error_messages={"required": message, "invalid": message},
    )


class PlanForm(forms.Form):
    name = NameField(
        max_length=100,
        label=_("Name"),
        help_text=_("For you and the other leads."),
        error_messages={"required": _("Give the plan a name.")},
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.label) for kind, _does in KINDS],
        initial=Plan.Kind.RESPONSES,
        label=_("What is asked"),
        error_messages={"required": _("Choose what is asked.")},
    )
    endpoints = forms.MultipleChoiceField(
        label=_("Models"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose one model or more.")},
    )
    samples = _whole(
        _("Samples"), MOST_SAMPLES, 5, _("How often each model is asked the same, each time anew.")
    )
    temperature = forms.DecimalField(
        label=_("Temperature"),
        help_text=_(
            "From 0 to 2: how freely the model chooses its words. 0.8 is usual for creative writing."
        ),
        initial=Decimal("0.8"),
        min_value=0,
        max_value=2,
        max_digits=3,
        decimal_places=2,
        widget=forms.NumberInput({"class": "short", "step": "0.01"}),
        error_messages={
            "required": _("Write a number from 0 to 2, such as 0.8."),
            "invalid": _("Write a number from 0 to 2, such as 0.8."),
        },
    )
    max_tokens = _whole(
        _("Longest answer"),
        MOST_TOKENS,
        4096,
        _(
            "In tokens. A text that reaches it is cut off, kept and flagged for triage. What a plan costs at most "
            "follows from it."
        ),
    )
    instruction = forms.CharField(
        required=False,
        max_length=20_000,
        label=_("Instruction"),
        help_text=_("Said to the model before each prompt, as the system message. Left empty, nothing is."),
        widget=forms.Textarea({"rows": 3}),
    )
    seed = forms.CharField(
        required=False,
        max_length=64,
        initial="1",
        label=_("Seed"),
        help_text=_("Of a dropout: by it the requirements are drawn. The same seed draws the same ones."),
        widget=forms.TextInput({"class": "short", "autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(
        self, data: Mapping[str, str] | None = None, *, offered: list[Endpoint], **options: object
    ) -> None:
        super().__init__(data, **options)
        self.offered = {endpoint.name: endpoint for endpoint in offered}
        self.fields["endpoints"].choices = [
            (endpoint.name, f"{endpoint.public_name} ({endpoint.name})") for endpoint in offered
        ]

    def kinds(self) -> list[tuple[str, str, str]]:
        """(key, name, what is asked)."""
        return [(kind.value, kind.label, does) for kind, does in KINDS]

    def clean_endpoints(self) -> list[Endpoint]:
        chosen = [self.offered[name] for name in self.cleaned_data["endpoints"]]
        if len({endpoint.public_name for endpoint in chosen}) < len(chosen):
            raise ValidationError(
                _now(
                    "Two of these have one public name, by which releases tell sources apart. Choose one of them."
                )
            )
        return chosen

    def refuse(self, refusal: DomainError) -> None:
        self.add_error(FIELD_OF.get(refusal.code), refusal.message)

    def as_sent(self) -> dict[str, object]:
        """What a person has filled in so far, whether it can be taken or not."""
        return {
            name: field.widget.value_from_datadict(self.data, {}, name) for name, field in self.fields.items()
        }


class RequestFilterForm(forms.Form):
    """Which requests of a plan a list shows."""

    state = forms.ChoiceField(required=False)
    source = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)

    def __init__(
        self,
        data: Mapping[str, str],
        *,
        states: list[tuple[str, str]],
        sources: list[tuple[int, str]],
    ) -> None:
        super().__init__(data)
        self.fields["state"].choices = [("", _("Any")), *states]
        self.fields["source"].choices = [("", _("Any")), *sources]

    def chosen(self) -> dict[str, object]:
        """By column; what cannot be read filters nothing."""
        self.full_clean()
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
