"""The funnel: every candidate ends with one outcome, accepted or the first reason that rejected it."""

from collections.abc import Mapping
from dataclasses import dataclass

# In the order in which they are tried; a candidate bears the first that applies.
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


@dataclass(frozen=True, slots=True)
class Funnel:
    """`removed` responses formed no candidate; `rejected` names every reason, with zeros."""

    candidates: int
    removed: int
    rejected: Mapping[str, int]
    accepted: int

    def as_dict(self) -> dict[str, object]:
        """The four entries in this order, the reasons in the order of the rules."""
        return {
            "candidates": self.candidates,
            "removed": self.removed,
            "rejected": {reason: self.rejected[reason] for reason in REASONS},
            "accepted": self.accepted,
        }
