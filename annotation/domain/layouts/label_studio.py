"""Label Studio: tasks with their annotations (JSON), and one row per annotation (JSON_MIN, CSV).

JSON: {id, data{...}, annotations[{id, completed_by, result[{from_name, type, value}], was_cancelled, ground_truth,
created_at}], predictions[]}. In the other two the data stand beside the annotation, and a rating is a list of one
object, in a CSV written as JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from annotation.domain.field_map import as_key
from annotation.domain.layouts.layout import (
    Layout,
    Skipped,
    always,
    column,
    dotted,
    entry,
    every,
    every_is,
    items,
    joined,
    row,
    skipped,
)
from annotation.domain.records import Record
from annotation.domain.sentences import say
from annotation.domain.strict_json import NotJson, decode

LOOK_AHEAD = 50  # tasks that are read before the first row, to learn the names of the controls
OURS = ("id", "annotator", "annotation_id", "at", "lead_time")

NOTE = say("Predictions of models are left out: they are no scores of people")


# --- tasks -------------------------------------------------------------------------------------------------


def _tasks(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    waiting = iter(records)
    first = list(islice(waiting, LOOK_AHEAD))
    controls = {name for record in first for name in _controls(record)}
    for record in chain(first, waiting):
        controls |= _controls(record)
        yield from _task(record, controls)


def _controls(record: Record) -> set[str]:
    """The names of the controls that annotators used in this task."""
    results = (items(entry(one).get("result")) for one in items(record.values.get("annotations")))
    return {as_key(entry(result).get("from_name")) for found in results for result in found} - {""}


def _task(record: Record, controls: set[str]) -> Iterator[Record | Skipped]:
    data = dotted(entry(record.values.get("data")))
    # What a person gave goes before a column of the data with the same name.
    facts = {
        f"data.{name}" if name in controls or name in OURS else name: value for name, value in data.items()
    }
    annotations = items(record.values.get("annotations"))
    if not annotations:
        yield skipped(record, say("nobody has annotated this task"))
    for one in map(entry, annotations):
        if one.get("was_cancelled"):
            yield skipped(record, say("the annotation was cancelled"))
        elif one.get("ground_truth"):
            yield skipped(record, say("the annotation is a gold answer and no score of an annotator"))
        else:
            task = {"id": record.values.get("id"), **facts}
            yield row(record, {**task, **_answers(one), **_about(one)})


def _about(annotation: Mapping[str, object]) -> dict[str, object]:
    by = annotation.get("completed_by")
    person = entry(by)
    return {
        "annotator": person.get("id", person.get("email")) if person else by,
        "at": annotation.get("created_at"),
        "annotation_id": annotation.get("id"),
        "lead_time": annotation.get("lead_time"),
    }


def _answers(annotation: Mapping[str, object]) -> dict[str, object]:
    """The answer of each control; a list where one control holds several."""
    found: dict[str, list[object]] = {}
    for result in map(entry, items(annotation.get("result"))):
        name = as_key(result.get("from_name"))
        if name:
            found.setdefault(f"result.{name}" if name in OURS else name, []).append(
                _answer(result.get("value"))
            )
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _answer(value: object) -> object:
    """What a value of a result says: {"rating": 3}, {"choices": ["2"]}, {"text": ["a", "b"]} and the like."""
    parts = entry(value)
    for name in ("rating", "number", "selected"):
        if name in parts:
            return parts[name]
    if "text" in parts:
        return joined(items(parts["text"]), "\n") if isinstance(parts["text"], list) else parts["text"]
    if "choices" in parts:
        return _only(items(parts["choices"]))
    return next(iter(parts.values())) if len(parts) == 1 else value


def _only(values: list[object]) -> object:
    return values[0] if len(values) == 1 else values


# --- one row per annotation --------------------------------------------------------------------------------


def _rows(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        yield row(record, {name: _unpacked(value, record.cells) for name, value in record.values.items()})


def _unpacked(value: object, cell: bool) -> object:
    """The answer within [{"rating": 0}] or {"choices": [...]}; any other value as it is."""
    if cell and isinstance(value, str) and value.startswith(("[{", "{")):
        try:
            value = decode(value)
        except NotJson:
            return value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return _answer(value[0])
    return _answer(value) if isinstance(value, dict) else value


def _are_tasks(samples: Sequence[Record]) -> bool:
    return every_is(samples, "annotations", list) and every_is(samples, "data", dict)


def _are_rows(samples: Sequence[Record]) -> bool:
    return every(samples, "annotation_id", "annotator", "lead_time")


LABEL_STUDIO = Layout(
    key="label_studio",
    name=say("Label Studio, JSON"),
    fits=_are_tasks,
    unfold=_tasks,
    known=always(annotator=column("annotator"), at=column("at")),
    notes=(NOTE, say("Cancelled annotations and gold answers are left out")),
)
LABEL_STUDIO_MIN = Layout(
    key="label_studio_min",
    name=say("Label Studio, JSON_MIN or CSV"),
    fits=_are_rows,
    unfold=_rows,
    known=always(annotator=column("annotator"), at=column("created_at")),
    notes=(NOTE,),
)
