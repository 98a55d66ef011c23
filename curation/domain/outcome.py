"""What curation found, kept as columns: pairs and rejected candidates are made one at a time, when asked for.

A prompt with thousands of responses has millions of candidates; as objects they would fill the memory. What a pair
says of itself differs between recipes (scored_pairs, voted_pairs); all else is here.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, TypeVar, overload

import numpy as np

from annotation.domain.sentences import say
from curation.domain import length_symmetry
from curation.domain.funnel import Funnel
from curation.domain.length_symmetry import Sides, Symmetry
from curation.domain.ranked import CurationError, Material, Measure
from curation.domain.standing import Codes, Counts, Ints, Outcomes, Table

AT_A_TIME = 2**14  # rows turned into Python's own numbers at once

P = TypeVar("P")
T = TypeVar("T", bound=Table)


@dataclass(frozen=True)  # without slots, which orjson writes half as fast
class Rejected:
    """A rejected candidate, a < b as bytes, and the first reason that rejected it.

    A release has these fields, in this order; who verifies it counts on the reason being the last.
    """

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


class Pairs(Sequence[P], Generic[P, T]):
    """All accepted pairs, sorted by id as bytes. CurationError where two would have the same id."""

    def __init__(self, material: Material, table: T) -> None:
        self.material = material
        self.table = table.only(_order(material, table))

    @abstractmethod
    def made(self, start: int, stop: int) -> Iterator[P]:
        """The pairs from one place to another."""

    def flagged(self) -> dict[str, int]:
        """How many pairs bear each flag that the recipe knows."""
        return {}

    def __len__(self) -> int:
        return len(self.table.chosen)

    @overload
    def __getitem__(self, place: int) -> P: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[P]: ...
    def __getitem__(self, place: int | slice) -> P | Sequence[P]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        at = range(len(self))[place]
        (pair,) = self.made(at, at + 1)
        return pair

    def __iter__(self) -> Iterator[P]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self.made(start, start + AT_A_TIME)

    def totals(self) -> Totals:
        """Counts and sums over all pairs, without making them."""
        chosen = self.material.lengths[self.table.chosen]
        rejected = self.material.lengths[self.table.rejected]
        return Totals(
            prompts=len(np.unique(self.table.prompt)),
            flagged=self.flagged(),
            length_chosen=int(chosen.sum()),
            length_rejected=int(rejected.sum()),
            sides=length_symmetry.sides(chosen - rejected),
        )


class Rejections(Sequence[Rejected]):
    """All rejected candidates, or a sample of them, sorted by (a, b) as bytes; LookupError where they were only
    counted."""

    def __init__(self, material: Material, outcomes: Outcomes) -> None:
        self.sample = outcomes.sample()
        self._rows = material.rows
        self._outcomes = outcomes
        self._counts = outcomes.by_reason()
        self._sorted: tuple[Counts, Counts, Codes] | None = None

    def __len__(self) -> int:
        return self.sample.rows if self.sample else sum(self._counts.values())

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
        """How many of all bear each reason, in the order of the rules, with zeros."""
        return dict(self._counts)

    def _made(self, start: int, stop: int) -> Iterator[Rejected]:
        reasons = self._outcomes.reasons
        columns = (column[start:stop].tolist() for column in self.columns())
        for a, b, code in zip(*columns, strict=True):
            yield Rejected(self._rows[a].id, self._rows[b].id, reasons[code - 1])

    def columns(self) -> tuple[Counts, Counts, Codes]:
        """Ranks of both sides, the lower first, and codes of their reasons, in the order of the rows.

        Sorted when first asked for: where only the numbers are wanted, that is never.
        """
        if self._sorted is None:
            if not self._outcomes.kept:
                raise LookupError("the rejected candidates were only counted")
            self._sorted = self._outcomes.in_order()
        return self._sorted


@dataclass(frozen=True, slots=True)
class Curation(Generic[P]):
    """The outcome. `pairs` are sorted by id as bytes; `symmetry` has an entry for each stratum with pairs, and none
    where it is off.

    `splits` are the pairs of each split, empty where all are of `test`. `tokens` says how the numbers of tokens came
    about where a rule looks at them.
    """

    pairs: Pairs[P, Any]
    rejected: Rejections
    funnel: Funnel
    symmetry: tuple[Symmetry, ...]
    lengths: Measure
    splits: Mapping[str, Pairs[P, Any]] = field(default_factory=dict)
    tokens: Measure | None = None

    def symmetry_as_dict(self) -> dict[str, object]:
        """JSON values, to be stored with a run."""
        strata = [stratum.as_dict() for stratum in self.symmetry]
        return {"strata": strata, "lengths": self.lengths.as_dict()}


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
            pair_id = ":".join(sides[one])
            raise same_id(pair_id, (chosen, rejected), (other_chosen, other_rejected))
    return np.array(order, dtype=np.int64)


def same_id(pair_id: str, sides: tuple[str, str], other: tuple[str, str]) -> CurationError:
    """The refusal of two pairs, (chosen, rejected) each, that come to one id."""
    reason = say(
        "two pairs would have the id '{id}': '{chosen}' over '{rejected}' and '{other_chosen}' over "
        "'{other_rejected}'; use ids of prompts and responses without colons",
        id=pair_id,
        chosen=sides[0],
        rejected=sides[1],
        other_chosen=other[0],
        other_rejected=other[1],
    )
    return CurationError(reason)
