"""What is checked before a release is frozen: facts in, verdicts with their numbers out.

A check fails where it finds what no reader expects in a release, or misses a line that the lead has drawn. Where nobody
has drawn one, its numbers are shown and it passes. Where not all could be looked at, and nothing was found, it is
unknown. A failing one may be waived, with a reason that the release keeps.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from curation.domain.terms import Check

QUOTA, AGREEMENT, RATINGS, LENGTH, AUDIT = "quota", "agreement", "ratings", "length", "audit"
FLAGS, LICENCES, PERSONAL, IDENTITY = "flags", "licences", "personal_data", "identity"
COPIES, SPLITS, DIFFERENCE = "copies", "splits", "difference"
NAMES = (QUOTA, AGREEMENT, RATINGS, LENGTH, AUDIT, FLAGS, LICENCES, PERSONAL, IDENTITY, COPIES, SPLITS)
PASSED: Final = "passed"
FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
MOST_NAMED = 20  # responses that a check lists

State = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Lines:
    """What the lead wants of this release; None where nothing."""

    target: int | None = None  # pairs of each genre and language
    floor: Fraction | None = None  # of alpha


@dataclass(frozen=True, slots=True)
class Stratum:
    genre: str
    language: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Sides:
    """Pairs whose chosen side is longer, shorter or as long."""

    longer: int
    shorter: int
    equal: int


@dataclass(frozen=True, slots=True)
class Texts:
    """What was read of `total` texts, and which responses stood out; `named` are the first of them."""

    read: int
    total: int
    hits: int
    named: Sequence[str] = ()
    by_kind: Mapping[str, int] | None = None

    @property
    def state(self) -> State:
        if self.hits:
            return FAILED
        return PASSED if self.read >= self.total else UNKNOWN

    def detail(self) -> dict[str, object]:
        found: dict[str, object] = {"texts": self.hits, "read": self.read, "of": self.total}
        return {**found, **({"kinds": dict(self.by_kind)} if self.by_kind else {})}


@dataclass(frozen=True, slots=True)
class Audited:
    """Of the signal audit. `state` is that of its record; `exceeded` are keys of limits; the numbers of copies are
    None where there is no audit, and `newer` counts releases that were frozen after it."""

    state: str
    is_within: bool
    exceeded: Sequence[str]
    earlier_exact: int | None = None
    earlier_near: int | None = None
    most_exact: int | None = None
    most_near: int | None = None
    compared: int = 0
    newer: int = 0


def quota(strata: Sequence[Stratum], target: int | None, of_recipe: int | None) -> Check:
    """`of_recipe` is a quota that holds for the same strata; a target that the lead sets goes before it."""
    wanted = of_recipe if target is None else target
    short = [each for each in strata if wanted is not None and each.pairs < wanted]
    detail: dict[str, object] = {
        "target": wanted,
        "strata": [{"genre": each.genre, "language": each.language, "pairs": each.pairs} for each in strata],
        "short": len(short),
    }
    return Check(QUOTA, FAILED if short else PASSED, detail)


def agreement(
    value: float | None, interval: tuple[float | None, float | None], acceptable: str, floor: Fraction | None
) -> Check:
    """Alpha against the floor. `acceptable` is the line of the project's charts, which blocks nothing."""
    detail: dict[str, object] = {
        "alpha": value,
        "low": interval[0],
        "high": interval[1],
        "acceptable": acceptable,
        "floor": None if floor is None else f"{float(floor):g}",
    }
    if value is None:
        return Check(AGREEMENT, UNKNOWN if floor is None else FAILED, detail)
    # To six digits, as no one sets a floor finer than that: a sum of doubles may miss it in the last bit.
    is_below = floor is not None and Fraction(round(value * 10**6), 10**6) < floor
    return Check(AGREEMENT, FAILED if is_below else PASSED, detail)


def ratings(asked: int, fewest: int, below: int) -> Check:
    """How many annotators stand behind a pair. The project asks for so many, and blocks nothing."""
    return Check(RATINGS, PASSED, {"asked": asked, "fewest": fewest, "below": below})


def length(
    sides: Sides,
    found: Audited,
    *,
    is_pruned: bool,
    limit: str | None,
    by_language: Mapping[str, Sides] = MappingProxyType({}),
) -> Check:
    """Exact where the recipe prunes for it; else as the audit's limit sees it, for few pairs prove nothing.

    Where all pairs are one stratum, languages may lean to either side and cancel each other out: that is told.
    """
    detail: dict[str, object] = {
        "longer": sides.longer,
        "shorter": sides.shorter,
        "equal": sides.equal,
        "pruned": is_pruned,
        "limit": limit,
        "languages": {name: [each.longer, each.shorter] for name, each in sorted(by_language.items())},
    }
    if sides.longer == sides.shorter:
        return Check(LENGTH, PASSED, detail)
    if is_pruned or "longer" in found.exceeded:
        return Check(LENGTH, FAILED, detail)
    return Check(LENGTH, UNKNOWN if limit is not None and found.state != "done" else PASSED, detail)


def audit(found: Audited) -> Check:
    detail: dict[str, object] = {"state": found.state, "exceeded": list(found.exceeded)}
    if found.is_within:
        return Check(AUDIT, PASSED, detail)
    return Check(AUDIT, UNKNOWN if found.state == "not_done" else FAILED, detail)


def flags(n: int, texts: int) -> Check:
    """Open flags, on so many prompts and responses of the pairs."""
    return Check(FLAGS, FAILED if n else PASSED, {"flags": n, "texts": texts})


def licences(responses: int, stated: Mapping[str, int]) -> Check:
    """Responses of the pairs, and of how many each licence is stated. Plumb cannot know the rest."""
    unstated = responses - sum(stated.values())
    return Check(
        LICENCES,
        UNKNOWN if unstated else PASSED,
        {"responses": responses, "unstated": unstated, "stated": dict(stated)},
    )


def personal(texts: Texts) -> Check:
    return Check(PERSONAL, texts.state, texts.detail())


def identity(texts: Texts) -> Check:
    return Check(IDENTITY, texts.state, texts.detail())


def copies(found: Audited) -> Check:
    """Against earlier releases, whatever their project."""
    exact, near = found.earlier_exact, found.earlier_near
    detail: dict[str, object] = {
        "exact": exact,
        "near": near,
        "compared": found.compared,
        "newer": found.newer,
    }
    if exact is None or near is None:
        return Check(COPIES, UNKNOWN, detail)
    if _is_over(exact, found.most_exact) or _is_over(near, found.most_near):
        return Check(COPIES, FAILED, detail)
    return Check(COPIES, UNKNOWN if found.newer else PASSED, detail)


def _is_over(number: int, most: int | None) -> bool:
    return most is not None and number > most


def splits(split_of: Mapping[str, str], same: Sequence[Collection[str]]) -> Check:
    """`split_of` says where each prompt is, by id; `same` are groups of prompts with one text."""
    torn = [group for group in same if len({split_of[prompt] for prompt in group}) > 1]
    detail: dict[str, object] = {
        "prompts": len(split_of),
        "heldout": sum(1 for split in split_of.values() if split == "heldout"),
        "same_text": len(same),
        "torn": len(torn),
    }
    return Check(SPLITS, FAILED if torn else PASSED, detail)


def waived(checks: Sequence[Check], reasons: Mapping[str, str]) -> tuple[Check, ...]:
    """The checks with the reasons given, by name. A reason stays only where there is something to give one for."""
    return tuple(
        replace(check, waiver=reasons.get(check.name, "")) if check.state != PASSED else check
        for check in checks
    )


def unwaived(checks: Sequence[Check]) -> list[str]:
    """The names of those that fail without a reason."""
    return [check.name for check in checks if check.state == FAILED and not check.waiver]
