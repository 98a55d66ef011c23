"""Where annotators of a round were split, by the rules of `domain/splits`.

What counts is the newest revision of what each gave, where it is counted, of people whose data were not withdrawn,
on responses that were not removed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.domain import splits
from annotation.domain.splits import Thresholds
from annotation.models import (
    AdjudicationCase,
    CategoryVote,
    Membership,
    Preference,
    RankedResponse,
    Response,
    Round,
    Score,
)

Reason = AdjudicationCase.Reason
# Which rules ask something of a round of each kind.
RULES: Mapping[str, tuple[Reason, ...]] = {
    Round.Kind.SCORES: (Reason.WIDE_SPREAD, Reason.CONTRARY_VOTES),
    Round.Kind.RANKINGS: (Reason.CONTRARY_VOTES,),
    Round.Kind.CATEGORIES: (Reason.TIED_VOTES,),
    Round.Kind.PAIRS: (Reason.CONTRARY_VOTES,),
}
ByPerson = dict[int, dict[int, int]]  # a number by response, by annotator


@dataclass(frozen=True, slots=True)
class Split:
    """A prompt, a response, or two responses, the older first, on which a round was split."""

    reason: Reason
    prompt: int
    response: int | None = None
    other: int | None = None


def found(work: Round, thresholds: Thresholds) -> list[Split]:
    """In the order of the material."""
    if work.kind == Round.Kind.SCORES:
        return [*_of_scores(work, thresholds)]
    if work.kind == Round.Kind.RANKINGS:
        return [*_contrary(_rankings(work), thresholds)]
    if work.kind == Round.Kind.PAIRS:
        return [*_of_pairs(work, thresholds)]
    return [*_of_categories(work, thresholds)]


def counted(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Judgements that count, each revision after the one before."""
    standing = rows.filter(standing=Score.Standing.COUNTED)
    return standing.exclude(annotator__state=Membership.State.WITHDRAWN).order_by("pk")


def _of_scores(work: Round, thresholds: Thresholds) -> Iterator[Split]:
    by_prompt = _scores(work)
    if thresholds.spread is not None:
        for prompt, people in by_prompt.items():
            for response in sorted({response for scores in people.values() for response in scores}):
                given = [scores[response] for scores in people.values() if response in scores]
                if splits.is_wide(given, thresholds.spread):
                    yield Split(Reason.WIDE_SPREAD, prompt, response)
    yield from _contrary(by_prompt, thresholds)


def _scores(work: Round) -> dict[int, ByPerson]:
    rows = counted(Score.objects.filter(round=work, response__state=Response.State.ACTIVE))
    by_prompt: dict[int, ByPerson] = {}
    for prompt, annotator, response, value in rows.values_list(
        "response__prompt", "annotator", "response", "value"
    ).iterator():
        by_prompt.setdefault(prompt, {}).setdefault(annotator, {})[response] = value
    return by_prompt


def _rankings(work: Round) -> dict[int, ByPerson]:
    """Tiers below zero, so that the better is the higher as it is with scores."""
    newest = {
        (prompt, annotator): pk
        for pk, prompt, annotator in counted(work.rankings.all()).values_list("pk", "prompt", "annotator")
    }
    rows = RankedResponse.objects.filter(
        ranking__in=list(newest.values()), response__state=Response.State.ACTIVE
    )
    by_prompt: dict[int, ByPerson] = {}
    for prompt, annotator, response, tier in rows.order_by("pk").values_list(
        "ranking__prompt", "ranking__annotator", "response", "tier"
    ):
        by_prompt.setdefault(prompt, {}).setdefault(annotator, {})[response] = -tier
    return by_prompt


def _contrary(by_prompt: Mapping[int, ByPerson], thresholds: Thresholds) -> Iterator[Split]:
    if thresholds.minority is None:
        return
    for prompt, people in by_prompt.items():
        responses = sorted({response for numbers in people.values() for response in numbers})
        for pair, sides in splits.sides_of_pairs(people.values(), responses).items():
            if splits.is_contrary(sides, thresholds.minority):
                yield Split(Reason.CONTRARY_VOTES, prompt, *pair)


def _of_pairs(work: Round, thresholds: Thresholds) -> Iterator[Split]:
    if thresholds.minority is None:
        return
    active = {
        "response_a__state": Response.State.ACTIVE,
        "response_b__state": Response.State.ACTIVE,
    }
    sides: dict[tuple[int, int, int], dict[int, int]] = {}
    for vote in counted(Preference.objects.filter(round=work, **active)):
        pair = (vote.prompt_id, *sorted((vote.response_a_id, vote.response_b_id)))
        sides.setdefault(pair, {})[vote.annotator_id] = side_of(vote)
    for (prompt, one, other), given in sides.items():
        if splits.is_contrary(given.values(), thresholds.minority):
            yield Split(Reason.CONTRARY_VOTES, prompt, one, other)


def side_of(vote: Preference) -> int:
    """Which of the two it is for, the older response being the first, whichever was shown as A."""
    if vote.preferred == Preference.Preferred.TIE:
        return splits.NEITHER
    is_first = (vote.preferred == Preference.Preferred.A) == (vote.response_a_id < vote.response_b_id)
    return splits.FIRST if is_first else splits.SECOND


def _of_categories(work: Round, thresholds: Thresholds) -> Iterator[Split]:
    if not thresholds.ties:
        return
    for prompt, votes in category_votes(work).items():
        if splits.is_tied([*votes.values()], work.annotators_per_response):
            yield Split(Reason.TIED_VOTES, prompt)


def category_votes(work: Round) -> dict[int, dict[int, int]]:
    """Category by annotator, by prompt."""
    rows = counted(CategoryVote.objects.filter(round=work))
    by_prompt: dict[int, dict[int, int]] = {}
    for prompt, annotator, category in rows.values_list("prompt", "annotator", "category"):
        by_prompt.setdefault(prompt, {})[annotator] = category
    return by_prompt
