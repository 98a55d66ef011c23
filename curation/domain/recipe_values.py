"""What a parameter of a recipe may be: a reader for each, and a sentence for what it refuses.

A value arrives as text (from a command line or a form) or as a JSON value (from a stored recipe).
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction

from annotation.domain.sentences import Said, say

DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}|/[0-9]{1,9})?")
WHOLE = re.compile(r"[0-9]{1,9}")
MAX_WHOLE = 10**9 - 1  # keeps every product of the rules within 64 bits
MAX_BUCKETS = 10**6
MAX_SEED = 200  # characters
MAX_SHOWN = 80  # characters of what somebody wrote, in a sentence about it
MAX_COMPARED = 200  # characters of a name

LENGTH_UNITS = ("auto", "words", "characters")
PAIRS_OF_RANKINGS = ("none", "adjacent", "all")
ORDERS = ("gold", "combined")
STRATA = ("none", "language", "language+genre")


class RecipeError(ValueError):
    """A recipe, or a part of one, that does not exist or cannot be so.

    `field` is the parameter at fault, or "" where none is by itself; `remedy` says what to do and nothing else, for a
    page that shows the field beside it. `place` is where it stands in JSON, such as rules[0].parameters.min_gap, or ""
    where the recipe is none of JSON or as a whole at fault.
    """

    code = "bad_parameter"

    def __init__(self, reason: str, *, field: str = "", remedy: str = "", place: str = "") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        self.field = field
        self.remedy = remedy or reason
        self.place = place

    def at(self, place: str) -> "RecipeError":
        """The same fault with its place in JSON."""
        return RecipeError(self.reason, field=self.field, remedy=self.remedy, place=place)


def read(name: str, value: object) -> object:
    """The value of the parameter; RecipeError says what it may be."""
    return READERS[name](name, value)


def as_json(value: object) -> object:
    """A JSON value that is read back: fractions as texts like "3/2", moments as ISO 8601 in UTC."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Fraction) else value


def unknown(what: str, name: str, known: Sequence[str], *, place: str = "") -> RecipeError:
    """There is no `what` of this name (a key of UNKNOWN); the nearest that there is."""
    close = difflib.get_close_matches(name[:MAX_COMPARED], known, n=1, cutoff=0.4)
    near, alone = UNKNOWN[what]
    values = {"name": quoted(name), "names": ", ".join(known)}
    reason = near(close=close[0], **values) if close else alone(**values)
    return RecipeError(reason, place=place)


def quoted(value: object) -> str:
    """A value of somebody's on one short line."""
    written = repr(value)
    return written if len(written) <= MAX_SHOWN else f"{written[: MAX_SHOWN - 3]}..."


UNKNOWN: Mapping[str, tuple[Callable[..., Said], Callable[..., Said]]] = {
    "recipe": (
        lambda **v: say("there is no recipe {name}; did you mean {close}? Known: {names}", **v),
        lambda **v: say("there is no recipe {name}. Known: {names}", **v),
    ),
    "rule": (
        lambda **v: say("there is no rule {name}; did you mean {close}? Known: {names}", **v),
        lambda **v: say("there is no rule {name}. Known: {names}", **v),
    ),
    "parameter": (
        lambda **v: say("there is no parameter {name}; did you mean {close}? Known: {names}", **v),
        lambda **v: say("there is no parameter {name}. Known: {names}", **v),
    ),
    "setting": (
        lambda **v: say("there is no setting {name}; did you mean {close}? Known: {names}", **v),
        lambda **v: say("there is no setting {name}. Known: {names}", **v),
    ),
    "part": (
        lambda **v: say("there is no part {name}; did you mean {close}? Known: {names}", **v),
        lambda **v: say("there is no part {name}. Known: {names}", **v),
    ),
}


def _refused(name: str, value: object, remedy: Said) -> RecipeError:
    return RecipeError(f"{name} cannot be {quoted(value)}; {remedy}", field=name, remedy=remedy)


def _fraction(value: object) -> Fraction | None:
    """From 1, 1.5, '1', '1.5' or '3/2', each as it is written and not as a double stores it."""
    written = (
        str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    )
    if not DECIMAL.fullmatch(written) or re.search(r"/0+$", written):
        return None
    return Fraction(written)


def _min_gap(name: str, value: object) -> Fraction:
    gap = _fraction(value)
    if gap is None or gap > 3:
        raise _refused(name, value, say("use a number from 0 to 3, such as 1, 1.5 or 3/2"))
    return gap


def _min_difference(name: str, value: object) -> Fraction:
    share = _fraction(value)
    if share is None or share > 1:
        raise _refused(name, value, say("use a number from 0 to 1, such as 1/4 or 0.25"))
    return share


def _ratio(name: str, value: object) -> Fraction | None:
    if _is_off(value):
        return None
    ratio = _fraction(value)
    if ratio is None or ratio < 1:
        raise _refused(name, value, say("use off, or a number of 1 or more, such as 2 or 3/2"))
    return ratio


def _is_off(value: object) -> bool:
    return value is None or value in ("off", "none")


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value not in ("on", "off"):
        raise _refused(name, value, say("use on or off"))
    return value == "on"


def _whole(name: str, value: object, remedy: Said, least: int, most: int = MAX_WHOLE) -> int:
    if isinstance(value, str) and WHOLE.fullmatch(value.strip()):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _refused(name, value, remedy)
    return value


def _min_common(name: str, value: object) -> int:
    remedy = say("use a whole number from 2 to {most}", most=MAX_WHOLE)
    return _whole(name, value, remedy, least=2)


def _count(name: str, value: object) -> int:
    return _whole(name, value, say("use a whole number of 0 or more"), least=0)


def _limit(name: str, value: object) -> int | None:
    remedy = say("use off, or a whole number of 1 or more")
    return None if _is_off(value) else _whole(name, value, remedy, least=1)


def _buckets(name: str, value: object) -> int:
    remedy = say("use an even whole number from 2 to {most}", most=MAX_BUCKETS)
    number = _whole(name, value, remedy, least=2, most=MAX_BUCKETS)
    if number % 2:
        raise _refused(name, value, remedy)
    return number


def _one_of(allowed: Sequence[str]) -> Callable[[str, object], str]:
    def read_one(name: str, value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            remedy = say("use {some} or {last}", some=", ".join(allowed[:-1]), last=allowed[-1])
            raise _refused(name, value, remedy)
        return value

    return read_one


def _seed(name: str, value: object) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_SEED or not value.isprintable():
        remedy = say("use a text of 1 to {most} characters on one line", most=MAX_SEED)
        raise _refused(name, value, remedy)
    return value


def _moment(name: str, value: object) -> datetime | None:
    """A day begins at midnight UTC; a moment without an offset is one of UTC."""
    if _is_off(value):
        return None
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if moment is not None:
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise _refused(name, value, say("use off, or a date or time in ISO 8601, such as 2023-01-01"))


READERS: Mapping[str, Callable[[str, object], object]] = {
    "min_gap": _min_gap,
    "min_common": _min_common,
    "unanimous": _switch,
    "max_length_ratio": _ratio,
    "max_pairs_per_response": _limit,
    "max_pairs_per_prompt": _limit,
    "length_symmetry": _switch,
    "length_unit": _one_of(LENGTH_UNITS),
    "buckets": _buckets,
    "strata": _one_of(STRATA),
    "quota": _limit,
    "seed": _seed,
    "min_upvotes": _count,
    "min_words": _count,
    "max_tokens": _limit,
    "min_difference": _min_difference,
    "time_rule": _switch,
    "split_at": _moment,
    "complete": _switch,
    "ties": _switch,
    "pairs": _one_of(PAIRS_OF_RANKINGS),
    "pairs_from": _one_of(ORDERS),
}
