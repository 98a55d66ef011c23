"""What differs between the pairs of two runs, pair by pair.

Two responses are the same pair whichever side is chosen. A pair that is in one of the runs alone was either decided
otherwise by the rules, or could not be formed in the other, because a response of it was no material there.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from curation.domain.release_versions import Bump

ADDED = "added"  # a response of it was no material before
REMOVED = "removed"  # a response of it is no material any more
CHANGED = "changed"  # the same side is chosen, on other grounds
FLIPPED = "flipped"  # the other side is chosen
DROPPED = "dropped"  # it was accepted, and is rejected now
TAKEN = "taken"  # it was rejected, and is accepted now
KINDS = (REMOVED, DROPPED, FLIPPED, CHANGED, TAKEN, ADDED)
LOSING = (REMOVED, DROPPED, FLIPPED)
VOTES, GAP, MEANS, TEXT = "votes", "gap", "means", "text"  # what changed

Sides = tuple[str, str]  # two responses, the lower id first


@dataclass(frozen=True, slots=True)
class PairFacts:
    """`votes` are those for, against and tied, of k; `texts` tells the two texts apart from others."""

    prompt: str
    chosen: str
    rejected: str
    votes: tuple[int, int, int]
    k: int
    gap: Fraction
    means: tuple[float, float]
    texts: tuple[str, str] = ("", "")

    @property
    def sides(self) -> Sides:
        return sides(self.chosen, self.rejected)


@dataclass(frozen=True, slots=True)
class Change:
    """`before` and `after` are None where the pair was not accepted; `what` names what changed of one that was, and
    `reason` is why a rule rejects it now, or did."""

    kind: str
    before: PairFacts | None
    after: PairFacts | None
    what: tuple[str, ...] = ()
    reason: str = ""

    @property
    def pair(self) -> PairFacts:
        found = self.after or self.before
        if found is None:
            raise ValueError("a change is of a pair that is in one of the runs at least")
        return found


@dataclass(frozen=True, slots=True)
class Difference:
    """`changes` stand in the order of KINDS, then of their ids; `same` pairs are as they were."""

    changes: tuple[Change, ...]
    same: int

    def counts(self) -> dict[str, int]:
        """By kind, with zeros."""
        found = dict.fromkeys(KINDS, 0)
        for change in self.changes:
            found[change.kind] += 1
        return found

    @property
    def bump(self) -> Bump:
        """How far the version has to rise."""
        kinds = {change.kind for change in self.changes}
        if kinds & {*LOSING}:
            return Bump.MAJOR
        return Bump.MINOR if kinds else Bump.PATCH


def sides(one: str, other: str) -> Sides:
    return (one, other) if one < other else (other, one)


def difference(
    before: Iterable[PairFacts],
    after: Iterable[PairFacts],
    *,
    gone: Collection[str],
    new: Collection[str],
) -> Difference:
    """`gone` are responses of the pairs before that are no material any more, `new` those of the pairs after that were
    none before."""
    was = {pair.sides: pair for pair in before}
    changes, same = [], 0
    for pair in after:
        old = was.pop(pair.sides, None)
        if old is None:
            is_new = pair.chosen in new or pair.rejected in new
            changes.append(Change(ADDED if is_new else TAKEN, None, pair))
        elif old.chosen != pair.chosen:
            changes.append(Change(FLIPPED, old, pair))
        elif what := _what(old, pair):
            changes.append(Change(CHANGED, old, pair, what))
        else:
            same += 1
    for old in was.values():
        is_gone = old.chosen in gone or old.rejected in gone
        changes.append(Change(REMOVED if is_gone else DROPPED, old, None))
    order = {kind: number for number, kind in enumerate(KINDS)}
    return Difference(
        tuple(sorted(changes, key=lambda each: (order[each.kind], each.pair.prompt, each.pair.sides))), same
    )


def only_in_one(
    before: Iterable[PairFacts], after: Iterable[PairFacts]
) -> tuple[list[PairFacts], list[PairFacts]]:
    """The pairs of each that the other has on neither side: of their responses it must be known what became."""
    was, now = {pair.sides: pair for pair in before}, {pair.sides: pair for pair in after}
    return (
        [pair for key, pair in was.items() if key not in now],
        [pair for key, pair in now.items() if key not in was],
    )


def explained(changes: Iterable[Change], reasons: Mapping[tuple[str, Sides], str]) -> list[Change]:
    """The changes with the reasons, which go by kind and pair."""
    return [replace(each, reason=reasons.get((each.kind, each.pair.sides), "")) for each in changes]


def _what(old: PairFacts, new: PairFacts) -> tuple[str, ...]:
    differs = {
        VOTES: (old.votes, old.k) != (new.votes, new.k),
        GAP: old.gap != new.gap,
        MEANS: old.means != new.means,
        TEXT: old.texts != new.texts,
    }
    return tuple(name for name, does in differs.items() if does)
