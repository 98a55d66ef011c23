"""What the pages of rounds send: filters of prompts, what a draft is, and who sits where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.domain.prompt_selection import Filters
from annotation.domain.stages import WORK
from annotation.models import Assigning, Round
from annotation.queries.round_panels import PanelRow
from annotation.queries.round_prompts import Choice

Purpose = Round.Purpose
SEED = "1"
LONGEST_SEED = 40
# With fifty prompts a page, a form of panels stays below what one request may hold.
MOST_ANNOTATORS = 15

PURPOSES: Mapping[str, Promise] = {
    Purpose.LIVE: _("The scores are curation data: pairs, agreement and releases are made of them."),
    Purpose.REPEAT: _("Texts are scored once more, to see how steady each annotator is. Not curation data."),
    Purpose.GOLD: _("Scores are compared with agreed ones, to watch quality. Not curation data."),
    Purpose.VALIDATION: _("Scores check, independently, what curation has accepted. Not curation data."),
    Purpose.ADJUDICATION: _("Scores settle where annotators were split. Not curation data."),
}
KINDS: Mapping[str, Promise] = {
    Round.Kind.SCORES: _("Each response is scored from 0 to 3, with a justification."),
    Round.Kind.RANKINGS: _("All responses to a prompt are put in order. Two to nine of them can be ranked."),
    Round.Kind.CATEGORIES: _(
        "Each prompt is put into one of the macro-categories by the majority of the votes."
    ),
    Round.Kind.PAIRS: _("Two responses to a prompt are shown side by side, and the better one is chosen."),
}
# Exams, courses and calibrations have pages of their own.
WORKING = [(purpose.value, purpose.label) for purpose in Purpose if purpose in WORK]


class FilterForm(forms.Form):
    """Which prompts, by what the material has. Nothing chosen: all."""

    language = forms.MultipleChoiceField(required=False)
    genre = forms.MultipleChoiceField(required=False)
    new = forms.BooleanField(required=False)
    sample = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        error_messages={
            "invalid": _("Write a whole number, or leave this empty to take all."),
            "min_value": _("A sample holds one prompt or more; leave this empty to take all."),
            "max_value": _("A sample holds a million prompts at most."),
        },
    )
    seed = forms.CharField(required=False, max_length=LONGEST_SEED)

    def __init__(
        self, data: Mapping[str, str] | None, *, languages: Sequence[Choice], genres: Sequence[Choice]
    ) -> None:
        super().__init__(data or None, initial={"seed": SEED})
        self.languages, self.genres = languages, genres
        self.fields["language"].choices = [(choice.key, choice.name) for choice in languages]
        self.fields["genre"].choices = [(choice.key, choice.name) for choice in genres]

    def filters(self) -> Filters | None:
        """None where what was sent cannot be read."""
        if not self.is_bound:
            return Filters(seed=SEED)
        if not self.is_valid():
            return None
        sent = self.cleaned_data
        return Filters(
            languages=tuple(sent["language"]),
            genres=tuple(sent["genre"]),
            only_new=sent["new"],
            sample=sent["sample"],
            seed=sent["seed"] or SEED,
        )


class RoundForm(forms.Form):
    name = forms.CharField(
        max_length=100,
        error_messages={
            "required": _("Give the round a name; annotators see it."),
            "max_length": _("Use at most 100 characters."),
        },
    )
    purpose = forms.ChoiceField(
        choices=WORKING,
        initial=Purpose.LIVE,
        error_messages={"required": _("Choose a purpose."), "invalid_choice": _("Choose a purpose.")},
    )

    kind = forms.ChoiceField(
        required=False,
        choices=Round.Kind.choices,
        initial=Round.Kind.SCORES,
        error_messages={"invalid_choice": _("Choose what is judged.")},
    )

    def clean_kind(self) -> str:
        return self.cleaned_data["kind"] or Round.Kind.SCORES

    def kinds(self) -> list[tuple[str, Promise, Promise]]:
        """(key, name, what is asked); a round of pairs is made where its pairs are chosen."""
        held = self["kind"].value()
        return [
            (kind.value, kind.label, KINDS[kind])
            for kind in Round.Kind
            if (kind == Round.Kind.PAIRS) == (held == Round.Kind.PAIRS)
        ]

    def purposes(self) -> list[tuple[str, Promise, Promise]]:
        """(key, name, what its scores are for)."""
        return [(key, name, PURPOSES[key]) for key, name in WORKING]


class DraftForm(RoundForm):
    annotators_per_response = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANNOTATORS,
        error_messages={
            "required": _("Write a number from 1 to 15."),
            "invalid": _("Write a number from 1 to 15."),
            "min_value": _("Write a number from 1 to 15."),
            "max_value": _("Write a number from 1 to 15."),
        },
    )
    assigning = forms.ChoiceField(
        choices=Assigning.choices,
        error_messages={
            "required": _("Choose panel or pool."),
            "invalid_choice": _("Choose panel or pool."),
        },
    )

    ties_allowed = forms.BooleanField(required=False)
    instruction = forms.ChoiceField(
        required=False,
        choices=Round.Instruction.choices,
        error_messages={"invalid_choice": _("Choose by what the responses are ranked.")},
    )

    def clean_instruction(self) -> str:
        return self.cleaned_data["instruction"] or Round.Instruction.PREFERENCE


class ComposeForm(forms.Form):
    """How panels are composed. Without a seed the form has not been sent yet."""

    seed = forms.CharField(
        max_length=LONGEST_SEED,
        error_messages={
            "required": _("Write any word or number."),
            "max_length": _("Use at most 40 characters."),
        },
    )
    keep = forms.BooleanField(required=False)


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A prompt with the fields of its seats."""

    prompt: PanelRow
    fields: tuple[BoundField, ...]

    @property
    def is_refused(self) -> bool:
        return any(field.errors for field in self.fields)


class SeatsForm(forms.Form):
    """The seats of the prompts of one page, each with those who could sit there."""

    def __init__(self, data: Mapping[str, str] | None = None, *, rows: Sequence[PanelRow]) -> None:
        super().__init__(data)
        self.panel_rows = rows
        for row in rows:
            for seat, holder in enumerate(row.seats, start=1):
                self.fields[_field(row.prompt, seat)] = forms.TypedChoiceField(
                    required=False,
                    choices=[("", "–"), *row.choices],
                    coerce=int,
                    empty_value=None,
                    initial=holder,
                    error_messages={"invalid_choice": _("Choose an annotator of the list.")},
                )

    def rows(self) -> Iterator[SeatRow]:
        for row in self.panel_rows:
            yield SeatRow(row, tuple(self[_field(row.prompt, seat)] for seat in range(1, len(row.seats) + 1)))

    def clean(self) -> None:
        """Nobody twice on one panel; said at the second seat."""
        for row in self.panel_rows:
            seen: set[int] = set()
            for seat in range(1, len(row.seats) + 1):
                annotator = self.cleaned_data.get(_field(row.prompt, seat))
                if annotator is not None and annotator in seen:
                    self.add_error(_field(row.prompt, seat), gettext("Sits on this panel already."))
                elif annotator is not None:
                    seen.add(annotator)

    def panels(self) -> dict[int, dict[int, int | None]]:
        return {
            row.prompt: {
                seat: self.cleaned_data[_field(row.prompt, seat)] for seat in range(1, len(row.seats) + 1)
            }
            for row in self.panel_rows
        }


def _field(prompt: int, seat: int) -> str:
    return f"seat-{prompt}-{seat}"
