"""What a release is asked to be. Whatever of a release is neither judged nor computed stands here, so that it can be
made again, byte for byte."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

Heldout = Literal["", "labels", "all"]
LONGEST_NOTE = 2000  # characters
LONGEST_STATEMENT = 2000  # characters
TOO_LONG: Final = "too_long"
UNSEEN: Final = "unseen"
# Control, format and surrogate characters, and separators of lines that are none of a keyboard's.
CATEGORIES_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
JOINERS = "\u200c\u200d"  # some scripts, and emoji, cannot be written without
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
class Statements:
    """What the team says of its annotators, in plain words: who they are, how they were trained, and what they were
    paid. "" where it says nothing."""

    annotators: str = ""
    training: str = ""
    pay: str = ""

    def as_dict(self) -> dict[str, str]:
        return {"annotators": self.annotators, "training": self.training, "pay": self.pay}


def written(text: str) -> str:
    """A statement as it is kept: lines end in one way, and nothing stands around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def fault(statement: str) -> Literal["", "too_long", "unseen"]:
    """Why a statement cannot be kept, "" where it can."""
    if len(statement) > LONGEST_STATEMENT:
        return TOO_LONG
    return UNSEEN if any(map(_is_unseen, statement)) else ""


def _is_unseen(character: str) -> bool:
    if character in "\n\t" or character in JOINERS:
        return False
    return unicodedata.category(character) in CATEGORIES_UNSEEN


@dataclass(frozen=True, slots=True)
class Terms:
    """`date` is the day of the request (ISO, UTC); `canary` a GUID that stands in every record; `salt` is what makes
    annotators' pseudonyms those of this release, and leaves nobody's sight; `licence` is an SPDX-like id in lower case
    or ""; with `contested` candidates that failed leave with it; `heldout` says what is kept back of the
    `heldout_percent` of prompts that the split of that name holds: nothing is held out, their labels, or all of them;
    `previous` is the version of the same name before it, "" where it is the first. `statements` is None of releases
    whose team was not asked, which are made again without."""

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
    statements: Statements | None = None

    def as_dict(self) -> dict[str, object]:
        value = asdict(self)
        if self.statements is None:
            del value["statements"]
        return value

    def told(self) -> dict[str, object]:
        """What a manifest says: all but the salt."""
        return {name: value for name, value in self.as_dict().items() if name != "salt"}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Terms":
        """Of what as_dict gave."""
        stated = value.get("statements")
        return cls(
            **{
                **value,
                "checks": tuple(Check(**check) for check in value["checks"]),
                "statements": None if stated is None else Statements(**stated),
            }
        )
