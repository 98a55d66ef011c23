"""Which column is what, as a form: a field map with all that a person may choose beside each field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain.field_map import FieldMap, Source, as_key
from annotation.domain.fields import FIELDS, Field
from annotation.domain.layouts.columns import SYNONYMS, is_rating, plain, rating_columns
from annotation.domain.records import InputError, Record, nearest
from annotation.domain.scoring import SCALE
from annotation.domain.sentences import say
from annotation.domain.strict_json import shown
from annotation.queries.import_preview import excerpt
from annotation.queries.imports import capped, said_of

NOTHING, FILE_NAME, FIXED = "", "file", "fixed"  # where a value comes from, besides a column
NO_SCORES, ONE_COLUMN, RATER_COLUMNS = "none", "column", "columns"  # where a file has its scores
JOINS = 3  # further columns that may be joined to the first
SPARE_VALUES = 2  # rows of the table of values that a person may fill in
MOST_VALUES = 30
MOST_COLUMNS = 400  # offered by name
LONGEST = 200  # characters of a fixed value
EXAMPLE = 24  # characters of a value shown beside the name of its column
# Fields shown though nothing fills them; the others stand folded away until something does.
USUAL = frozenset(
    {"response_id", "prompt_id", "text", "prompt", "language", "genre", "model"}
    | {"annotator", "score", "at", "justification"}
)
OF_SCORE = tuple(one.name for one in FIELDS if one.part == "score")


@dataclass(frozen=True, slots=True)
class MappingRow:
    """One field of FIELDS with its controls."""

    name: str
    title: str
    meaning: str
    source: forms.BoundField
    chosen: str  # the value of `source`
    fixed: forms.BoundField
    joins: tuple[forms.BoundField, ...]  # those in use, and one more while there is one
    part: forms.BoundField
    is_split: bool  # joined or split: shown unfolded


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of the file and its place on the scale; `shown` is "" where a person may write one."""

    value: forms.BoundField
    level: forms.BoundField
    shown: str


class MappingForm(forms.Form):
    """A FieldMap as a person sees it, beside the first rows of the files."""

    scores_in = forms.ChoiceField(
        choices=[
            (NO_SCORES, gettext_lazy("The files hold no scores of people")),
            (ONE_COLUMN, gettext_lazy("One score a row: one column says who gave it, another what it is")),
            (RATER_COLUMNS, gettext_lazy("One column for each annotator, named after them")),
        ],
        error_messages={"required": gettext_lazy("Say where the scores are.")},
    )
    raters = forms.MultipleChoiceField(required=False)
    rating = forms.ChoiceField(required=False)
    only_column = forms.ChoiceField(required=False)
    only_value = forms.CharField(max_length=LONGEST, required=False)
    unknown_genres = forms.ChoiceField(
        choices=[
            ("refuse", gettext_lazy("Refuse the row")),
            ("leave", gettext_lazy("Import the row and leave its genre empty")),
            ("add", gettext_lazy("Add the genre to the project")),
        ]
    )
    keep_names = forms.BooleanField(required=False)
    votes = forms.BooleanField(required=False)  # of people on pairs, where the layout has them

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        flat: Sequence[Record],
        field_map: FieldMap,
        keep_names: bool,
        complete: bool = False,
    ) -> None:
        """`complete` asks for all that must be given before rows can be taken."""
        super().__init__(data, initial=_initial(field_map, keep_names))
        self.has_votes = field_map.votes or any(record.pair for record in flat)
        flat = [record for record in flat if record.pair is None]
        met = (name for record in flat for name in record.values)
        self.columns = [name for name in dict.fromkeys([*met, *columns_of(field_map)]) if name]
        self.field_map = field_map
        self.complete = complete
        self.options = [(_option(name), _label(name, flat)) for name in self.columns[:MOST_COLUMNS]]
        self.ratings = rating_columns(flat)
        self.values = _values_of(field_map, flat)
        self._add_sources()
        self._add_values()
        self.fields["raters"].choices = self.options
        self.fields["rating"].choices = [(NOTHING, ""), *self.options]
        self.fields["only_column"].choices = [(NOTHING, _("All rows")), *self.options]

    def _add_sources(self) -> None:
        more = [(FILE_NAME, _("From the name of the file")), (FIXED, _("A fixed value"))]
        for one in FIELDS:
            choices = [(NOTHING, _("Nothing")), *self.options, *more]
            self.fields[one.name] = forms.ChoiceField(choices=choices, required=False)
            self.fields[f"{one.name}_fixed"] = forms.CharField(max_length=LONGEST, required=False)
            self.fields[f"{one.name}_part"] = forms.IntegerField(min_value=0, max_value=99, required=False)
            for number in range(1, JOINS + 1):
                self.fields[f"{one.name}_join{number}"] = forms.ChoiceField(
                    choices=[(NOTHING, _("Nothing")), *self.options], required=False
                )

    def _add_values(self) -> None:
        levels = [("", _("Not a score")), *((str(level), str(level)) for level in SCALE)]
        for place, value in enumerate([*self.values, *([""] * SPARE_VALUES)]):
            self.fields[f"value{place}"] = forms.CharField(initial=value, max_length=LONGEST, required=False)
            self.fields[f"level{place}"] = forms.ChoiceField(
                choices=levels, initial=self.field_map.scores.get(value, ""), required=False
            )

    # --- What the page shows ---

    def rows(self, part: str, *, usual: bool) -> list[MappingRow]:
        shown = [one for one in FIELDS if one.part == part and self._is_shown(one) == usual]
        return [self._row(one) for one in shown]

    def _is_shown(self, one: Field) -> bool:
        return one.name in USUAL or one.name in self.field_map.fields or bool(self.errors.get(one.name))

    def _row(self, one: Field) -> MappingRow:
        source = self.field_map.fields.get(one.name, Source())
        joins = tuple(self[f"{one.name}_join{number}"] for number in range(1, JOINS + 1))
        filled = sum(1 for join in joins if join.value())
        return MappingRow(
            name=one.name,
            title=said_of(one.title),
            meaning=said_of(one.meaning),
            source=self[one.name],
            chosen=self[one.name].value() or NOTHING,
            fixed=self[f"{one.name}_fixed"],
            joins=joins[: filled + 1],
            part=self[f"{one.name}_part"],
            is_split=bool(filled or source.part),
        )

    @property
    def texts(self) -> list[MappingRow]:
        return self.rows("response", usual=True)

    @property
    def more(self) -> list[MappingRow]:
        return self.rows("response", usual=False)

    @property
    def scores(self) -> list[MappingRow]:
        return self.rows("score", usual=True)

    @property
    def rating_choices(self) -> list[tuple[str, str]]:
        """The columns that look like scores, where there are several: only one can be the score."""
        found = [(_option(name), _label(name, ())) for name in self.ratings]
        return found if len(found) > 1 else []

    @property
    def rater_choices(self) -> list[tuple[str, str]]:
        """Columns that may be those of annotators: with values of the scale, or ticked already."""
        likely = {*self.ratings, *self.field_map.raters}
        return [(_option(name), capped(name)) for name in self.columns if name in likely]

    @property
    def value_rows(self) -> list[ValueRow]:
        places = range(len(self.values) + SPARE_VALUES)
        shown = [*(capped(value) for value in self.values), *([""] * SPARE_VALUES)]
        return [ValueRow(self[f"value{place}"], self[f"level{place}"], shown[place]) for place in places]

    @property
    def rating_chosen(self) -> str:
        """Which of rating_choices is chosen; "" for none of them."""
        given = self["rating"].value()
        return given if given in dict(self.rating_choices) else NOTHING

    @property
    def doubtful_rating(self) -> str:
        """The column taken for the score though others look like scores too and no name settles which it is;
        "" where there is no such doubt."""
        chosen = self.rating_chosen
        if not chosen or self["scores_in"].value() != ONE_COLUMN:
            return ""
        named = [name for name in self.ratings if plain(name) in SYNONYMS["score"]]
        return "" if named == [_column(chosen)] else capped(_column(chosen))

    @property
    def unlisted_columns(self) -> int:
        return max(0, len(self.columns) - MOST_COLUMNS)

    @property
    def gaps(self) -> list[tuple[str, str]]:
        """The fields that are still missing, as (name, title)."""
        titles = {one.name: said_of(one.title) for one in FIELDS}
        return [(name, titles[name]) for name in self.field_map.gaps()]

    @property
    def faults(self) -> list[tuple[str, str]]:
        """The fields that are refused, as (name, title)."""
        titles = {one.name: said_of(one.title) for one in FIELDS} | {"raters": _("Columns of annotators")}
        named = [name.removesuffix("_part") for name in self.errors]
        return [(name, titles[name]) for name in dict.fromkeys(named) if name in titles]

    # --- What it sends ---

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if self.errors:
            return given
        made = self._made(given)
        if self.complete:
            for name in made.gaps():
                self.add_error(name, _("Say where this comes from."))
        return {"field_map": made, "keep_names": given["keep_names"]}

    def _made(self, given: Mapping[str, Any]) -> FieldMap:
        mode = given["scores_in"]
        left_out = {
            NO_SCORES: set(OF_SCORE),
            ONE_COLUMN: set(),
            RATER_COLUMNS: {"annotator", "score", "justification"},
        }[mode]
        # A column chosen in the list counts, though the one proposed before is still marked above it.
        is_overruled = "score" in self.changed_data and "rating" not in self.changed_data
        if given["rating"] and not is_overruled:
            given = {**given, "score": given["rating"], **{f"score_join{n}": "" for n in range(1, JOINS + 1)}}
        fields = {one.name: self._source(one.name, given) for one in FIELDS if one.name not in left_out}
        raters = tuple(map(_column, given["raters"])) if mode == RATER_COLUMNS else ()
        if mode == RATER_COLUMNS and not raters:
            self.add_error("raters", _("Tick the columns that hold scores."))
        return FieldMap(
            fields={name: source for name, source in fields.items() if source},
            raters=raters,
            scores=self._scale(given) if mode != NO_SCORES else {},
            only=(_column(given["only_column"]), given["only_value"]) if given["only_column"] else None,
            unknown_genres=given["unknown_genres"],
            votes=given["votes"],
        )

    def _source(self, name: str, given: Mapping[str, Any]) -> Source | None:
        chosen, part = given[name], given[f"{name}_part"] or 0
        if chosen == FIXED:
            if not given[f"{name}_fixed"]:
                self.add_error(name, _("Write the value, or choose a column."))
            return Source(constant=given[f"{name}_fixed"])
        if chosen == FILE_NAME:
            return Source(file_name=True, part=part)
        joined = [chosen, *(given[f"{name}_join{number}"] for number in range(1, JOINS + 1))]
        columns = tuple(dict.fromkeys(_column(option) for option in joined if option))
        return Source(columns=columns, part=part) if columns else None

    def _scale(self, given: Mapping[str, Any]) -> dict[str, int]:
        pairs = ((given[f"value{n}"], given[f"level{n}"]) for n in range(len(self.values) + SPARE_VALUES))
        return {value.strip(): int(level) for value, level in pairs if value.strip() and level}


def _initial(field_map: FieldMap, keep_names: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "keep_names": keep_names,
        "unknown_genres": field_map.unknown_genres,
        "votes": field_map.votes,
        "raters": [_option(name) for name in field_map.raters],
        "scores_in": _mode(field_map),
    }
    if field_map.only:
        found |= {"only_column": _option(field_map.only[0]), "only_value": field_map.only[1]}
    for name, source in field_map.fields.items():
        first, *joined = map(_option, source.columns or ("",))
        kind = FIXED if source.constant else FILE_NAME if source.file_name else first
        found |= {name: kind, f"{name}_fixed": source.constant, f"{name}_part": source.part or None}
        found |= {f"{name}_join{number}": option for number, option in enumerate(joined, start=1)}
    if len(field_map.fields.get("score", Source()).columns) == 1:
        found["rating"] = found["score"]
    return found


def _mode(field_map: FieldMap) -> str:
    if field_map.raters:
        return RATER_COLUMNS
    return ONE_COLUMN if "score" in field_map.fields else NO_SCORES


def columns_of(field_map: FieldMap) -> list[str]:
    """Every column that a map names."""
    named = [name for source in field_map.fields.values() for name in source.columns]
    return [*named, *field_map.raters, *(field_map.only or ())[:1]]


def refuse_unknown_columns(field_map: FieldMap, columns: Sequence[str]) -> None:
    """InputError where a map names a column that does not occur: a slip would leave its field empty in silence."""
    for name in columns_of(field_map):
        if name not in columns:
            hint = nearest(name, list(columns))
            raise InputError(
                say("there is no column {name} in the first rows{hint}", name=shown(name), hint=hint),
                column="field_map",
            )


def _option(name: str) -> str:
    """A column as the value of an option: JSON, because a browser rewrites the line ends of a plain one, and
    because its quotes tell it from what is no column."""
    return json.dumps(name, ensure_ascii=False) if name else NOTHING


def _column(option: str) -> str:
    return json.loads(option)


def _label(name: str, flat: Sequence[Record]) -> str:
    """The name of a column, and what stands in it first."""
    found = (as_key(record.values.get(name)) for record in flat)
    example = excerpt(next((value for value in found if value), ""))
    if not example:
        return capped(name)
    short = example if len(example) <= EXAMPLE else example[: EXAMPLE - 1] + "…"
    return f"{capped(name)} ({short})"


def _values_of(field_map: FieldMap, flat: Sequence[Record]) -> list[str]:
    """What stands for scores in the files without being one: the values of the scale have to be given for it."""
    source = field_map.fields.get("score", Source())
    columns = field_map.raters or source.columns[:1]
    met = (as_key(record.values.get(name)) for record in flat for name in columns)
    odd = [value for value in met if value and not is_rating(value)]
    return list(dict.fromkeys([*field_map.scores, *odd]))[:MOST_VALUES]
