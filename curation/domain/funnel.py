"""The funnel: every candidate ends with one outcome, accepted or the first reason that rejected it."""

from collections.abc import Mapping
from dataclasses import dataclass

# Of scores, of votes and of rankings, in the order in which they are tried; a candidate bears the first that applies.
REASONS = (
    "identical_text",
    "insufficient_overlap",
    "no_gap",
    "direction",
    "unanimity",
    "gap",
    "length_ratio",
    "cap_response",
    "cap_prompt",
    "length_symmetry",
    "quota",
)
REASONS_OF_VOTES = ("identical_text", "upvote_gap", "time", "split", "length_symmetry")
REASONS_OF_RANKINGS = ("identical_text", "no_ranking", "tied", "not_adjacent")


@dataclass(frozen=True, slots=True)
class Funnel:
    """`removed` responses formed no candidate: a number, or one for each filter that removed some. `rejected` names
    every reason in the order of the rules, with zeros."""

    candidates: int
    removed: int | Mapping[str, int]
    rejected: Mapping[str, int]
    accepted: int

    def as_dict(self) -> dict[str, object]:
        """The four entries in this order, as JSON values."""
        return {
            "candidates": self.candidates,
            "removed": self.removed if isinstance(self.removed, int) else dict(self.removed),
            "rejected": dict(self.rejected),
            "accepted": self.accepted,
        }
