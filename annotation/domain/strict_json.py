"""JSON taken strictly: what another reader or a database would refuse or read otherwise is refused here.

That is NaN and Infinity, a key that occurs twice, half of a surrogate pair, a NUL, an integer or a nesting
beyond what anybody means.
"""

import json
import math
import re
from dataclasses import dataclass

from annotation.domain.sentences import say

MAX_DEPTH = 32  # levels of nesting
MAX_DIGITS = 100  # of an integer
MAX_SHOWN = 60  # characters of a value in a message

NO_NUMBER = say("NaN and Infinity are no numbers in JSON; write null or a finite number")
NUL = "\x00"
SURROGATE = re.compile("[\ud800-\udfff]")
ESCAPED = re.compile(
    r"\\u(?:[dD][89a-fA-F]|0000)"
)  # a NUL or a half of a surrogate pair, as JSON may write it


class NotJson(ValueError):
    """A text that is not strictly JSON. `place` is the key it happens under, or the character, from 1;
    `syntax` is the parser's own word where the text is no JSON at all."""

    def __init__(self, reason: str, place: str, syntax: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place
        self.syntax = syntax


def decode(text: str) -> object:
    """The value of one JSON text; NotJson where it is not strictly that."""
    if NUL in text:
        raise NotJson(fault_of_text(text), str(text.index(NUL) + 1))
    try:
        value: object = _QUICK.decode(text)
    except _DoubtError:
        return _decode_slowly(text)
    except json.JSONDecodeError as error:
        raise _no_json(error) from error
    except RecursionError as error:
        raise NotJson(_too_deep(), "1") from error
    brackets = text.count("{") + text.count("[")
    if brackets > MAX_DEPTH or ESCAPED.search(text) or not _encodable(text):
        _check(value)
    return value


def shown(value: object) -> str:
    """A value as its file has it, shortened, and safe to print."""
    if isinstance(value, _HugeInteger):
        return say("an integer of {digits} digits", digits=value.digits)
    written = json.dumps(value, ensure_ascii=False, default=str)
    return printable(written if len(written) <= MAX_SHOWN else written[: MAX_SHOWN - 3] + "...")


def printable(text: str) -> str:
    """The text with whatever a terminal or a database would choke on written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def fault_of_text(text: str) -> str:
    """What no database and no JSON reader would take, or an empty string."""
    if NUL in text:
        return say("a NUL stands at character {place}; delete it", place=text.index(NUL) + 1)
    if _encodable(text):
        return ""
    half = SURROGATE.search(text)
    if half:
        return say(
            "half of a surrogate pair ({code}) stands at character {place}; restore or delete it",
            code=f"U+{ord(half.group()):04X}",
            place=half.start() + 1,
        )
    return ""


def _encodable(text: str) -> bool:
    """Whether it is free of halves of surrogate pairs; far quicker than a search for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decode_slowly(text: str) -> object:
    """The same value, with a mark in place of what is wrong, so that its place can be named."""
    try:
        value = _MARKING.decode(text)
    except json.JSONDecodeError as error:
        raise _no_json(error) from error
    except RecursionError as error:
        raise NotJson(_too_deep(), "1") from error
    _check(value)
    return value


def _check(value: object) -> None:
    if isinstance(value, _Doubled):
        raise NotJson(_fault(value, 0), value.key)
    for key, part in value.items() if isinstance(value, dict) else [("1", value)]:
        fault = fault_of_text(key) or _fault(part, 1)
        if fault:
            raise NotJson(fault, key)


def _no_json(error: json.JSONDecodeError) -> NotJson:
    place = error.pos + 1
    reason = say("not valid JSON ({fault} at character {place})", fault=error.msg, place=place)
    return NotJson(reason, str(place), syntax=error.msg)


def _too_deep() -> str:
    return say("the value is nested too deep; the most is {most} levels", most=MAX_DEPTH)


def _fault(value: object, depth: int) -> str:
    """What is wrong with a decoded value, or an empty string."""
    if isinstance(value, str):
        return fault_of_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return NO_NUMBER
    if isinstance(value, _HugeInteger):
        return say(
            "an integer of {digits} digits is too large; the most is {most} digits",
            digits=value.digits,
            most=MAX_DIGITS,
        )
    if isinstance(value, _Doubled):
        return say("the key '{key}' occurs twice; keep one", key=printable(value.key))
    if isinstance(value, dict | list):
        return _fault_within(value, depth)
    return ""


def _fault_within(value: dict[str, object] | list[object], depth: int) -> str:
    if depth >= MAX_DEPTH:
        return _too_deep()
    if isinstance(value, list):
        return next(filter(None, (_fault(item, depth + 1) for item in value)), "")
    parts = (fault_of_text(key) or _fault(item, depth + 1) for key, item in value.items())
    return next(filter(None, parts), "")


class _DoubtError(Exception):
    """Something is wrong; where, only the slower decoder can say."""


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


def _sure_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _DoubtError
    return int(digits)


def _sure_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _DoubtError
    return number


def _sure_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DoubtError
    return found


def _no_constant(name: str) -> float:
    raise _DoubtError


_MARKING = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)
_QUICK = json.JSONDecoder(
    object_pairs_hook=_sure_object,
    parse_int=_sure_integer,
    parse_float=_sure_float,
    parse_constant=_no_constant,
)
