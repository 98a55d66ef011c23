"""Two what-ifs side by side, with what differs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from curation.domain.charts import tables
from curation.models import WhatIf
from curation.queries import what_if_list, what_if_page
from curation.queries.what_if_names import Names, signed
from curation.queries.what_if_page import CellLine, LongerLine, Numbers, RuleLine

L = TypeVar("L", RuleLine, CellLine)


@dataclass(frozen=True, slots=True)
class ParameterLine:
    name: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class CountLine:
    """None where one of the two does not have such a row; bars are keys, "" for nothing behind."""

    label: str
    one: int | None
    other: int | None
    bar: str
    other_bar: str

    @property
    def change(self) -> str:
        return _change(self.one, self.other, 0)


@dataclass(frozen=True, slots=True)
class ValueLine:
    """As it is shown, and how much more the other is."""

    label: str
    one: str
    other: str
    change: str


@dataclass(frozen=True, slots=True)
class MeansGroup:
    label: str
    lines: tuple[ValueLine, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    same_scores: bool
    parameters: tuple[ParameterLine, ...]
    totals: tuple[CountLine, ...]
    rules: tuple[CountLine, ...]
    cells: tuple[CountLine, ...]
    longer: tuple[ValueLine, ...]
    means: tuple[MeansGroup, ...]


def comparison(found: WhatIf, beside: WhatIf, names: Names) -> Comparison:
    """Of two that have their results."""
    one, other = what_if_page.numbers(found, names), what_if_page.numbers(beside, names)
    return Comparison(
        same_scores=found.snapshot_id == beside.snapshot_id,
        parameters=tuple(_parameters(found, beside)),
        totals=(
            CountLine(_("Candidate pairs"), one.candidates, other.candidates, "", ""),
            CountLine(_("Accepted"), one.accepted, other.accepted, one.accepted_bar, other.accepted_bar),
        ),
        rules=tuple(_joined(one.rules, other.rules, lambda line: line.reason, lambda line: line.removed)),
        cells=tuple(_joined(one.cells, other.cells, lambda line: line.label, lambda line: line.accepted)),
        longer=tuple(
            ValueLine(mine.label, _share(mine), _share(its), _change(mine.percent, its.percent, 1))
            for mine, its in ((one.before, other.before), (one.after, other.after))
        ),
        means=tuple(_means(one, other)),
    )


def _parameters(found: WhatIf, beside: WhatIf) -> Iterable[ParameterLine]:
    for name in sorted(found.parameters.keys() | beside.parameters.keys()):
        one, other = (
            what_if_list.in_words(each.parameters[name]) if name in each.parameters else "–"
            for each in (found, beside)
        )
        if one != other:
            yield ParameterLine(name, one, other)


def _joined(
    one: Sequence[L], other: Sequence[L], key: Callable[[L], str], value: Callable[[L], int]
) -> Iterable[CountLine]:
    """Rows of both, those of the first in their order, then what only the other has."""
    mine, its = {key(line): line for line in one}, {key(line): line for line in other}
    for name, either in {**mine, **its}.items():
        first, second = mine.get(name), its.get(name)
        yield CountLine(
            label=either.label,
            one=value(first) if first else None,
            other=value(second) if second else None,
            bar=first.bar if first else "",
            other_bar=second.bar if second else "",
        )


def _means(one: Numbers, other: Numbers) -> Iterable[MeansGroup]:
    its = {part.language: part for part in other.means}
    for part in one.means:
        beside = its.get(part.language)
        if beside is None:
            continue
        means = [
            (line.label, line.after[0], second.after[0])
            for line, second in zip(part.lines, beside.lines, strict=True)
        ]
        yield MeansGroup(
            part.label,
            tuple(
                ValueLine(
                    label,
                    tables.decimal(first, 2).shown,
                    tables.decimal(second, 2).shown,
                    _change(first, second, 2),
                )
                for label, first, second in means
            ),
        )


def _share(line: LongerLine) -> str:
    if line.percent is None:
        return tables.NONE
    shown = f"{line.percent:.1f}%"
    if line.percent_low is None or line.percent_high is None:
        return shown
    return f"{shown} ({line.percent_low:.1f} – {line.percent_high:.1f})"


def _change(one: float | None, other: float | None, places: int) -> str:
    if one is None or other is None:
        return tables.NONE
    return signed(other - one, places)
