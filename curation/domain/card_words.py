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
# Of a signal audit: what each line guesses by, or counts.
AUDITED = {
    "longer": "the longer one",
    "paragraphs": "more paragraphs",
    "markdown": "more Markdown",
    "quotation_marks": "more quotation marks",
    "type_token_ratio": "the larger share of different words",
    "source_model": "the model that wins more often on other prompts",
    "logistic": "a logistic model over the surface",
    "exact": "the same text as another in the pairs",
    "near": "nearly the same text as another in the pairs",
    "earlier_exact": "the same text as one of an earlier release",
    "earlier_near": "nearly the same text as one of an earlier release",
    "leaks": "texts that name a model",
}
NO_AUDIT = {
    "not_done": "The pairs had not been audited when the release was asked for.",
    "failed": "The audit of the pairs failed before the release was asked for.",
}
IDENTICAL = (
    "Two responses with the same text (after NFC, trimming and collapsing of white space) make no pair."
)
ALONE = "Only annotators who scored both responses count, k of them; one is enough."
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
    "genre": "dtype: string",
    "language": "dtype: string",
    "chosen_model": "dtype: string",
    "rejected_model": "dtype: string",
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
        limits=_limits_of_scores(recipe),
        has_scores=True,
    )


def _limits_of_scores(recipe: WritingPreference) -> tuple[str, ...]:
    held = {rule.name for rule in recipe.rules()}
    agreed = "Accepted pairs are those on which annotators agreed: they say nothing about close calls."
    if not held & {"direction", "unanimity"}:
        agreed = "No majority was asked for: the sum of the scores alone says which response is chosen."
    general = (
        "A preference is that of these annotators, under their rubric, and no general verdict on a text."
    )
    return agreed, general


def _steps_of_scores(recipe: WritingPreference) -> list[str]:
    """A sentence for each rule, in their order; another that says as much may stand for it."""
    strata = _strata(recipe.strata)
    sentences = {
        "identical_text": IDENTICAL,
        "insufficient_overlap": "Only annotators who scored both responses count; there must be at least "
        f"{recipe.min_common} of them.",
        "no_gap": "The scores of the annotators who scored both responses must prefer a side.",
        "direction": "Of k such annotators at least two thirds, and at least 2, must prefer the same side; a tie is "
        "no vote.",
        "unanimity": "All k of them must prefer the same side; a tie is no vote.",
        "gap": f"The mean of the chosen response must be at least {recipe.min_gap} above the other's, compared "
        "exactly.",
        "length_ratio": f"The longer response may be at most {recipe.max_length_ratio} times as long as the other.",
        "cap_response": f"No response stands in more than {recipe.max_pairs_per_response} pairs.",
        "cap_prompt": f"No prompt has more than {recipe.max_pairs_per_prompt} pairs.",
        "length_symmetry": _symmetry(strata, recipe.buckets),
        "quota": f"At most {recipe.quota} of {strata} stay.",
    }
    held = [rule.name for rule in recipe.rules()]
    said = {"no_gap"} & {*held} if "gap" in held else set()
    said |= {"direction"} if "unanimity" in held else set()
    alone = [] if "insufficient_overlap" in held else [ALONE]
    return [*alone, *(sentences[name] for name in held if name not in said), CHOICE]


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
    steps = [*_filters(recipe)]
    if "identical_text" in recipe.reasons:
        steps.append(IDENTICAL)
    steps.append(
        f"The chosen story has at least {recipe.min_difference} of its upvotes, and at least one, more than the other; "
        "compared exactly."
    )
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


def _filters(recipe: LitBench) -> list[str]:
    bounds = {
        "min_upvotes": f"at least {recipe.min_upvotes} upvotes",
        "min_words": f"at least {recipe.min_words} words",
        "max_tokens": f"at most {recipe.max_tokens} tokens",
    }
    held = [bounds[rule.name] for rule in recipe.rules() if rule.name in bounds]
    least = [bound for bound in held if bound.startswith("at least")]
    most = [bound for bound in held if bound.startswith("at most")]
    said = " and ".join([", ".join(least), *most] if least else most)
    return [f"Only stories with {said} count."] if held else []


# --- both ------------------------------------------------------------------------------------------------


def _strata(setting: str) -> str:
    return "all pairs" if setting == "none" else f"the pairs of each {setting.replace('+', ' and ')}"


def _symmetry(within: str, buckets: int) -> str:
    return (
        f"Length symmetry, within {within}: the length differences are laid out in {buckets} buckets, "
        "mirrored about 0, and in each bucket as many pairs stay whose chosen response is longer as there "
        "stay in its mirror image whose chosen response is shorter."
    )
