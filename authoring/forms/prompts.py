"""What the pages of prompts in the making send. A draft may be unfinished; what is handed in may not."""

from collections.abc import Mapping, Sequence

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import Refusable
from annotation.forms.rubrics import TextField
from annotation.services.refusals import Outdated
from authoring.models import FieldComment

Choices = Sequence[tuple[str, str]]
LONGEST_TEXT = 100_000
LONGEST_NOTE = 10_000
MOST_WORDS = 1_000_000
KEY = RegexValidator(r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$", _("Use small letters, digits and hyphens: bridge-01."))
UNKNOWN_GENRE = {"invalid_choice": _("Choose a genre of the project.")}


def _long_text(label: object, *, rows: int, help_text: object = "", most: int = LONGEST_NOTE) -> TextField:
    """As it was typed: a blank that goes missing while somebody types would look like another's change."""
    return TextField(
        required=False,
        strip=False,
        max_length=most,
        label=label,
        help_text=help_text,
        widget=forms.Textarea({"rows": rows}),
    )


class Planned(Refusable):
    """What is known of a prompt before its text."""

    genre = forms.ChoiceField(required=False, label=_("Genre"), error_messages=UNKNOWN_GENRE)
    language = forms.ChoiceField(label=_("Language"))
    blueprint = _long_text(
        _("Blueprint"),
        rows=3,
        help_text=_("Two or three sentences: what is to be written, and what makes it hard to write well."),
    )
    constraints = _long_text(
        _("Constraints"),
        rows=2,
        help_text=_("What the prompt must demand: form, point of view, what to avoid."),
    )
    intended_length = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_WORDS,
        label=_("Intended length"),
        help_text=_("Of what will be written to it: words, or characters of Chinese."),
        widget=forms.TextInput({"class": "short", "inputmode": "numeric", "autocomplete": "off"}),
        error_messages={"invalid": _("Write the length as a whole number, or leave it open.")},
    )

    def offer(self, *, genres: Choices, languages: Choices) -> None:
        self.fields["genre"].choices = [("", _("Not chosen yet")), *genres]
        self.fields["language"].choices = languages


class BeginForm(Planned):
    key = forms.CharField(
        max_length=60,
        label=_("Id"),
        help_text=_(
            "What the prompt will be called in the material and in releases. It cannot be changed later."
        ),
        validators=[KEY],
        error_messages={"required": _("Give the prompt an id.")},
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )

    field_order = ("key",)

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        genres: Choices,
        languages: Choices,
        initial: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.offer(genres=genres, languages=languages)


class EditorForm(Planned):
    """`after` is the edit that this one follows. Drafts, which the page sends by itself, name it beside the form."""

    title = forms.CharField(
        required=False,
        strip=False,
        max_length=200,
        label=_("Title"),
        help_text=_("For those who write and review. Annotators do not see it."),
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    text = _long_text(
        _("Prompt"),
        rows=12,
        most=LONGEST_TEXT,
        help_text=_("What models and annotators will read, word by word."),
    )
    after = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 2, widget=forms.HiddenInput)

    field_order = ("title", "genre", "language", "blueprint", "constraints", "intended_length", "text")

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        genres: Choices,
        languages: Choices,
        initial: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial=initial, auto_id="prompt-%s")
        self.offer(genres=genres, languages=languages)
        self.labels_of_choices = {"genre": dict(genres), "language": dict(languages)}

    def shown(self, field: str, value: object) -> str:
        named = self.labels_of_choices.get(field, {}).get(str(value))
        return named or super().shown(field, value)

    def kept(self, field: str) -> object:
        value = self.cleaned_data[field]
        return "" if value is None else str(value)

    def _renew(self, refusal: Outdated) -> None:
        super()._renew(refusal)
        self.data["after"] = refusal.version


class HandInForm(Refusable):
    note = TextField(
        required=False,
        max_length=LONGEST_NOTE,
        label=_("Note"),
        help_text=_("What changed, and why. Reviewers read it."),
        widget=forms.Textarea({"rows": 3}),
    )
    after = forms.IntegerField(min_value=0, max_value=2**31 - 2, widget=forms.HiddenInput)


class ReviewForm(Refusable):
    creative_intent = forms.BooleanField(
        required=False,
        label=_("Creative intent"),
        help_text=_("It asks for a piece of writing with a point, and leaves room for a voice."),
    )
    difficulty = forms.BooleanField(
        required=False,
        label=_("Fitting difficulty"),
        help_text=_("It can be done, and cannot be done well without thought."),
    )
    granularity = forms.BooleanField(
        required=False,
        label=_("Evaluative granularity"),
        help_text=_("Better and worse answers can be told apart, in more than one respect."),
    )
    reason = TextField(
        required=False,
        max_length=LONGEST_NOTE,
        label=_("Reason"),
        help_text=_("Needed where you ask for changes: what should change, and why."),
        widget=forms.Textarea({"rows": 4}),
    )
    verdict = forms.CharField(required=False, max_length=7)


class RemarkForm(Refusable):
    field = forms.ChoiceField(
        choices=FieldComment.Field.choices, initial=FieldComment.Field.TEXT, label=_("About")
    )
    text = TextField(
        max_length=LONGEST_NOTE,
        label=_("Remark"),
        error_messages={"required": _("Write the remark.")},
        widget=forms.Textarea({"rows": 2}),
    )

    def __init__(self, data: Mapping[str, str] | None = None) -> None:
        super().__init__(data, auto_id="remark-%s")


class RetireForm(Refusable):
    reason = TextField(
        max_length=LONGEST_NOTE,
        label=_("Reason"),
        error_messages={"required": _("Write why it is retired.")},
        widget=forms.Textarea({"rows": 2}),
    )

    def __init__(self, data: Mapping[str, str] | None = None) -> None:
        super().__init__(data, auto_id="retire-%s")
