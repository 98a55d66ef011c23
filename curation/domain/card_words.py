"""What the card of a release says of the recipe that made it: one Wording for pairs from scores, one from votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.domain.recipes import LitBench, PairRecipe, WritingPreference

REASONS = {
    "identical_text": "the two texts are the same but for white space",
    "insufficient_overlap": "too few annotators scored both",
    "no_gap": "the scores prefer no side",
    "direction": "too few annotators prefer the same side",
    "unanimity": "not all annotators prefer the same side",
    "gap": "the means lie too close",
    "length_ratio": "the lengths lie too far apart",
    "cap_response": "a response already stands in enough pairs",
    "cap_prompt": "the prompt already has enough pairs",
    "upvote_gap": "the numbers of upvotes lie too close",
    "time": "the story with more upvotes was not posted later",
    "split": "one story is of the training split, the other of the test split",
    "length_symmetry": "no pair of mirrored length difference",
    "quota": "the stratum already has enough pairs",
}
FLAGS = {
    "contrary": "an annotator prefers the rejected response",
    "polarised": "an annotator prefers it by 2 or more",
    "low_chosen": "the chosen response has a mean below 2",
    "k2": "only two annotators scored both",
    "zero_score": "an annotator gave the chosen response 0",
    "self_disagreement": "an annotator changed a score by 2 or more",
}
IDENTICAL = (
    "Two responses with the same text (after NFC, trimming and collapsing of white space) make no pair."
)
CHOICE = "Where not all can stay, a hash of the seed and the two response ids decides which do."
FILTERS = {
    "min_upvotes": "too few upvotes",
    "min_words": "too few words",
    "max_tokens": "too many tokens",
}

SIDES = {
    "id": "dtype: string",
    "prompt_id": "dtype: string",
    "chosen": "dtype: string",
    "rejected": "dtype: string",
}
SCORES = {
    "votes_for": "dtype: int64",
    "votes_against": "dtype: int64",
    "ties": "dtype: int64",
    "k": "dtype: int64",
    "gap": "list: int64",
    "mean_chosen": "dtype: float64",
    "mean_rejected": "dtype: float64",
}
VOTES = {
    "upvotes_chosen": "dtype: int64",
    "upvotes_rejected": "dtype: int64",
    "posted_at_chosen": "dtype: string",
    "posted_at_rejected": "dtype: string",
}
TEXTS = {
    "length_chosen": "dtype: int64",
    "length_rejected": "dtype: int64",
    "flags": "list: string",
    "prompt": "dtype: string",
    "chosen_text": "dtype: string",
    "rejected_text": "dtype: string",
}


@dataclass(frozen=True, slots=True)
class Wording:
    """Sentences and columns of the card that differ between recipes.

    `about` takes {pairs} and {prompts}, `removed` the number of {responses} that formed no candidate; each is a number
    with its noun. `columns` are those of a pair, with their types; without `has_scores` there are no judgements to
    speak of.
    """

    about: str
    files: str
    steps: Sequence[str]
    removed: str
    columns: Mapping[str, str]
    limits: Sequence[str]
    has_scores: bool


def wording(recipe: PairRecipe) -> Wording:
    return _of_votes(recipe) if isinstance(recipe, LitBench) else _of_scores(recipe)


# --- scores ----------------------------------------------------------------------------------------------


def _of_scores(recipe: WritingPreference) -> Wording:
    return Wording(
        about="""\
{pairs} of responses to the same prompt, over {prompts}. In each, human
annotators preferred the response named `chosen` to the one named `rejected`. A model or a judge is scored by how
often it gives the chosen response the strictly higher score; a tie is wrong.""",
        files="""\
- `data/pairs/test.jsonl` (configuration `pairs`): one pair a row, with ids, votes, gap, lengths, flags and texts.
- `data/judgements/test.jsonl` (configuration `judgements`): every score that the pairs rest on, and those that led
  to no pair. One score a row, annotators under pseudonyms.
- `manifest.json`: the recipe with every parameter, counts, agreement, and SHA-256, bytes and lines of every file.""",
        steps=_steps_of_scores(recipe),
        removed="""\
{responses} had been
removed before scores were given and formed no candidate.""",
        columns={**SIDES, **SCORES, **TEXTS},
        limits=(
            "Accepted pairs are those on which annotators agreed: they say nothing about close calls.",
            "A preference is that of these annotators, under their rubric, and no general verdict on a text.",
        ),
        has_scores=True,
    )


def _steps_of_scores(recipe: WritingPreference) -> list[str]:
    steps = [
        IDENTICAL,
        f"Only annotators who scored both responses count; there must be at least {recipe.min_common} of them.",
        "All k of them must prefer the same side; a tie is no vote."
        if recipe.unanimous
        else "Of k such annotators at least two thirds, and at least 2, must prefer the same side; a tie is no vote.",
        f"The mean of the chosen response must be at least {recipe.min_gap} above the other's, compared exactly.",
    ]
    if recipe.max_length_ratio is not None:
        steps.append(
            f"The longer response may be at most {recipe.max_length_ratio} times as long as the other."
        )
    if recipe.max_pairs_per_response is not None:
        steps.append(f"No response stands in more than {recipe.max_pairs_per_response} pairs.")
    if recipe.max_pairs_per_prompt is not None:
        steps.append(f"No prompt has more than {recipe.max_pairs_per_prompt} pairs.")
    strata = _strata(recipe.strata)
    if recipe.length_symmetry:
        steps.append(_symmetry(strata, recipe.buckets))
    if recipe.quota is not None:
        steps.append(f"At most {recipe.quota} of {strata} stay.")
    return [*steps, CHOICE]


# --- votes -----------------------------------------------------------------------------------------------


def _of_votes(recipe: LitBench) -> Wording:
    splits = ["test"] if recipe.split_at is None else ["train", "test"]
    paths = " and ".join(f"`data/pairs/{split}.jsonl`" for split in splits)
    return Wording(
        about="""\
{pairs} of stories on the same prompt, over {prompts}. In each, readers gave the
story named `chosen` clearly more upvotes than the one named `rejected`. A model or a judge is scored by how often it
gives the chosen story the strictly higher score; a tie is wrong.""",
        files=f"""\
- {paths} (configuration `pairs`): one pair a row, with ids, upvotes, moments of posting, lengths and texts.
- `data/judgements/test.jsonl` has no rows: nobody was asked for a score.
- `manifest.json`: the recipe with every parameter, counts, and SHA-256, bytes and lines of every file.""",
        steps=_steps_of_votes(recipe),
        removed="""\
{responses} did not
pass the filters and formed no candidate.""",
        columns={**SIDES, **VOTES, **TEXTS},
        limits=(
            "Upvotes are those of a community, and also tell when, where and to how many a story was shown.",
            *(
                []
                if recipe.time_rule
                else ["The chosen story may be the earlier one: it had more time to be read."]
            ),
        ),
        has_scores=False,
    )


def _steps_of_votes(recipe: LitBench) -> list[str]:
    tokens = "" if recipe.max_tokens is None else f" and at most {recipe.max_tokens} tokens"
    steps = [
        f"Only stories with at least {recipe.min_upvotes} upvotes, at least {recipe.min_words} words{tokens} count.",
        IDENTICAL,
        f"The chosen story has at least {recipe.min_difference} of its upvotes, and at least one, more than the other; "
        "compared exactly.",
    ]
    if recipe.time_rule:
        steps.append("The chosen story was posted later than the other, so it had less time to be found.")
    if recipe.split_at is not None:
        moment = recipe.split_at.isoformat()
        steps.append(
            f"Both stories were posted before {moment} (`train`) or both at that moment or later (`test`)."
        )
    if recipe.length_symmetry:
        strata = _strata(recipe.strata)
        within = strata if recipe.split_at is None else f"{strata} of a split"
        steps.append(_symmetry(within, recipe.buckets))
        steps.append(CHOICE)
    return steps


# --- both ------------------------------------------------------------------------------------------------


def _strata(setting: str) -> str:
    return "all pairs" if setting == "none" else f"the pairs of each {setting.replace('+', ' and ')}"


def _symmetry(within: str, buckets: int) -> str:
    return (
        f"Length symmetry, within {within}: the length differences are laid out in {buckets} buckets, "
        "mirrored about 0, and in each bucket as many pairs stay whose chosen response is longer as there "
        "stay in its mirror image whose chosen response is shorter."
    )
