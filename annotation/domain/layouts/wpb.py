"""WritingPreferenceBench as it was published: raw responses, the scores of one annotator, and pairs.

Responses: {question_id, prompt, __internal_tags__[genre], predict0, response_metadata_list[[{finish_reason, error,
counts}]]} and leftovers, among them a `score` that is always 0. Scores: {original_item_index, question_id, score,
comment}. The model stands in the name of the file. Pairs: {prompt, prompt_id, tag, chosen{response, score, model},
rejected{...}}.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import Source, as_key
from annotation.domain.layouts.layout import (
    SEVERAL,
    Known,
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
    without,
)
from annotation.domain.records import Record
from annotation.domain.sentences import say

ANSWER = "predict"
TAGS = "__internal_tags__"
METADATA = "response_metadata_list"
COUNTS = ("completion_tokens", "prompt_tokens", "reasoning_tokens", "total_tokens", "word_len")
OF_PAIR = ("completion_tokens", "prompt_tokens", "word_len")


def _responses(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        values = record.values
        tags = [as_key(tag) for tag in items(values.get(TAGS))]
        number = 0
        while f"{ANSWER}{number}" in values:
            about = _metadata(values.get(METADATA), number)
            yield row(
                record,
                {
                    "question_id": values.get("question_id"),
                    "prompt": values.get("prompt"),
                    "genre": tags[0] if tags else "",
                    "text": values[f"{ANSWER}{number}"],
                    "sample": str(number),
                    "finish_reason": about.get("finish_reason"),
                    "error": about.get("error"),
                    **{name: about[name] for name in COUNTS if name in about},
                },
            )
            number += 1


def _metadata(value: object, number: int) -> dict[str, object]:
    """What is told of one answer, in a list of lists."""
    outer = items(value)
    inner = items(outer[number]) if number < len(outer) else []
    return entry(inner[0]) if inner else {}


def _of_responses(flat: Sequence[Record], names: Sequence[str]) -> Known:
    several = any(as_key(record.values.get("sample")) not in ("", "0") for record in flat)
    counts = tuple(name for name in COUNTS if any(name in record.values for record in flat))
    return {
        **SEVERAL,
        "prompt_id": column("question_id"),
        "model": Source(file_name=True),
        "prompt": column("prompt"),
        "genre": column("genre"),
        "text": column("text"),
        "finish_reason": column("finish_reason"),
        "error": column("error"),
        "sample": column("sample") if several else None,
        "parameters": column(*counts) if counts else None,
    }


def _scores(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        yield row(record, dotted(record.values))


def _pairs(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        facts = dotted(without(record.values, "chosen", "rejected"))
        for side in ("chosen", "rejected"):
            one = entry(record.values.get(side))
            text = {"text": one.get("response"), "side": side}
            yield row(record, {**facts, **text, **dotted(without(one, "response"))})


def _of_pairs(flat: Sequence[Record], names: Sequence[str]) -> Known:
    counts = tuple(name for name in OF_PAIR if any(name in record.values for record in flat))
    parameters = column(*counts) if counts else None
    return {**SEVERAL, "text": column("text"), "parameters": parameters}


def _are_responses(samples: Sequence[Record]) -> bool:
    return every(samples, f"{ANSWER}0", "question_id") and (every(samples, METADATA) or every(samples, TAGS))


def _are_scores(samples: Sequence[Record]) -> bool:
    return every(samples, "original_item_index", "question_id", "score")


def _are_pairs(samples: Sequence[Record]) -> bool:
    sides = every_is(samples, "chosen", dict) and every_is(samples, "rejected", dict)
    return sides and all("response" in entry(record.values["chosen"]) for record in samples)


RESPONSES = Layout(
    key="wpb_responses",
    name=say("WritingPreferenceBench, raw responses"),
    fits=_are_responses,
    unfold=_responses,
    known=_of_responses,
    notes=(
        say("The model stands only in the name of the file"),
        say("The column score in such a file is no score of a person and is left out"),
    ),
)
SCORES = Layout(
    key="wpb_scores",
    name=say("WritingPreferenceBench, scores"),
    fits=_are_scores,
    unfold=_scores,
    known=always(
        response_id=None,
        prompt_id=column("question_id"),
        model=Source(file_name=True),
        score=column("score"),
        justification=column("comment"),
    ),
    notes=(
        say("The model stands only in the name of the file"),
        say("The file does not say who scored: give the annotator a name"),
    ),
)
PAIRS = Layout(
    key="wpb_pairs",
    name=say("WritingPreferenceBench, pairs"),
    fits=_are_pairs,
    unfold=_pairs,
    known=_of_pairs,
    notes=(
        say("Each pair is taken as two responses"),
        say(
            "The scores in a pair are what is left of several judgements; they are not suggested as one annotator's"
        ),
    ),
)
