"""How things of a project are told: by the ids that people know, annotators by their pseudonyms, nothing by its key.

Lists and exports tell a thing in the same words. The querysets bring all that a row says.
"""

from collections import defaultdict
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from annotation.domain.stages import WORK
from annotation.models import Assignment, Import, Membership, Project, Prompt, Ranking, Response, Round, Score
from annotation.models.rankings import RankedResponse
from curation.models import Pair, Run

Row = dict[str, Any]

# Of files that are still coming in, or were taken back, nothing counts.
_THERE = Q(source=None) | Q(source__state=Import.State.STORED)


# --- Texts -----------------------------------------------------------------------------------------------


def prompts(project: Project) -> QuerySet[Prompt]:
    return project.prompts.filter(_THERE).select_related("genre").prefetch_related("requirements")


def prompt(found: Prompt) -> Row:
    return {
        "id": found.external_id,
        "language": found.language,
        "genre": found.genre.key if found.genre else None,
        "text": found.text,
        "requirements": [{"kind": each.kind, "text": each.text} for each in found.requirements.all()],
        "created_at": found.created_at,
    }


def responses(project: Project) -> QuerySet[Response]:
    there = project.responses.exclude(state=Response.State.INCOMING)
    return there.select_related("prompt__genre")


def response(found: Response) -> Row:
    return {
        "id": found.external_id,
        "prompt": found.prompt.external_id,
        "language": found.prompt.language,
        "genre": found.prompt.genre.key if found.prompt.genre else None,
        "model": found.source_model,
        "text": found.text,
        "state": found.state,
        "removed_kind": found.removed_kind,
        "removed_reason": found.removed_reason,
        "removed_at": found.removed_at,
        "created_at": found.created_at,
    }


# --- Work ------------------------------------------------------------------------------------------------


def rounds(project: Project) -> QuerySet[Round]:
    """Rounds of work; exams, courses and calibrations are of the people's preparation."""
    return project.rounds.filter(purpose__in=WORK).select_related("rubric", "mixed_into")


def round_of_work(found: Round) -> Row:
    return {
        "name": found.name,
        "purpose": found.purpose,
        "kind": found.kind,
        "state": found.state,
        "rubric": found.rubric.version,
        "annotators_per_response": found.annotators_per_response,
        "assigning": found.assigning,
        "ties_allowed": found.ties_allowed,
        "instruction": found.instruction,
        "daily_cap": found.daily_cap,
        "mixed_into": found.mixed_into.name if found.mixed_into else None,
        "created_at": found.created_at,
        "opened_at": found.opened_at,
        "locked_at": found.locked_at,
    }


def assignments(project: Project) -> QuerySet[Assignment]:
    found = Assignment.objects.filter(round__project=project, round__purpose__in=WORK)
    return found.select_related("round", "prompt", "response", "other", "annotator", "reserved_for")


def assignment(found: Assignment) -> Row:
    return {
        "round": found.round.name,
        "kind": found.round.kind,
        "prompt": found.prompt.external_id,
        "response": found.response.external_id if found.response else None,
        "other": found.other.external_id if found.other else None,
        "slot": found.slot,
        "state": found.state,
        "annotator": found.annotator.pseudonym if found.annotator else None,
        "reserved_for": found.reserved_for.pseudonym if found.reserved_for else None,
        "leased_until": found.leased_until,
    }


# --- Judgements ------------------------------------------------------------------------------------------


def scores(project: Project) -> QuerySet[Score]:
    """Every revision. Of whoever had their data withdrawn, none."""
    found = Score.objects.filter(_THERE, round__project=project, round__purpose__in=WORK)
    return found.exclude(annotator__state=Membership.State.WITHDRAWN).select_related(
        "round", "response__prompt", "annotator", "rubric"
    )


def score(found: Score) -> Row:
    return {
        "response": found.response.external_id,
        "prompt": found.response.prompt.external_id,
        **_judgement(found),
        "score": found.value,
        "rubric": found.rubric.version,
    }


def rankings(project: Project) -> QuerySet[Ranking]:
    found = Ranking.objects.filter(round__project=project, round__purpose__in=WORK)
    ranked = RankedResponse.objects.select_related("response").order_by("tier", "response__external_id")
    return (
        found.exclude(annotator__state=Membership.State.WITHDRAWN)
        .select_related("round", "prompt", "annotator")
        .prefetch_related(Prefetch("responses", ranked))
    )


def ranking(found: Ranking) -> Row:
    tiers: dict[int, list[str]] = defaultdict(list)
    for each in found.responses.all():
        tiers[each.tier].append(each.response.external_id)
    # Databases differ in how they order texts.
    in_order = [sorted(tiers[tier]) for tier in sorted(tiers)]
    return {"prompt": found.prompt.external_id, **_judgement(found), "tiers": in_order}


def _judgement(found: Score | Ranking) -> Row:
    return {
        "round": found.round.name,
        "purpose": found.round.purpose,
        "annotator": found.annotator.pseudonym,
        "revision": found.revision,
        "standing": found.standing,
        "justification": found.justification,
        "at": found.at,
        "recorded_at": found.recorded_at,
    }


# --- Pairs -----------------------------------------------------------------------------------------------


def pairs(run: Run) -> QuerySet[Pair]:
    return run.pairs.select_related("chosen__prompt", "rejected")


def pair(found: Pair) -> Row:
    return {
        "id": found.key,
        "prompt": found.chosen.prompt.external_id,
        "chosen": found.chosen.external_id,
        "rejected": found.rejected.external_id,
        "votes_for": found.votes_for,
        "votes_against": found.votes_against,
        "ties": found.ties,
        "annotators": found.k,
        "gap": [found.gap_numerator, found.gap_denominator],
        "mean_chosen": found.mean_chosen,
        "mean_rejected": found.mean_rejected,
        "length_chosen": found.length_chosen,
        "length_rejected": found.length_rejected,
        "flags": found.flags,
    }
