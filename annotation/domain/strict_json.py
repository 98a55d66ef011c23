"""JSON taken strictly: what another reader or a database would refuse or read otherwise is refused here.

That is NaN and Infinity, a key that occurs twice, half of a surrogate pair, a NUL, an integer or a nesting
beyond what anybody means.
"""

import json
import math
import re
from dataclasses import dataclass

MAX_DEPTH = 32  # levels of nesting
MAX_DIGITS = 100  # of an integer
MAX_SHOWN = 60  # characters of a value in a message

NUL = "\x00"
SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """A text that is not strictly JSON. `place` is the key it happens under, or the character, from 1."""

    def __init__(self, reason: str, place: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


def decode(text: str) -> object:
    """The value of one JSON text; NotJson where it is not strictly that."""
    if NUL in text:
        raise NotJson(fault_of_text(text), str(text.index(NUL) + 1))
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = f"not valid JSON ({error.msg} at character {error.pos + 1})"
        raise NotJson(reason, str(error.pos + 1)) from error
    except RecursionError as error:
        raise NotJson(f"the value is nested too deep; the most is {MAX_DEPTH} levels", "1") from error
    if isinstance(value, _Doubled):
        raise NotJson(_fault(value, 0), value.key)
    for key, part in value.items() if isinstance(value, dict) else [("1", value)]:
        fault = fault_of_text(key) or _fault(part, 1)
        if fault:
            raise NotJson(fault, key)
    return value


def shown(value: object) -> str:
    """A value as its file has it, shortened, and safe to print."""
    if isinstance(value, _HugeInteger):
        return f"an integer of {value.digits} digits"
    written = json.dumps(value, ensure_ascii=False, default=str)
    return printable(written if len(written) <= MAX_SHOWN else written[: MAX_SHOWN - 3] + "...")


def printable(text: str) -> str:
    """The text with whatever a terminal or a database would choke on written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def fault_of_text(text: str) -> str:
    """What no database and no JSON reader would take, or an empty string."""
    if NUL in text:
        return f"a NUL stands at character {text.index(NUL) + 1}; delete it"
    half = SURROGATE.search(text)
    if half:
        code, place = f"U+{ord(half.group()):04X}", half.start() + 1
        return f"half of a surrogate pair ({code}) stands at character {place}; restore or delete it"
    return ""


def _fault(value: object, depth: int) -> str:
    """What is wrong with a decoded value, or an empty string."""
    if isinstance(value, str):
        return fault_of_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN and Infinity are no numbers in JSON; write null or a finite number"
    if isinstance(value, _HugeInteger):
        return f"{shown(value)} is too large; the most is {MAX_DIGITS} digits"
    if isinstance(value, _Doubled):
        return f"the key '{printable(value.key)}' occurs twice; keep one"
    if isinstance(value, dict | list):
        return _fault_within(value, depth)
    return ""


def _fault_within(value: dict[str, object] | list[object], depth: int) -> str:
    if depth >= MAX_DEPTH:
        return f"the value is nested too deep; the most is {MAX_DEPTH} levels"
    if isinstance(value, list):
        return next(filter(None, (_fault(item, depth + 1) for item in value)), "")
    parts = (fault_of_text(key) or _fault(item, depth + 1) for key, item in value.items())
    return next(filter(None, parts), "")


@dataclass(frozen=True)
class _HugeInteger:
    """Stands for an integer too long to be meant, until its column is known."""

    digits: int


@dataclass(frozen=True)
class _Doubled:
    """Stands for an object in which a key occurs twice, until its column is known."""

    key: str


def _integer(digits: str) -> int | _HugeInteger:
    return int(digits) if len(digits) <= MAX_DIGITS else _HugeInteger(len(digits.lstrip("-")))


def _object(pairs: list[tuple[str, object]]) -> dict[str, object] | _Doubled:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Doubled(key)
        seen.add(key)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)
