"""A release of the recipe `weval` as bytes: rankings, what people gave, responses, pairs, and the manifest over them.

It keeps to what `manifest` says of every release, so that it is verified in the same way: people's rankings are its
judgements, and the pairs are there, if none, where no pairs were asked for.
"""

import numpy as np

from curation.domain import manifest, recipe_json
from curation.domain.judgements import moment
from curation.domain.manifest import Release
from curation.domain.ranking_rows import GradedResponse, HumanRanking
from curation.domain.recipes import Weval
from curation.domain.weval import Outcome, RankedPair, RankedPrompt
from curation.domain.weval_card import card

PAIRS = "data/pairs/test.jsonl"
RANKINGS = "data/rankings/test.jsonl"
RESPONSES = "data/responses/test.jsonl"
AGREEMENT = "agreement.json"


def release_files(
    *,
    name: str,
    version: str,
    recipe: Weval,
    outcome: Outcome,
    code_version: str,
    licence: str = "",
    with_rejected: bool = True,
) -> Release:
    """The files of a release, each to be read once and in order. ReleaseError on a bad name, version or licence."""
    head = _head(manifest.check_name(name), manifest.check_version(version), recipe, outcome)
    head |= {"code_version": code_version, "numpy_version": np.__version__, **_found(outcome)}
    text = card(outcome, recipe, f"{name} {version}", manifest.check_licence(licence))
    responses = (row for prompt in outcome.prompts for row in prompt.responses)
    judgements = (row for prompt in outcome.prompts for row in prompt.rankings)
    release = Release()
    release.add(RANKINGS, manifest.lines_of(map(ranking_row, outcome.prompts)))
    release.add(RESPONSES, manifest.lines_of(map(response_row, responses)))
    release.add(manifest.JUDGEMENTS, manifest.lines_of(map(judgement_row, judgements)))
    release.add(PAIRS, manifest.lines_of(map(pair_row, outcome.pairs)))
    if with_rejected:
        release.add(manifest.REJECTED, manifest.lines_of(outcome.rejected))
    release.add(manifest.FUNNEL, [manifest.document(head["funnel"])])
    release.add(AGREEMENT, [manifest.document(head["agreement"])])
    release.add(manifest.CARD, [text.encode()])
    release.add(manifest.MANIFEST, manifest.manifest_of(release, head, tuple(release)))
    release.add(manifest.SUMS, manifest.sums_of(release, tuple(release)))
    return release


# --- rows ------------------------------------------------------------------------------------------------


def ranking_row(prompt: RankedPrompt) -> dict[str, object]:
    """One row of data/rankings: tiers of ids of responses, best first; `combined` is empty where nobody ranked."""
    return {
        "prompt_id": prompt.prompt_id,
        "category": prompt.category,
        "requirements": prompt.requirements,
        "gold": prompt.gold,
        "combined": prompt.combined,
        "annotators": len(prompt.rankings),
        "prompt": prompt.responses[0].prompt,
    }


def response_row(response: GradedResponse) -> dict[str, object]:
    """One row of data/responses."""
    return {
        "id": response.id,
        "prompt_id": response.prompt_id,
        "kept": response.kept,
        "language": response.language,
        "text": response.text,
    }


def judgement_row(ranking: HumanRanking) -> dict[str, object]:
    """One row of data/judgements: what one annotator gave."""
    return {
        "prompt_id": ranking.prompt_id,
        "annotator": ranking.annotator,
        "tiers": ranking.tiers,
        "category": ranking.category,
        "at": moment(ranking.at),
    }


def pair_row(pair: RankedPair) -> dict[str, object]:
    """One row of data/pairs; votes are those of the annotators who ranked the prompt, k of them."""
    return {
        "id": pair.id,
        "prompt_id": pair.prompt_id,
        "chosen": pair.chosen.id,
        "rejected": pair.rejected.id,
        "votes_for": pair.votes_for,
        "votes_against": pair.votes_against,
        "ties": pair.ties,
        "k": pair.votes_for + pair.votes_against + pair.ties,
        "kept_chosen": pair.chosen.kept,
        "kept_rejected": pair.rejected.kept,
        "prompt": pair.chosen.prompt,
        "chosen_text": pair.chosen.text,
        "rejected_text": pair.rejected.text,
    }


# --- manifest and checksums ------------------------------------------------------------------------------


def _head(name: str, version: str, recipe: Weval, outcome: Outcome) -> dict[str, object]:
    annotators = {row.annotator for prompt in outcome.prompts for row in prompt.rankings}
    return {
        "format": manifest.FORMAT,
        "name": name,
        "version": version,
        "counts": {
            "prompts": len(outcome.prompts),
            "responses": sum(len(prompt.responses) for prompt in outcome.prompts),
            "annotators": len(annotators),
            "judgements": sum(len(prompt.rankings) for prompt in outcome.prompts),
            "pairs": len(outcome.pairs),
        },
        "recipe": recipe_json.of_manifest(recipe),
    }


def _found(outcome: Outcome) -> dict[str, object]:
    return {
        "left_out": dict(outcome.left_out),
        "categories": dict(outcome.categories),
        "agreement": manifest.rounded(outcome.agreement.as_dict()),
        "funnel": outcome.funnel.as_dict(),
        **({"rejected_sample": outcome.sample.as_dict()} if outcome.sample else {}),
    }
