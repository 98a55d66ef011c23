"""The rows of an import as its files, its layout and its field map give them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from django.conf import settings

from annotation.domain import layouts, sources
from annotation.domain.field_map import FieldMap, Mapped, apply
from annotation.domain.layouts import Skipped
from annotation.domain.made_ids import JOIN
from annotation.domain.material import ResponseRow, response_row
from annotation.domain.records import InputError, Record
from annotation.domain.reports import ImportReport, Unread
from annotation.domain.scoring import score_row
from annotation.domain.sentences import Said, say
from annotation.domain.sources import Shape
from annotation.domain.voting import vote_row
from annotation.models import Import
from annotation.services.intake import Row

MOST_NAMED = 100_000  # responses whose names by prompt and model are held in memory
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
    texts = (row for row in flat_samples(found) if row.pair is None)
    return list(dict.fromkeys(name for row in texts for name in row.values))


def rows(found: Import, *, report: ImportReport | None = None) -> Iterator[Row | InputError]:
    """The rows that are data, or in their place why they cannot be read. `report` counts those that are none."""
    plan = field_map(found)
    ids = {} if "response_id" in plan.fields else _ids_by_model(found)
    for row in flat(found):
        if isinstance(row, Skipped):
            if report is not None:
                report.skip(row.reason)
        elif isinstance(row, InputError):
            yield row
        else:
            said = _row(plan, row, ids)
            if not isinstance(said, Said):
                yield said
            elif report is not None:
                report.skip(said)


def _ids_by_model(found: Import) -> dict[str, str]:
    """Ids of stored responses by what a file of scores may call them that has no such id: the prompt's id or text,
    and the model. What would mean two responses means none."""
    named: dict[str, set[str]] = {}
    there = found.project.responses.exclude(source=found.pk).exclude(source_model="")
    if there.count() > MOST_NAMED:
        return {}
    columns = ("external_id", "prompt__external_id", "prompt__text", "source_model")
    for name, prompt, text, model in there.values_list(*columns).iterator():
        for key in {f"{prompt}{JOIN}{model}", f"{text}{JOIN}{model}"}:
            named.setdefault(key, set()).add(name)
    return {key: names.pop() for key, names in named.items() if len(names) == 1}


def _row(plan: FieldMap, record: Record, ids: Mapping[str, str]) -> Row | InputError | Said:
    """What a row says, what is wrong with it, or why it is passed over."""
    try:
        mapped = apply(plan, record)
        response = response_row(mapped.response) if mapped.response else None
        scores = tuple((score_row(score), score) for score in mapped.scores)
        votes = ((vote_row(_named(mapped.vote, plan, ids)), mapped.vote),) if mapped.vote else ()
        about = _compared(mapped)
    except InputError as error:
        return error
    if response is None:
        scores = tuple(
            (replace(row, response_id=ids.get(row.response_id, row.response_id)), at) for row, at in scores
        )
    if response or scores or votes:
        return Row(mapped.response or record, response, scores, votes, about)
    if record.pair and not plan.votes:
        return say("it is a vote on a pair, and votes are not to be imported")
    if mapped.left_out:
        return say("the choice of rows leaves it out")
    return say("it holds neither a text nor a score")


def _compared(mapped: Mapped) -> tuple[ResponseRow, ...]:
    """What a vote compares, where its texts come with it; InputError where one of them cannot be taken."""
    rows = []
    for column, record in zip(("first", "second"), mapped.about, strict=False):
        try:
            rows.append(response_row(record))
        except InputError as error:
            reason = say("its text cannot be taken, so the vote on it is left out with it")
            raise (mapped.vote or record).error(column, reason) from error
    return tuple(rows)


def _named(vote: Record, plan: FieldMap, ids: Mapping[str, str]) -> Record:
    """The vote on the responses as they are stored, where their texts do not come with it."""
    if "text" in plan.fields:
        return vote
    known = {name: ids.get(str(vote.values[name]), vote.values[name]) for name in ("first", "second")}
    return replace(vote, values={**vote.values, **known})
