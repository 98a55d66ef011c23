"""What a release is asked to be. Whatever of a release is neither judged nor computed stands here, so that it can be
made again, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Heldout = Literal["", "labels", "all"]
LONGEST_NOTE = 2000  # characters
MOST_HELD_OUT = 90  # percent of the prompts


@dataclass(frozen=True, slots=True)
class Check:
    """One check before freezing, as it stood when the release was asked for. `waiver` is why a lead lets one pass that
    fails; `detail` are its numbers, JSON values by name."""

    name: str
    state: Literal["passed", "failed", "unknown"]
    detail: Mapping[str, object]
    waiver: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """`date` is the day of the request (ISO, UTC); `canary` a GUID that stands in every record; `salt` is what makes
    annotators' pseudonyms those of this release, and leaves nobody's sight; `licence` is an SPDX-like id in lower case
    or ""; with `contested` candidates that failed leave with it; `heldout` says what is kept back of the
    `heldout_percent` of prompts that the split of that name holds: nothing is held out, their labels, or all of them;
    `previous` is the version of the same name before it, "" where it is the first."""

    date: str
    canary: str
    salt: str
    note: str = ""
    licence: str = ""
    contested: bool = False
    heldout: Heldout = ""
    heldout_percent: int = 0
    previous: str = ""
    checks: Sequence[Check] = ()

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    def told(self) -> dict[str, object]:
        """What a manifest says: all but the salt."""
        return {name: value for name, value in self.as_dict().items() if name != "salt"}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Terms":
        """Of what as_dict gave."""
        return cls(**{**value, "checks": tuple(Check(**check) for check in value["checks"])})
