"""What the command import_file says: what files are, how they are read, what becomes of their rows."""

import csv
from collections.abc import Iterator, Sequence
from typing import TextIO

from annotation.domain.field_map import FieldMap, Source
from annotation.domain.reports import ImportReport, Problem
from annotation.models import Import
from annotation.queries.imports import ImportPage, said

SHOWN = 20  # refused rows
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run if a cell began with it


def recognised(page: ImportPage) -> str:
    facts = ", ".join(fact for fact in (page.delimiter, page.encoding) if fact)
    sheet = f", sheet {page.sheet}" if page.sheet else ""
    return f"{page.name}: {page.layout}. {page.format}{f' ({facts})' if facts else ''}{sheet}."


def mapping(plan: FieldMap, columns: Sequence[str]) -> Iterator[str]:
    """One line a field, then the columns that are left out."""
    for name, source in plan.fields.items():
        yield f"  {name:<18} <- {_source(source)}"
    if plan.raters:
        yield f"  {'scores':<18} <- one column an annotator: {', '.join(plan.raters)}"
    for value, score in plan.scores.items():
        yield f"  {'score ' + str(score):<18} <- the value {value}"
    if plan.votes:
        yield f"  {'votes on pairs':<18} <- as this kind of file has them"
    if plan.only:
        yield f"  only rows in which {plan.only[0]} is {plan.only[1]}"
    used = {name for source in plan.fields.values() for name in source.columns} | set(plan.raters)
    left = [name for name in columns if name not in used]
    if left:
        yield f"  left out: {', '.join(left)}"


def _source(source: Source) -> str:
    part = f", part {source.part}" if source.part else ""
    if source.constant:
        return f"the value {source.constant!r}"
    return f"{'the name of the file' if source.file_name else ' | '.join(source.columns)}{part}"


def missing(plan: FieldMap) -> str:
    """What has to be said before any row can be taken."""
    names = plan.gaps()
    return (
        f"Nothing was read: the files do not say by themselves which column is {' and '.join(names)}. "
        f"Say it with --set {names[0]}=COLUMN, or with --const {names[0]}=VALUE."
    )


def counts(report: ImportReport) -> str:
    parts = [
        _counted(report.prompts, "new prompt"),
        _counted(report.responses, "new response"),
        _counted(report.annotators, "new annotator"),
        _counted(report.scores, "new score"),
        _counted(report.revisions, "revision"),
        _counted(report.preferences, "new vote"),
        _counted(report.genres, "new genre"),
        f"{report.unchanged} unchanged",
        f"{report.refused} refused",
    ]
    skipped = sum(report.skipped.values())
    said_parts = [part for part in parts if not part.startswith("0 new") and not part.startswith("0 rev")]
    return f"{_counted(report.rows, 'row')}: {', '.join(said_parts)}" + (
        f", {skipped} no data." if skipped else "."
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def problems(report: ImportReport) -> Iterator[str]:
    for problem in report.problems[:SHOWN]:
        yield f"  {_place(problem)}: {said(problem.reason)}"
    more = report.refused - min(SHOWN, len(report.problems))
    if more > 0:
        yield f"  and {more} more; --report FILE.csv lists the first {len(report.problems)}"


def asides(report: ImportReport) -> Iterator[str]:
    """What is no refusal, and still to be known: rows that are no data, genres that are missing, flags."""
    for key, rows in report.skipped.most_common():
        yield f"  no data, {_counted(rows, 'row')}: {said(report.skip_reasons[key])}"
    if report.unknown_genres:
        yield f"  genres that the project does not have: {', '.join(report.unknown_genres)}"
    for check, rows in sorted(report.flags.items()):
        yield f"  flagged, {check}: {rows}"


def _place(problem: Problem) -> str:
    line = f"{problem.unit} {problem.line}" if problem.line else ""
    column = f"column {problem.column}" if problem.column else ""
    return ", ".join(part for part in (problem.file, line, column) if part) or "the files"


def write_report(report: ImportReport, file: TextIO) -> None:
    """The refused rows as CSV for a spreadsheet, in which no cell is run."""
    writer = csv.writer(file)
    writer.writerow(["file", "unit", "number", "column", "reason"])
    for problem in report.problems:
        row = [problem.file, problem.unit, problem.line or "", problem.column, said(problem.reason)]
        writer.writerow([harmless(str(cell)) for cell in row])


def harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def outcome(found: Import, *, stored: bool, dry_run: bool) -> dict[str, object]:
    """The outside of what --json prints."""
    return {
        "import": found.pk if stored else None,
        "project": found.project.slug,
        "files": [{name: file[name] for name in ("name", "sha256", "size")} for file in found.files],
        "shape": found.shape,
        "layout": found.layout,
        "field_map": found.field_map,
        "dry_run": dry_run,
        "stored": stored,
    }
