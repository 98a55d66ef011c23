"""Which numbers of an audit are outside what a project allows. A limit of None is off."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from curation.domain.audit.found import (
    BY_COUNT,
    COUNTS,
    HALVES,
    LOGISTIC,
    LONGER,
    SOURCE_MODEL,
    VARIETY,
    Audited,
    Share,
)

HALF = Decimal("0.5")
DISTANCES = (LONGER, *BY_COUNT, VARIETY)
RATES = (SOURCE_MODEL, LOGISTIC)


@dataclass(frozen=True, slots=True)
class Limits:
    """Over all pairs. The first five are distances of a rate from one half, at most, either way: such a limit is
    exceeded where the rate lies further away and its interval excludes one half. `source_model` and `logistic` are
    rates: exceeded where the whole interval lies above. The others are numbers of responses, at most.
    """

    longer: Decimal | None = Decimal("0.05")
    paragraphs: Decimal | None = Decimal("0.1")
    markdown: Decimal | None = Decimal("0.1")
    quotation_marks: Decimal | None = Decimal("0.1")
    type_token_ratio: Decimal | None = Decimal("0.1")
    source_model: Decimal | None = None  # better models win more, and that is no fault of the pairs
    logistic: Decimal | None = Decimal("0.6")
    exact: int | None = None  # the same text twice among the pairs
    near: int | None = None
    earlier_exact: int | None = 0  # the same text in an earlier release
    earlier_near: int | None = None
    leaks: int | None = 0

    def __post_init__(self) -> None:
        for name in (*DISTANCES, *RATES):
            value = getattr(self, name)
            most = HALF if name in DISTANCES else Decimal(1)
            if value is not None and not (value.is_finite() and 0 <= value <= most):
                raise ValueError(
                    f"the limit {name} cannot be {value}; use None, or a number from 0 to {most}"
                )
        for name in COUNTS:
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ValueError(f"the limit {name} cannot be {value}; use None, or a whole number from 0")

    def as_dict(self) -> dict[str, object]:
        """JSON values: decimals as texts."""
        return {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, kept: Mapping[str, object]) -> "Limits":
        """What as_dict gave; what is missing has its default. ValueError on a limit that there is not."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(kept.keys() - set(known))
        if unknown:
            raise ValueError(f"there is no limit {unknown[0]!r}; known: {', '.join(known)}")
        return cls(**{name: _read(name, value) for name, value in kept.items()})


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that is exceeded: its name, the rate or number that was found, and the limit."""

    key: str
    value: float
    limit: Decimal | int

    def as_dict(self) -> dict[str, object]:
        limit = str(self.limit) if isinstance(self.limit, Decimal) else self.limit
        return {"key": self.key, "value": self.value, "limit": limit}


def exceeded(audit: Audited, limits: Limits) -> list[Excess]:
    """In the order of the limits."""
    return [*_of_rates(audit, limits), *_of_counts(audit, limits)]


def _of_rates(audit: Audited, limits: Limits) -> Iterator[Excess]:
    found = audit.shares()
    for name in (*DISTANCES, *RATES):
        limit: Decimal | None = getattr(limits, name)
        value = _beyond(found[name], limit) if name in DISTANCES else _above(found[name], limit)
        if limit is not None and value is not None:
            yield Excess(name, value, limit)


def _beyond(share: Share, limit: Decimal | None) -> float | None:
    """The rate, where it is too far from one half and surely not there."""
    interval = share.interval
    if limit is None or interval is None or interval.low <= 0.5 <= interval.high:
        return None
    away = abs(Fraction(HALVES * share.k + share.ties, HALVES * share.n) - Fraction(1, 2))
    return share.rate if away > Fraction(limit) else None


def _above(share: Share, limit: Decimal | None) -> float | None:
    """The rate, where its whole interval lies above."""
    interval = share.interval
    if limit is None or interval is None:
        return None
    return share.rate if Fraction(interval.low) > Fraction(limit) else None


def _of_counts(audit: Audited, limits: Limits) -> Iterator[Excess]:
    found = audit.counts()
    for name in COUNTS:
        limit: int | None = getattr(limits, name)
        if limit is not None and found[name] > limit:
            yield Excess(name, found[name], limit)


def _read(name: str, value: object) -> Any:
    """A limit from JSON: None, a whole number, or a decimal as a text or a number."""
    if value is None:
        return None
    if name in COUNTS and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"the limit {name} cannot be {value!r}; use None, or a whole number from 0")
    if name in COUNTS:
        return value
    try:
        return Decimal(str(value))
    except InvalidOperation as fault:
        raise ValueError(
            f"the limit {name} cannot be {value!r}; use None, or a number such as 0.05"
        ) from fault
