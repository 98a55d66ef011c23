"""MT-bench: answers, and three kinds of judgement, none of which is a score from 0 to 3. Votes of people are kept.

Votes, of people or of models: {question_id, model_a, model_b, winner, judge, conversation_a, conversation_b, turn}.
Pairs: {question_id, model_1, model_2, g1_winner, g2_winner, ...}. Single: {question_id, model, score, judgment}.
Answers: {question_id, model_id, choices[{index, turns[]}]}.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import as_key
from annotation.domain.layouts.layout import (
    NO_SCORES,
    SEVERAL,
    Known,
    Layout,
    Skipped,
    always,
    column,
    entry,
    every,
    every_is,
    first_turn,
    items,
    joined,
    row,
    skipped,
    turns,
    vote_on,
)
from annotation.domain.moments import as_iso
from annotation.domain.records import Record
from annotation.domain.sentences import say

NO_VOTES = say("Votes say which of two responses is better; they are not scores from 0 to 3 and are left out")
OF_PEOPLE = say("Votes of people say which of two responses is better; they are kept apart from scores")
BY_A_MODEL = say("a model gave this vote; votes of models are never taken for those of people")

# As FastChat calls its judges: a list of model and template, or a name such as gpt4_pair. People are called Claude.
MACHINE = re.compile(
    r"(chat)?gpt.*|claude[-_](v?\d|instant|opus|sonnet|haiku).*|.*[-_](pair|single)([-_].*)?"
    r"|(gemini|llama|palm|mistral|mixtral|qwen|deepseek|vicuna)([-_\d].*)?",
    re.IGNORECASE,
)
WINNERS = {
    "model_a": "first",
    "model_b": "second",
    "tie": "tie",
    "tie (bothbad)": "tie",  # so Chatbot Arena where both are bad
    "tie (inconsistent)": "tie",  # so MT-bench where a judge changed sides with the order
}


def _votes(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        sides = [_side(record, side) for side in ("a", "b")]
        yield from sides
        judge, winner = record.values.get("judge"), record.values.get("winner")
        if _is_machine(judge):
            yield skipped(record, BY_A_MODEL)
        else:
            yield vote_on(
                sides[0],
                sides[1],
                annotator=judge,
                preferred=WINNERS.get(as_key(winner).lower()),
                given=winner,
                at=as_iso(record.values.get("tstamp")) or record.values.get("tstamp"),
                labels={
                    "annotator": "judge",
                    "preferred": "winner",
                    "at": "tstamp",
                    "first": "model_a",
                    "second": "model_b",
                },
            )


def _side(record: Record, side: str) -> Record:
    values = record.values
    conversation, judge, turn = values.get(f"conversation_{side}"), values.get("judge"), values.get("turn")
    said = turns(conversation)
    # What is judged ends with the turn of the vote: a vote on the first turn is about another text.
    seen = turn if isinstance(turn, int) and not isinstance(turn, bool) and 0 < turn < len(said) else 0
    return row(
        record,
        {
            "question_id": values.get("question_id"),
            "prompt": first_turn(conversation),
            "model": values.get(f"model_{side}"),
            "sample": f"turn {seen}" if seen else "",
            "text": joined(said[:seen] if seen else said),
            "side": f"model_{side}",
            "winner": values.get("winner"),
            "judge": joined(judge, ", ") if isinstance(judge, list) else judge,
            "turn": turn,
        },
    )


def _is_machine(judge: object) -> bool:
    if isinstance(judge, str):
        return bool(MACHINE.fullmatch(judge.strip()))
    return isinstance(judge, list | dict)


def _pairs(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        first, second = (as_key(record.values.get(name)) for name in ("g1_winner", "g2_winner"))
        for side in ("1", "2"):
            yield row(
                record,
                {
                    "question_id": record.values.get("question_id"),
                    "model": record.values.get(f"model_{side}"),
                    "side": f"model_{side}",
                    # The judge saw the two in both orders; where it did not stay with one, it is a tie.
                    "winner": first if first == second else "tie",
                    "turn": record.values.get("turn"),
                },
            )


def _single(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        names = {"score": "machine_score", "judgment": "machine_judgment"}
        yield row(record, {names.get(name, name): value for name, value in record.values.items()})


def _answers(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        for choice in map(entry, items(record.values.get("choices"))):
            yield row(
                record,
                {
                    "question_id": record.values.get("question_id"),
                    "model": record.values.get("model_id"),
                    "sample": as_key(choice.get("index")),
                    "text": joined(items(choice.get("turns"))),
                },
            )


def _of_answers(flat: Sequence[Record], names: Sequence[str]) -> Known:
    several = any(as_key(record.values.get("sample")) not in ("", "0") for record in flat)
    return {**SEVERAL, "text": column("text"), "sample": column("sample") if several else None}


def _are_votes(samples: Sequence[Record]) -> bool:
    return every(samples, "model_a", "model_b", "winner", "conversation_a", "conversation_b")


def _are_pairs(samples: Sequence[Record]) -> bool:
    return every(samples, "model_1", "model_2", "g1_winner", "g2_winner")


def _are_single(samples: Sequence[Record]) -> bool:
    return every(samples, "question_id", "model", "score", "judgment")


def _are_answers(samples: Sequence[Record]) -> bool:
    return every(samples, "question_id", "model_id") and every_is(samples, "choices", list)


VOTES = Layout(
    key="mtbench_votes",
    name=say("MT-bench, votes on pairs"),
    fits=_are_votes,
    unfold=_votes,
    known=always(**SEVERAL, text=column("text"), prompt=column("prompt"), sample=column("sample")),
    notes=(
        OF_PEOPLE,
        say("A vote on an earlier turn is about the conversation up to that turn, a text of its own"),
    ),
    votes=True,
)
PAIRS = Layout(
    key="mtbench_pairs",
    name=say("MT-bench, a model's judgements of pairs"),
    fits=_are_pairs,
    unfold=_pairs,
    known=always(**NO_SCORES),
    notes=(NO_VOTES, say("The file holds no texts; import the answers of the models")),
)
SINGLE = Layout(
    key="mtbench_single",
    name=say("MT-bench, a model's judgements of single answers"),
    fits=_are_single,
    unfold=_single,
    known=always(**NO_SCORES),
    notes=(
        say("A model gave these scores; they are no scores of people and are left out"),
        say("The file holds no texts; import the answers of the models"),
    ),
)
ANSWERS = Layout(
    key="mtbench_answers",
    name=say("MT-bench, answers of models"),
    fits=_are_answers,
    unfold=_answers,
    known=_of_answers,
)
