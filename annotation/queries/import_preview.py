"""The first rows of a file as an import would store them, with what is wrong in each cell."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.domain.field_map import FieldMap, Mapped, Source, apply, as_key
from annotation.domain.fields import FIELDS
from annotation.domain.material import response_row
from annotation.domain.records import InputError, Record
from annotation.domain.scoring import score_row
from annotation.domain.strict_json import printable
from annotation.domain.voting import pair_of, preferred_of, vote_row
from annotation.models import Project
from annotation.queries.imports import LONGEST_REASON, TITLES, capped, place_of, said_of

EXCERPT = 90  # characters of a text
TEXTS = frozenset({"text", "prompt", "justification", "requirements", "parameters", "error"})
OF_SCORE = tuple(one.name for one in FIELDS if one.part == "score")
OF_RESPONSE = tuple(one.name for one in FIELDS if one.part == "response")
RATERS = "raters"  # the column in which the scores of a wide row stand
VOTE = "vote"  # the column in which a vote on a pair stands

Who = Callable[[str], str]  # what an annotator of the file will be called
Genres = Callable[[str], str | None]  # the name of the project's genre, None where it has no such genre


@dataclass(frozen=True, slots=True)
class Cell:
    """`note` says what will be done with the value, `problem` why the row would be refused."""

    value: str = ""
    note: str = ""
    problem: str = ""
    is_text: bool = False  # the beginning of a text, which wants room


@dataclass(frozen=True, slots=True)
class PreviewRow:
    place: str
    cells: tuple[Cell, ...]
    left_out: bool
    problem: str  # one that belongs to no cell


@dataclass(frozen=True, slots=True)
class Preview:
    titles: tuple[str, ...]
    rows: tuple[PreviewRow, ...]

    @property
    def problems(self) -> int:
        return sum(1 for row in self.rows if row.problem or any(cell.problem for cell in row.cells))


def preview(field_map: FieldMap, flat: Sequence[Record], *, who: Who, genres: Genres) -> Preview:
    columns = _columns(field_map)
    own = {RATERS: _("Scores"), VOTE: _("Vote")}
    titles = tuple(own.get(name) or said_of(TITLES[name]) for name in columns)
    rows = tuple(_Row(field_map, record, who, genres).line(columns) for record in flat)
    return Preview(titles, rows)


def _columns(field_map: FieldMap) -> tuple[str, ...]:
    mapped = set(field_map.fields)
    if "text" in mapped:
        mapped.add("prompt_id")
    names = ["response_id", *(name for name in OF_RESPONSE if name in mapped and name != "response_id")]
    if field_map.raters:
        names.append(RATERS)
    if field_map.votes:
        names.append(VOTE)
    return (*names, *(name for name in OF_SCORE if name in mapped))


class _Row:
    """One row of the file on its way into cells; what is refused on the way stands as the file has it."""

    def __init__(self, field_map: FieldMap, record: Record, who: Who, genres: Genres) -> None:
        self.map = field_map
        self.record = record
        self.who = who
        self.genres = genres
        self.cells = {
            name: Cell(self._raw(source), is_text=name in TEXTS) for name, source in field_map.fields.items()
        }
        named = field_map.fields.get("annotator", Source()).columns[:1]
        for name in filter(None, (as_key(record.values.get(column)) for column in named)):
            self.cells["annotator"] = Cell(who(name))  # even where the row is refused no name is shown
        self.problem = ""

    def line(self, columns: Sequence[str]) -> PreviewRow:
        left_out = self.map.only is not None and self._left_out(self.map.only)
        if self.record.pair:
            left_out = left_out or not self.map.votes
            self.cells = {}
            if not left_out:
                self._vote()
        elif not left_out:
            self._response()
            self._scores()
        return PreviewRow(
            place=place_of(self.record.unit, self.record.line),
            cells=tuple(self.cells.get(name, Cell()) for name in columns),
            left_out=left_out,
            problem=self.problem,
        )

    def _left_out(self, only: tuple[str, str]) -> bool:
        told = self.record.pair[0] if self.record.pair else self.record
        return as_key(told.values.get(only[0])) != only[1].strip()

    def _raw(self, source: Source) -> str:
        values = [source.constant, *(as_key(self.record.values.get(name)) for name in source.columns)]
        return excerpt(" ".join(value for value in values if value))

    # --- The response ---

    def _response(self) -> None:
        fields = {name: source for name, source in self.map.fields.items() if name not in OF_SCORE}
        mapped = self._mapped(replace(self.map, fields=fields, raters=()))
        if mapped is None or mapped.response is None:
            return
        self._show(mapped.response.values)
        try:
            row = response_row(mapped.response)
        except InputError as error:
            self._refuse(error)
            return
        self._show({"response_id": row.id, "prompt_id": row.prompt_id})
        if row.genre:
            self.cells["genre"] = self._genre(row.genre)

    def _show(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            place = "response_id" if name == "id" else name
            shown = as_key(value)
            is_text = place in TEXTS
            self.cells[place] = Cell(excerpt(shown) if is_text else capped(shown), is_text=is_text)

    def _genre(self, name: str) -> Cell:
        known = self.genres(name)
        if known is not None:
            return Cell(known)
        if self.map.unknown_genres == "add":
            return Cell(capped(name), note=_("new genre"))
        if self.map.unknown_genres == "leave":
            return Cell(capped(name), note=_("unknown, left empty"))
        return Cell(capped(name), problem=_("not a genre of the project"))

    # --- The scores ---

    def _scores(self) -> None:
        if self.map.raters:
            self._wide_scores()
            return
        mapped = self._mapped(self.map) if "score" in self.map.fields else None
        for record in mapped.scores if mapped else ():
            try:
                row = score_row(record)
            except InputError as error:
                self._refuse(error)
                return
            self.cells["response_id"] = Cell(capped(row.response_id))
            self.cells["annotator"] = Cell(self.who(row.annotator))
            self.cells["score"] = Cell(str(row.score))
            self._moment(row.at)

    def _wide_scores(self) -> None:
        """Each rater's column for itself, so that one bad cell does not hide the others."""
        shown, problems = [], []
        for column in self.map.raters:
            value = capped(as_key(self.record.values.get(column)))
            try:
                rows = [
                    score_row(one) for one in apply(replace(self.map, raters=(column,)), self.record).scores
                ]
            except InputError as error:
                if self._cell_of(error) not in ("", RATERS):
                    self._refuse(error)
                    return
                problems.append(f"{capped(column)}: {said_of(error.reason)}")
                shown.append(_("%(name)s: %(score)s") % {"name": self.who(column), "score": value})
                continue
            shown += [
                _("%(name)s: %(score)s") % {"name": self.who(row.annotator), "score": row.score}
                for row in rows
            ]
            for row in rows:
                self.cells["response_id"] = Cell(capped(row.response_id))
                self._moment(row.at)
        self.cells[RATERS] = Cell(" · ".join(shown), problem=capped("; ".join(problems), LONGEST_REASON))

    def _moment(self, at: datetime | None) -> None:
        if at is not None:
            self.cells["at"] = Cell(f"{at:%Y-%m-%d %H:%M} UTC")

    # --- A vote ---

    def _vote(self) -> None:
        mapped = self._mapped(self.map)
        if mapped is None or mapped.vote is None:
            return
        try:
            row = vote_row(mapped.vote)
        except InputError as error:
            self.problem = capped(said_of(error.reason), LONGEST_REASON)
            return
        one, other = map(capped, pair_of(row))
        better = {"a": one, "b": other, "tie": _("neither")}[preferred_of(row)]
        self.cells["response_id"] = Cell(f"{one} · {other}")
        self.cells[VOTE] = Cell(_("%(name)s: %(score)s") % {"name": self.who(row.annotator), "score": better})

    # --- What is refused ---

    def _mapped(self, field_map: FieldMap) -> Mapped | None:
        try:
            return apply(field_map, self.record)
        except InputError as error:
            self._refuse(error)
            return None

    def _refuse(self, error: InputError) -> None:
        reason = capped(said_of(error.reason), LONGEST_REASON)
        name = self._cell_of(error)
        if not name:
            self.problem = reason
            return
        self.cells[name] = replace(self.cells.get(name, Cell()), problem=reason)

    def _cell_of(self, error: InputError) -> str:
        """The field in whose cell an error is shown; "" where there is none."""
        if error.column in map(printable, self.map.raters):
            return RATERS
        for name, source in self.map.fields.items():
            labels = {printable(label) for label in (*source.columns, ", ".join(source.columns))}
            if error.column in labels:
                return name
        name = "response_id" if error.column == "id" else error.column
        return name if name in _columns(self.map) else ""


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 4 * EXCERPT].split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"


# --- Names of the project ---------------------------------------------------------------------------


def genre_names(project: Project, *, language: str) -> Genres:
    """By any name under which a file may mean a genre: its name in the reader's language."""
    named: dict[str, str] = {}
    genres = list(project.genres.order_by("pk"))
    for column in ("key", "name_en", "name_zh"):
        for genre in genres:
            shown = (genre.name_zh if language == "zh" else genre.name_en) or genre.name_en
            named.setdefault(getattr(genre, column).casefold(), shown)
    return lambda name: named.get(name.casefold())


def annotator_names(project: Project, *, keep_names: bool, digest: Callable[[str], str]) -> Who:
    """Known annotators by their pseudonym; new ones by a number here, or by the name that is to be kept.

    `digest` is what is kept of a name that is not.
    """
    members = project.memberships.exclude(external_id="").values_list("external_id", "pseudonym")
    known = dict(members)
    new: dict[str, str] = {}

    def name_of(name: str) -> str:
        found = known.get(name) or known.get(digest(name))
        if found or keep_names:
            return found or capped(name)
        number = len(new) + 1
        return new.setdefault(name, _("new annotator %(number)s") % {"number": number})

    return name_of
