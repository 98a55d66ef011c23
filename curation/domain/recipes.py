"""Recipes: a named set of rules with every parameter that a paper or a page leaves open.

A parameter arrives as text (from a command line) or as a JSON value (from a stored recipe); what it may be is
said by its reader below, and a value that may not be is refused with the ones that may.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, ClassVar, Self

from curation.domain import funnel

DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}|/[0-9]{1,9})?")
WHOLE = re.compile(r"[0-9]{1,9}")
MAX_WHOLE = 10**9 - 1  # keeps every product of the rules within 64 bits
MAX_BUCKETS = 10**6
MAX_SEED = 200  # characters

LENGTH_UNITS = ("auto", "words", "characters")
PAIRS_OF_RANKINGS = ("none", "adjacent", "all")
ORDERS = ("gold", "combined")
STRATA = ("none", "language", "language+genre")


class RecipeError(ValueError):
    """A recipe, or a parameter of one, that does not exist or cannot be so."""

    code = "bad_parameter"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What all recipes have in common. `reasons` are those for which a candidate is rejected, in the order in
    which they are tried. None in an optional parameter means that the rule is off."""

    name: ClassVar[str]
    version: ClassVar[int]
    reasons: ClassVar[tuple[str, ...]]

    @classmethod
    def from_parameters(cls, given: Mapping[str, object]) -> Self:
        """The recipe with these parameters and the defaults of the rest; RecipeError names what is wrong."""
        known = [field.name for field in fields(cls)]
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in known:
                raise RecipeError(f"there is no parameter {name!r}{_nearest(name, known)}")
            values[name] = READERS[name](name, value)
        return cls(**values)

    def parameters(self) -> dict[str, object]:
        """Every parameter as a JSON value that from_parameters reads back: fractions as texts like "3/2", moments
        as ISO 8601 in UTC."""
        return {field.name: _as_json(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class WritingPreference(Recipe):
    """Pairs from scores of 0-3."""

    name: ClassVar[str] = "writing-preference"
    version: ClassVar[int] = 1
    reasons: ClassVar[tuple[str, ...]] = funnel.REASONS

    min_gap: Fraction = Fraction(1)
    min_common: int = 2
    unanimous: bool = False
    max_length_ratio: Fraction | None = None
    max_pairs_per_response: int | None = None
    max_pairs_per_prompt: int | None = None
    length_symmetry: bool = True
    length_unit: str = "auto"
    buckets: int = 100
    strata: str = "none"
    quota: int | None = None
    seed: str = "plumb-1"


@dataclass(frozen=True, slots=True)
class LitBench(Recipe):
    """Pairs from a community's upvotes. `min_difference` is a share of the chosen count."""

    name: ClassVar[str] = "litbench"
    version: ClassVar[int] = 1
    reasons: ClassVar[tuple[str, ...]] = funnel.REASONS_OF_VOTES

    min_upvotes: int = 10
    min_words: int = 50
    max_tokens: int | None = 2048
    min_difference: Fraction = Fraction(1, 4)
    time_rule: bool = True
    length_symmetry: bool = True
    length_unit: str = "auto"
    buckets: int = 100
    strata: str = "none"
    seed: str = "plumb-1"
    split_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WithoutTimeRule(LitBench):
    """The paper's first ablation (LitBench, Fein et al. 2025): the better story may be the earlier one."""

    name: ClassVar[str] = "litbench-without-time-rule"

    time_rule: bool = False


@dataclass(frozen=True, slots=True)
class WithoutLengthFilter(LitBench):
    """Its second ablation: no pair is pruned, so that the longer story wins more often than not."""

    name: ClassVar[str] = "litbench-without-length-filter"

    length_symmetry: bool = False


@dataclass(frozen=True, slots=True)
class Weval(Recipe):
    """Rankings by requirement dropout, and pairs of them on demand.

    `complete`: prompts whose responses do not keep exactly n, n - 1, ..., 1 of n requirements are left out.
    `ties`: people may tie responses. `pairs` are of tiers that follow each other, or of any two, of the gold order or
    of the combined one.
    """

    name: ClassVar[str] = "weval"
    version: ClassVar[int] = 1
    reasons: ClassVar[tuple[str, ...]] = funnel.REASONS_OF_RANKINGS

    complete: bool = True
    ties: bool = True
    pairs: str = "none"
    pairs_from: str = "gold"


PairRecipe = WritingPreference | LitBench  # of candidates, which its length symmetry prunes
AnyRecipe = PairRecipe | Weval

RECIPES: Mapping[str, type[AnyRecipe]] = {
    kind.name: kind for kind in (WritingPreference, LitBench, WithoutTimeRule, WithoutLengthFilter, Weval)
}


def recipe(name: str, given: Mapping[str, object]) -> AnyRecipe:
    """The recipe of that name with these parameters."""
    if name not in RECIPES:
        raise RecipeError(f"there is no recipe {name!r}{_nearest(name, list(RECIPES))}")
    return RECIPES[name].from_parameters(given)


def _nearest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    meant = f"; did you mean {close[0]}?" if close else "."
    return f"{meant} Known: {', '.join(known)}"


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Fraction) else value


def _refused(name: str, value: object, allowed: str) -> RecipeError:
    return RecipeError(f"{name} cannot be {value!r}; use {allowed}")


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
        raise _refused(name, value, "a number from 0 to 3, such as 1, 1.5 or 3/2")
    return gap


def _min_difference(name: str, value: object) -> Fraction:
    share = _fraction(value)
    if share is None or share > 1:
        raise _refused(name, value, "a number from 0 to 1, such as 1/4 or 0.25")
    return share


def _ratio(name: str, value: object) -> Fraction | None:
    if _is_off(value):
        return None
    ratio = _fraction(value)
    if ratio is None or ratio < 1:
        raise _refused(name, value, "off, or a number of 1 or more, such as 2 or 3/2")
    return ratio


def _is_off(value: object) -> bool:
    return value is None or value in ("off", "none")


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value not in ("on", "off"):
        raise _refused(name, value, "on or off")
    return value == "on"


def _whole(name: str, value: object, allowed: str, least: int, most: int = MAX_WHOLE) -> int:
    if isinstance(value, str) and WHOLE.fullmatch(value.strip()):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _refused(name, value, allowed)
    return value


def _min_common(name: str, value: object) -> int:
    return _whole(name, value, "a whole number of 2 or more", least=2)


def _count(name: str, value: object) -> int:
    return _whole(name, value, "a whole number of 0 or more", least=0)


def _limit(name: str, value: object) -> int | None:
    return None if _is_off(value) else _whole(name, value, "off, or a whole number of 1 or more", least=1)


def _buckets(name: str, value: object) -> int:
    allowed = f"an even whole number from 2 to {MAX_BUCKETS}"
    number = _whole(name, value, allowed, least=2, most=MAX_BUCKETS)
    if number % 2:
        raise _refused(name, value, allowed)
    return number


def _one_of(allowed: Sequence[str]) -> Callable[[str, object], str]:
    def read(name: str, value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _refused(name, value, ", ".join(allowed[:-1]) + f" or {allowed[-1]}")
        return value

    return read


def _seed(name: str, value: object) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_SEED or not value.isprintable():
        raise _refused(name, value, f"a text of 1 to {MAX_SEED} characters on one line")
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
    raise _refused(name, value, "off, or a date or time in ISO 8601, such as 2023-01-01")


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
