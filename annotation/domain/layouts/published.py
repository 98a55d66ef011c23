"""Other public data sets of writing: LitBench, WritingPrompts with votes, and WEval.

LitBench: {prompt, chosen_story, rejected_story, and upvotes and timestamp of each}; its test set is ids only.
WritingPrompts: {post_title, post_text, comment_texts[], comment_scores[], comment_times[]}. WEval: {prompt,
constraint[], chosen, instruction_id_list[]}, groups of five lines in a row.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import as_key
from annotation.domain.layouts.layout import (
    NO_SCORES,
    SEVERAL,
    Layout,
    Skipped,
    always,
    column,
    every,
    every_is,
    items,
    joined,
    row,
    skipped,
)
from annotation.domain.made_ids import prompt_id_of
from annotation.domain.records import InputError, Record
from annotation.domain.sentences import say

GROUP = 5  # lines of one prompt in WEval
GONE = ("[deleted]", "[removed]")

IDS_ONLY = say(
    "the file holds only the ids of comments and no texts; fetch the stories first, or import the file that has them"
)
PAIRED = say("Each pair is taken as two responses; which one was preferred is not taken")


# --- LitBench ----------------------------------------------------------------------------------------------


def _stories(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        for side in ("chosen", "rejected"):
            yield row(
                record,
                {
                    "prompt": record.values.get("prompt"),
                    "text": record.values.get(f"{side}_story"),
                    "upvotes": record.values.get(f"{side}_upvotes"),
                    "posted_at": record.values.get(f"{side}_timestamp"),
                    "side": side,
                },
            )


def _refused(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        raise InputError(IDS_ONLY, source=record.source)
    yield from ()


# --- WritingPrompts ----------------------------------------------------------------------------------------


def _comments(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        values = record.values
        votes, times = items(values.get("comment_scores")), items(values.get("comment_times"))
        prompt = joined((values.get("post_title"), values.get("post_text")))
        for place, text in enumerate(items(values.get("comment_texts"))):
            if text in GONE:
                yield skipped(record, say("the story was deleted where it was published"))
                continue
            facts = {
                "prompt": prompt,
                "text": text,
                "upvotes": votes[place] if place < len(votes) else None,
                "posted_at": times[place] if place < len(times) else None,
            }
            yield row(record, facts)


# --- WEval -------------------------------------------------------------------------------------------------


def _requirements(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    prompt: object = None
    group, place = "", 0
    groups: dict[str, int] = {}
    for record in records:
        given = record.values.get("prompt")
        if given != prompt or place == GROUP:
            prompt, place = given, 0
            group = _group(as_key(given), groups)
        place += 1
        asked = items(record.values.get("constraint"))
        kept = items(record.values.get("instruction_id_list"))
        places = _places(kept, asked)
        facts = {
            "prompt_id": group,
            "prompt": given,
            "text": record.values.get("chosen"),
            "sample": str(place),
            "requirements": asked,
            "kept_count": len(kept),
        }
        yield row(record, facts if places is None else {**facts, "kept_requirements": places})


def _group(prompt: str, groups: dict[str, int]) -> str:
    """The id of a group: that of its prompt, numbered where a prompt has several groups."""
    found = prompt_id_of(prompt)
    groups[found] = groups.get(found, 0) + 1
    return found if groups[found] == 1 else f"{found}-{groups[found]}"


def _places(kept: list[object], asked: list[object]) -> list[object] | None:
    """Where the kept requirements stand among those asked for, from 1; None where that is not certain."""
    texts = [as_key(one) for one in asked]
    wanted = [as_key(one) for one in kept]
    if not all(isinstance(one, str) and texts.count(as_key(one)) == 1 for one in kept):
        return None
    return [texts.index(one) + 1 for one in wanted] if len(set(wanted)) == len(wanted) else None


def _are_stories(samples: Sequence[Record]) -> bool:
    return every(samples, "chosen_story", "rejected_story")


def _are_ids(samples: Sequence[Record]) -> bool:
    return every(samples, "chosen_comment_id", "rejected_comment_id") and not _are_stories(samples)


def _are_comments(samples: Sequence[Record]) -> bool:
    return every(samples, "post_title") and every_is(samples, "comment_texts", list)


def _are_requirements(samples: Sequence[Record]) -> bool:
    return every(samples, "prompt", "chosen", "instruction_id_list") and every_is(samples, "constraint", list)


VOTED = always(
    **SEVERAL,
    prompt=column("prompt"),
    text=column("text"),
    upvotes=column("upvotes"),
    posted_at=column("posted_at"),
)
LITBENCH = Layout(
    key="litbench",
    name=say("LitBench, pairs of stories"),
    fits=_are_stories,
    unfold=_stories,
    known=VOTED,
    notes=(PAIRED, say("Upvotes are no scores; they are kept with the response")),
)
LITBENCH_IDS = Layout(
    key="litbench_ids",
    name=say("LitBench, ids only"),
    fits=_are_ids,
    unfold=_refused,
    known=always(**NO_SCORES),
    notes=(IDS_ONLY,),
)
WRITING_PROMPTS = Layout(
    key="writing_prompts",
    name=say("WritingPrompts with votes"),
    fits=_are_comments,
    unfold=_comments,
    known=VOTED,
    notes=(say("Upvotes are no scores; they are kept with the response"),),
)
WEVAL = Layout(
    key="weval",
    name=say("WEval"),
    fits=_are_requirements,
    unfold=_requirements,
    known=always(
        **SEVERAL,
        prompt_id=column("prompt_id"),
        prompt=column("prompt"),
        text=column("text"),
        sample=column("sample"),
        requirements=column("requirements"),
        kept_requirements=column("kept_requirements"),
        parameters=column("kept_count"),
    ),
    notes=(say("Five lines in a row with the same prompt are taken as one group"),),
)
