"""What a release keeps of the audit of its run: the figures, the limits, and why it was frozen outside them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from curation.domain.audit.found import Found
from curation.domain.audit.limits import Excess, Limits, exceeded

DONE, NOT_DONE, FAILED = "done", "not_done", "failed"
LONGEST_REASON = 2000  # characters
UNSEEN = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Record:
    """`state` is DONE where `found` is there; else the run had no audit when it was frozen, or one that failed.

    `reason` says in a person's words why a run that is not within its limits was frozen.
    """

    state: str
    limits: Limits
    found: Found | None = None
    reason: str = ""

    @property
    def exceeded(self) -> tuple[Excess, ...]:
        return () if self.found is None else tuple(exceeded(self.found, self.limits))

    @property
    def is_within(self) -> bool:
        """There is an audit, and no limit that it exceeds."""
        return self.found is not None and not self.exceeded

    def as_dict(self) -> dict[str, object]:
        """JSON values, in an order of their own."""
        return {
            "state": self.state,
            "limits": self.limits.as_dict(),
            "exceeded": [each.as_dict() for each in self.exceeded],
            "reason": self.reason,
            "found": None if self.found is None else self.found.as_dict(),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Record":
        """What as_dict gave; what is exceeded follows from the rest."""
        found = kept["found"]
        return cls(
            kept["state"],
            Limits.from_dict(kept["limits"]),
            None if found is None else Found.from_dict(found),
            kept["reason"],
        )


def tidy(reason: str) -> str:
    """The reason on one line, as it is kept."""
    return UNSEEN.sub(" ", reason).strip()
