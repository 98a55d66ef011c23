"""The rubric editor: one form for levels, criteria and guideline, in both languages side by side.

Which rows of criteria it has stands in the form itself, so that it can be sent and shown again with more rows, or
with its rows in another order, before anything is stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain import markdown, rubrics
from annotation.domain.rubrics import LANGUAGES, VALUES, CriterionContent, Gap, LevelContent, RubricContent
from annotation.models.project import Language
from annotation.queries.rubrics import TAGS, GenreName
from annotation.services.rubrics import guideline_fault

EMPTY_ROWS = 2  # per genre
FEW_GENRES = 12  # so many are all shown, with or without criteria
ANY_GENRE = "any"  # the group whose rows name their genre themselves
PARTS_OF_LEVEL = ("name", "description", "comparison")
PARTS_OF_CRITERION = ("name", "question")
LONGEST = {"level": 60, "criterion": 100, "description": 2000, "comparison": 500, "question": 1000}
GROUPS_AT_MOST = 200
ROWS_AT_MOST = rubrics.MAX_CRITERIA + 50


class TextField(forms.CharField):
    """Text of several lines; browsers send CRLF."""

    def to_python(self, value: object) -> str:
        return super().to_python(value).replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of criteria: `genre` is a key, "" for universal ones, or ANY_GENRE; a row without a key is new."""

    genre: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, content: RubricContent, genres: Sequence[GenreName]) -> "Layout":
        """The criteria that there are, with empty rows to write more."""
        macros = {genre.key for genre in genres if not genre.is_type}
        shown = ["", *(genre.key for genre in genres)]
        groups = []
        for genre in shown:
            keys = tuple(criterion.key for criterion in content.criteria if criterion.genre == genre)
            if keys or not genre or (genre in macros and len(macros) <= FEW_GENRES):
                groups.append(Group(genre, (*keys, *[""] * EMPTY_ROWS)))
        return cls((*groups, *([Group(ANY_GENRE, ("",) * EMPTY_ROWS)] if genres else [])))

    @classmethod
    def sent(cls, data: Mapping[str, str]) -> "Layout":
        """As the form that was sent says."""
        groups = []
        for number in range(GROUPS_AT_MOST):
            if f"g{number}-genre" not in data:
                break
            keys = data.get(f"g{number}-keys", "").split(",")[:ROWS_AT_MOST]
            groups.append(Group(data[f"g{number}-genre"], tuple(keys)))
        return cls(tuple(groups))

    def hidden(self) -> dict[str, str]:
        found = {}
        for number, group in enumerate(self.groups):
            found |= {f"g{number}-genre": group.genre, f"g{number}-keys": ",".join(group.keys)}
        return found


@dataclass(frozen=True, slots=True)
class Column:
    """The fields of one level or row in one language."""

    language: str
    tag: str
    title: str
    is_optional: bool
    fields: tuple[forms.BoundField, ...]


@dataclass(frozen=True, slots=True)
class LevelFields:
    value: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class RowFields:
    place: str  # as the button that moves the row up names it
    title: str
    is_new: bool
    can_move: bool
    columns: tuple[Column, ...]
    genre: forms.BoundField | None = None


@dataclass(frozen=True, slots=True)
class GroupFields:
    number: int
    genre: str
    title: str
    hidden: tuple[forms.BoundField, ...]
    rows: tuple[RowFields, ...]

    @property
    def criteria(self) -> int:
        return sum(not row.is_new for row in self.rows)

    @property
    def has_errors(self) -> bool:
        return any(bound.errors for row in self.rows for column in row.columns for bound in column.fields)


class RubricForm(forms.Form):
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    note = TextField(
        max_length=2000,
        label=_("What changed, and why"),
        help_text=_("A sentence or two for those who read the scores later."),
        error_messages={"required": _("Say what changed, and why.")},
        widget=forms.Textarea({"rows": 2}),
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        layout: Layout,
        genres: Sequence[GenreName],
        required: Sequence[str],
        **options: object,
    ) -> None:
        super().__init__(data, **options)
        self.layout, self.genres, self.required = layout, genres, required
        for value in VALUES:
            for language in LANGUAGES:
                self._add_texts(f"level-{value}-{language}", PARTS_OF_LEVEL, "level")
        for number, group in enumerate(layout.groups):
            self._add_hidden(number, group)
            for row in range(len(group.keys)):
                if group.genre == ANY_GENRE:
                    self.fields[f"g{number}-{row}-genre"] = self._genre_field()
                for language in LANGUAGES:
                    self._add_texts(f"g{number}-{row}-{language}", PARTS_OF_CRITERION, "criterion")
        for language in LANGUAGES:
            self.fields[f"guideline-{language}"] = TextField(
                required=False, strip=False, label=_("Guideline"), widget=forms.Textarea({"rows": 14})
            )

    def _add_texts(self, prefix: str, parts: Sequence[str], kind: str) -> None:
        labels = {
            "name": _("Name"),
            "description": _("Description"),
            "comparison": _("Everyday comparison"),
            "question": _("Question that it asks"),
        }
        for part in parts:
            most = LONGEST[kind if part == "name" else part]
            widget = (
                forms.TextInput({"autocomplete": "off"}) if part == "name" else forms.Textarea({"rows": 2})
            )
            self.fields[f"{prefix}-{part}"] = TextField(
                required=False, max_length=most, label=labels[part], widget=widget
            )

    def _add_hidden(self, number: int, group: Group) -> None:
        for name, value in Layout((group,)).hidden().items():
            self.fields[f"g{number}{name[2:]}"] = forms.CharField(
                required=False, initial=value, widget=forms.HiddenInput
            )

    def _genre_field(self) -> forms.ChoiceField:
        choices = [(genre.key, f"– {genre.name}" if genre.is_type else genre.name) for genre in self.genres]
        return forms.ChoiceField(
            required=False,
            choices=[("", _("Choose a genre")), *choices],
            label=_("Genre"),
            error_messages={"invalid_choice": _("Choose a genre of the list.")},
        )

    # --- What the template goes through ----------------------------------------------------------

    def levels(self) -> Iterator[LevelFields]:
        for value in VALUES:
            yield LevelFields(value, self._columns(f"level-{value}", PARTS_OF_LEVEL))

    def groups(self) -> Iterator[GroupFields]:
        names = {genre.key: genre.name for genre in self.genres}
        for number, group in enumerate(self.layout.groups):
            title = {"": _("Every genre"), ANY_GENRE: _("Criteria for another genre")}.get(group.genre)
            rows = (self._row(number, group, row) for row in range(len(group.keys)))
            yield GroupFields(
                number=number,
                genre=group.genre,
                title=title or names.get(group.genre, group.genre),
                hidden=(self[f"g{number}-genre"], self[f"g{number}-keys"]),
                rows=tuple(rows),
            )

    def _row(self, number: int, group: Group, row: int) -> RowFields:
        prefix = f"g{number}-{row}"
        columns = self._columns(prefix, PARTS_OF_CRITERION)
        names = [column.fields[0].value() for column in columns]
        return RowFields(
            place=f"{number}:{row}",
            title=next((name for name in names if name), ""),
            is_new=not group.keys[row],
            can_move=row > 0 and any(names) and group.genre != ANY_GENRE,
            columns=columns,
            genre=self[f"{prefix}-genre"] if group.genre == ANY_GENRE else None,
        )

    def guidelines(self) -> tuple[Column, ...]:
        return tuple(
            replace(column, fields=(self[f"guideline-{column.language}"],), is_optional=True)
            for column in self._columns("level-3", ())
        )

    def _columns(self, prefix: str, parts: Sequence[str]) -> tuple[Column, ...]:
        return tuple(
            Column(
                language=language,
                tag=TAGS[language],
                title=_("English") if language == Language.ENGLISH else _("Chinese"),
                is_optional=language not in self.required,
                fields=tuple(self[f"{prefix}-{language}-{part}"] for part in parts),
            )
            for language in LANGUAGES
        )

    def first_error(self) -> str:
        """The id of the first field that is marked; "" where none is."""
        return next((bound.id_for_label for bound in self if bound.errors and not bound.is_hidden), "")

    # --- What was written ------------------------------------------------------------------------

    def clean(self) -> None:
        for language in LANGUAGES:
            fault = markdown.fault(self.cleaned_data.get(f"guideline-{language}") or "")
            if fault:
                self.add_error(f"guideline-{language}", guideline_fault(fault))
        for row in self._rows():
            if row.is_written and row.genre not in {"", *(genre.key for genre in self.genres)}:
                place = f"{row.prefix}-genre"
                self.add_error(
                    place if place in self.fields else None, _("Choose the genre that this criterion is for.")
                )
        self._mark_gaps()

    def _mark_gaps(self) -> None:
        """A field with a fault of its own is marked already; its text is left out of the content."""
        places = {(row.genre, row.key): row.prefix for row in self._rows() if row.is_written}
        for gap in rubrics.gaps(self.content(), self.required):
            prefix = f"level-{gap.value}" if gap.value is not None else places[gap.genre, gap.key]
            field = f"{prefix}-{gap.language}-{gap.part}"
            if field not in self.errors:
                self.add_error(field, self._what_is_missing(gap))

    def _what_is_missing(self, gap: Gap) -> str:
        if gap.language in self.required:
            return _("This is still to be written.")
        return _("Write this too, or clear what stands beside it in this language.")

    def content(self) -> RubricContent:
        """Without rows in which nothing is written."""
        return RubricContent(
            levels=tuple(
                LevelContent(value, *self._texts(f"level-{value}", PARTS_OF_LEVEL)) for value in VALUES
            ),
            criteria=tuple(
                CriterionContent(row.genre, row.key, *self._texts(row.prefix, PARTS_OF_CRITERION))
                for row in self._rows()
                if row.is_written
            ),
            guideline={
                language: (self.cleaned_data.get(f"guideline-{language}") or "").strip("\n").rstrip()
                for language in LANGUAGES
            },
        )

    def _texts(self, prefix: str, parts: Sequence[str]) -> list[dict[str, str]]:
        return [
            {language: self.cleaned_data.get(f"{prefix}-{language}-{part}") or "" for language in LANGUAGES}
            for part in parts
        ]

    def _rows(self) -> list["_Row"]:
        """All rows; those that are written have a key, a new one where the form has none or one twice."""
        taken: dict[str, set[str]] = {}
        rows = []
        for number, group in enumerate(self.layout.groups):
            for place, key in enumerate(group.keys):
                rows.append(self._row_written(f"g{number}-{place}", group, key, taken))
        return rows

    def _row_written(self, prefix: str, group: Group, kept: str, taken: dict[str, set[str]]) -> "_Row":
        """Adds the key to those that are taken, by genre."""
        names, questions = self._texts(prefix, PARTS_OF_CRITERION)
        named = self.cleaned_data.get(f"{prefix}-genre") or ANY_GENRE
        genre = named if group.genre == ANY_GENRE else group.genre
        if not any([*names.values(), *questions.values()]):
            return _Row(prefix, genre, kept, is_written=False)
        used = taken.setdefault(genre, set())
        is_good = rubrics.is_key(kept) and kept not in used
        key = kept if is_good else rubrics.criterion_key(names["en"], {*used, *self._keys_of(genre)})
        used.add(key)
        return _Row(prefix, genre, key, is_written=True)

    def _keys_of(self, genre: str) -> set[str]:
        return {key for group in self.layout.groups if group.genre == genre for key in group.keys if key}


@dataclass(frozen=True, slots=True)
class _Row:
    prefix: str
    genre: str
    key: str
    is_written: bool


# --- The form again, before anything is stored ---------------------------------------------------


def initial_of(content: RubricContent, layout: Layout, *, based_on: int) -> dict[str, object]:
    found: dict[str, object] = {"based_on": based_on, **layout.hidden()}
    for level in content.levels:
        for part in PARTS_OF_LEVEL:
            for language in LANGUAGES:
                texts = getattr(level, part)
                found[f"level-{level.value}-{language}-{part}"] = texts.get(language, "")
    criteria = {(criterion.genre, criterion.key): criterion for criterion in content.criteria}
    for number, group in enumerate(layout.groups):
        for row, key in enumerate(group.keys):
            criterion = criteria.get((group.genre, key)) if key else None
            for part in PARTS_OF_CRITERION if criterion else ():
                for language in LANGUAGES:
                    found[f"g{number}-{row}-{language}-{part}"] = getattr(criterion, part).get(language, "")
    return found | {f"guideline-{language}": content.guideline.get(language, "") for language in LANGUAGES}


def rearranged(data: Mapping[str, str], action: str) -> tuple[Layout, dict[str, str]]:
    """Layout and values after more:GROUP (empty rows for it) or up:GROUP:ROW; as they are for any other action."""
    layout = Layout.sent(data)
    values = {name: data[name] for name in data}
    name, *places = action.split(":")
    if not all(place.isdecimal() and len(place) < 6 for place in places):
        return layout, values
    numbers = [int(place) for place in places]
    if name == "more" and len(numbers) == 1 and numbers[0] < len(layout.groups):
        layout = _with_keys(layout, numbers[0], (*layout.groups[numbers[0]].keys, *[""] * EMPTY_ROWS))
    if name == "up" and len(numbers) == 2:
        layout = _moved_up(layout, values, *numbers)
    return layout, {**values, **layout.hidden()}


def _moved_up(layout: Layout, values: dict[str, str], number: int, row: int) -> Layout:
    """Swaps the row with the one above, its texts in `values` too."""
    if number >= len(layout.groups) or not 0 < row < len(layout.groups[number].keys):
        return layout
    for language in LANGUAGES:
        for part in PARTS_OF_CRITERION:
            above, below = (f"g{number}-{place}-{language}-{part}" for place in (row - 1, row))
            values[above], values[below] = values.get(below, ""), values.get(above, "")
    keys = list(layout.groups[number].keys)
    keys[row - 1], keys[row] = keys[row], keys[row - 1]
    return _with_keys(layout, number, tuple(keys))


def _with_keys(layout: Layout, number: int, keys: tuple[str, ...]) -> Layout:
    groups = list(layout.groups)
    groups[number] = replace(groups[number], keys=keys[:ROWS_AT_MOST])
    return Layout(tuple(groups))
