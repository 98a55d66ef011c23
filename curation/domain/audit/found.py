"""What an audit found, as far as limits are set to it and a release tells of it: numbers alone.

It names no model, no text and no response, so that it may leave with a release whose texts are blind. Nothing here
computes: whoever shows an audit or holds it against limits loads neither NumPy nor SciPy for it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from annotation.domain.intervals import Interval

LONGER = "longer"
BY_COUNT = ("paragraphs", "markdown", "quotation_marks")
VARIETY = "type_token_ratio"
SOURCE_MODEL = "source_model"
BASELINES = (LONGER, *BY_COUNT, VARIETY, SOURCE_MODEL)
LOGISTIC = "logistic"
SIGNALS = (*BASELINES, LOGISTIC)
COUNTS = ("exact", "near", "earlier_exact", "earlier_near", "leaks")
HALVES = 2


@dataclass(frozen=True, slots=True)
class Share:
    """`k` right guesses and `ties` of n; `low` and `high` by prompts, None where fewer than two have a case."""

    k: int
    ties: int
    n: int
    rate: float | None
    wilson_low: float | None = None
    wilson_high: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def interval(self) -> Interval | None:
        """The one by prompts; Wilson's where there is none."""
        if self.low is not None and self.high is not None:
            return Interval(self.low, self.high)
        if self.wilson_low is not None and self.wilson_high is not None:
            return Interval(self.wilson_low, self.wilson_high)
        return None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class Audited(Protocol):
    """What limits are set to: report.Audit has it, and so has what was kept of one."""

    def shares(self) -> Mapping[str, Share]:
        """Over all pairs, by name of SIGNALS."""

    def counts(self) -> Mapping[str, int]:
        """Numbers of responses, by name of COUNTS."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Of some of the pairs; `few`: of too few to read anything into."""

    pairs: int
    prompts: int
    few: bool
    shares: Mapping[str, Share]  # by name of SIGNALS

    def as_dict(self) -> dict[str, object]:
        return {
            "pairs": self.pairs,
            "prompts": self.prompts,
            "few": self.few,
            **{name: self.shares[name].as_dict() for name in SIGNALS},
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Signals":
        shares = {name: Share(**kept[name]) for name in SIGNALS}
        return cls(kept["pairs"], kept["prompts"], kept["few"], shares)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Signals":
        """From what report.Signals.as_dict gave."""
        found = {**kept["baselines"], LOGISTIC: kept["logistic"]["accuracy"]}
        return cls.from_dict(
            {"pairs": kept["pairs"], "prompts": kept["prompts"], "few": kept["few"], **found}
        )


@dataclass(frozen=True, slots=True)
class Found:
    """`genres` in the order of their keys; `numbers` by name of COUNTS; `earlier` is how many texts of earlier
    releases were compared."""

    signals: Signals
    genres: Mapping[str, Signals]
    numbers: Mapping[str, int]
    earlier: int

    def shares(self) -> Mapping[str, Share]:
        return self.signals.shares

    def counts(self) -> Mapping[str, int]:
        return self.numbers

    def as_dict(self) -> dict[str, object]:
        """JSON values, in an order of their own: a database may give them back in any other."""
        return {
            "signals": self.signals.as_dict(),
            "genres": [{"key": key, **self.genres[key].as_dict()} for key in sorted(self.genres)],
            "copies": {name: self.numbers[name] for name in COUNTS},
            "earlier_texts": self.earlier,
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Found":
        return cls(
            Signals.from_dict(kept["signals"]),
            {genre["key"]: Signals.from_dict(genre) for genre in kept["genres"]},
            {name: kept["copies"][name] for name in COUNTS},
            kept["earlier_texts"],
        )

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Found":
        """From what report.Audit.as_dict gave, as a worker keeps it."""
        numbers = {
            "exact": kept["copies"]["exact"],
            "near": kept["copies"]["near"],
            "earlier_exact": kept["earlier"]["exact"],
            "earlier_near": kept["earlier"]["near"],
            "leaks": kept["leaks"]["responses"],
        }
        genres = {genre["key"]: Signals.of(genre) for genre in kept["genres"]}
        return cls(Signals.of(kept["signals"]), genres, numbers, kept["earlier"]["earlier"])
