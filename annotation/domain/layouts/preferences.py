"""Preferences and conversations as training data has them, and the test set of PandaLM.

Preferences: {prompt, chosen, rejected}, each a text or messages, the prompt perhaps only within the messages; or two
answers side by side, such as response_A and response_B. Conversations: {messages[{role, content}]} or
{conversations[{from, value}]}. Instructions: {instruction, input, output}.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import as_key
from annotation.domain.layouts.layout import (
    PEOPLE,
    SEVERAL,
    Layout,
    Skipped,
    always,
    column,
    dotted,
    every,
    first_turn,
    is_conversation,
    joined,
    row,
    turns,
    vote_on,
    without,
)
from annotation.domain.records import Record
from annotation.domain.sentences import say

SIDES = ("chosen", "rejected")
PROMPTS = ("prompt", "question", "instruction", "query", "input")
STEMS = ("response", "answer", "output", "completion", "story", "assistant", "human_ref", "text")
ENDS = (("1", "2"), ("a", "b"), ("A", "B"))
# What else is told of one side of a pair: chosen_model, score_rejected.
OF_SIDE = re.compile(r"(?:(chosen|rejected)_(\w+)|(\w+)_(chosen|rejected))")
SCORES = ("score", "rating", "reward")

NO_PREFERENCES = say(
    "Each pair is taken as two responses; the preference is no score from 0 to 3 and is left out"
)
OF_PEOPLE = say("What each annotator preferred is kept as a vote on the pair, apart from scores")
ANNOTATORS = ("annotator1", "annotator2", "annotator3")  # of PandaLM
CHOICES = {"0": "tie", "1": "first", "2": "second"}


# --- chosen and rejected -----------------------------------------------------------------------------------


def _preferences(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        about: dict[str, dict[str, object]] = {side: {} for side in SIDES}
        rest: dict[str, object] = {}
        for name, value in without(record.values, *SIDES, *PROMPTS).items():
            found = OF_SIDE.fullmatch(name)
            side, fact = (found[1] or found[4], found[2] or found[3]) if found else ("", name)
            # A score beside a preference is mostly a reward model's.
            (about[side] if side else rest)["machine_score" if side and fact in SCORES else fact] = value
        for side in SIDES:
            facts = {"prompt": _prompt(record), "text": _said(record.values.get(side)), "side": side}
            yield row(record, {**facts, **dotted(without(rest, "messages", *facts)), **dotted(about[side])})


def _prompt(record: Record) -> object:
    for name in PROMPTS:
        value = record.values.get(name)
        if is_conversation(value):
            return joined(turns(value, PEOPLE))
        if value:
            return value
    return first_turn(record.values.get(SIDES[0]))


def _said(value: object) -> object:
    return joined(turns(value)) if is_conversation(value) else value


# --- two answers side by side ------------------------------------------------------------------------------


def _names(record: Record) -> tuple[str, str] | None:
    """The columns of the two answers."""
    for stem in STEMS:
        for mark in ("_", ""):
            for one, other in ENDS:
                names = f"{stem}{mark}{one}", f"{stem}{mark}{other}"
                if all(name in record.values for name in names):
                    return names
    return None


def _two_answers(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        names = _names(record)
        for place, name in enumerate(names or ()):
            facts: dict[str, object] = {
                "prompt": _prompt(record),
                "text": _said(record.values[name]),
                "side": name,
            }
            model = _model(record, place)
            yield row(record, {**facts, "model": model} if model else facts)


def _model(record: Record, place: int) -> object:
    for mark in ("_", ""):
        for ends in ENDS:
            value = record.values.get(f"model{mark}{ends[place]}")
            if value:
                return value
    return None


def _pandalm(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        values = record.values
        models = str(values.get("cmp_key", "")).split("_")
        first, second = (
            row(
                record,
                {
                    "pair": values.get("idx"),
                    "prompt": joined((values.get("instruction"), values.get("input"))),
                    "text": values.get(f"response{place}"),
                    "model": models[place - 1] if len(models) == 2 else None,
                    "side": f"response{place}",
                },
            )
            for place in (1, 2)
        )
        yield from (first, second)
        for name in ANNOTATORS:
            given = values.get(name)
            if as_key(given):
                yield vote_on(
                    first,
                    second,
                    annotator=name,
                    preferred=None if isinstance(given, bool) else CHOICES.get(as_key(given)),
                    given=given,
                    labels={
                        "preferred": name,
                        "annotator": name,
                        "first": "response1",
                        "second": "response2",
                    },
                )


# --- conversations and instructions ------------------------------------------------------------------------


def _conversations(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        name = "messages" if "messages" in record.values else "conversations"
        said = record.values.get(name)
        facts: dict[str, object] = {"prompt": first_turn(said), "text": joined(turns(said))}
        system = joined(turns(said, frozenset({"system"})))
        if system:
            facts["system_prompt"] = system
        yield row(record, {**facts, **dotted(without(record.values, name, *facts))})


def _instructions(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        asked = joined((record.values.get("instruction"), record.values.get("input")))
        rest = dotted(without(record.values, "instruction", "input", "output"))
        yield row(record, {"prompt": asked, "text": record.values.get("output"), **rest})


def _are_preferences(samples: Sequence[Record]) -> bool:
    return every(samples, *SIDES) and all(
        isinstance(record.values[side], str) or is_conversation(record.values[side])
        for record in samples
        for side in SIDES
    )


def _are_two_answers(samples: Sequence[Record]) -> bool:
    return bool(samples) and all(_names(record) and _has_prompt(record) for record in samples)


def _has_prompt(record: Record) -> bool:
    return any(name in record.values for name in PROMPTS)


def _is_pandalm(samples: Sequence[Record]) -> bool:
    return every(samples, "instruction", "input", "response1", "response2", "annotator1")


def _are_conversations(samples: Sequence[Record]) -> bool:
    return any(
        every(samples, name) and all(is_conversation(record.values[name]) for record in samples)
        for name in ("messages", "conversations")
    )


def _are_instructions(samples: Sequence[Record]) -> bool:
    return every(samples, "instruction", "input", "output")


TEXTS = always(**SEVERAL, prompt=column("prompt"), text=column("text"))
PREFERENCES = Layout(
    key="preferences",
    name=say("Preferences, chosen and rejected"),
    fits=_are_preferences,
    unfold=_preferences,
    known=TEXTS,
    notes=(NO_PREFERENCES,),
)
TWO_ANSWERS = Layout(
    key="two_answers",
    name=say("Preferences, two answers side by side"),
    fits=_are_two_answers,
    unfold=_two_answers,
    known=TEXTS,
    notes=(NO_PREFERENCES,),
)
PANDALM = Layout(
    key="pandalm",
    name=say("PandaLM, test set"),
    fits=_is_pandalm,
    unfold=_pandalm,
    known=always(**SEVERAL, prompt=column("prompt"), text=column("text"), model=column("model")),
    notes=(OF_PEOPLE,),
    votes=True,
)
CONVERSATIONS = Layout(
    key="conversations",
    name=say("Conversations, messages or ShareGPT"),
    fits=_are_conversations,
    unfold=_conversations,
    known=always(prompt=column("prompt"), text=column("text")),
    notes=(say("The first turn of a person is the prompt, all turns of the model are the response"),),
)
INSTRUCTIONS = Layout(
    key="instructions",
    name=say("Instructions with input and output"),
    fits=_are_instructions,
    unfold=_instructions,
    known=always(prompt=column("prompt"), text=column("text")),
)
