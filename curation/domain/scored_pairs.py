"""Pairs that scores made, as rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from curation.domain.outcome import Pairs
from curation.domain.selection import Scored
from curation.domain.verdicts import FLAGS


@dataclass(frozen=True)  # without slots, which orjson writes half as fast
class Pair:
    """An accepted pair. `gap` is the mean difference in lowest terms; both means are over the k common
    annotators. A release has these fields, in this order."""

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
    genre: str
    language: str
    chosen_model: str
    rejected_model: str
    prompt: str
    chosen_text: str
    rejected_text: str


class ScoredPairs(Pairs[Pair, Scored]):
    """All accepted pairs, sorted by id as bytes."""

    def made(self, start: int, stop: int) -> Iterator[Pair]:
        rows, lengths = self.material.rows, self.material.lengths
        columns = (column[start:stop].tolist() for column in self.table.columns())
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
                genre=winner.genre,
                language=winner.language,
                chosen_model=winner.model,
                rejected_model=loser.model,
                prompt=winner.prompt,
                chosen_text=winner.text,
                rejected_text=loser.text,
            )

    def flagged(self) -> dict[str, int]:
        return {name: int((self.table.flags >> bit & 1).sum()) for bit, name in enumerate(FLAGS)}


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
