"""The leaderboard of a release: the models that a reader may see, and what stands beside them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.queries.jobs import error_of
from annotation.queries.people import person_name
from curation.domain.charts import Cell, Column, Table
from curation.domain.charts.tables import NONE, decimal, words
from curation.models import Submission
from curation.queries.audit_words import SIGNALS

Json = Mapping[str, Any]
DEFAULT = "-accuracy"
HUMAN = "human"
MOST = 1000  # lines of a leaderboard


@dataclass(frozen=True, slots=True)
class Rate:
    """Shares from 0 to 1; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @classmethod
    def of(cls, found: Json | None, *, value: str = "value", n: str = "n") -> "Rate":
        if found is None:
            return cls(None)
        return cls(found[value], found["low"], found["high"], found[n])

    @property
    def shown(self) -> str:
        return NONE if self.value is None else f"{100 * self.value:.1f}"

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return _("%(low)s to %(high)s") % {"low": f"{100 * self.low:.1f}", "high": f"{100 * self.high:.1f}"}


@dataclass(frozen=True, slots=True)
class Line:
    """A submission that has a result."""

    pk: int
    model: str
    family: str
    by: str
    accuracy: Rate
    correlation: float | None  # of rankings, times 100
    pairs: int | None
    few: bool
    ties: int | None
    unanswered: int | None
    consistent: Rate
    heldout: Rate
    problems: int
    is_published: bool

    @property
    def correlation_shown(self) -> str:
        return decimal(self.correlation, 1).shown


@dataclass(frozen=True, slots=True)
class Waiting:
    """A submission that has no result, or none yet."""

    pk: int
    model: str
    state: str
    error: str


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a column: `link` sorts by it, and `sorted` is what a screen reader is told of the one that is."""

    key: str
    label: str
    is_number: bool
    link: str
    sorted: str  # "ascending", "descending" or ""


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the models: people, or a guess by one thing alone."""

    key: str  # "human", or one of SIGNALS
    label: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Leaderboard:
    lines: tuple[Line, ...]
    waiting: tuple[Waiting, ...]
    headings: tuple[Heading, ...]
    beside: tuple[Beside, ...]
    has_heldout: bool
    has_correlation: bool
    has_positions: bool


# By the name in the address: the heading, whether it is a number, and what lines are sorted by.
SORTED: dict[str, tuple[Any, bool, Callable[[Line], Any]]] = {
    "model": (pgettext_lazy("what is evaluated", "Model"), False, lambda line: line.model.casefold()),
    "family": (gettext_lazy("Family of models"), False, lambda line: line.family.casefold() or None),
    "accuracy": (gettext_lazy("Accuracy"), True, lambda line: line.accuracy.value),
    "correlation": (gettext_lazy("Rank correlation"), True, lambda line: line.correlation),
    "heldout": (gettext_lazy("Held out"), True, lambda line: line.heldout.value),
    "pairs": (gettext_lazy("Pairs"), True, lambda line: line.pairs),
    "ties": (gettext_lazy("Ties"), True, lambda line: line.ties),
    "unanswered": (gettext_lazy("Unanswered"), True, lambda line: line.unanswered),
    "consistent": (gettext_lazy("Same in both orders"), True, lambda line: line.consistent.value),
}


def leaderboard(found: QuerySet[Submission], *, sort: str = DEFAULT) -> Leaderboard:
    """`found` are the submissions that the reader may see."""
    rows = list(
        found.select_related("queued_by", "publication").defer("content", "result").order_by("-pk")[:MOST]
    )
    done = [row for row in rows if row.state == Submission.State.DONE]
    lines = [_line(row) for row in done]
    sort = sort if sort.removeprefix("-") in SORTED else DEFAULT
    empty = {
        "heldout": all(line.heldout.value is None for line in lines),
        "correlation": all(line.correlation is None for line in lines),
        "consistent": all(line.consistent.value is None for line in lines),
    }
    return Leaderboard(
        lines=tuple(_sorted(lines, sort)),
        waiting=tuple(
            Waiting(row.pk, row.model, row.get_state_display(), error_of(row))
            for row in rows
            if row not in done
        ),
        headings=tuple(_heading(key, sort) for key in SORTED if not empty.get(key)),
        beside=_beside(row.summary for row in done),
        has_heldout=not empty["heldout"],
        has_correlation=not empty["correlation"],
        has_positions=not empty["consistent"],
    )


def _line(row: Submission) -> Line:
    found: Json = row.summary
    ranked = found["rankings"]
    return Line(
        pk=row.pk,
        model=row.model,
        family=row.family,
        by=person_name(row.queued_by) if row.queued_by else "",
        accuracy=Rate.of(found["accuracy"]),
        correlation=None if ranked is None else ranked["correlation"]["value"],
        pairs=found["pairs"],
        few=bool(found["few"]),
        ties=found["ties"],
        unanswered=found["unanswered"],
        consistent=Rate.of(found["consistent"]),
        heldout=Rate.of(found["heldout"]),
        problems=found["problems"],
        is_published=hasattr(row, "publication"),
    )


def _sorted(lines: Iterable[Line], sort: str) -> list[Line]:
    """What is not known comes last either way; equals stand by name."""
    value = SORTED[sort.removeprefix("-")][2]
    named = sorted(lines, key=lambda line: (line.model.casefold(), line.pk))
    known = [line for line in named if value(line) is not None]
    known.sort(key=value, reverse=sort.startswith("-"))
    return known + [line for line in named if value(line) is None]


def _heading(key: str, sort: str) -> Heading:
    label, is_number, _value = SORTED[key]
    if sort.removeprefix("-") != key:
        return Heading(key, str(label), is_number, f"-{key}" if is_number else key, "")
    is_falling = sort.startswith("-")
    return Heading(
        key,
        str(label),
        is_number,
        key if is_falling else f"-{key}",
        "descending" if is_falling else "ascending",
    )


def _beside(summaries: Iterable[Json]) -> tuple[Beside, ...]:
    """As any of them says it: it is of the release, whatever the model."""
    found = next((each for each in summaries if each["baselines"] is not None), None)
    if found is None:
        return ()
    people = Beside(
        HUMAN, _("People, against pairs that the others accept"), Rate.of(found["ceiling"], n="pairs")
    )
    return people, *baselines(found["baselines"])


def baselines(found: Json) -> Sequence[Beside]:
    return [
        Beside(name, str(SIGNALS[name]), Rate.of(found[name], value="rate"))
        for name in SIGNALS
        if name in found
    ]


COLUMNS = (
    *("submission", "model", "family", "by", "accuracy", "accuracy_low", "accuracy_high", "pairs", "ties"),
    *(
        "unanswered",
        "same_in_both_orders",
        "heldout_accuracy",
        "heldout_low",
        "heldout_high",
        "heldout_pairs",
    ),
    *("rank_correlation", "problems", "published"),
)


def table(page: Leaderboard) -> Table:
    """For a file; headings are the same in every language."""
    return Table(tuple(Column(name, name) for name in COLUMNS), tuple(map(_cells, page.lines)))


def _cells(line: Line) -> tuple[Cell, ...]:
    values = (
        *(line.pk, line.model, line.family, line.by),
        *(line.accuracy.value, line.accuracy.low, line.accuracy.high, line.pairs, line.ties, line.unanswered),
        *(line.consistent.value, line.heldout.value, line.heldout.low, line.heldout.high),
        *(line.heldout.n or None, line.correlation, line.problems, int(line.is_published)),
    )
    return tuple(words(each) if isinstance(each, str) else Cell("", each) for each in values)
