"""The rows of an import as its files, its layout and its field map give them."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.conf import settings

from annotation.domain import layouts, sources
from annotation.domain.field_map import FieldMap, apply
from annotation.domain.layouts import Skipped
from annotation.domain.material import response_row
from annotation.domain.records import InputError, Record
from annotation.domain.reports import ImportReport, Unread
from annotation.domain.scoring import score_row
from annotation.domain.sentences import say
from annotation.domain.sources import Shape
from annotation.models import Import
from annotation.services.intake import Row

SAMPLE = 50  # rows by which a layout is known and columns are listed


def path_of(kept: str) -> Path:
    """Where an uploaded file lies; its name is random and the server's own."""
    return settings.IMPORTS_DIR / kept


def field_map(found: Import) -> FieldMap:
    return FieldMap.from_dict(found.field_map)


def flat(found: Import) -> Iterator[Record | Skipped | InputError]:
    """Rows of plain columns of every file; where a file cannot be read further, its error ends that file."""
    layout = layouts.by_key(found.layout)
    for file in found.files:
        shape = Shape.from_dict(file.get("shape") or found.shape)
        try:
            yield from layout.flatten(sources.read_any(path_of(file["path"]), shape, name=file["name"]))
        except InputError as error:
            yield Unread.of(error)
        except FileNotFoundError:
            yield Unread(say("the file is no longer here; upload it again"), source=file["name"])


def flat_samples(found: Import, limit: int = SAMPLE) -> list[Record]:
    """The first rows of plain columns, whatever their faults."""
    return [row for row in islice(flat(found), 4 * limit) if isinstance(row, Record)][:limit]


def columns(found: Import) -> list[str]:
    """The columns of the first rows, in the order in which they are met."""
    return list(dict.fromkeys(name for row in flat_samples(found) for name in row.values))


def rows(found: Import, *, report: ImportReport | None = None) -> Iterator[Row | InputError]:
    """The rows that are data, or in their place why they cannot be read. `report` counts those that are none."""
    plan = field_map(found)
    for row in flat(found):
        if isinstance(row, Skipped):
            if report is not None:
                report.skip(row.reason)
        elif isinstance(row, InputError):
            yield row
        else:
            yield from _row(plan, row)


def _row(plan: FieldMap, record: Record) -> Iterator[Row | InputError]:
    try:
        mapped = apply(plan, record)
        response = response_row(mapped.response) if mapped.response else None
        scores = tuple((score_row(score), score) for score in mapped.scores)
    except InputError as error:
        yield error
        return
    if response or scores:
        yield Row(mapped.response or record, response=response, scores=scores)
