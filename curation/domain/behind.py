"""The candidates behind the bars of a what-if: of each bar the first MOST, in ascending priority.

A candidate that the scores alone rejected never came to have a priority of its own; its place among the others goes by
that of its ids, the lower one as the chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from annotation.domain.scoring import CurrentScore
from curation.domain import priority
from curation.domain.candidates import Candidate, Scores
from curation.domain.length_symmetry import turns
from curation.domain.outcome import Rejections
from curation.domain.ranked import Material
from curation.domain.recipes import WritingPreference
from curation.domain.selection import Scored
from curation.domain.verdicts import LARGE_REVISION

Ints = NDArray[np.int64]
UInts = NDArray[np.uint64]
Bools = NDArray[np.bool_]

MOST = 1000  # candidates kept of a bar
ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Behind:
    """`total` candidates stand behind the bar; of more than MOST the first are kept."""

    total: int
    candidates: tuple[Candidate, ...]


def rule(reason: str) -> str:
    """The key of the bar of a rule, or of what is ACCEPTED."""
    return f"rule-{reason}"


def cell(place: int) -> str:
    """Of a genre in a language: the place of its cell."""
    return f"cell-{place}"


def lengths(side: int, group: int) -> str:
    """Of a group of buckets, by its number from D = 0 on: chosen shorter (-1), longer (1), or as long (0)."""
    return f"lengths-{('equal', 'longer', 'shorter')[side]}-{group}"


def lengths_kept(side: int, group: int) -> str:
    """Of those accepted in such a group."""
    return f"kept-{lengths(side, group)}"


@dataclass(slots=True)
class Bars:
    """What is behind the bars, by rank. `late` has a code for each standing pair: what rejected it after the scores did
    not, 0 where nothing did."""

    material: Material
    scores: Sequence[CurrentScore]
    early: Rejections
    standing: Scored
    late: NDArray[np.uint8]
    recipe: WritingPreference
    _marks: list[dict[str, CurrentScore]] = field(init=False)
    _hashes: UInts = field(init=False)

    def __post_init__(self) -> None:
        self._hashes = priority.hashes(self.recipe.seed, [row.id for row in self.material.rows])
        by_id: dict[str, dict[str, CurrentScore]] = {row.id: {} for row in self.material.rows}
        for score in self.scores:
            by_id[score.response_id][score.annotator] = score
        self._marks = [by_id[row.id] for row in self.material.rows]

    def in_order(self, one: Ints, other: Ints) -> Ints:
        """Indices that sort pairs by their priority."""
        mixed = priority.priorities(self._hashes[one], self._hashes[other])
        return np.lexsort((other, one, mixed))

    def early_candidate(self, a: int, b: int, reason: str) -> Candidate:
        """One that its own texts and scores rejected; its sides as the scores have them."""
        mine, theirs = self._marks[a], self._marks[b]
        balance = sum(mine[name].score - theirs[name].score for name in mine.keys() & theirs.keys())
        return self.candidate(a, b, reason) if balance >= 0 else self.candidate(b, a, reason)

    def candidate(
        self,
        chosen: int,
        rejected: int,
        reason: str,
        bucket: int | None = None,
        symmetry: tuple[int, int, int] | None = None,
    ) -> Candidate:
        rows, lengths_of = self.material.rows, self.material.lengths
        ranks = np.array([chosen]), np.array([rejected])
        mixed = priority.priorities(self._hashes[ranks[0]], self._hashes[ranks[1]])
        return Candidate(
            prompt=rows[chosen].prompt_id,
            chosen=rows[chosen].id,
            rejected=rows[rejected].id,
            reason=reason,
            scores=self._scores(chosen, rejected),
            length_chosen=int(lengths_of[chosen]),
            length_rejected=int(lengths_of[rejected]),
            priority=int(mixed[0]),
            bucket=bucket,
            symmetry=symmetry,
        )

    def _scores(self, chosen: int, rejected: int) -> Scores:
        mine, theirs = self._marks[chosen], self._marks[rejected]
        return tuple(
            (
                name,
                mine[name].score if name in mine else None,
                theirs[name].score if name in theirs else None,
                any(side[name].largest_revision >= LARGE_REVISION for side in (mine, theirs) if name in side),
            )
            for name in sorted(mine.keys() | theirs.keys())
        )


def behind(bars: Bars, *, seen: Bools, buckets: Ints, a_group: int, cells: Ints) -> dict[str, Behind]:
    """By key of the bar. `seen` are the standing pairs that length symmetry sees, `buckets` theirs, `a_group` of which
    make a group, `cells` the cell of each standing pair. A bar without candidates has no entry."""
    found = _of_early_rules(bars)
    kept = _Kept(bars, seen, buckets)
    for code, reason in enumerate((ACCEPTED, *bars.recipe.reasons)):
        kept.add(found, rule(reason), np.flatnonzero(bars.late == code))
    for place in np.unique(cells[bars.late == 0]).tolist():
        kept.add(found, cell(place), np.flatnonzero((bars.late == 0) & (cells == place)))
    numbers = groups(buckets, a_group)
    of_seen = np.flatnonzero(seen)
    for number in np.unique(numbers).tolist():
        group, side = of_seen[numbers == number], (number > 0) - (number < 0)
        kept.add(found, lengths(side, abs(number)), group)
        kept.add(found, lengths_kept(side, abs(number)), group[bars.late[group] == 0])
    return found


def groups(buckets: Ints, a_group: int) -> Ints:
    """The number of the group of each bucket, with its sign; 0 is D = 0."""
    numbers: Ints = np.sign(buckets) * -(-np.abs(buckets) // a_group)
    return numbers


def _of_early_rules(bars: Bars) -> dict[str, Behind]:
    a, b, codes = bars.early.columns()
    reasons = list(bars.early.by_reason().items())
    found = {}
    for code, (reason, total) in enumerate(reasons, start=1):
        if not total:
            continue
        inside = np.flatnonzero(codes == code)
        first = inside[bars.in_order(a[inside].astype(np.int64), b[inside].astype(np.int64))[:MOST]]
        made = [
            bars.early_candidate(one, other, reason)
            for one, other in zip(a[first].tolist(), b[first].tolist(), strict=True)
        ]
        found[rule(reason)] = Behind(total, tuple(made))
    return found


class _Kept:
    """Standing pairs as candidates, each made once."""

    def __init__(self, bars: Bars, seen: Bools, buckets: Ints) -> None:
        self._bars = bars
        self._made: dict[int, Candidate] = {}
        self._seen, self._buckets = np.full(len(seen), -1, dtype=np.int64), buckets
        self._seen[seen] = np.arange(len(buckets))
        table, stratum = bars.standing.only(seen), bars.material.stratum
        place = np.empty(len(buckets), dtype=np.int64)
        place[bars.in_order(table.chosen, table.rejected)] = np.arange(len(buckets))
        # A number for each bucket of each stratum; its mirror image is twice the bucket away.
        self._class = stratum[table.chosen] * (2 * int(np.abs(buckets).max(initial=0)) + 1) + buckets
        self._turn = turns(self._class, place) + 1
        names, sizes = np.unique(self._class, return_counts=True)
        self._sizes = dict(zip(names.tolist(), sizes.tolist(), strict=True))

    def add(self, found: dict[str, Behind], key: str, pairs: Ints) -> None:
        if not len(pairs):
            return
        table = self._bars.standing.only(pairs)
        first = pairs[self._bars.in_order(table.chosen, table.rejected)[:MOST]]
        found[key] = Behind(len(pairs), tuple(self._candidate(place) for place in first.tolist()))

    def _candidate(self, place: int) -> Candidate:
        made = self._made.get(place)
        if made is None:
            made = self._made[place] = self._make(place)
        return made

    def _make(self, place: int) -> Candidate:
        bars = self._bars
        code, seen = int(bars.late[place]), int(self._seen[place])
        chosen, rejected = int(bars.standing.chosen[place]), int(bars.standing.rejected[place])
        reason = bars.recipe.reasons[code - 1] if code else ""
        if seen < 0:
            return bars.candidate(chosen, rejected, reason)
        bucket, number = int(self._buckets[seen]), int(self._class[seen])
        symmetry = int(self._turn[seen]), self._sizes[number], self._sizes.get(number - 2 * bucket, 0)
        return bars.candidate(chosen, rejected, reason, bucket, symmetry)
