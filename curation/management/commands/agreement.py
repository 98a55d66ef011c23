"""Krippendorff's alpha of a file of scores, for people who have nothing but the file."""

import json
import math
import re
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError, Record, read, shown
from curation.domain import agreement

MOST_REPLICATES = 100_000
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
NO_FINITE_NUMBER = re.compile(r"[-+]?(nan|inf|infinity)", re.IGNORECASE)

REASONS = {
    "empty": "there are no values",
    "no_pairable_values": "no unit has values of two annotators",
    "no_variation": "all values that can be compared are the same",
    "level_needs_numbers": "some values are not numbers",
}


@dataclass
class Scores:
    """The columns of the file, row by row. `first_label` is the row with the first value that is no number."""

    units: list[str] = field(default_factory=list)
    annotators: list[str] = field(default_factory=list)
    values: list[float | str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    first_label: Record | None = None

    def clusters(self) -> list[str] | None:
        return self.prompts if any(self.prompts) else None

    def numbers_or_labels(self) -> list[float] | list[str]:
        """All numbers, or all labels; among labels, numbers are the same if they are the same as numbers."""
        if self.first_label is None:
            return [value for value in self.values if not isinstance(value, str)]
        return [value if isinstance(value, str) else repr(value) for value in self.values]


class Command(BaseCommand):
    help = (
        "Computes Krippendorff's alpha, with a 95 % bootstrap interval, of a CSV (or JSONL) file with the "
        "columns unit, annotator, value and, if the interval is to respect prompts, prompt."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scores", type=Path, metavar="SCORES.csv", help="one row for each value")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
        parser.add_argument("--level", choices=["all", *agreement.LEVELS], default="all", help="default: all")
        parser.add_argument("--replicates", type=int, default=2000, help="of the bootstrap; default: 2000")
        parser.add_argument("--seed", default="plumb-1", help="of the bootstrap; default: plumb-1")

    def handle(
        self, *, scores: Path, json: bool, level: str, replicates: int, seed: str, **options: object
    ) -> None:
        if not 0 <= replicates <= MOST_REPLICATES:
            raise CommandError(
                f"--replicates is {replicates}; use a whole number up to {MOST_REPLICATES}, 0 for no interval."
            )
        try:
            table = read_scores(scores)
        except InputError as error:
            raise CommandError(str(error)) from error
        report = agreement.report(
            table.units,
            table.annotators,
            table.numbers_or_labels(),
            clusters=table.clusters(),
            levels=agreement.LEVELS if level == "all" else (level,),
            replicates=replicates,
            seed=seed,
        )
        drawn = "units" if table.clusters() is None else "prompts"
        for note in notes(report, table, drawn, replicates):
            self.stderr.write(note)
        self.stdout.write(as_json(report) if json else as_text(report, drawn, replicates))


def read_scores(path: Path) -> Scores:
    """The file's rows; raises InputError, with the place, on the first that cannot be accepted."""
    scores = Scores()
    first_rows: dict[tuple[str, str], int] = {}
    prompts: dict[str, tuple[str, int]] = {}
    for record in read(path, required=("unit", "annotator", "value"), optional=("prompt",)):
        unit, annotator = record.identifier("unit"), record.identifier("annotator")
        prompt = record.identifier("prompt", required=False)
        _refuse_mixture(record, prompt, scores.prompts)
        line = first_rows.setdefault((unit, annotator), record.line)
        if line != record.line:
            given = f"{shown(annotator)} gave unit {shown(unit)} a value on line {line} already; keep one"
            raise record.error("annotator", given)
        known, line = prompts.setdefault(unit, (prompt, record.line))
        if known != prompt:
            given = (
                f"unit {shown(unit)} has the prompt {shown(known)} on line {line} and {shown(prompt)} here"
            )
            raise record.error("prompt", f"{given}; give it one")
        value = _value(record)
        if isinstance(value, str) and scores.first_label is None:
            scores.first_label = record
        scores.units.append(unit)
        scores.annotators.append(annotator)
        scores.values.append(value)
        scores.prompts.append(prompt)
    return scores


def _refuse_mixture(record: Record, prompt: str, earlier: list[str]) -> None:
    if earlier and bool(prompt) != bool(earlier[0]):
        missing = "is given here but not above" if prompt else "is missing here but given above"
        raise record.error("prompt", f"the prompt {missing}; give it on every row or on none")


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


def notes(report: agreement.Report, table: Scores, drawn: str, replicates: int) -> Iterable[str]:
    """What a person should know beside the figures."""
    needs_numbers = [level for level, a in report.alpha.items() if a.reason == "level_needs_numbers"]
    if needs_numbers and table.first_label is not None:
        label = shown(table.first_label.values["value"])
        reason = (
            f"{label} is not a number, so all values are taken as labels, which serve nominal alpha alone"
        )
        yield str(table.first_label.error("value", reason))
    without = [level for level, a in report.alpha.items() if a.value is not None and a.low is None]
    if without and replicates:
        yield f"No interval: it needs at least two {drawn} in which values can be compared."


def as_json(report: agreement.Report) -> str:
    return json.dumps(report.as_dict(), indent=2, allow_nan=False)


def as_text(report: agreement.Report, drawn: str, replicates: int) -> str:
    lines = [
        f"Krippendorff's alpha: {report.n_units:,} units, {report.n_raters:,} annotators, "
        f"{report.n_pairable:,} values in units that have two or more.",
    ]
    for level, alpha in report.alpha.items():
        if alpha.value is None:
            lines.append(f"  {level:<9} not defined: {REASONS[alpha.reason or '']}")
        elif alpha.low is None or alpha.high is None:
            lines.append(f"  {level:<9} {alpha.value:6.3f}")
        else:
            left_out = f", {alpha.undefined:,} left out as undefined" if alpha.undefined else ""
            interval = f"95 % interval {alpha.low:.3f} to {alpha.high:.3f}"
            lines.append(f"  {level:<9} {alpha.value:6.3f}   {interval}{left_out}")
    if any(alpha.low is not None for alpha in report.alpha.values()):
        lines.append(f"Interval: percentile bootstrap over {drawn}, {replicates:,} replicates.")
    return "\n".join(lines)
