"""Candidates as somebody looks at them: two responses with the scores of both, and what became of the pair.

Behind each bar of a chart stand candidates; of many only the first are kept, as compact bytes.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

Scores = tuple[tuple[str, int | None, int | None, bool], ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """`reason` is that of its rejection, "" where it was accepted. Where no side is preferred, `chosen` is the lower id
    as bytes.

    `scores` are (annotator, of chosen, of rejected, revised), by annotator; None where one was not given; revised is a
    change of two points or more. `bucket` is that of the length difference, None where pruning did not see the pair;
    `symmetry` then holds its turn in the bucket from 1 on, the pairs there, and those of the mirror image.
    """

    prompt: str
    chosen: str
    rejected: str
    reason: str
    scores: Scores
    length_chosen: int
    length_rejected: int
    priority: int
    bucket: int | None = None
    symmetry: tuple[int, int, int] | None = None

    @property
    def tally(self) -> "Tally":
        return tally(self.scores)

    @property
    def difference(self) -> int:
        """D, of the lengths."""
        return self.length_chosen - self.length_rejected


@dataclass(frozen=True, slots=True)
class Tally:
    """Over the k common annotators: votes, ties, and sums of scores. The gap is `gap` / `k`."""

    k: int
    votes_for: int
    votes_against: int
    ties: int
    sum_chosen: int
    sum_rejected: int

    @property
    def gap(self) -> int:
        return self.sum_chosen - self.sum_rejected


def tally(scores: Scores) -> Tally:
    pairs = [
        (chosen, rejected) for _, chosen, rejected, _ in scores if chosen is not None and rejected is not None
    ]
    votes_for = sum(chosen > rejected for chosen, rejected in pairs)
    votes_against = sum(chosen < rejected for chosen, rejected in pairs)
    return Tally(
        k=len(pairs),
        votes_for=votes_for,
        votes_against=votes_against,
        ties=len(pairs) - votes_for - votes_against,
        sum_chosen=sum(chosen for chosen, _ in pairs),
        sum_rejected=sum(rejected for _, rejected in pairs),
    )


def to_bytes(candidates: Sequence[Candidate]) -> bytes:
    """As from_bytes reads them."""
    rows = [
        (
            each.prompt,
            each.chosen,
            each.rejected,
            each.reason,
            each.scores,
            each.length_chosen,
            each.length_rejected,
            each.priority,
            each.bucket,
            each.symmetry,
        )
        for each in candidates
    ]
    return zlib.compress(orjson.dumps(rows))


def from_bytes(content: bytes) -> list[Candidate]:
    return [_candidate(row) for row in orjson.loads(zlib.decompress(content))]


def _candidate(row: list[Any]) -> Candidate:
    prompt, chosen, rejected, reason, scores, length_chosen, length_rejected, priority, bucket, symmetry = row
    return Candidate(
        prompt,
        chosen,
        rejected,
        reason,
        tuple((name, mine, theirs, revised) for name, mine, theirs, revised in scores),
        length_chosen,
        length_rejected,
        priority,
        bucket,
        tuple(symmetry) if symmetry else None,
    )
