"""A release of the recipe `weval` as bytes: rankings, what people gave, responses, pairs, and the manifest over them.

It keeps to what `manifest` says of every release, so that it is verified in the same way: people's rankings are its
judgements, and the pairs are there, if none, where no pairs were asked for.
"""

from typing import Any

import numpy as np

from curation.domain import manifest, recipe_json, weval_card
from curation.domain.judgements import moment
from curation.domain.ranking_rows import GradedResponse, HumanRanking
from curation.domain.recipes import Weval
from curation.domain.release import canaries, judge_prompts, rows
from curation.domain.release.contents import INSPECT, JUDGE_COLUMNS, add_papers, add_proof
from curation.domain.release.described import Described
from curation.domain.release.files import Release, Seal, document, lines_of
from curation.domain.release.judge_prompts import Asked
from curation.domain.release.rows import Preferred
from curation.domain.release.tables import PREFERENCE_COLUMNS, Table, with_canary
from curation.domain.weval import Outcome, RankedPair, RankedPrompt

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
    seal: Seal = manifest.UNSEALED,
    copies: bool = True,
    with_rejected: bool = True,
) -> Release:
    """The files of a release, each to be read once and in order. ReleaseError on a bad name, version or licence."""
    head = _head(manifest.check_name(name), manifest.check_version(version), recipe, outcome)
    head |= {"code_version": code_version, "numpy_version": np.__version__, **_found(outcome)}
    manifest.check_licence(licence)
    responses = [row for prompt in outcome.prompts for row in prompt.responses]
    judgements = (row for prompt in outcome.prompts for row in prompt.rankings)
    ids = "\0".join(row.id for row in responses)
    canary = canaries.derived(name.encode(), version.encode(), ids.encode())
    told = [with_canary(table) for table in weval_card.tables(outcome)]
    release = Release()
    release.add(RANKINGS, lines_of(map(ranking_row, outcome.prompts), canary))
    release.add(RESPONSES, lines_of(map(response_row, responses), canary))
    release.add(manifest.JUDGEMENTS, lines_of(map(judgement_row, judgements), canary))
    release.add(PAIRS, lines_of(map(pair_row, outcome.pairs), canary))
    trainable = copies and bool(outcome.pairs)
    if trainable:
        preference = with_canary(Table("preference", PREFERENCE_COLUMNS))
        for path, row in (
            (preference.path("test"), rows.preference),
            (INSPECT.format(split="test"), rows.choice),
        ):
            release.add(path, lines_of(map(row, map(of_pair, outcome.pairs)), canary))
        judge = with_canary(Table("judge", JUDGE_COLUMNS))
        release.add(
            judge.path("test"), lines_of(judge_prompts.judge_rows(map(asked_of, outcome.pairs)), canary)
        )
        told += [preference, judge]
    if with_rejected:
        release.add(manifest.REJECTED, lines_of(outcome.rejected))
    release.add(manifest.FUNNEL, [document(head["funnel"])])
    release.add(AGREEMENT, [document(head["agreement"])])
    described = Described(
        name=name,
        version=version,
        licence=licence,
        date="",
        canary=canary,
        note="",
        previous="",
        code_version=code_version,
        recipe=head["recipe"],
        tables=told,
        languages=sorted({row.language for row in responses} - {""}),
        alpha=None,
        **head["counts"],
    )
    add_papers(release, described, trainable=trainable)
    text = weval_card.card(outcome, recipe, f"{name} {version}", licence, told=told, canary=canary)
    release.add(manifest.CARD, [text.encode()])
    add_proof(release, head, seal)
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


def asked_of(pair: RankedPair) -> Asked:
    """What a judge is asked of a pair."""
    prompt, language = pair.chosen.prompt, pair.chosen.language
    sides = (pair.chosen.id, pair.rejected.id, prompt, pair.chosen.text, pair.rejected.text)
    return Asked(pair.id, pair.prompt_id, *sides, language)


def of_pair(pair: RankedPair) -> Preferred:
    """What trainers need of a pair; the margin is how many requirements more the chosen response kept."""
    return Preferred(
        id=pair.id,
        prompt_id=pair.prompt_id,
        prompt=pair.chosen.prompt,
        chosen_text=pair.chosen.text,
        rejected_text=pair.rejected.text,
        margin=float(pair.chosen.kept - pair.rejected.kept),
        genre="",
        language=pair.chosen.language,
    )


# --- manifest and checksums ------------------------------------------------------------------------------


def _head(name: str, version: str, recipe: Weval, outcome: Outcome) -> dict[str, Any]:
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
