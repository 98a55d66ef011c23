"""The rows of a file of predictions: JSON Lines, taken as strictly as other input but for one thing.

A model's score may come out as no number at all, and programs then write NaN or Infinity, which are no JSON. Such a
row is a prediction that is wrong, not a file that is broken; so they are read as the numbers that they are.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

from annotation.domain.records import InputError, Record, shown
from annotation.domain.strict_json import NotJson, decode, printable
from annotation.domain.text_rows import chunks_of, lines_of, nothing

BOM = "\ufeff"


def read(path: Path) -> Iterator[Record]:
    """The objects of a file, in file order; blank lines are skipped. InputError at the first line that is none."""
    empty = True
    for number, line in lines_of(chunks_of(path, path.name), path.name):
        text = line.removeprefix(BOM).strip() if number == 1 else line.strip()
        if not text:
            continue
        empty = False
        yield Record(line=number, values=_object(text, number, path.name), source=path.name)
    if empty:
        raise nothing(path.name)


def _object(text: str, line: int, source: str) -> dict[str, object]:
    try:
        value = decoded(text)
    except NotJson as error:
        reason = f"{error.reason}; write one JSON object a line" if error.syntax else error.reason
        raise InputError(reason, line=line, column=printable(error.place), source=source) from error
    if not isinstance(value, dict):
        reason = f"{shown(value)} is not an object; write one JSON object a line"
        raise InputError(reason, line=line, column="1", source=source)
    return value


def decoded(text: str) -> object:
    """The value of one JSON text in which NaN and infinities may stand; NotJson where it is not strictly that."""
    try:
        return decode(text)
    except NotJson as error:
        if error.syntax:
            raise
        value = _with_constants(text, error)
        decode(json.dumps(_finite(value)))  # whatever else is wrong with it
        return value


def _with_constants(text: str, error: NotJson) -> object:
    try:
        value: object = _LENIENT.decode(text)
    except (ValueError, RecursionError):
        raise error from None
    return value


def _finite(value: object) -> object:
    """The value with null in place of what is no finite number."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


_LENIENT = json.JSONDecoder(object_pairs_hook=_once)
