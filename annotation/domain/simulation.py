"""Simulated annotators, for a demonstration that needs scores before any person has given one.

Every draw is a hash of the seed, the annotator and the response, so a score depends on nothing else: neither on
the order of the rows nor on who else scores.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from annotation.domain.scoring import SCALE, ScoreRow

Phrases = Mapping[int, Sequence[str]]  # by score, what may be said of it

MAX_DEVIATION = 1.1  # points; people who have read the same rubric do not disagree by more


@dataclass(frozen=True, slots=True)
class Annotator:
    """`severity` is what the annotator takes off the quality, `noise` the standard deviation of the rest where
    tastes can differ; both in points of the scale."""

    name: str
    severity: float
    noise: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.severity) or not 0 <= self.noise < math.inf:
            raise ValueError(f"{self.name}: severity must be a finite number and noise one of 0 or more")


def simulate(
    quality: Mapping[str, float],
    annotators: Sequence[Annotator],
    *,
    seed: str,
    phrases: Mapping[str, Phrases],
) -> list[ScoreRow]:
    """A score and its justification from every annotator for every response, by response id and annotator.

    `quality` (0 to 3) and `phrases` go by response id; the phrases are those of the response's language.
    """
    return [
        _scored(response_id, annotator, quality[response_id], phrases[response_id], seed)
        for response_id in sorted(quality)
        for annotator in sorted(annotators, key=lambda annotator: annotator.name)
    ]


def _scored(response_id: str, annotator: Annotator, quality: float, phrases: Phrases, seed: str) -> ScoreRow:
    key = (seed, annotator.name, response_id)
    deviation = annotator.noise * _dispute(quality) * NormalDist().inv_cdf(_draw(*key, "score"))
    felt = quality - annotator.severity + min(max(deviation, -MAX_DEVIATION), MAX_DEVIATION)
    score = min(max(math.floor(felt + 0.5), SCALE[0]), SCALE[-1])
    said = phrases[score][int(_draw(*key, "justification") * len(phrases[score]))]
    return ScoreRow(response_id, annotator.name, score, justification=said)


def _dispute(quality: float) -> float:
    """The share of the noise that comes to bear: all from quality 1 upwards, a third at 0, for nobody finds
    gibberish competent."""
    return (1 + 2 * min(quality, 1.0)) / 3


def _draw(*key: str) -> float:
    """A number strictly between 0 and 1, evenly spread over the keys."""
    # A length before each part keeps ("ab", "c") and ("a", "bc") apart.
    message = "".join(f"{len(part)}:{part}" for part in key).encode()
    # 52 bits and a half step: the largest value is still below 1 as a double.
    return ((int.from_bytes(hashlib.sha256(message).digest()[:8], "big") >> 12) + 0.5) / 2**52
