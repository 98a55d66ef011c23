"""Candidates that failed because people did not agree on them, with what each side got: soft labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curation.domain.judgements import Judgement
from curation.domain.outcome import Rejections
from curation.domain.ranked import Material

REASONS = ("no_gap", "direction", "unanimity", "gap")  # of what was judged by enough people


@dataclass(frozen=True)  # without slots, which orjson writes half as fast
class Contested:
    """A candidate, a < b as bytes, and why it is no pair. `share_a` is the share of the k common annotators who
    prefer `a`, ties half. A release has these fields, in this order."""

    id: str
    prompt_id: str
    a: str
    b: str
    reason: str
    votes_a: int
    votes_b: int
    ties: int
    k: int
    share_a: float
    genre: str
    language: str
    prompt: str
    a_text: str
    b_text: str


def contested(
    material: Material, rejected: Rejections, judgements: Sequence[Judgement]
) -> Iterator[Contested]:
    """In the order of (a, b) as bytes."""
    scores: dict[str, dict[str, int]] = {}
    for row in judgements:
        scores.setdefault(row.response_id, {})[row.annotator] = row.score
    reasons = tuple(rejected.by_reason())
    wanted = [code for code, reason in enumerate(reasons, start=1) if reason in REASONS]
    first, second, codes = rejected.columns()
    at = np.flatnonzero(np.isin(codes, wanted))
    for place in at.tolist():
        one, other = material.rows[int(first[place])], material.rows[int(second[place])]
        votes_a, votes_b, ties = _votes(scores.get(one.id, {}), scores.get(other.id, {}))
        k = votes_a + votes_b + ties
        yield Contested(
            id=f"{one.prompt_id}:{one.id}:{other.id}",
            prompt_id=one.prompt_id,
            a=one.id,
            b=other.id,
            reason=reasons[int(codes[place]) - 1],
            votes_a=votes_a,
            votes_b=votes_b,
            ties=ties,
            k=k,
            share_a=(2 * votes_a + ties) / (2 * k) if k else 0.5,
            genre=one.genre,
            language=one.language,
            prompt=one.prompt,
            a_text=one.text,
            b_text=other.text,
        )


def _votes(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[int, int, int]:
    both = one.keys() & other.keys()
    votes_a = sum(one[name] > other[name] for name in both)
    votes_b = sum(one[name] < other[name] for name in both)
    return votes_a, votes_b, len(both) - votes_a - votes_b
