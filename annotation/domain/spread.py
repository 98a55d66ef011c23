"""How far apart the scores of one text are."""

from collections.abc import Sequence
from itertools import combinations


def spread(scores: Sequence[int]) -> float:
    """The mean distance of two of them; 0 where there are no two."""
    pairs = list(combinations(scores, 2))
    return sum(abs(one - other) for one, other in pairs) / len(pairs) if pairs else 0.0
