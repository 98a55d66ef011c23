"""To which category each prompt of a round of votes belongs by now: a majority decides, else the adjudicator."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.domain import category_votes, text
from annotation.models import AdjudicationCase, CaseJudgement, Genre, Prompt, Round
from annotation.queries import rubrics, splits
from annotation.queries.texts import language_tag

PROMPTS_A_PAGE = 50
OPENING = 110  # characters of a prompt by which it is known again
MAJORITY, ADJUDICATED, WAITING, TIED, OPEN = "majority", "adjudicated", "waiting", "tied", "open"
STATES: Mapping[str, Promise] = {
    MAJORITY: _("Decided by a majority"),
    ADJUDICATED: _("Decided by an adjudicator"),
    WAITING: _("Waits for an adjudicator"),
    TIED: _("Tied"),
    OPEN: _("Votes still to come"),
}


@dataclass(frozen=True, slots=True)
class Votes:
    category: str
    count: int


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """A prompt with what its votes come to, for leads."""

    prompt: str  # its id in the material
    opening: str
    language_tag: str
    votes: tuple[Votes, ...]  # most first
    given: int
    asked: int
    state: str
    category: str  # the one that holds; "" where none does yet
    reason: str  # of the adjudicator; "" for none
    material: str  # the category that the material names; "" for none

    @property
    def says(self) -> Promise:
        return STATES[self.state]

    @property
    def is_another(self) -> bool:
        """Whether the category that holds is another than the material names."""
        return bool(self.category and self.material) and self.category != self.material


@dataclass(frozen=True, slots=True)
class StateCount:
    key: str
    name: Promise
    prompts: int


@dataclass(frozen=True, slots=True)
class Outcomes:
    counts: tuple[StateCount, ...]
    chosen: str  # state by which the page is narrowed down; "" for none
    page: Page  # of OutcomeLine


@dataclass(frozen=True, slots=True)
class _Stand:
    """How a prompt stands, by keys of genres."""

    state: str
    votes: Sequence[int]
    category: int | None
    decision: CaseJudgement | None


def outcomes(work: Round, *, state: str, number: str, language: str) -> Outcomes:
    """Prompts in the order of their ids; a number past the end gives the last page, an unknown state all prompts."""
    stands = _stands(work)
    counted = Counter(stand.state for stand in stands.values())
    chosen = state if state in STATES else ""
    kept = [prompt for prompt, stand in stands.items() if chosen in ("", stand.state)]
    prompts = Prompt.objects.filter(pk__in=kept).select_related("genre__parent").order_by("external_id")
    page = Paginator(prompts, PROMPTS_A_PAGE).get_page(number)
    genres = work.project.genres.order_by("position", "pk")
    names = {genre.pk: rubrics.name_of(genre, language) for genre in genres}
    page.object_list = [
        _line(prompt, stands[prompt.pk], names, work.annotators_per_response) for prompt in page.object_list
    ]
    return Outcomes(tuple(StateCount(key, name, counted[key]) for key, name in STATES.items()), chosen, page)


def held(work: Round) -> dict[str, str]:
    """By the id of each prompt of the round the key of the category that holds by now, "" where none does."""
    stands = _stands(work)
    keys = dict(work.project.genres.values_list("pk", "key"))
    names = Prompt.objects.filter(pk__in=stands).values_list("pk", "external_id")
    return {name: keys.get(stands[pk].category, "") for pk, name in names}


def _stands(work: Round) -> dict[int, _Stand]:
    votes = splits.category_votes(work)
    cases = _cases(work)
    asked = set(work.assignments.values_list("prompt", flat=True)) | votes.keys()
    voters = work.annotators_per_response
    return {prompt: _stand([*votes.get(prompt, {}).values()], voters, prompt, cases) for prompt in asked}


def _cases(work: Round) -> dict[int, CaseJudgement | None]:
    """By prompt, the decision on its case; None while it waits."""
    sent = AdjudicationCase.objects.filter(round=work, response=None)
    decided = CaseJudgement.objects.filter(case__in=sent, step=CaseJudgement.Step.DECISION)
    found: dict[int, CaseJudgement | None] = dict.fromkeys(sent.values_list("prompt", flat=True))
    return found | {judgement.case.prompt_id: judgement for judgement in decided.select_related("case")}


def _stand(
    votes: Sequence[int], voters: int, prompt: int, cases: Mapping[int, CaseJudgement | None]
) -> _Stand:
    """What was decided stands, whatever the votes have come to since."""
    decision = cases.get(prompt)
    if decision is not None:
        return _Stand(ADJUDICATED, votes, decision.category_id, decision)
    found = category_votes.outcome(votes, voters)
    if found.state == "decided":
        return _Stand(MAJORITY, votes, found.category, None)
    state = OPEN if found.state == "open" else WAITING if prompt in cases else TIED
    return _Stand(state, votes, None, None)


def _line(prompt: Prompt, stand: _Stand, names: Mapping[int, str], asked: int) -> OutcomeLine:
    unit = text.unit_for("auto", prompt.language, prompt.text, "")
    return OutcomeLine(
        prompt=prompt.external_id,
        opening=" ".join(prompt.text[: 2 * OPENING].split())[:OPENING],
        language_tag=language_tag(prompt.language, counts_characters=unit == "characters"),
        votes=_votes(stand.votes, names),
        given=len(stand.votes),
        asked=asked,
        state=stand.state,
        category=names.get(stand.category, "") if stand.category is not None else "",
        reason=stand.decision.justification if stand.decision else "",
        material=_macro_name(prompt.genre, names),
    )


def _votes(votes: Iterable[int], names: Mapping[int, str]) -> tuple[Votes, ...]:
    counted = Counter(votes)
    order = sorted(counted, key=lambda one: (-counted[one], list(names).index(one)))
    return tuple(Votes(names[one], counted[one]) for one in order)


def _macro_name(genre: Genre | None, names: Mapping[int, str]) -> str:
    return names.get(genre.parent_id or genre.pk, "") if genre else ""
