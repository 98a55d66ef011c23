"""What a layout is, and what layouts share: rows of plain columns out of nested records.

A layout never refuses a single row: what it cannot find stays absent, so that the field map refuses the row with
its place and the rows after it are still read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.domain.field_map import FieldMap, Source, as_key
from annotation.domain.layouts.suggestions import suggested
from annotation.domain.records import Record
from annotation.domain.sentences import Said

PARAGRAPH = "\n\n"
MARKS = frozenset({"true", "yes", "on", "x"})  # what a form writes for a box that is ticked
NO_MARKS = frozenset({"", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that is no data by the layout's own rule, such as a rejected assignment."""

    line: int
    source: str
    reason: Said
    unit: str = "line"


Known = Mapping[str, Source | None]  # the source of a field; None: never to be suggested


@dataclass(frozen=True, slots=True)
class Layout:
    """How one program writes its files.

    `fits` tells from the first records whether a file has this shape; `unfold` makes rows of plain columns;
    `known` gives, from the first of these rows and the names of the files, what the layout is sure of. Columns
    are found by name and content only for the other fields.
    """

    key: str
    name: Said
    fits: Callable[[Sequence[Record]], bool]
    unfold: Callable[[Iterable[Record]], Iterator[Record | Skipped]]
    known: Callable[[Sequence[Record], Sequence[str]], Known]
    notes: tuple[Said, ...] = ()
    votes: bool = False  # whether the files may hold votes of people on pairs

    def flatten(self, records: Iterable[Record]) -> Iterator[Record | Skipped]:
        """Rows of plain columns, in file order; several rows may stand at one place of the file."""
        return self.unfold(records)

    def suggest(self, flat: Sequence[Record], *, names: Sequence[str], languages: Sequence[str]) -> FieldMap:
        """A field map for rows such as these. `names` are the names of all files, `languages` the project's."""
        texts = [one for one in flat if one.pair is None]
        found = suggested(texts, languages=languages, known=self.known(texts, names))
        return replace(found, votes=self.votes)


NO_SCORES: Known = {"score": None, "annotator": None, "at": None, "justification": None}
# Of rows that share a record: an id of the record is not the response's.
SEVERAL: Known = {**NO_SCORES, "response_id": None}


def always(**sources: Source | None) -> Callable[[Sequence[Record], Sequence[str]], Known]:
    """A `known` that does not depend on the file."""
    return lambda flat, names: sources


def column(*names: str) -> Source:
    return Source(columns=names)


# --- the shape of records ----------------------------------------------------------------------------------


def every(samples: Sequence[Record], *names: str) -> bool:
    """Whether all records have all of these columns."""
    return bool(samples) and all(name in record.values for record in samples for name in names)


def every_is(samples: Sequence[Record], name: str, kind: type | tuple[type, ...]) -> bool:
    """Whether all records have this column with a value of this kind."""
    return bool(samples) and all(isinstance(record.values.get(name), kind) for record in samples)


# --- parts of records --------------------------------------------------------------------------------------


def entry(value: object) -> dict[str, object]:
    """An object; {} where it is anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """A list; [] where it is anything else."""
    return value if isinstance(value, list) else []


def row(record: Record, values: dict[str, object]) -> Record:
    """A row that stands where the record stands."""
    return replace(record, values=values)


def vote_on(
    first: Record,
    second: Record,
    *,
    annotator: object,
    preferred: str | None,
    given: object,
    at: object = None,
    labels: Mapping[str, str],
) -> Record:
    """The vote of a person on the responses of two rows: `preferred` is first, second or tie, and None where what
    the file has, `given`, is none of these."""
    values = {"annotator": annotator, "preferred": preferred, "given": given, "at": at}
    return replace(first, values=values, labels=labels, pair=(first, second))


def skipped(record: Record, reason: Said) -> Skipped:
    return Skipped(record.line, record.source, reason, record.unit)


def dotted(values: Mapping[str, object]) -> dict[str, object]:
    """Objects within objects as columns `outer.inner`; lists stay as they are."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        parts = (
            {f"{name}.{key}": part for key, part in dotted(value).items()}
            if isinstance(value, dict)
            else {name: value}
        )
        for place, part in parts.items():
            free = place
            while free in flat:
                free += "'"
            flat[free] = part
    return flat


def without(values: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in names}


def joined(parts: Iterable[object], mark: str = PARAGRAPH) -> str:
    """The texts among the parts that are not empty, one after the other."""
    return mark.join(part for part in parts if isinstance(part, str) and part)


def chosen(options: Mapping[str, object]) -> object:
    """The answer of a question whose options are columns of their own; "" where none is ticked.

    Several answers to it are joined by "#", which is no score, so that nobody's answer is guessed.
    """
    given = [
        label if as_key(value).lower() in MARKS else value
        for label, value in options.items()
        if as_key(value) == label or as_key(value).lower() not in NO_MARKS
    ]
    if len(given) == 1:
        return given[0]
    return "#".join(as_key(value) for value in given)


# --- conversations -----------------------------------------------------------------------------------------

PEOPLE = frozenset({"user", "human", "prompter"})
MACHINES = frozenset({"assistant", "gpt", "chatgpt", "bot", "model", "bing", "bard"})


def is_conversation(value: object) -> bool:
    """Messages with a role and a content, or with `from` and `value`."""
    return bool(items(value)) and all(
        isinstance(one, dict) and ({"role", "content"} <= set(one) or {"from", "value"} <= set(one))
        for one in items(value)
    )


def turns(conversation: object, roles: frozenset[str] = MACHINES) -> list[str]:
    """The texts that those in these roles said, in order."""
    said = []
    for one in items(conversation):
        message = entry(one)
        if as_key(message.get("role", message.get("from"))).lower() in roles:
            said.append(content_of(message.get("content", message.get("value"))))
    return said


def content_of(value: object) -> str:
    """The text of a message, which may come as a list of parts."""
    if isinstance(value, list):
        return joined((entry(part).get("text") if isinstance(part, dict) else part for part in value), "")
    return value if isinstance(value, str) else ""


def first_turn(conversation: object) -> str:
    """What the conversation began with: the first turn of a person."""
    return next(iter(turns(conversation, PEOPLE)), "")
