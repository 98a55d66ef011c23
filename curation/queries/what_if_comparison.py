"""Two what-ifs side by side, with what differs."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from curation.domain.charts import Cell, Column, Table, tables
from curation.models import WhatIf
from curation.queries import what_if_page
from curation.queries.recipe_page import PARAMETERS, in_words
from curation.queries.what_if_names import Names, signed
from curation.queries.what_if_page import LENGTHS, CellLine, LongerLine, Numbers, RuleLine

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
L = TypeVar("L", RuleLine, CellLine)


@dataclass(frozen=True, slots=True)
class ParameterLine:
    name: str
    label: str
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

    @property
    def differs(self) -> bool:
        return self.one != self.other


@dataclass(frozen=True, slots=True)
class ValueLine:
    """As it is shown, and how much more the other is; beside either its interval, "" where it has none."""

    label: str
    one: str
    other: str
    change: str
    one_interval: str = ""
    other_interval: str = ""


@dataclass(frozen=True, slots=True)
class MeansGroup:
    label: str
    units: str  # of the lengths, "" where the two are not of one unit
    lines: tuple[ValueLine, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    same_scores: bool
    parameters: tuple[ParameterLine, ...]
    totals: tuple[CountLine, ...]
    rules: tuple[CountLine, ...]
    cells: tuple[CountLine, ...]
    longer: tuple[ValueLine, ...]
    sides: tuple[tuple[WhatIf, Numbers], ...]
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
            ValueLine(
                mine.label,
                _share(mine),
                _share(its),
                _change(mine.percent, its.percent, 1),
                _interval(mine),
                _interval(its),
            )
            for mine, its in ((one.before, other.before), (one.after, other.after))
        ),
        sides=((found, one), (beside, other)),
        means=tuple(_means(one, other)),
    )


def table(found: Comparison) -> Table:
    """All of it as one file."""
    (one, _numbers), (other, _its) = found.sides
    names = ("part", "row", f"what_if_{one.pk}", f"what_if_{other.pk}", "difference")
    counts = (("funnel", (*found.rules, *found.totals)), ("cells", found.cells))
    rows = [("parameters", line.label, line.one, line.other, "") for line in found.parameters]
    rows += [
        (part, line.label, _shown(line.one), _shown(line.other), line.change)
        for part, lines in counts
        for line in lines
    ]
    rows += [("longer", line.label, line.one, line.other, line.change) for line in found.longer]
    rows += [
        ("means", f"{group.label} · {line.label}", line.one, line.other, line.change)
        for group in found.means
        for line in group.lines
    ]
    return Table(tuple(Column(name, name) for name in names), tuple(tuple(map(_cell, row)) for row in rows))


def _shown(number: int | None) -> str:
    return "" if number is None else str(number)


def _cell(shown: str) -> Cell:
    """As a spreadsheet reads it: a number as one, without its sign for percent."""
    if shown == tables.NONE:
        return Cell(shown, None)
    plain = shown.replace("\N{MINUS SIGN}", "-").removesuffix("%")
    return (
        Cell(shown, float(plain) if "." in plain else int(plain))
        if NUMBER.fullmatch(plain)
        else tables.words(shown)
    )


def _parameters(found: WhatIf, beside: WhatIf) -> Iterable[ParameterLine]:
    for name, label in PARAMETERS.items():
        one, other = (
            in_words(name, each.parameters[name]) if name in each.parameters else tables.NONE
            for each in (found, beside)
        )
        if one != other:
            yield ParameterLine(name, str(label), one, other)


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
        same_units = part.units == beside.units
        means = [
            (line.label, line.after[0], second.after[0], same_units or line.measure not in LENGTHS)
            for line, second in zip(part.lines, beside.lines, strict=True)
        ]
        yield MeansGroup(
            part.label,
            part.units if same_units and not part.has_mixed_units else "",
            tuple(
                ValueLine(
                    label,
                    tables.decimal(first, 2).shown,
                    tables.decimal(second, 2).shown,
                    _change(first, second, 2) if is_comparable else tables.NONE,
                )
                for label, first, second, is_comparable in means
            ),
        )


def _share(line: LongerLine) -> str:
    if line.percent is None:
        return tables.NONE
    return f"{line.percent:.1f}%"


def _interval(line: LongerLine) -> str:
    if line.percent_low is None or line.percent_high is None:
        return ""
    return f"{line.percent_low:.1f} – {line.percent_high:.1f}"


def _change(one: float | None, other: float | None, places: int) -> str:
    if one is None or other is None:
        return tables.NONE
    return signed(other - one, places)
