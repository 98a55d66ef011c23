"""To which category a prompt belongs, by the votes of several: more than half of them decide."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

VOTERS = 3

Category = TypeVar("Category", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Category]):
    """Open: too few votes yet. Tied: all have voted and no category has more than half, as in 1:1:1."""

    state: Literal["open", "decided", "tied"]
    category: Category | None = None  # the one that was decided on
    votes: int = 0  # for it


def outcome(votes: Sequence[Category], voters: int = VOTERS) -> Outcome[Category]:
    """What one vote a voter come to. The order of the votes makes no difference.

    A majority of those who are asked decides, and may do so before the last of them has voted. Where more voted
    than were asked, it takes more than half of the votes.
    """
    asked = max(voters, len(votes))
    for category, count in Counter(votes).most_common(1):
        if 2 * count > asked:
            return Outcome("decided", category, count)
    return Outcome("tied" if len(votes) >= voters else "open")
