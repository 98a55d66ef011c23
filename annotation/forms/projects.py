"""What the pages of a project's settings and genres send. Rules that depend on work stand in services."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, validate_slug
from django.utils.translation import gettext_lazy as _

from annotation.domain import names, shipped
from annotation.errors import DomainError
from annotation.models import Assigning
from annotation.models.project import Language
from annotation.services.refusals import FieldsRefused, Outdated

LANGUAGES_AT_MOST = 20
SEPARATORS = re.compile(r"[\s,;，、；]+")
INVISIBLE = _("The name holds characters that cannot be seen. Write it anew.")
OWN = "own"


class NameField(forms.CharField):
    """A name on one line, in the one form in which names are compared and kept."""

    def to_python(self, value: object) -> str:
        return names.tidy(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if names.has_unseen(value):
            raise ValidationError(INVISIBLE, code="unseen")


class Refusable(forms.Form):
    """A form that a service may refuse after it was found well formed."""

    def refuse(self, refusal: DomainError) -> None:
        """Show each reason at its field, and one without a field above the form."""
        fields = refusal.fields if isinstance(refusal, FieldsRefused) else {None: refusal.message}
        for field, reason in fields.items():
            self.add_error(field, reason)
        if isinstance(refusal, Outdated):
            self._renew(refusal)

    def _renew(self, refusal: Outdated) -> None:
        """Show what stands now where something else was written; sent again, the form stands."""
        given = {field: self.kept(field) for field in refusal.now if field in self.cleaned_data}
        self.data = self.data.copy()
        self.data["version"] = refusal.version
        for field, value in given.items():
            if value != refusal.now[field]:
                now = self.shown(field, refusal.now[field])
                self.add_error(field, _("Now: %(value)s") % {"value": now})

    def kept(self, field: str) -> object:
        return self.cleaned_data[field]

    def shown(self, field: str, value: object) -> str:
        """A stored value in words."""
        return str(value) if value not in ("", None) else _("nothing")


class LanguageFields(forms.Form):
    """Ticked languages and others by their tags; `tags()` has both."""

    languages = forms.MultipleChoiceField(
        choices=Language.choices,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=_("Languages"),
        help_text=_(
            "What prompts and responses are written in. The rubric has to be written in those of the two that "
            "are ticked."
        ),
    )
    other_languages = forms.CharField(
        required=False,
        max_length=200,
        label=_("Further languages"),
        help_text=_("Their tags, with blanks between them: fr, pt-BR, zh-Hant. None ticked or named: any."),
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )

    def clean_other_languages(self) -> list[str]:
        found = []
        for written in SEPARATORS.split(self.cleaned_data["other_languages"]):
            tag = names.language_tag(written) if written else ""
            if tag is None:
                raise ValidationError(
                    _("'%(tag)s' is no language tag. Use one such as fr, pt-BR or zh-Hant."),
                    params={"tag": written[:40]},
                )
            if tag:
                found.append(tag)
        if len(found) > LANGUAGES_AT_MOST:
            raise ValidationError(_("These are too many. Name none, and material may be in any language."))
        return found

    def tags(self) -> list[str]:
        return list(dict.fromkeys([*self.cleaned_data["languages"], *self.cleaned_data["other_languages"]]))


def language_initial(tags: Sequence[str]) -> dict[str, object]:
    """How LanguageFields shows the languages of a project."""
    offered = [tag for tag in tags if tag in Language.values]
    return {"languages": offered, "other_languages": ", ".join(tag for tag in tags if tag not in offered)}


class NewProjectForm(LanguageFields, Refusable):
    name = NameField(
        max_length=200,
        label=_("Name"),
        help_text=_("What people read, annotators too. You can change it later."),
        error_messages={"required": _("Give the project a name.")},
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    slug = forms.CharField(
        required=False,
        max_length=60,
        label=_("Short name"),
        help_text=_(
            "Stands in addresses: letters, digits and hyphens. It never changes. "
            "Left empty, it is made from the name."
        ),
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )
    taxonomy = forms.ChoiceField(
        choices=[(name, name) for name in (*shipped.taxonomy_names(), OWN)],
        initial=shipped.taxonomy_names()[0],
        label=_("Genres"),
        error_messages={
            "required": _("Choose genres to begin with."),
            "invalid_choice": _("Choose genres to begin with."),
        },
    )
    field_order = ("name", "slug", "languages", "other_languages", "taxonomy")

    def clean_slug(self) -> str:
        slug = self.cleaned_data["slug"].strip().lower()
        try:
            if slug:
                validate_slug(slug)
        except ValidationError as error:
            raise ValidationError(_("Use letters, digits, hyphens and underscores alone.")) from error
        return slug

    def clean_taxonomy(self) -> str:
        taxonomy = self.cleaned_data["taxonomy"]
        return "" if taxonomy == OWN else taxonomy


def _number(label: str, least: int, most: int, does: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=does,
        min_value=least,
        max_value=most,
        widget=forms.NumberInput({"class": "short", "inputmode": "numeric"}),
        error_messages={"invalid": _("Write a whole number.")},
    )


def _share(label: str, does: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text=does,
        min_value=Decimal(0),
        max_value=Decimal(1),
        max_digits=4,
        decimal_places=3,
        widget=forms.NumberInput({"class": "short", "step": "0.001"}),
        error_messages={"invalid": _("Write a number from 0 to 1, such as 0.667.")},
    )


def time_zones(kept: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Zones by part of the world, for a select; UTC and the one that is set are always there."""
    known = sorted(name for name in {*available_timezones(), kept} if "/" in name and "Etc/" not in name)
    by_area = groupby(known, key=lambda name: name.partition("/")[0])
    offered = [
        (area, [(name, name.partition("/")[2].replace("_", " ")) for name in zones])
        for area, zones in by_area
    ]
    plain = [(name, name) for name in dict.fromkeys(["UTC", kept]) if "/" not in name or "Etc/" in name]
    return [*plain, *offered]


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of the settings page, with what a change means once work has begun."""

    field: forms.BoundField
    begun: str


class SettingsForm(LanguageFields, Refusable):
    """Every setting of a project. `help_text` says what each does."""

    version = forms.CharField(widget=forms.HiddenInput, max_length=64)
    name = NameField(
        max_length=200,
        label=_("Name"),
        help_text=_("What people read at the top of the project's pages, annotators too."),
        error_messages={"required": _("Give the project a name.")},
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    annotators_per_response = _number(
        _("Annotators per response"),
        2,
        20,
        _(
            "How many people score each response, none of them seeing another's score. Two responses are "
            "compared only where at least two people scored both; three leave room for a majority."
        ),
    )
    assigning = forms.ChoiceField(
        choices=Assigning.choices,
        widget=forms.RadioSelect,
        label=_("Who scores the responses to a prompt"),
        help_text=_(
            "With a panel any two responses to a prompt have all their annotators in common. A pool fills up "
            "faster, but many pairs will have too few in common to be compared."
        ),
    )
    justification_minimum = _number(
        _("Shortest justification"),
        0,
        1000,
        _(
            "In words; for texts in Chinese and the like in characters. With 0 a justification may be left out."
        ),
    )
    criterion_marks = forms.BooleanField(
        required=False,
        label=_("Marks for each criterion"),
        help_text=_(
            "Annotators mark each criterion from 0 to 3 beside the one score for the whole text. The one score "
            "is what counts."
        ),
    )
    ties_allowed = forms.BooleanField(
        required=False,
        label=_("Ties in rankings"),
        help_text=_("Where responses are ranked, two of them may share a place."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_(
            "Where days and weeks begin in plans and figures. Moments are shown to each reader in their own zone."
        ),
        error_messages={"invalid_choice": _("Choose a time zone of the list.")},
    )
    hourly_rate = forms.DecimalField(
        required=False,
        min_value=Decimal(0),
        max_digits=9,
        decimal_places=2,
        label=_("Hourly rate"),
        help_text=_(
            "What an hour of an annotator costs, for the cost of a round and of a pair. Left empty, hours alone "
            "are shown."
        ),
        widget=forms.NumberInput({"class": "short", "step": "0.01"}),
        error_messages={"invalid": _("Write an amount with a point, such as 12.50, or leave it empty.")},
    )
    currency = forms.CharField(
        max_length=3,
        label=_("Currency"),
        help_text=_("Three letters, such as USD, EUR or CNY."),
        validators=[
            RegexValidator(r"^[A-Za-z]{3}\Z", _("Use the three letters of the currency, such as USD or CNY."))
        ],
        widget=forms.TextInput({"class": "short", "autocomplete": "off", "spellcheck": "false"}),
    )
    words_per_minute = _number(
        _("Words read per minute"),
        20,
        2000,
        _("How fast texts in words are read, for the hours a round takes. Many adults read 175 to 300."),
    )
    characters_per_minute = _number(
        _("Characters read per minute"),
        20,
        2000,
        _("The same for texts in Chinese and the like."),
    )
    alpha_acceptable = _share(
        _("Acceptable agreement"),
        _(
            "The value of Krippendorff's alpha from which agreement is called acceptable: a line in charts. "
            "Trained experts often reach 0.40 on creative writing."
        ),
    )
    alpha_good = _share(
        _("Good agreement"),
        _(
            "The value from which it is called good. 0.667 is the lowest usually accepted for tentative "
            "conclusions."
        ),
    )
    near_duplicate_percent = _number(
        _("Near duplicates, in percent"),
        1,
        100,
        _("Two responses to a prompt that have this share of their text in common are flagged for triage."),
    )

    GROUPS = (
        (_("Project"), ("name", "languages", "other_languages")),
        (_("How work is given out"), ("annotators_per_response", "assigning")),
        (
            _("What annotators are asked"),
            ("justification_minimum", "criterion_marks", "ties_allowed"),
        ),
        (
            _("Plans and costs"),
            ("time_zone", "words_per_minute", "characters_per_minute", "hourly_rate", "currency"),
        ),
        (_("Thresholds"), ("alpha_acceptable", "alpha_good", "near_duplicate_percent")),
    )
    RECKONED_ANEW = _("Can change at any time: hours and costs are reckoned anew.")
    NEW_ROUNDS = _("Applies to rounds made from then on. Each round keeps what it was made with.")
    LINES = _("Can change at any time. It is a line in charts: it blocks nothing and removes nothing.")
    BEGUN = {
        "name": _("Can change at any time. Releases have names of their own."),
        "other_languages": _(
            "Languages can be added at any time. One that prompts are in cannot be taken away."
        ),
        "annotators_per_response": NEW_ROUNDS,
        "assigning": NEW_ROUNDS,
        "justification_minimum": _(
            "Applies to scores given from then on, in rounds under way too. Earlier ones stay as they are."
        ),
        "criterion_marks": _(
            "Cannot change while a live round is open or paused: one part of its scores would have marks and "
            "the other none."
        ),
        "ties_allowed": _("Applies to rankings given from then on. Earlier ones stay as they are."),
        "time_zone": _("Can change at any time: figures by day or week are reckoned anew."),
        "hourly_rate": RECKONED_ANEW,
        "currency": _("Can change at any time. The rate is not converted."),
        "words_per_minute": RECKONED_ANEW,
        "characters_per_minute": RECKONED_ANEW,
        "alpha_acceptable": LINES,
        "alpha_good": LINES,
        "near_duplicate_percent": _(
            "Applies to checks made from then on. Flags that were raised stay until somebody settles them."
        ),
    }

    def __init__(self, data: Mapping[str, str] | None = None, *, kept_zone: str, **options: object) -> None:
        super().__init__(data, **options)
        self.fields["time_zone"].choices = time_zones(kept_zone)

    def clean_currency(self) -> str:
        return self.cleaned_data["currency"].upper()

    def clean(self) -> None:
        acceptable, good = (self.cleaned_data.get(field) for field in ("alpha_acceptable", "alpha_good"))
        if acceptable is not None and good is not None and acceptable >= good:
            self.add_error("alpha_good", _("Good agreement lies above acceptable agreement."))

    def kept(self, field: str) -> object:
        return self.tags() if field == "languages" else super().kept(field)

    def shown(self, field: str, value: object) -> str:
        if field == "languages":
            return ", ".join(value) or _("any")
        if isinstance(value, bool):
            return _("on") if value else _("off")
        return str(Assigning(value).label) if field == "assigning" else super().shown(field, value)

    def groups(self) -> Iterator[tuple[str, list[Setting]]]:
        for title, fields in self.GROUPS:
            yield title, [Setting(self[name], self.BEGUN.get(name, "")) for name in fields]

    def settings(self) -> dict[str, object]:
        """As services.projects.change takes them."""
        kept = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("version", "other_languages")
        }
        return {**kept, "languages": self.tags()}
