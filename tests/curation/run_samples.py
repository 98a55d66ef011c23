"""A project whose run has something to decide in several buckets, and what a run came to."""

import random
from hashlib import sha256

import orjson

from annotation.models import Project, Score
from curation.domain.manifest import rounded
from curation.models import Run
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

PANEL = ("ann", "ben", "cat")
PARAMETERS = {"buckets": 6, "strata": "language", "max_pairs_per_prompt": 4, "quota": 5}


def scored_project(slug: str = "bridges", *, prompts: int = 10, responses: int = 5, seed: int = 1) -> Project:
    """Prompts in two languages, whose responses of different lengths three annotators have scored."""
    chance = random.Random(seed)
    project = make_project(slug)
    panel = [make_member(project, "annotator", f"{name}-{slug}") for name in PANEL]
    for number in range(prompts):
        prompt = make_prompt(project, f"{slug}-{number}", language=chance.choice(["en", "de"]))
        for place in range(responses):
            words = " ".join(f"w{chance.randrange(99)}" for _ in range(chance.randrange(5, 25)))
            make_response(prompt, f"{slug}-{number}-{place}", words)
    work = make_round(project)
    slots = {(slot.response_id, slot.slot): slot for slot in work.assignments.all()}
    scores = []
    for response in project.responses.order_by("external_id"):
        deserved = chance.randrange(4)
        for slot, member in enumerate(panel, start=1):
            value = min(3, max(0, deserved + chance.choice([-1, 0, 0, 0, 1])))
            scores.append(
                Score(
                    round=work,
                    response=response,
                    annotator=member,
                    assignment=slots[response.pk, slot],
                    rubric=work.rubric,
                    value=value,
                    at=NOW,
                    recorded_at=NOW,
                )
            )
    Score.objects.bulk_create(scores)
    return project


def outcome(run: Run) -> dict:
    """All that a run says, but for keys of rows."""
    run.refresh_from_db()
    columns = [
        "key",
        "chosen__external_id",
        "rejected__external_id",
        "votes_for",
        "votes_against",
        "ties",
        "k",
        "gap_numerator",
        "gap_denominator",
        "mean_chosen",
        "mean_rejected",
        "length_chosen",
        "length_rejected",
        "flags",
    ]
    return {
        "state": run.state,
        "error": run.error,
        "funnel": run.funnel,
        "agreement": run.agreement and rounded(run.agreement),
        "symmetry": run.symmetry,
        "snapshot": run.snapshot and run.snapshot.digest,
        # In the order in which they were stored.
        "pairs": list(run.pairs.order_by("pk").values_list(*columns)),
    }


def digest(run: Run) -> str:
    return sha256(orjson.dumps(outcome(run), option=orjson.OPT_SORT_KEYS)).hexdigest()
