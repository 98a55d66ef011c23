"""What a script may send, and how it is taken: JSON of the types that stand here, no name that does not.

What a value may be beyond its type is the pages' business: the same forms and services say it.
"""

from collections.abc import Mapping
from typing import Any

from django.forms import Form
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from annotation.models import Assigning, Membership, Round
from annotation.queries.imports import capped
from annotation.services.refusals import FieldsRefused
from curation.domain.terms import LONGEST_NOTE, LONGEST_STATEMENT, MOST_HELD_OUT

# JSON says what a value is; 1 is no text and "true" is neither true nor false.
TYPES: tuple[tuple[type[serializers.Field], type | tuple[type, ...], str], ...] = (
    (serializers.BooleanField, bool, "true or false"),
    (serializers.IntegerField, int, "a whole number"),
    (serializers.ChoiceField, str, "a string"),
    (serializers.CharField, str, "a string"),
    (serializers.DecimalField, str, "a string"),
)


class Body(serializers.Serializer):
    def to_internal_value(self, data: Mapping[str, Any]) -> dict[str, Any]:
        wrong = {name: reason for name in self.fields if (reason := self._mistaken(name, data))}
        if wrong:
            raise serializers.ValidationError(wrong)
        return super().to_internal_value(data)

    def _mistaken(self, name: str, data: Mapping[str, Any]) -> str:
        value, field = data.get(name), self.fields[name]
        if isinstance(field, serializers.ListField) and isinstance(value, list):
            return "" if all(isinstance(each, str) for each in value) else "Write a list of strings."
        if isinstance(field, serializers.DictField) and isinstance(value, dict):
            return "" if all(isinstance(each, str) for each in value.values()) else "Write strings by name."
        for kind, wanted, called in TYPES:
            if isinstance(field, kind):
                fits = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))
                return "" if value is None or fits else f"Write {called}."
        return ""


def taken(request: Request, shape: type[Body]) -> dict[str, Any]:
    """The body as the shape has it; 400 where it is not of that shape."""
    data = request.data
    if not isinstance(data, dict):
        raise ParseError("Write one JSON object.")
    body = shape(data=data)
    unknown = sorted(set(data) - set(body.fields))
    if unknown:
        listed = ", ".join(body.fields) or "nothing"
        raise ParseError(f"{capped(str(unknown[0]))} is not known here; this address takes {listed}.")
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def cleaned(form: Form) -> dict[str, Any]:
    """What a page's form makes of it; 422 with the reason at each field where it refuses."""
    if form.is_valid():
        return form.cleaned_data
    fields = {
        "" if name == "__all__" else name: " ".join(map(str, reasons))
        for name, reasons in form.errors.items()
    }
    raise FieldsRefused("not_accepted", fields)


def _texts(**options: Any) -> serializers.ListField:
    child = serializers.CharField(max_length=200, allow_blank=True, trim_whitespace=False)
    return serializers.ListField(child=child, required=False, max_length=1000, **options)


def _text(most: int, **options: Any) -> serializers.CharField:
    return serializers.CharField(max_length=most, required=False, allow_blank=True, **options)


def _number(least: int, most: int, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, required=False, **options)


class Nothing(Body):
    """An empty object, or no body at all."""


# --- Projects --------------------------------------------------------------------------------------------


class NewProject(Body):
    name = serializers.CharField(max_length=200)
    slug = _text(60, help_text="Left out, it is made from the name.")
    languages = _texts(help_text="BCP 47 tags; left out, material may be in any language.")
    taxonomy = _text(40, help_text="A shipped one, or empty for genres of its own.")


class ProjectChange(Body):
    name = serializers.CharField(max_length=200, required=False)
    languages = _texts()
    annotators_per_response = _number(2, 20)
    assigning = serializers.ChoiceField(Assigning.choices, required=False)
    criterion_marks = serializers.BooleanField(required=False)
    ties_allowed = serializers.BooleanField(required=False)
    justification_minimum = _number(0, 1000)
    time_zone = serializers.CharField(max_length=64, required=False)
    hourly_rate = serializers.CharField(max_length=20, required=False, allow_null=True)
    currency = serializers.CharField(max_length=3, required=False)
    words_per_minute = _number(20, 2000)
    characters_per_minute = _number(20, 2000)
    alpha_acceptable = serializers.CharField(max_length=20, required=False)
    alpha_good = serializers.CharField(max_length=20, required=False)
    near_duplicate_percent = _number(1, 100)


class NewGenre(Body):
    name_en = serializers.CharField(max_length=100)
    name_zh = _text(100)
    parent = _text(60, help_text="The key of a macro-category, where a type of it is added.")


# --- People and work -------------------------------------------------------------------------------------


class NewMemberBody(Body):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(Membership.Role.choices)
    languages = _texts(help_text="Primary subtags; left out, any.")
    begins = serializers.ChoiceField(
        ["work", "way"], required=False, help_text="An annotator: with the work, or on the way to it."
    )
    new_account = serializers.BooleanField(
        required=False, help_text="Make the account; the answer tells its password this once."
    )
    full_name = _text(150)


class MemberChange(Body):
    role = serializers.ChoiceField(Membership.Role.choices, required=False)
    action = serializers.ChoiceField(["give", "pause", "resume", "end"], required=False)
    languages = _texts()


class NewRound(Body):
    name = serializers.CharField(max_length=100)
    purpose = serializers.ChoiceField(Round.Purpose.choices, required=False)
    kind = serializers.ChoiceField(
        [choice for choice in Round.Kind.choices if choice[0] != Round.Kind.PAIRS], required=False
    )
    languages = _texts(help_text="Of the prompts: primary subtags, or ? for those without one.")
    genres = _texts(help_text="Keys of genres; a macro-category stands for its types.")
    only_new = serializers.BooleanField(required=False, help_text="Prompts that are in no live round yet.")
    sample = _number(1, 1_000_000, allow_null=True, help_text="So many prompts, drawn by the seed.")
    seed = _text(40)
    annotators_per_response = _number(1, 15)
    assigning = serializers.ChoiceField(Assigning.choices, required=False)
    ties_allowed = serializers.BooleanField(required=False)
    instruction = serializers.ChoiceField(Round.Instruction.choices, required=False)


class RoundChange(Body):
    name = serializers.CharField(max_length=100, required=False)
    purpose = serializers.ChoiceField(Round.Purpose.choices, required=False)
    kind = serializers.ChoiceField(Round.Kind.choices, required=False)
    annotators_per_response = _number(1, 15)
    assigning = serializers.ChoiceField(Assigning.choices, required=False)
    ties_allowed = serializers.BooleanField(required=False)
    instruction = serializers.ChoiceField(Round.Instruction.choices, required=False)


# --- Curation --------------------------------------------------------------------------------------------


class NewRecipe(Body):
    name = serializers.CharField(max_length=60)
    recipe = serializers.JSONField(help_text="A recipe as this interface gives it, or a release's manifest.")


class NewRun(Body):
    recipe = _text(60, help_text="The name of a recipe; left out, the one a project begins with.")
    version = _number(1, 2**31 - 1, help_text="Left out, the newest.")


class NewRelease(Body):
    run = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    name = serializers.CharField(max_length=60)
    version = serializers.CharField(max_length=40)
    reason = _text(10_000, help_text="Why it is made although its run is not within the limits of its audit.")
    waivers = serializers.DictField(
        child=serializers.CharField(max_length=10_000),
        required=False,
        help_text="By check that fails, why the release is made all the same.",
    )
    target = _number(1, 1_000_000, help_text="Pairs of each genre and language that a check asks for.")
    floor = _text(10, help_text="Alpha that a check asks for, a decimal number.")
    note = _text(LONGEST_NOTE, help_text="What changed; a later version of a name needs one.")
    licence = _text(100, help_text="An id such as odc-by or cc-by-4.0.")
    contested = serializers.BooleanField(required=False)
    heldout = serializers.ChoiceField(["", "labels", "all"], required=False)
    heldout_percent = _number(0, MOST_HELD_OUT)
    annotators = _text(
        LONGEST_STATEMENT, help_text="Who annotated; left out, as the last version of the name says."
    )
    training = _text(
        LONGEST_STATEMENT, help_text="How they were trained; left out, as the last version of the name says."
    )
    pay = _text(
        LONGEST_STATEMENT, help_text="What they were paid; left out, as the last version of the name says."
    )


# --- Addresses that read their bodies themselves -----------------------------------------------------------


class Upload(Body):
    file = serializers.ListField(child=serializers.FileField())
    field_map = serializers.CharField(required=False, help_text="JSON, as set_field_map takes it.")


class ImportColumns(Body):
    field_map = serializers.DictField(required=False)
    layout = serializers.CharField(required=False)
    shape = serializers.DictField(required=False)
    keep_names = serializers.BooleanField(required=False)


class StoreImport(Body):
    leave_out_bad_rows = serializers.BooleanField(required=False)
    check = serializers.IntegerField(required=False, help_text="The job whose report was read.")


class Choice(Body):
    genre = serializers.CharField(required=False, allow_null=True)
    language = serializers.CharField(required=False, allow_null=True)
    annotator = serializers.CharField(required=False, allow_null=True)
    round = serializers.CharField(required=False, allow_null=True)
    since = serializers.CharField(required=False, allow_null=True)
    until = serializers.CharField(required=False, allow_null=True)
