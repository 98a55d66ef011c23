"""Which column of a file says what: declared once, checked strictly, applied to one row at a time.

A field map turns a row of plain columns into the row that `material.response_row` takes, the rows that
`scoring.score_row` takes, or both. Nothing is invented: what no column says stays absent, and a value that is
no score is refused with the column as the file names it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.domain.declared import boolean, object_of, refused, string, strings
from annotation.domain.fields import FIELDS, IDENTIFIERS, MOMENTS, NAMED_BY_RATERS, NAMES, NESTED, NOTES
from annotation.domain.made_ids import JOIN, prompt_id_of, response_id_of
from annotation.domain.moments import as_iso
from annotation.domain.records import Record
from annotation.domain.scoring import SCALE
from annotation.domain.sentences import say
from annotation.domain.strict_json import NotJson, decode, shown

UnknownGenres = Literal["refuse", "leave", "add"]
UNKNOWN_GENRES: tuple[UnknownGenres, ...] = ("refuse", "leave", "add")

OF_RESPONSE = frozenset(one.name for one in FIELDS if one.part == "response") - {"response_id"}
RATING = re.compile(r"[0-3](\.0+)?")
KNOWN_ENDINGS = re.compile(r"\.(json|jsonl|ndjson|csv|tsv|tab|txt|xlsx|parquet|pq|zip)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of a field comes from: columns, joined by "|", or one constant, or the file's name.

    `part` n, from 1, takes the n-th piece of the value split at "|"; 0 takes it whole. For `parameters` several
    columns are not joined but kept under their names.
    """

    columns: tuple[str, ...] = ()
    constant: str = ""
    file_name: bool = False
    part: int = 0

    def as_dict(self) -> dict[str, object]:
        return {
            "columns": list(self.columns),
            "constant": self.constant,
            "file_name": self.file_name,
            "part": self.part,
        }


@dataclass(frozen=True, slots=True)
class FieldMap:
    """What a file says by which column.

    `raters` are columns that hold the scores of one annotator each, and bear that annotator's name; they stand
    in place of `score` and `annotator`. `scores` gives values of the file, as `as_key` writes them, their place
    on the scale. `only` names a column and the value that a row must have there to be taken at all. `votes` takes
    what people said of two responses, where the layout knows such votes.
    """

    fields: Mapping[str, Source] = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    scores: Mapping[str, int] = field(default_factory=dict)
    only: tuple[str, str] | None = None
    unknown_genres: UnknownGenres = "refuse"
    votes: bool = False

    def as_dict(self) -> dict[str, object]:
        return {
            "fields": {name: source.as_dict() for name, source in self.fields.items()},
            "raters": list(self.raters),
            "scores": dict(self.scores),
            "only": list(self.only) if self.only else None,
            "unknown_genres": self.unknown_genres,
            "votes": self.votes,
        }

    @classmethod
    def from_dict(cls, value: object) -> "FieldMap":
        """The map that `as_dict` wrote; InputError where anything is not as it should be."""
        given = object_of(value, ("fields", "raters", "scores", "only", "unknown_genres", "votes"), "")
        fields = object_of(given.get("fields", {}), NAMES, "fields")
        made = cls(
            fields={name: _source(one, f"fields.{name}") for name, one in fields.items()},
            raters=strings(given.get("raters", []), "raters"),
            scores=_scale_of(given.get("scores", {})),
            only=_only(given.get("only")),
            unknown_genres=_unknown_genres(given.get("unknown_genres", "refuse")),
            votes=boolean(given.get("votes", False), "votes"),
        )
        _check_raters(made)
        return made

    def gaps(self) -> tuple[str, ...]:
        """The fields that must still be given before any row can be taken; () where nothing is missing."""
        scored = bool(self.raters) or "score" in self.fields
        if "text" not in self.fields and not scored and not self.votes:
            return ("text", "score")
        missing = []
        has_prompt = "prompt_id" in self.fields or "prompt" in self.fields
        named = "model" in self.fields or "sample" in self.fields or "text" in self.fields
        if "response_id" not in self.fields and not (has_prompt and named):
            missing.append("response_id")
        if "text" in self.fields and not has_prompt:
            missing.append("prompt_id")
        if "score" in self.fields and "annotator" not in self.fields:
            missing.append("annotator")
        return tuple(missing)


@dataclass(frozen=True, slots=True)
class Mapped:
    """What one row says: a response, scores, or both; or a vote. `left_out`: `only`, or `votes`, left the row out."""

    response: Record | None
    scores: tuple[Record, ...]
    left_out: bool = False
    vote: Record | None = None
    about: tuple[Record, ...] = ()  # the responses that the vote compares, as its own record has them


# --- a row -----------------------------------------------------------------------------------------------


def apply(field_map: FieldMap, record: Record) -> Mapped:
    """What a row says, under the names of `response_row`, `score_row` and `vote_row`; InputError where a score is none.

    A row whose annotator and score are both empty has no score; wide rows have one for every cell filled in.
    """
    told = record.pair[0] if record.pair else record
    if field_map.only and as_key(told.values.get(field_map.only[0])) != field_map.only[1].strip():
        return Mapped(None, (), left_out=True)
    if record.pair:
        return _vote(field_map, record, record.pair)
    row = _canonical(field_map, record)
    response = None
    if "text" in field_map.fields:
        # Both rows of a record speak of one response: its id is made once.
        response = _response(row)
        row.values["response_id"] = response.values["id"]
    return Mapped(response, tuple(_scores(field_map, record, row)))


def as_key(value: object) -> str:
    """A value as the keys of `FieldMap.scores` and the value of `only` write it; "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _canonical(field_map: FieldMap, record: Record) -> Record:
    """The row under the names of the fields, holding only what says anything."""
    values: dict[str, object] = {}
    labels: dict[str, str] = {}
    for name, source in field_map.fields.items():
        value = _value(name, source, record)
        if value is not None and (value != "" or name == "text"):
            values[name] = value
        if source.columns:
            labels[name] = ", ".join(source.columns)
    return _placed(record, values, labels)


def _placed(record: Record, values: dict[str, object], labels: Mapping[str, str]) -> Record:
    """Other values at the place of a record."""
    return Record(record.line, values, record.source, record.cells, record.unit, labels)


def _value(name: str, source: Source, record: Record) -> object:
    if name == "parameters":
        return _parameters(source, record)
    if source.constant:
        return source.constant
    value = _stem(record.source) if source.file_name else _of_columns(name, source, record)
    if source.part:
        pieces = as_key(value).split(JOIN)
        value = pieces[source.part - 1].strip() if source.part <= len(pieces) else None
    return _fitted(name, value, record)


def _fitted(name: str, value: object, record: Record) -> object:
    """The value as the field wants it, where that is certain."""
    if name in IDENTIFIERS and isinstance(value, float) and value.is_integer():
        return int(value)  # a spreadsheet has no other numbers
    if name in MOMENTS:
        return as_iso(value) or value
    if name in NOTES and value is not None:
        return as_key(value)  # services answer with objects, too
    if name in NESTED and not record.cells and isinstance(value, str):
        return _decoded(value)
    return value


def _of_columns(name: str, source: Source, record: Record) -> object:
    if len(source.columns) == 1:
        return record.values.get(source.columns[0])
    pieces = [as_key(_whole(record.values.get(column))) for column in source.columns]
    empty = [column for column, piece in zip(source.columns, pieces, strict=True) if not piece]
    if empty and len(empty) < len(pieces) and name in IDENTIFIERS:
        reason = say("the cell is empty, but the id is made of it; fill it in or leave the row out")
        raise record.error(empty[0], reason)
    return JOIN.join(piece for piece in pieces if piece)


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parameters(source: Source, record: Record) -> object:
    """An object: the one that a single column holds, else the columns under their names."""
    if len(source.columns) == 1:
        value = record.values.get(source.columns[0])
        if isinstance(value, str) and value.lstrip().startswith("{"):
            return value if record.cells else _decoded(value)
        if isinstance(value, dict):
            return value
    found = {column: record.values[column] for column in source.columns if record.has(column)}
    if not found:
        return None
    return json.dumps(found, ensure_ascii=False, default=str) if record.cells else found


def _decoded(text: str) -> object:
    """What a cell of a sheet holds as JSON; the text itself where that is none."""
    try:
        return decode(text)
    except NotJson:
        return text


def _stem(source: str) -> str:
    return KNOWN_ENDINGS.sub("", re.split(r"[\\/]", source)[-1])


# --- the response ------------------------------------------------------------------------------------------


def _response(row: Record) -> Record:
    prompt_id = _prompt_id(row)
    values = {name: value for name, value in row.values.items() if name in OF_RESPONSE}
    values |= {"id": _response_id(row), "prompt_id": prompt_id}
    labels = {**row.labels, "id": row.labels["response_id"]} if "response_id" in row.labels else row.labels
    return _placed(row, values, labels)


def _prompt_id(row: Record) -> str:
    """The id that the row gives, or the one made of the text of the prompt."""
    if "prompt_id" in row.values or "prompt_id" in row.labels:
        return row.identifier("prompt_id")
    prompt = row.text("prompt", required=False)
    if not prompt:
        reason = say(
            "nothing says which prompt the response answers; choose a column for the prompt or its id"
        )
        raise row.error("prompt_id", reason)
    return prompt_id_of(prompt)


def _response_id(row: Record) -> str:
    """The id that the row gives, or the one made of what it says."""
    if "response_id" in row.values or "response_id" in row.labels:
        return row.identifier("response_id")
    prompt_id = _prompt_id(row)
    model = row.identifier("model", required=False)
    sample = row.identifier("sample", required=False)
    if model or sample:
        return response_id_of(prompt_id, model=model, sample=sample)
    if "text" not in row.labels:
        reason = say("nothing says which response this is; choose a column for its id or for the model")
        raise row.error("response_id", reason)
    return response_id_of(prompt_id, text=row.text("text", required=not row.has("error")))


# --- a vote ------------------------------------------------------------------------------------------------


def _vote(field_map: FieldMap, record: Record, pair: tuple[Record, Record]) -> Mapped:
    if not field_map.votes:
        return Mapped(None, (), left_out=True)
    sides = [_canonical(field_map, side) for side in pair]
    first, second = map(_response_id, sides)
    vote = _placed(record, {**record.values, "first": first, "second": second}, record.labels)
    return Mapped(
        None, (), vote=vote, about=tuple(map(_response, sides)) if "text" in field_map.fields else ()
    )


# --- the scores --------------------------------------------------------------------------------------------


def _scores(field_map: FieldMap, record: Record, row: Record) -> Iterator[Record]:
    if "score" in field_map.fields and ("score" in row.values or "annotator" in row.values):
        yield _score(field_map, row, row.values, row.labels)
    for column in field_map.raters:
        value = record.values.get(column)
        if as_key(value):
            values = {**row.values, "annotator": column.strip(), "score": value}
            yield _score(field_map, row, values, {**row.labels, "annotator": column, "score": column})


def _score(
    field_map: FieldMap, row: Record, values: Mapping[str, object], labels: Mapping[str, str]
) -> Record:
    kept = {name: values[name] for name in ("annotator", "at", "justification") if name in values}
    found = _placed(row, {"response_id": _response_id(row), **kept}, labels)
    found.values["score"] = _on_scale(values.get("score"), field_map.scores, found)
    return found


def _on_scale(value: object, scores: Mapping[str, int], row: Record) -> int:
    key = as_key(value)
    if key in scores:
        return scores[key]
    if isinstance(value, str) and RATING.fullmatch(value):
        return int(value[0])
    if isinstance(value, int | float) and not isinstance(value, bool) and value in SCALE:
        return int(value)
    if not key:
        reason = say("the score is empty; fill in 0, 1, 2 or 3, or give a value for it in the mapping")
        raise row.error("score", reason)
    reason = say(
        "{value} is not a score; use 0, 1, 2 or 3, or give a value for it in the mapping", value=shown(value)
    )
    raise row.error("score", reason)


# --- reading a map -----------------------------------------------------------------------------------------


def _source(value: object, place: str) -> Source:
    given = object_of(value, ("columns", "constant", "file_name", "part"), place)
    columns = strings(given.get("columns", []), f"{place}.columns")
    constant = string(given.get("constant", ""), f"{place}.constant")
    file_name, part = boolean(given.get("file_name", False), f"{place}.file_name"), given.get("part", 0)
    if not isinstance(part, int) or isinstance(part, bool) or part < 0:
        reason = say("{value} is not a count; use a whole number of 0 or more", value=shown(part))
        raise refused(reason, f"{place}.part")
    if sum((bool(columns), bool(constant), file_name)) != 1:
        raise refused(say("give one of columns, a constant and the file name, and only one"), place)
    return Source(columns, constant, file_name, part)


def _scale_of(value: object) -> dict[str, int]:
    if not isinstance(value, dict):
        reason = say("{value} is not a JSON object; write it as {{...}}", value=shown(value))
        raise refused(reason, "scores")
    found: dict[str, int] = {}
    for key, score in value.items():
        if not isinstance(score, int) or isinstance(score, bool) or score not in SCALE:
            reason = say("{value} is not a score; use 0, 1, 2 or 3", value=shown(score))
            raise refused(reason, f"scores.{key}")
        if found.setdefault(string(key, "scores").strip(), score) != score:
            raise refused(say("{name} occurs twice; name each once", name=shown(key)), "scores")
    return found


def _only(value: object) -> tuple[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise refused(
            say("{value} is no column with its value; write [column, value]", value=shown(value)), "only"
        )
    return string(value[0], "only"), string(value[1], "only")


def _unknown_genres(value: object) -> UnknownGenres:
    for known in UNKNOWN_GENRES:
        if value == known:
            return known
    reason = say("{value} is none of refuse, leave and add", value=shown(value))
    raise refused(reason, "unknown_genres")


def _check_raters(made: FieldMap) -> None:
    doubled = sorted(NAMED_BY_RATERS & set(made.fields)) if made.raters else []
    if doubled:
        reason = say(
            "the columns of raters already say who gave which score; leave {field} out", field=doubled[0]
        )
        raise refused(reason, f"fields.{doubled[0]}")
