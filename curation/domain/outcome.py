"""What curation found, kept as columns: pairs and rejected candidates are made one at a time, when asked for.

A prompt with thousands of responses has millions of candidates; as objects they would fill the memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from annotation.domain.sentences import say
from curation.domain import length_symmetry
from curation.domain.funnel import REASONS
from curation.domain.length_symmetry import Sides
from curation.domain.ranked import CurationError, Material
from curation.domain.selection import Outcomes, Table
from curation.domain.verdicts import FLAGS

Ints = NDArray[np.int64]

AT_A_TIME = 2**14  # rows turned into Python's own numbers at once


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


@dataclass(frozen=True, slots=True)
class Totals:
    """Of the accepted pairs: prompts they come from, pairs that bear each flag, sums of lengths, and how many
    have a longer, a shorter or an equally long chosen side."""

    prompts: int
    flagged: Mapping[str, int]
    length_chosen: int
    length_rejected: int
    sides: Sides


class Pairs(Sequence[Pair]):
    """All accepted pairs, sorted by id as bytes. CurationError where two would have the same id."""

    def __init__(self, material: Material, table: Table) -> None:
        self._material = material
        self._table = table.only(_order(material, table))

    def __len__(self) -> int:
        return len(self._table.chosen)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        at = range(len(self))[place]
        (pair,) = self._made(at, at + 1)
        return pair

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._made(start, start + AT_A_TIME)

    def totals(self) -> Totals:
        """Counts and sums over all pairs, without making them."""
        table, lengths = self._table, self._material.lengths
        chosen, rejected = lengths[table.chosen], lengths[table.rejected]
        return Totals(
            prompts=len(np.unique(table.prompt)),
            flagged={name: int((table.flags >> bit & 1).sum()) for bit, name in enumerate(FLAGS)},
            length_chosen=int(chosen.sum()),
            length_rejected=int(rejected.sum()),
            sides=length_symmetry.sides(chosen - rejected),
        )

    def _made(self, start: int, stop: int) -> Iterator[Pair]:
        rows, lengths = self._material.rows, self._material.lengths
        columns = (column[start:stop].tolist() for column in self._table.columns())
        for chosen, rejected, _, votes_for, votes_against, k, gap, total, flags in zip(*columns, strict=True):
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
                mean_chosen=_mean(total, k),
                mean_rejected=_mean(total - gap, k),
                length_chosen=int(lengths[chosen]),
                length_rejected=int(lengths[rejected]),
                flags=_raised(flags),
                prompt=winner.prompt,
                chosen_text=winner.text,
                rejected_text=loser.text,
            )


class Rejections(Sequence[Rejected]):
    """All rejected candidates, sorted by (a, b) as bytes."""

    def __init__(self, material: Material, outcomes: Outcomes) -> None:
        self._rows = material.rows
        ranks, codes = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8)
        a, b = np.concatenate([ranks, *outcomes.a]), np.concatenate([ranks, *outcomes.b])
        order = np.lexsort((b, a))
        self._a, self._b = a[order], b[order]
        self._codes = np.concatenate([codes, *outcomes.codes])[order]

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, place: int) -> Rejected: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Rejected]: ...
    def __getitem__(self, place: int | slice) -> Rejected | Sequence[Rejected]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        at = range(len(self))[place]
        (rejected,) = self._made(at, at + 1)
        return rejected

    def __iter__(self) -> Iterator[Rejected]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._made(start, start + AT_A_TIME)

    def by_reason(self) -> dict[str, int]:
        """How many bear each reason, in the order of the rules, with zeros."""
        counts = np.bincount(self._codes, minlength=len(REASONS) + 1).tolist()
        return dict(zip(REASONS, counts[1:], strict=True))

    def _made(self, start: int, stop: int) -> Iterator[Rejected]:
        columns = (column[start:stop].tolist() for column in (self._a, self._b, self._codes))
        for a, b, code in zip(*columns, strict=True):
            yield Rejected(self._rows[a].id, self._rows[b].id, REASONS[code - 1])


def _order(material: Material, table: Table) -> Ints:
    """Indices that sort pairs by the bytes of their ids, prompt:chosen:rejected."""
    prompts = [material.rows[ranks[0]].prompt_id for ranks in material.prompts]
    responses = [row.id for row in material.rows]
    if any(":" in name for name in prompts) or any(":" in name for name in responses):
        return _order_by_text(prompts, responses, table)
    # Without colons in it, an id goes in a pair's id by its own bytes and the colon that follows; the last one
    # has none after it and goes by its rank.
    of_prompt, of_response = _ranks_before_a_colon(prompts), _ranks_before_a_colon(responses)
    return np.lexsort((table.rejected, of_response[table.chosen], of_prompt[table.prompt]))


def _ranks_before_a_colon(names: Sequence[str]) -> Ints:
    order = sorted(range(len(names)), key=lambda place: names[place] + ":")
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[order] = np.arange(len(names))
    return ranks


def _order_by_text(prompts: Sequence[str], responses: Sequence[str], table: Table) -> Ints:
    """Where ids hold colons, two pairs may also come to the same id; that is refused."""
    sides = [
        (prompts[prompt], responses[chosen], responses[rejected])
        for prompt, chosen, rejected in zip(
            table.prompt.tolist(), table.chosen.tolist(), table.rejected.tolist(), strict=True
        )
    ]
    order = sorted(range(len(sides)), key=lambda place: ":".join(sides[place]))
    for one, other in pairwise(order):
        if ":".join(sides[one]) == ":".join(sides[other]):
            (_, chosen, rejected), (_, other_chosen, other_rejected) = sides[one], sides[other]
            reason = say(
                "two pairs would have the id '{id}': '{chosen}' over '{rejected}' and '{other_chosen}' over "
                "'{other_rejected}'; use ids of prompts and responses without colons",
                id=":".join(sides[one]),
                chosen=chosen,
                rejected=rejected,
                other_chosen=other_chosen,
                other_rejected=other_rejected,
            )
            raise CurationError(reason)
    return np.array(order, dtype=np.int64)


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
