"""The editor of a prompt's requirements: one form with a row for each.

How many rows it has stands in the form itself, so that it can be sent and shown again with more rows, with its rows in
another order, or with those that a model proposed, before anything is stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.domain.text import same_text_key
from annotation.errors import DomainError
from annotation.forms.rubrics import TextField
from annotation.services.refusals import FieldsRefused, Outdated
from authoring.domain.countable import MEASURES, Check, Measure
from authoring.domain.proposals import LONGEST, MOST, Proposal
from authoring.domain.suggested_checks import LONGEST_STRING, MOST_COUNTED, suggested
from authoring.models import RequirementCheck
from authoring.queries.requirements import KINDS, Row

EMPTY_ROWS = 2
AT_MOST = MOST + 10  # rows of a form, empty ones among them
PARTS = ("kind", "text", "measure", "least", "most", "string")
NOTHING = pgettext_lazy("what a program checks", "Nothing")


@dataclass(frozen=True, slots=True)
class RowFields:
    """`suggested` is the check that the words of a row without one suggest."""

    place: int
    title: str
    is_written: bool
    suggested: Check | None
    kind: forms.BoundField
    text: forms.BoundField
    measure: forms.BoundField
    least: forms.BoundField
    most: forms.BoundField
    string: forms.BoundField

    @property
    def number(self) -> int:
        return self.place + 1

    @property
    def has_check(self) -> bool:
        """Whether the part of the row that holds its check is to be seen."""
        return any(
            field.value() or field.errors for field in (self.measure, self.least, self.most, self.string)
        )


class RequirementsForm(forms.Form):
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    rows = forms.IntegerField(min_value=0, max_value=AT_MOST, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, str] | None = None, *, n_rows: int, **options: object) -> None:
        super().__init__(data, **options)
        self.n_rows = n_rows
        self.is_outdated = False
        for place in range(n_rows):
            self._add_row(f"r{place}")

    def _add_row(self, prefix: str) -> None:
        measures = [("", NOTHING), *RequirementCheck.Measure.choices]
        self.fields |= {
            f"{prefix}-kind": forms.ChoiceField(
                required=False,
                choices=[(key, KINDS[key]) for key in ("", *filter(None, KINDS))],
                label=pgettext_lazy("of a requirement", "Kind"),
                error_messages={"invalid_choice": _("Choose a kind of the list.")},
            ),
            f"{prefix}-text": TextField(
                required=False,
                max_length=LONGEST,
                label=_("Requirement"),
                widget=forms.Textarea({"rows": 2}),
            ),
            f"{prefix}-measure": forms.ChoiceField(
                required=False,
                choices=measures,
                label=_("A program counts"),
                error_messages={"invalid_choice": _("Choose what is counted.")},
            ),
            f"{prefix}-least": _count(pgettext_lazy("a bound", "At least")),
            f"{prefix}-most": _count(pgettext_lazy("a bound", "At most")),
            f"{prefix}-string": forms.CharField(
                required=False,
                max_length=LONGEST_STRING,
                label=_("String that must occur"),
                widget=forms.TextInput({"autocomplete": "off"}),
            ),
        }

    # --- What the template goes through ----------------------------------------------------------

    def lines(self) -> Iterator[RowFields]:
        for place in range(self.n_rows):
            fields = {part: self[f"r{place}-{part}"] for part in PARTS}
            text = " ".join(str(fields["text"].value() or "").split())
            yield RowFields(
                place=place,
                title=f"{text[:40].rstrip()}…" if len(text) > 40 else text,
                is_written=bool(text),
                suggested=None if fields["measure"].value() else suggested(text),
                **fields,
            )

    def errors_of_rows(self) -> Iterator[tuple[int, forms.BoundField]]:
        """Each field with an error, and the number of its row."""
        for line in self.lines():
            for part in PARTS:
                field = getattr(line, part)
                if field.errors:
                    yield line.number, field

    # --- What was written ------------------------------------------------------------------------

    def written(self) -> list[int]:
        """Places of rows in which something stands."""
        return [
            place
            for place in range(self.n_rows)
            if any(
                self.cleaned_data.get(f"r{place}-{part}") not in (None, "")
                for part in PARTS
                if part != "kind"
            )
        ]

    def requirements(self) -> list[tuple[str, str, Check | None]]:
        """Of a valid form: kind, text and check of each row that is written."""
        return [
            self._row({part: self.cleaned_data[f"r{place}-{part}"] for part in PARTS})
            for place in self.written()
        ]

    def _row(self, given: Mapping[str, object]) -> tuple[str, str, Check | None]:
        measure: Measure | None = next((each for each in MEASURES if each == given["measure"]), None)
        if measure is None:
            check = None
        elif measure == "string":
            check = Check("string", string=str(given["string"]))
        else:
            check = Check(measure, given["least"], given["most"])
        return str(given["kind"]), str(given["text"]), check

    def refuse(self, refusal: DomainError) -> None:
        """Show each reason at its field, and one without a field above the form."""
        if isinstance(refusal, FieldsRefused):
            places = self.written()
            for name, reason in refusal.fields.items():
                row, part = name.split("-")
                self.add_error(f"r{places[int(row)]}-{part}", reason)
            return
        self.add_error(None, refusal.message)
        if isinstance(refusal, Outdated):
            self.is_outdated = True
            self.data = {**{name: self.data[name] for name in self.data}, "seen": refusal.version}


def _count(label: object) -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_COUNTED,
        label=label,
        widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "off"}),
        error_messages={"invalid": _("Write a whole number, or leave it open.")},
    )


# --- The form again, before anything is stored ---------------------------------------------------


def n_rows(data: Mapping[str, str]) -> int:
    said = data.get("rows", "")
    return min(int(said), AT_MOST) if said.isascii() and said.isdecimal() and len(said) < 6 else 0


def initial_of(rows: Sequence[Row], seen: str) -> dict[str, object]:
    """Values of a form with all rows, and empty ones to write more."""
    values = [_values(row) for row in rows]
    return _numbered([*values, *[{} for _row in range(EMPTY_ROWS if rows else EMPTY_ROWS + 1)]], seen)


def rearranged(data: Mapping[str, str], action: str, proposals: Iterable[Proposal] = ()) -> dict[str, object]:
    """Values of the form after more, up:ROW, remove:ROW, check:ROW (which takes over the check that the words
    suggest) or proposals (which go behind what is written); as they are for any other action."""
    rows = [{part: data.get(f"r{place}-{part}", "") for part in PARTS} for place in range(n_rows(data))]
    name, _colon, said = action.partition(":")
    place = int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else -1
    if name == "more":
        rows += [{} for _row in range(EMPTY_ROWS)]
    elif name == "proposals":
        rows = _with_proposals(rows, proposals)
    elif name == "up" and 0 < place < len(rows):
        rows[place - 1], rows[place] = rows[place], rows[place - 1]
    elif name == "remove" and 0 <= place < len(rows):
        del rows[place]
    elif name == "check" and 0 <= place < len(rows):
        rows[place] |= _checked(suggested(str(rows[place]["text"])))
    return _numbered(rows[:AT_MOST], data.get("seen", ""))


def _with_proposals(rows: list[dict[str, object]], proposals: Iterable[Proposal]) -> list[dict[str, object]]:
    """Those that do not stand there yet, in place of empty rows."""
    written = [row for row in rows if any(row.get(part) for part in PARTS if part != "kind")]
    there = {same_text_key(str(row["text"])) for row in written}
    new = [each for each in proposals if same_text_key(each.text) not in there]
    return [*written, *({"kind": each.kind, "text": each.text} for each in new), {}]


def _values(row: Row) -> dict[str, object]:
    return {"kind": row.kind, "text": row.text, **_checked(row.check)}


def _checked(check: Check | None) -> dict[str, object]:
    if check is None:
        return {}
    return {"measure": check.measure, "least": check.least, "most": check.most, "string": check.string}


def _numbered(rows: Sequence[Mapping[str, object]], seen: str) -> dict[str, object]:
    named = {f"r{place}-{part}": value for place, row in enumerate(rows) for part, value in row.items()}
    return {"seen": seen, "rows": len(rows), **named}
