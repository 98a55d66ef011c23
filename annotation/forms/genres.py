"""What the page of a project's genres sends."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import NameField, Refusable

LONGEST_NAME = 100


def _english(required: bool = False) -> NameField:
    return NameField(
        max_length=LONGEST_NAME,
        required=required,
        label=_("English name"),
        error_messages={"required": _("Give the genre an English name. Its key is made from it.")},
        widget=forms.TextInput({"autocomplete": "off", "lang": "en"}),
    )


def _chinese() -> NameField:
    return NameField(
        max_length=LONGEST_NAME,
        required=False,
        label=_("Chinese name"),
        widget=forms.TextInput({"autocomplete": "off", "lang": "zh-Hans"}),
    )


class MacroForm(Refusable):
    """A macro-category to add."""

    english = _english(required=True)
    chinese = _chinese()


@dataclass(frozen=True, slots=True)
class NamePair:
    """The two fields of one genre in a SectionForm."""

    place: str  # primary key, or "new"
    english: forms.BoundField
    chinese: forms.BoundField

    @property
    def has_errors(self) -> bool:
        return bool(self.english.errors or self.chinese.errors)


class SectionForm(Refusable):
    """Names of a macro-category and its types, by primary key, and under "new" those of a type to add."""

    version = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        names: Mapping[str, tuple[str, str]],
        **options: object,
    ) -> None:
        super().__init__(data, **options)
        for place, (english, chinese) in {**names, "new": ("", "")}.items():
            self.fields[f"en-{place}"] = _english()
            self.fields[f"zh-{place}"] = _chinese()
            self.initial.update({f"en-{place}": english, f"zh-{place}": chinese})
        self.places = [*names, "new"]

    def pairs(self) -> Iterator[NamePair]:
        for place in self.places:
            yield NamePair(place, self[f"en-{place}"], self[f"zh-{place}"])

    def given(self) -> dict[str, tuple[str, str]]:
        """As services.genres.save_section takes them."""
        return {
            place: (self.cleaned_data[f"en-{place}"], self.cleaned_data[f"zh-{place}"])
            for place in self.places
        }
