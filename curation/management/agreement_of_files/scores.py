"""The file of scores: one row for each value that an annotator gave to a unit."""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.domain.records import InputError, Record, read, shown
from annotation.domain.strict_json import printable

NONE = "(none)"  # the group of units whose column is empty

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
NO_FINITE_NUMBER = re.compile(r"[-+]?(nan|inf|infinity)", re.IGNORECASE)


@dataclass
class Scores:
    """The columns of the file, row by row, and the lines on which rows stand.

    `first_label` is the row with the first value that is no number. `groups` is the column by which units are to be
    told apart, NONE where a row leaves it empty, and is itself empty where no column was named.
    """

    source: str = ""
    units: list[str] = field(default_factory=list)
    annotators: list[str] = field(default_factory=list)
    values: list[float | str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    first_label: Record | None = None

    def clusters(self) -> list[str] | None:
        return self.prompts if any(self.prompts) else None

    def numbers_or_labels(self) -> list[float] | list[str]:
        """All numbers, or all labels; among labels, numbers are the same if they are the same as numbers."""
        if self.first_label is None:
            return [value for value in self.values if not isinstance(value, str)]
        return [value if isinstance(value, str) else repr(value) for value in self.values]

    def error(self, row: int, reason: str) -> InputError:
        """That the value of a row cannot be accepted."""
        return InputError(reason, line=self.lines[row], column="value", source=self.source)

    def by_group(self) -> dict[str, "Scores"]:
        """The rows of each group, by its name, in the order of names; those of none come last."""
        rows = defaultdict[str, list[int]](list)
        for row, group in enumerate(self.groups):
            rows[group].append(row)
        return {
            group: self.only(rows[group]) for group in sorted(rows, key=lambda name: (name == NONE, name))
        }

    def only(self, rows: Sequence[int]) -> "Scores":
        return Scores(
            source=self.source,
            units=[self.units[i] for i in rows],
            annotators=[self.annotators[i] for i in rows],
            values=[self.values[i] for i in rows],
            prompts=[self.prompts[i] for i in rows],
            lines=[self.lines[i] for i in rows],
            first_label=self.first_label,
        )


def read_scores(path: Path, by: str | None = None) -> Scores:
    """The file's rows; raises InputError, with the place, on the first that cannot be accepted."""
    scores = Scores(source=path.name)
    first_rows: dict[tuple[str, str], int] = {}
    prompts: dict[str, tuple[str, int]] = {}
    groups: dict[str, tuple[str, int]] = {}
    required = ("unit", "annotator", "value", *([by] if by is not None else []))
    for record in read(path, required=required, optional=("prompt",)):
        unit, annotator = record.identifier("unit"), record.identifier("annotator")
        prompt = record.identifier("prompt", required=False)
        _refuse_mixture(record, prompt, scores.prompts)
        line = first_rows.setdefault((unit, annotator), record.line)
        if line != record.line:
            given = f"{shown(annotator)} gave unit {shown(unit)} a value on line {line} already; keep one"
            raise record.error("annotator", given)
        _refuse_another(record, "prompt", prompt, prompts)
        if by is not None:
            group = record.identifier(by, required=False) or NONE
            _refuse_another(record, by, group, groups)
            scores.groups.append(group)
        value = _value(record)
        if isinstance(value, str) and scores.first_label is None:
            scores.first_label = record
        scores.units.append(unit)
        scores.annotators.append(annotator)
        scores.values.append(value)
        scores.prompts.append(prompt)
        scores.lines.append(record.line)
    return scores


def _refuse_mixture(record: Record, prompt: str, earlier: list[str]) -> None:
    if earlier and bool(prompt) != bool(earlier[0]):
        missing = "is given here but not above" if prompt else "is missing here but given above"
        raise record.error("prompt", f"the prompt {missing}; give it on every row or on none")


def _refuse_another(record: Record, column: str, value: str, first: dict[str, tuple[str, int]]) -> None:
    """What a unit has in the column is what it had on its first row."""
    unit = record.identifier("unit")
    known, line = first.setdefault(unit, (value, record.line))
    if known != value:
        given = (
            f"has the {printable(column)} {_said(known)} on line {line} and {_said(value)} here; give it one"
        )
        raise record.error(column, f"unit {shown(unit)} {given}")


def _said(value: str) -> str:
    return value if value == NONE else shown(value)


def _value(record: Record) -> float | str:
    """The number, or a label."""
    value = record.values["value"]
    label = repr(value) if isinstance(value, float) else record.identifier("value")
    if NUMBER.fullmatch(label) and math.isfinite(float(label)):
        if WHOLE.fullmatch(label) and int(label) != float(label):
            raise record.error(
                "value", f"{shown(label)} has more digits than can be told apart; use up to 15"
            )
        return float(label)
    if NUMBER.fullmatch(label) or NO_FINITE_NUMBER.fullmatch(label):
        raise record.error("value", f"{shown(label)} is not a finite number; correct it or leave the row out")
    return label
