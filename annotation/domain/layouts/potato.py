"""Potato: exports with one column per option of a question, and the state of one user.

Export: instance_id, user_id, and `schema.label` columns, beside them `schema` where several stored labels were
resolved to one; as JSONL the options stand under `labels`. State: {user_id, instance_id_to_label_to_value{id: ...}},
of which the innermost is {schema: {label: value}} or [[{schema, name}, value], ...]. Numbers are texts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.domain.field_map import as_key
from annotation.domain.layouts.layout import (
    Layout,
    Skipped,
    always,
    chosen,
    column,
    dotted,
    entry,
    every,
    items,
    row,
    skipped,
    without,
)
from annotation.domain.records import Record
from annotation.domain.sentences import say

STATE = "instance_id_to_label_to_value"
ORIGIN = "annotator_origin"
HUMAN = ("", "human")
FREE = "free_response"  # what was typed beside a choice, and no option of it
INSIDE = "_"  # begins the parts that are no options, such as _spans

NOT_A_PERSON = say("a program annotated this, not a person")


def _folded(options: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """One column per question, beside it what was typed freely."""
    answers: dict[str, object] = {}
    for question, labels in options.items():
        choices = {label: value for label, value in labels.items() if label != FREE}
        if choices:
            answers[question] = chosen(choices)
        if FREE in labels:
            answers[f"{question}.{FREE}"] = labels[FREE]
    return answers


# --- exports -----------------------------------------------------------------------------------------------


def _exported(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        if _kind(record.values.get(ORIGIN)) not in HUMAN:
            yield skipped(record, NOT_A_PERSON)
            continue
        options: dict[str, dict[str, object]] = {}
        plain: dict[str, object] = {}
        order: dict[str, None] = {}
        for name, value in record.values.items():
            question, dot, label = name.partition(".")
            order.setdefault(question)
            if question and label and not label.startswith(INSIDE):
                options.setdefault(question, {})[label] = value
            elif not dot:
                plain[name] = value
        labels = {name: _options(value) for name, value in entry(record.values.get("labels")).items()}
        resolved = {name: value for name, value in plain.items() if as_key(value)}
        facts = dotted(without(plain, "labels", "spans", "links", ORIGIN, f"{ORIGIN}_detail"))
        answers = {name: resolved.get(name, value) for name, value in _folded({**options, **labels}).items()}
        values = {**facts, **answers}
        yield row(record, {**{name: values[name] for name in order if name in values}, **values})


def _kind(origin: object) -> str:
    return as_key(entry(origin).get("kind")) if isinstance(origin, dict) else as_key(origin)


def _options(value: object) -> dict[str, object]:
    """{label: value}, also where it is wrapped in `labels`, or of a question with one plain answer."""
    labels = entry(value)
    inner = labels.get("labels")
    if len(labels) == 1 and isinstance(inner, dict):
        return inner
    return labels if isinstance(value, dict) else {"": value}


# --- the state of one user ---------------------------------------------------------------------------------


def _state(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        by_program = _kind(record.values.get("origin")) not in HUMAN
        for instance, found in entry(record.values.get(STATE)).items():
            answers = _folded(_labels(found))
            if by_program:
                yield skipped(record, NOT_A_PERSON)
            elif not answers:
                yield skipped(record, say("nothing is annotated of {instance}", instance=instance))
            else:
                yield row(
                    record, {"instance_id": instance, "user_id": record.values.get("user_id"), **answers}
                )


def _labels(found: object) -> dict[str, dict[str, object]]:
    if isinstance(found, dict):
        return {question: _options(value) for question, value in found.items()}
    options: dict[str, dict[str, object]] = {}
    for pair in map(items, items(found)):
        label = entry(pair[0]) if len(pair) == 2 else {}
        question = as_key(label.get("schema"))
        if question:
            options.setdefault(question, {})[as_key(label.get("name"))] = pair[1]
    return options


def _is_export(samples: Sequence[Record]) -> bool:
    return every(samples, "instance_id", "user_id")


def _is_state(samples: Sequence[Record]) -> bool:
    return every(samples, "user_id", STATE)


KNOWN = always(response_id=column("instance_id"), annotator=column("user_id"))
NOTE = say("Two answers to one question are joined by # and are no score: choose one of them in Potato")
POTATO = Layout(
    key="potato", name=say("Potato, export"), fits=_is_export, unfold=_exported, known=KNOWN, notes=(NOTE,)
)
POTATO_STATE = Layout(
    key="potato_state",
    name=say("Potato, user_state.json"),
    fits=_is_state,
    unfold=_state,
    known=KNOWN,
    notes=(NOTE,),
)
