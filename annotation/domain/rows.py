"""One row of a file of other people: its values, taken as what they should be, and the error that names its place.

What a reader of such a file might take two ways is refused, never guessed: a number where a text belongs, a name
with white space around it, a time that is no ISO 8601.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from annotation.domain.sentences import say
from annotation.domain.strict_json import NotJson, decode, printable, shown

MAX_INTEGER = 2**31 - 1  # of a count
MAX_IDENTIFIER = 200  # characters


class InputError(ValueError):
    """A row, or a whole file, that cannot be accepted.

    `line` counts from 1 and is that on which the record starts (None: the file as a whole); `unit` is what it
    counts: "line" of a text, "row" of a sheet or a table, "item" of a list in JSON. `column` is the name of the
    column, or the position in the line where no column can be named; `reason` says what is wrong and what to do.
    """

    code = "bad_input"

    def __init__(
        self, reason: str, *, line: int | None = None, column: str = "", source: str = "", unit: str = "line"
    ) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        self.source = source
        self.unit = unit
        place = [source, f"{unit} {line}" if line else "", f"column {column}" if column else ""]
        where = ", ".join(part for part in place if part)
        super().__init__(f"{where}: {reason}" if where else reason)


@dataclass(frozen=True, slots=True)
class Record:
    """One row: its values by column, and its place. In a CSV every value is a cell, that is a string.

    `unit` is what `line` counts, as in InputError. `labels` are the names that the file itself has for columns
    which were given another name since; an error shows those. `pair` makes the row a vote of a person: which of
    the responses of two other rows is better, the first of them shown first.
    """

    line: int
    values: dict[str, object]
    source: str = ""
    cells: bool = False
    unit: str = "line"
    labels: Mapping[str, str] = field(default_factory=dict)
    pair: "tuple[Record, Record] | None" = None

    def error(self, column: str, reason: str) -> InputError:
        name = printable(self.labels.get(column, column))
        return InputError(reason, line=self.line, column=name, source=self.source, unit=self.unit)

    def has(self, name: str) -> bool:
        """Whether the row says anything in this column; an empty cell and null say nothing."""
        value = self.values.get(name)
        return value is not None and not (self.cells and value == "")

    def text(self, name: str, required: bool = True) -> str:
        """The text as it stands; "" where an optional one is missing."""
        if not self._present(name, required):
            return ""
        value = self.values[name]
        if not isinstance(value, str):
            reason = say("{value} is not a text; write it as a string in quotes", value=shown(value))
            raise self.error(name, reason)
        if required and not value.strip():
            raise self.error(name, say("the text is empty; fill it in or leave the row out"))
        return value

    def identifier(self, name: str, required: bool = True, longest: int = MAX_IDENTIFIER) -> str:
        """A name on one line, such as an id, which other rows refer to, of at most `longest` characters.

        JSON integers serve as well. Nothing is trimmed silently. "" where an optional one is missing.
        """
        if not self._present(name, required):
            return ""
        value = self.values[name]
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            reason = say("{value} cannot be a name; use a non-empty string or an integer", value=shown(value))
            raise self.error(name, reason)
        if not value and not required:
            return ""
        fault = _fault_of_identifier(value, longest)
        if fault:
            raise self.error(name, fault)
        return value

    def integer(self, name: str) -> int | None:
        """A count, 0 or more; None where missing."""
        if not self.has(name):
            return None
        value = self.values[name]
        if self.cells and isinstance(value, str) and re.fullmatch(r"[0-9]{1,12}(\.0+)?", value):
            value = float(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            reason = say("{value} is not a count; use a whole number of 0 or more", value=shown(value))
            raise self.error(name, reason)
        if value > MAX_INTEGER:
            reason = say("{value} is too large; the most is {most}", value=shown(value), most=MAX_INTEGER)
            raise self.error(name, reason)
        return value

    def number(self, name: str) -> float | None:
        """A finite number; None where missing. Booleans are no numbers."""
        if not self.has(name):
            return None
        value = self.values[name]
        if self.cells and isinstance(value, str) and re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", value):
            value = _float(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = _float(str(value))
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.error(name, say("{value} is not a finite number", value=shown(value)))
        return value

    def instant(self, name: str) -> datetime | None:
        """A moment in UTC from ISO 8601; one without an offset is taken as UTC. None where missing."""
        if not self.has(name) or self.values[name] == "":
            return None
        value = self.values[name]
        moment = _moment(value) if isinstance(value, str) else None
        if moment is None:
            reason = say(
                "{value} is not a time; write ISO 8601, such as 2026-03-01T14:30:00+01:00", value=shown(value)
            )
            raise self.error(name, reason)
        return moment

    def mapping(self, name: str) -> dict[str, object]:
        """A JSON object; in a CSV it is written as JSON within the cell. {} where missing."""
        value = self._nested(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            reason = say("{value} is not a JSON object; write it as {{...}}", value=shown(value))
            raise self.error(name, reason)
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of non-empty strings; in a CSV a JSON list within the cell. () where missing."""
        found: list[str] = []
        for item in self._list(name):
            if not isinstance(item, str) or not item.strip():
                reason = say("{value} is not a text; use a list of non-empty strings", value=shown(item))
                raise self.error(name, reason)
            found.append(item)
        return tuple(found)

    def positions(self, name: str, count: int) -> tuple[int, ...]:
        """Different places 1..count, ascending; in a CSV a JSON list within the cell. () where missing."""
        found: set[int] = set()
        for item in self._list(name):
            if not isinstance(item, int) or isinstance(item, bool) or not 1 <= item <= count:
                reason = say("{value} is no position within 1..{count}", value=shown(item), count=count)
                raise self.error(name, reason)
            if item in found:
                raise self.error(name, say("the position {item} occurs twice; name each once", item=item))
            found.add(item)
        return tuple(sorted(found))

    def _present(self, name: str, required: bool) -> bool:
        if self.has(name):
            return True
        if required:
            if name in self.values and not self.cells:
                raise self.error(name, say("the value is null; fill it in or leave the row out"))
            raise self.error(name, say("the value is missing; fill it in or leave the row out"))
        return False

    def _list(self, name: str) -> list[object]:
        value = self._nested(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(name, say("{value} is not a list; write it as [...]", value=shown(value)))
        return value

    def _nested(self, name: str) -> object:
        if not self.has(name):
            return None
        value = self.values[name]
        if not self.cells:
            return value
        try:
            return decode(str(value))
        except NotJson as error:
            raise self.error(name, error.reason) from error


def _fault_of_identifier(value: str, longest: int) -> str:
    if not value.strip():
        return say("the name is empty; fill it in or leave the row out")
    if value != value.strip():
        return say("{value} starts or ends with white space; trim it", value=shown(value))
    if any(unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in value):
        return say("{value} holds a control character; remove it", value=shown(value))
    if len(value) > longest:
        return say(
            "{value} has {count} characters; the most is {most}",
            value=shown(value),
            count=len(value),
            most=longest,
        )
    return ""


def _moment(value: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _float(digits: str) -> float | None:
    try:
        return float(digits)
    except ValueError:
        return None
