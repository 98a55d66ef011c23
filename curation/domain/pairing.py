"""Pairs from scores: every candidate of every prompt, the rules in their order, one outcome each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from operator import attrgetter
from typing import overload

import numpy as np
from numpy.typing import NDArray

from annotation.domain import text
from annotation.domain.material import ResponseRow
from annotation.domain.scoring import SCALE, CurrentScore
from curation.domain import verdicts
from curation.domain.funnel import REASONS, Funnel
from curation.domain.length_symmetry import Symmetry
from curation.domain.ranked import CurationError, Material, Measure, ranked
from curation.domain.recipes import WritingPreference
from curation.domain.selection import Outcomes, Table, select
from curation.domain.verdicts import CODE, FLAGS, Verdicts

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pair:
    """An accepted pair. `gap` is the mean difference in lowest terms; both means are over the k common
    annotators."""

    id: str
    prompt_id: str
    chosen: str
    rejected: str
    votes_for: int
    votes_against: int
    ties: int
    k: int
    gap: tuple[int, int]
    mean_chosen: float
    mean_rejected: float
    length_chosen: int
    length_rejected: int
    flags: tuple[str, ...]
    prompt: str
    chosen_text: str
    rejected_text: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejected candidate, a < b as bytes, and the first reason that rejected it."""

    a: str
    b: str
    reason: str


class Rejections(Sequence[Rejected]):
    """All rejected candidates, sorted by (a, b) as bytes. They are kept as columns: there may be a hundred
    times as many as pairs."""

    def __init__(self, ids: Sequence[str], a: Counts, b: Counts, codes: Codes) -> None:
        order = np.lexsort((b, a))
        self._ids = ids
        self._a, self._b, self._codes = a[order], b[order], codes[order]

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, place: int) -> Rejected: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Rejected]: ...
    def __getitem__(self, place: int | slice) -> Rejected | Sequence[Rejected]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        return Rejected(self._ids[self._a[place]], self._ids[self._b[place]], _name(self._codes[place]))

    def __iter__(self) -> Iterator[Rejected]:
        ids = self._ids
        for a, b, code in zip(self._a.tolist(), self._b.tolist(), self._codes.tolist(), strict=True):
            yield Rejected(ids[a], ids[b], _name(code))


@dataclass(frozen=True, slots=True)
class Curation:
    """The outcome. `pairs` are sorted by id as bytes; `symmetry` has an entry for each stratum with pairs,
    and none where it is off."""

    pairs: tuple[Pair, ...]
    rejected: Rejections
    funnel: Funnel
    symmetry: tuple[Symmetry, ...]
    lengths: Measure

    def symmetry_as_dict(self) -> dict[str, object]:
        """JSON values, to be stored with a run."""
        strata = [stratum.as_dict() for stratum in self.symmetry]
        return {"strata": strata, "lengths": self.lengths.as_dict()}


def curate(
    responses: Sequence[ResponseRow],
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    *,
    removed: int = 0,
) -> Curation:
    """All pairs that the recipe accepts, and the one reason of every candidate that it does not.

    `responses` are the active ones; `scores` hold one score for one response by one annotator, all of them
    of these responses; `removed` responses are only counted. CurationError on material that contradicts
    itself.
    """
    material = ranked(responses, length_unit=recipe.length_unit, strata=recipe.strata)
    outcomes = Outcomes()
    table = _judged(material, _marks_by_rank(material.rows, scores), recipe, outcomes)
    table, symmetry = select(material, table, recipe, outcomes)
    pairs = _pairs(material, table)
    codes = np.concatenate([np.zeros(0, dtype=np.uint8), *outcomes.codes])
    counts = np.bincount(codes, minlength=len(REASONS) + 1)
    empty = np.zeros(0, dtype=np.int32)
    return Curation(
        pairs=pairs,
        rejected=Rejections(
            [row.id for row in material.rows],
            np.concatenate([empty, *outcomes.a]),
            np.concatenate([empty, *outcomes.b]),
            codes,
        ),
        funnel=Funnel(
            candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
            removed=removed,
            rejected={reason: int(counts[CODE[reason]]) for reason in REASONS},
            accepted=len(pairs),
        ),
        symmetry=symmetry,
        lengths=material.measure,
    )


def _name(code: int) -> str:
    return REASONS[code - 1]


def _marks_by_rank(rows: Sequence[ResponseRow], scores: Sequence[CurrentScore]) -> list[dict[str, int]]:
    """Of each response its mark (verdicts.Marks) by annotator."""
    by_id: dict[str, dict[str, int]] = {row.id: {} for row in rows}
    for score in scores:
        marks = by_id.get(score.response_id)
        if marks is None:
            raise CurationError(f"a score names the response {score.response_id!r}, which is not among these")
        if score.score not in SCALE:
            raise CurationError(f"{score.response_id!r} has the score {score.score!r}; use 0, 1, 2 or 3")
        if score.annotator in marks:
            raise CurationError(
                f"{score.annotator!r} scores {score.response_id!r} twice; keep one of the two"
            )
        revised = score.largest_revision >= verdicts.LARGE_REVISION
        marks[score.annotator] = score.score + revised * verdicts.REVISED
    return list(by_id.values())


# --- rules 1 to 8 ----------------------------------------------------------------------------------------


def _judged(
    material: Material, scores: Sequence[Mapping[str, int]], recipe: WritingPreference, outcomes: Outcomes
) -> Table:
    """The pairs that stand, prompt by prompt; into `outcomes` what does not."""
    pieces = [_no_pairs()]
    for prompt, ranks in enumerate(material.prompts):
        keys = _same_text(material.rows, ranks)
        for one, other, said in verdicts.verdicts(_marks([scores[rank] for rank in ranks]), recipe):
            first, second = ranks[one], ranks[other]
            codes = said.reason
            codes[keys[one] == keys[other]] = CODE["identical_text"]
            if recipe.max_length_ratio is not None:
                lengths = material.lengths[first], material.lengths[second]
                codes[(codes == 0) & _unequal(*lengths, recipe.max_length_ratio)] = CODE["length_ratio"]
            fell = np.flatnonzero(codes)
            outcomes.add(first[fell], second[fell], codes[fell])
            stand = np.flatnonzero(codes == 0)
            pieces.append(_standing(first[stand], second[stand], prompt, said.at(stand)))
    return Table(*(np.concatenate(column) for column in zip(*(p.columns() for p in pieces), strict=True)))


def _marks(scores: Sequence[Mapping[str, int]]) -> verdicts.Marks:
    columns = {name: column for column, name in enumerate(sorted({name for row in scores for name in row}))}
    marks = np.full((len(scores), len(columns)), verdicts.MISSING, dtype=np.int8)
    for row, by_annotator in enumerate(scores):
        for name, mark in by_annotator.items():
            marks[row, columns[name]] = mark
    return marks


def _same_text(rows: Sequence[ResponseRow], ranks: Ints) -> Ints:
    """A number for each response of a prompt, equal where the texts are the same."""
    numbers: dict[str, int] = {}
    keys = (text.same_text_key(rows[rank].text) for rank in ranks)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _unequal(one: Ints, other: Ints, ratio: Fraction) -> Bools:
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    unequal: Bools = longer * ratio.denominator > shorter * ratio.numerator
    return unequal


def _standing(first: Ints, second: Ints, prompt: int, said: Verdicts) -> Table:
    return Table(
        chosen=np.where(said.first_chosen, first, second),
        rejected=np.where(said.first_chosen, second, first),
        prompt=np.full(len(first), prompt, dtype=np.int64),
        votes_for=said.votes_for,
        votes_against=said.votes_against,
        k=said.k,
        gap=said.gap,
        sum_chosen=said.sum_chosen,
        flags=said.flags,
    )


def _no_pairs() -> Table:
    ints, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Table(ints, ints, ints, counts, counts, counts, counts, counts, np.zeros(0, dtype=np.uint8))


# --- the pairs -------------------------------------------------------------------------------------------


def _pairs(material: Material, table: Table) -> tuple[Pair, ...]:
    pairs = sorted(_unsorted_pairs(material, table), key=attrgetter("id"))
    for one, other in pairwise(pairs):
        if one.id == other.id:
            raise CurationError(
                f"two pairs would have the id {one.id!r}: {one.chosen!r} over {one.rejected!r} and "
                f"{other.chosen!r} over {other.rejected!r}; use ids of prompts and responses without colons"
            )
    return tuple(pairs)


def _unsorted_pairs(material: Material, table: Table) -> Iterator[Pair]:
    rows, lengths = material.rows, material.lengths.tolist()
    columns = (column.tolist() for column in table.columns())
    for chosen, rejected, _, votes_for, votes_against, k, gap, sum_chosen, flags in zip(
        *columns, strict=True
    ):
        winner, loser = rows[chosen], rows[rejected]
        yield Pair(
            id=f"{winner.prompt_id}:{winner.id}:{loser.id}",
            prompt_id=winner.prompt_id,
            chosen=winner.id,
            rejected=loser.id,
            votes_for=votes_for,
            votes_against=votes_against,
            ties=k - votes_for - votes_against,
            k=k,
            gap=_lowest_terms(gap, k),
            mean_chosen=_mean(sum_chosen, k),
            mean_rejected=_mean(sum_chosen - gap, k),
            length_chosen=lengths[chosen],
            length_rejected=lengths[rejected],
            flags=_raised(flags),
            prompt=winner.prompt,
            chosen_text=winner.text,
            rejected_text=loser.text,
        )


# Few values occur in many pairs, which then share them.
@cache
def _lowest_terms(total: int, k: int) -> tuple[int, int]:
    gap = Fraction(total, k)
    return gap.numerator, gap.denominator


@cache
def _mean(total: int, k: int) -> float:
    return total / k


@cache
def _raised(bits: int) -> tuple[str, ...]:
    return tuple(name for bit, name in enumerate(FLAGS) if bits >> bit & 1)
