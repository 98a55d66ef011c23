"""Argilla: records with their responses nested, or flat with parallel lists.

Nested: {id, fields{}, metadata{}, suggestions{}, responses{question: [{value, user_id}]}}. Flat: the fields beside
`question.responses`, `question.responses.users` and `question.responses.status`. A record becomes one row per user.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    row,
    skipped,
)
from annotation.domain.records import Record
from annotation.domain.sentences import Said, say
from annotation.domain.strict_json import NotJson, decode

SUBMITTED = ("", "submitted")
RESPONSES = ".responses"
NOT_DATA = ("suggestion", "vectors", "_server_id")

NOTE = say("Suggestions of models are left out: they are no scores of people")

Answer = tuple[str, str, object, str]  # question, user, value, status


def _unfolded(
    record: Record, facts: Mapping[str, object], answers: Sequence[Answer]
) -> Iterator[Record | Skipped]:
    """One row for each user who submitted anything."""
    if not answers:
        yield skipped(record, say("nobody has answered this record"))
    for user in dict.fromkeys(user for _, user, _, _ in answers):
        given = [answer for answer in answers if answer[1] == user]
        submitted = {
            f"{question}{RESPONSES}" if question in facts else question: value
            for question, _, value, status in given
            if status in SUBMITTED
        }
        if submitted:
            yield row(record, {**facts, **submitted, "annotator": user})
        else:
            yield skipped(record, _reason(given[0][3]))


def _reason(status: str) -> Said:
    if status == "discarded":
        return say("the annotator discarded the record")
    return say("the answer is a draft that was not submitted")


# --- nested ------------------------------------------------------------------------------------------------


def _nested(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        fields = dotted(entry(record.values.get("fields")))
        metadata = dotted(entry(record.values.get("metadata")))
        facts = {
            "id": record.values.get("id"),
            **{_free(name, ("id",)): value for name, value in fields.items()},
        }
        facts |= {_free(name, tuple(facts)): value for name, value in metadata.items()}
        yield from _unfolded(record, facts, list(_nested_answers(record)))


def _free(name: str, taken: tuple[str, ...]) -> str:
    return f"metadata.{name}" if name in taken else name


def _nested_answers(record: Record) -> Iterator[Answer]:
    for question, answers in entry(record.values.get("responses")).items():
        for answer in map(entry, items(answers)):
            status = as_key(answer.get("status"))
            yield question, as_key(answer.get("user_id")), answer.get("value"), status


# --- flat --------------------------------------------------------------------------------------------------


def _flat(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        questions = [name.removesuffix(RESPONSES) for name in record.values if name.endswith(RESPONSES)]
        facts = dotted(
            {
                name: value
                for name, value in record.values.items()
                if not any(name.startswith(f"{question}{RESPONSES}") for question in questions)
                and not any(sign in name for sign in NOT_DATA)
            }
        )
        answers = [answer for question in questions for answer in _flat_answers(record, question)]
        yield from _unfolded(record, facts, answers)


def _flat_answers(record: Record, question: str) -> Iterator[Answer]:
    values, users, states = (
        _list(record.values.get(f"{question}{RESPONSES}{part}")) for part in ("", ".users", ".status")
    )
    for place, (user, value) in enumerate(zip(users, values, strict=False)):
        yield question, as_key(user), value, as_key(states[place]) if place < len(states) else ""


def _list(value: object) -> list[object]:
    """A list, which in a cell is written as JSON."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return items(decode(value))
        except NotJson:
            return []
    return items(value)


def _is_nested(samples: Sequence[Record]) -> bool:
    return every_is(samples, "fields", dict) and every_is(samples, "responses", (dict, type(None)))


def _is_flat(samples: Sequence[Record]) -> bool:
    names = [name for record in samples for name in record.values if name.endswith(RESPONSES)]
    return any(every(samples, name, f"{name}.users") for name in dict.fromkeys(names))


ARGILLA = Layout(
    key="argilla",
    name=say("Argilla, nested"),
    fits=_is_nested,
    unfold=_nested,
    known=always(annotator=column("annotator")),
    notes=(
        NOTE,
        say(
            "This export does not tell drafts and discarded answers from submitted ones; the flat export does"
        ),
    ),
)
ARGILLA_FLAT = Layout(
    key="argilla_flat",
    name=say("Argilla, flat"),
    fits=_is_flat,
    unfold=_flat,
    known=always(annotator=column("annotator")),
    notes=(NOTE, say("Drafts and discarded answers are left out")),
)
