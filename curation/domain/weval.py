"""The recipe `weval`: gold rankings by requirement dropout, what people say of them, and pairs on demand.

A prompt with n requirements has n responses, which were written with n, n - 1, ..., 1 of them; so their order is known.
People rank the same responses: each is measured against the gold order, which is averaged over the people of a prompt
and then over prompts. Their combined order is shown beside it and is nobody's score.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from annotation.domain import rankings, text
from annotation.domain.rankings import Tiers
from annotation.domain.sentences import say
from curation.domain import human_rankings, judgements, rank_metrics, rejected
from curation.domain.funnel import Funnel
from curation.domain.outcome import Rejected
from curation.domain.rank_metrics import FEW, Averages, Interval, Metrics
from curation.domain.ranked import CurationError
from curation.domain.ranking_rows import GradedResponse, HumanRanking
from curation.domain.recipes import Weval
from curation.domain.rejected import SEED, Keep
from curation.domain.standing import Outcomes, Sample

# Why a prompt is left out, in the order in which it is tried.
LEFT_OUT = ("one_response", "incomplete")
NO_RANKINGS = "no_rankings"


# --- what comes of it ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankedPrompt:
    """A prompt whose gold order is known, and what people gave; annotators under pseudonyms, in their order.

    `responses` are sorted by id, `combined` is () where nobody ranked them. `category` is that of the responses, or
    else the majority of the annotators' votes, or "".
    """

    prompt_id: str
    category: str
    requirements: int
    responses: tuple[GradedResponse, ...]
    gold: Tiers
    combined: Tiers
    rankings: tuple[HumanRanking, ...]


@dataclass(frozen=True, slots=True)
class RankedPair:
    """A pair that an order holds, and how many annotators rank the chosen response above, below or level."""

    prompt_id: str
    chosen: GradedResponse
    rejected: GradedResponse
    votes_for: int
    votes_against: int
    ties: int

    @property
    def id(self) -> str:
        return f"{self.prompt_id}:{self.chosen.id}:{self.rejected.id}"


@dataclass(frozen=True, slots=True)
class Part:
    """People against gold on some prompts: each annotator, averaged, with an interval by name; the combined order; how
    many rankings."""

    rankings: int
    human: Averages
    intervals: Mapping[str, Interval]
    combined: Averages

    @property
    def is_few(self) -> bool:
        """Whether the intervals are of too few prompts to be relied on."""
        return self.human.n < FEW


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of annotators with the gold order. Categories in their order, "" of prompts without; people by pseudonym."""

    whole: Part
    by_category: Mapping[str, Part]
    by_requirements: Mapping[int, Part]
    by_annotator: Mapping[str, Averages]

    def as_dict(self) -> dict[str, object]:
        """JSON values, one row for each part."""
        return {
            **_part(self.whole),
            "by_category": [{"category": name, **_part(p)} for name, p in self.by_category.items()],
            "by_requirements": [{"requirements": n, **_part(p)} for n, p in self.by_requirements.items()],
            "by_annotator": [{"annotator": name, **_row(a)} for name, a in self.by_annotator.items()],
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """Prompts by id; `left_out` names why prompts were, with zeros; `categories` how prompts came by theirs. Of the
    funnel, `removed` are the responses of prompts left out; without pairs there is no candidate. `rejected` are all
    rejected candidates, those that `sample` tells of, or none, as it was asked."""

    prompts: tuple[RankedPrompt, ...]
    left_out: Mapping[str, int]
    categories: Mapping[str, int]
    agreement: Agreement
    pairs: tuple[RankedPair, ...]
    rejected: tuple[Rejected, ...]
    sample: Sample | None
    funnel: Funnel


def _part(part: Part) -> dict[str, object]:
    intervals = {name: interval.as_dict() for name, interval in part.intervals.items()}
    return {
        "rankings": part.rankings,
        "human": {**_row(part.human), "few": part.is_few, "intervals": intervals},
        "combined": _row(part.combined),
    }


def _row(averages: Averages) -> dict[str, object]:
    return {
        **averages.as_dict(),
        "il_graded_chance": averages.chance,
        "reason": None if averages.n else NO_RANKINGS,
    }


# --- the recipe ------------------------------------------------------------------------------------------


def curate(
    responses: Sequence[GradedResponse],
    given: Sequence[HumanRanking],
    recipe: Weval,
    *,
    decided: Mapping[str, str] | None = None,
    keep: Keep = "all",
) -> Outcome:
    """All that the recipe gives. The order of rows makes no difference.

    Every ranking in `given` is one of all responses to its prompt, one for each person and prompt. `decided` is what
    votes on categories came to ("": nothing), of prompts of which it is known otherwise than by the rankings. Of the
    rejected candidates those are kept that `keep` names.
    """
    names = judgements.pseudonyms(row.annotator for row in given)
    people: dict[str, list[HumanRanking]] = {}
    for row in sorted(given, key=lambda row: (row.prompt_id, names[row.annotator])):
        people.setdefault(row.prompt_id, []).append(_under(names[row.annotator], row))
    written: dict[str, list[GradedResponse]] = {}
    for response in sorted(responses, key=lambda row: row.id):
        written.setdefault(response.prompt_id, []).append(response)
    prompts: list[RankedPrompt] = []
    left_out: Counter[str] = Counter()
    for prompt_id in sorted(written):
        ranked = people.get(prompt_id, [])
        votes = [row.category for row in ranked if row.category]
        voted = (decided or {}).get(prompt_id)
        category = human_rankings.majority(votes) if voted is None else voted
        prompt = _prompt(written[prompt_id], ranked, category)
        reason = _why_left_out(prompt, recipe)
        if reason:
            left_out[reason] += 1
        else:
            prompts.append(prompt)
    removed = len(responses) - sum(len(prompt.responses) for prompt in prompts)
    ids = sorted(row.id for prompt in prompts for row in prompt.responses)
    outcomes = rejected.outcomes(recipe.reasons, keep, ids=ids, seed=SEED)
    pairs = _pairs(prompts, recipe, ids, outcomes)
    by_reason = outcomes.by_reason()
    return Outcome(
        prompts=tuple(prompts),
        left_out={reason: left_out[reason] for reason in LEFT_OUT},
        categories=_origins(prompts),
        agreement=_agreement(prompts),
        pairs=pairs,
        rejected=_rejected(ids, outcomes),
        sample=outcomes.sample(),
        funnel=Funnel(len(pairs) + sum(by_reason.values()), removed, by_reason, len(pairs)),
    )


def _under(pseudonym: str, row: HumanRanking) -> HumanRanking:
    return HumanRanking(row.prompt_id, pseudonym, row.tiers, row.category, row.at)


def _prompt(responses: Sequence[GradedResponse], given: Sequence[HumanRanking], voted: str) -> RankedPrompt:
    first = responses[0]
    kept = {row.id: row.kept for row in responses}
    stated = max(kept.values()) if first.requirements is None else first.requirements
    return RankedPrompt(
        prompt_id=first.prompt_id,
        category=first.category or voted,
        requirements=stated,
        responses=tuple(responses),
        gold=human_rankings.gold(kept),
        combined=human_rankings.combined([row.tiers for row in given]),
        rankings=tuple(given),
    )


def _why_left_out(prompt: RankedPrompt, recipe: Weval) -> str:
    if len(prompt.responses) < 2:
        return "one_response"
    kept = {row.id: row.kept for row in prompt.responses}
    is_short = recipe.complete and not human_rankings.is_complete(kept, prompt.requirements)
    return "incomplete" if is_short else ""


def _origins(prompts: Sequence[RankedPrompt]) -> dict[str, int]:
    counts = Counter(
        "given" if prompt.responses[0].category else "voted" if prompt.category else "none"
        for prompt in prompts
    )
    return {origin: counts[origin] for origin in ("given", "voted", "none")}


# --- people against gold ---------------------------------------------------------------------------------


def _agreement(prompts: Sequence[RankedPrompt]) -> Agreement:
    ranked = [prompt for prompt in prompts if prompt.rankings]
    of = np.array([i for i, prompt in enumerate(ranked) for _ in prompt.rankings], dtype=np.int64)
    each = _measured((prompt, row.tiers) for prompt in ranked for row in prompt.rankings)
    human = each.means(of)
    combined = _measured((prompt, prompt.combined) for prompt in ranked)
    sizes = np.array([len(prompt.rankings) for prompt in ranked], dtype=np.int64)
    who = np.array([row.annotator for prompt in ranked for row in prompt.rankings], dtype=np.str_)
    categories = np.array([prompt.category for prompt in ranked], dtype=np.str_)
    requirements = np.array([prompt.requirements for prompt in ranked], dtype=np.int64)

    def part(chosen: rank_metrics.Bools) -> Part:
        inside = human.only(chosen)
        intervals = rank_metrics.intervals(inside, seed=SEED)
        return Part(int(sizes[chosen].sum()), inside.averages(), intervals, combined.only(chosen).averages())

    return Agreement(
        whole=part(np.ones(len(ranked), dtype=np.bool_)),
        by_category={name: part(categories == name) for name in np.unique(categories).tolist()},
        by_requirements={n: part(requirements == n) for n in np.unique(requirements).tolist()},
        by_annotator={name: each.only(who == name).averages() for name in np.unique(who).tolist()},
    )


def _measured(orders: Iterator[tuple[RankedPrompt, Tiers]]) -> Metrics:
    """Each order against its prompt's gold one."""
    predicted, gold = [], []
    for prompt, tiers in orders:
        own, right = rankings.ranks(tiers), rankings.ranks(prompt.gold)
        predicted.append([own[row.id] for row in prompt.responses])
        gold.append([right[row.id] for row in prompt.responses])
    return rank_metrics.by_prompt(predicted, gold)


# --- pairs -----------------------------------------------------------------------------------------------


def _pairs(
    prompts: Sequence[RankedPrompt], recipe: Weval, ids: Sequence[str], outcomes: Outcomes
) -> tuple[RankedPair, ...]:
    """Sorted by id as bytes; into `outcomes`, by places in `ids`, every other two responses to a prompt."""
    accepted: list[RankedPair] = []
    rank = {name: place for place, name in enumerate(ids)}
    for prompt in prompts if recipe.pairs != "none" else ():
        fell: list[tuple[int, int, int]] = []
        order = prompt.gold if recipe.pairs_from == "gold" else prompt.combined
        wanted = set(human_rankings.pairs(order, adjacent=recipe.pairs == "adjacent"))
        tiers = rankings.ranks(order)
        ranks = [rankings.ranks(row.tiers) for row in prompt.rankings]
        keys = {row.id: text.same_text_key(row.text) for row in prompt.responses}
        for one, other in combinations(prompt.responses, 2):
            better, worse = (one, other) if (one.id, other.id) in wanted else (other, one)
            if keys[one.id] == keys[other.id]:
                fell.append((rank[one.id], rank[other.id], outcomes.code("identical_text")))
            elif (better.id, worse.id) in wanted:
                voted = human_rankings.votes(ranks, better.id, worse.id)
                accepted.append(RankedPair(prompt.prompt_id, better, worse, *voted))
            else:
                why = _why_no_pair(tiers, one.id, other.id)
                fell.append((rank[one.id], rank[other.id], outcomes.code(why)))
        a, b, codes = np.array(fell, dtype=np.int64).reshape(-1, 3).T
        outcomes.add(a, b, codes.astype(np.uint8))
    accepted.sort(key=lambda pair: pair.id)
    _check_ids(accepted)
    return tuple(accepted)


def _rejected(ids: Sequence[str], outcomes: Outcomes) -> tuple[Rejected, ...]:
    if not outcomes.kept:
        return ()
    columns = (column.tolist() for column in outcomes.in_order())
    reasons = outcomes.reasons
    return tuple(Rejected(ids[a], ids[b], reasons[code - 1]) for a, b, code in zip(*columns, strict=True))


def _why_no_pair(tiers: Mapping[str, int], one: str, other: str) -> str:
    if not tiers:
        return "no_ranking"
    return "tied" if tiers[one] == tiers[other] else "not_adjacent"


def _check_ids(pairs: Sequence[RankedPair]) -> None:
    for one, other in pairwise(pairs):
        if one.id == other.id:
            reason = say(
                "two pairs would have the id '{id}': '{chosen}' over '{rejected}' and '{other_chosen}' over "
                "'{other_rejected}'; use ids of prompts and responses without colons",
                id=one.id,
                chosen=one.chosen.id,
                rejected=one.rejected.id,
                other_chosen=other.chosen.id,
                other_rejected=other.rejected.id,
            )
            raise CurationError(reason)
