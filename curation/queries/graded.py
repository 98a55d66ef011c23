"""Responses of a project of which it is known how many requirements they kept, and how people ranked them.

What counts is the newest revision of what each gave in the latest live round, where it is counted, of people whose
data were not withdrawn, on responses that were not removed. A fixed number of queries for each round.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.domain import rankings
from annotation.models import CategoryVote, Genre, Project, Prompt, RankedResponse, Ranking, Response, Round
from annotation.queries import category_outcomes, consensus
from annotation.queries.splits import counted
from curation.domain.ranking_rows import GradedResponse, HumanRanking
from curation.domain.release.ranked import GivenRanking, RankedPrompt


@dataclass(frozen=True, slots=True)
class Graded:
    """What the recipe `weval` takes. Annotators go by pseudonym.

    `decided` is the category that votes or an adjudicator came to, "" where they came to none, of each prompt that was
    voted on. `partial` rankings are left out: they do not hold every response to their prompt.
    """

    responses: list[GradedResponse]
    rankings: list[HumanRanking]
    decided: Mapping[str, str]
    partial: int


def rounds_of_rankings(project: Project) -> list[Round]:
    return list(_live(project, Round.Kind.RANKINGS))


def graded(project: Project, rounds: Collection[Round]) -> Graded:
    """Of prompts that have requirements; with rankings of these rounds."""
    # Judgements first: what they are of was there before them.
    ranked = _rankings(rounds)
    votes, decided = _votes(project)
    responses = _responses(project, decided)
    texts: dict[str, set[str]] = {}
    for row in responses:
        texts.setdefault(row.prompt_id, set()).add(row.id)
    found, partial = [], 0
    for (prompt, annotator), given in sorted(ranked.items()):
        if prompt not in texts:
            continue
        kept = {name: tier for name, tier in given.tiers.items() if name in texts[prompt]}
        if len(kept) < len(texts[prompt]):
            partial += 1
            continue
        category = votes.get((prompt, annotator), "")
        found.append(HumanRanking(prompt, annotator, rankings.of_ranks(kept), category, given.ranking.at))
    return Graded(responses, found, {p: c for p, c in decided.items() if p in texts}, partial)


def ranked(project: Project) -> list[RankedPrompt]:
    """What counts of the rankings of all live rounds, by prompt and pseudonym; those of single texts too."""
    found: dict[str, dict[str, _Given]] = {}
    for (prompt, annotator), given in sorted(_rankings(rounds_of_rankings(project)).items()):
        found.setdefault(prompt, {})[annotator] = given
    prompts = project.prompts.filter(external_id__in=list(found)).annotate(n=Count("requirements"))
    requirements = dict(prompts.values_list("external_id", "n"))
    kept = project.responses.filter(prompt__in=prompts.filter(n__gt=0).values("pk")).annotate(
        kept=Count("kept_requirements")
    )
    of_prompts: dict[str, dict[str, int]] = {}
    for prompt, response, n in kept.filter(kept__gt=0).values_list(
        "prompt__external_id", "external_id", "kept"
    ):
        of_prompts.setdefault(prompt, {})[response] = n
    return [
        RankedPrompt(
            prompt,
            requirements[prompt],
            of_prompts.get(prompt, {}),
            [
                GivenRanking(annotator, rankings.of_ranks(given.tiers), given.ranking.at)
                for annotator, given in people.items()
            ],
        )
        for prompt, people in found.items()
    ]


@dataclass(frozen=True, slots=True)
class _Given:
    """A ranking with the tier of each response."""

    ranking: Ranking
    tiers: dict[str, int]


def _live(project: Project, kind: Round.Kind) -> QuerySet[Round]:
    return project.rounds.filter(kind=kind, purpose=Round.Purpose.LIVE).order_by("pk")


def _rankings(rounds: Collection[Round]) -> dict[tuple[str, str], _Given]:
    """By prompt and pseudonym."""
    rows = counted(Ranking.objects.filter(round__in=rounds)).order_by("round", "revision")
    newest = {
        (row.prompt.external_id, row.annotator.pseudonym): _Given(row, {})
        for row in rows.select_related("prompt", "annotator")
    }
    by_key = {given.ranking.pk: given for given in newest.values()}
    placed = RankedResponse.objects.filter(ranking__round__in=rounds)
    for ranking, response, tier in placed.values_list("ranking", "response__external_id", "tier").iterator():
        if ranking in by_key:
            by_key[ranking].tiers[response] = tier
    return newest


def _votes(project: Project) -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """The category that each voted for, by prompt and pseudonym; and the one that holds, by prompt."""
    rounds = list(_live(project, Round.Kind.CATEGORIES))
    rows = counted(CategoryVote.objects.filter(round__in=rounds)).order_by("round", "revision")
    votes = {
        (prompt, annotator): category
        for prompt, annotator, category in rows.values_list(
            "prompt__external_id", "annotator__pseudonym", "category__key"
        )
    }
    decided: dict[str, str] = {}
    for work in rounds:
        for prompt, category in category_outcomes.held(work).items():
            if category or prompt not in decided:
                decided[prompt] = category
    return votes, decided


def _responses(project: Project, decided: Mapping[str, str]) -> list[GradedResponse]:
    """Those of prompts with requirements, texts of exams, courses and calibrations left out."""
    asked = Prompt.objects.filter(project=project).annotate(n=Count("requirements")).filter(n__gt=0)
    prompts = {prompt.pk: prompt for prompt in asked.select_related("genre__parent").iterator()}
    live = RankedResponse.objects.filter(ranking__round__in=_live(project, Round.Kind.RANKINGS))
    set_aside = consensus.set_aside(project).exclude(pk__in=live.values("response"))
    rows = (
        project.responses.filter(state=Response.State.ACTIVE, prompt__in=asked.values("pk"))
        .exclude(pk__in=set_aside.values("pk"))
        .annotate(kept=Count("kept_requirements"))
        .values_list("external_id", "prompt", "text", "kept")
    )
    found = []
    for name, key, text, kept in rows.iterator():
        prompt = prompts[key]
        found.append(
            GradedResponse(
                id=name,
                prompt_id=prompt.external_id,
                kept=kept,
                requirements=prompt.n,
                category="" if decided.get(prompt.external_id) else _macro(prompt.genre),
                language=prompt.language,
                prompt=prompt.text,
                text=text,
            )
        )
    return found


def _macro(genre: Genre | None) -> str:
    """The key of its macro-category."""
    return (genre.parent or genre).key if genre else ""
