"""Cases as a lead sees them: what waits, and what was decided about what."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils.translation import pgettext

from annotation.domain import category_votes
from annotation.domain.reach import covers, of_languages, primary
from annotation.domain.splits import Thresholds
from annotation.domain.stages import WORK
from annotation.models import AdjudicationCase, CaseJudgement, Membership, Project, Round
from annotation.queries import adjudication, rubrics, splits
from annotation.queries.people import language_name, person_name
from annotation.queries.rounds import shown_name

CASES_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class RoundWithCases:
    """A round that can send cases. `judged` says whether anything was given in it."""

    pk: int
    name: str
    kind: str
    state: str
    waiting: int
    decided: int


@dataclass(frozen=True, slots=True)
class RuleCount:
    """What a rule would send from a round now."""

    reason: str
    found: int
    new: int

    @property
    def before(self) -> int:
        """Found, and sent already."""
        return self.found - self.new


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the votes of a round on categories come to, prompt by prompt."""

    decided: int
    tied: int
    open: int


@dataclass(frozen=True, slots=True)
class DecidedLine:
    round_name: str
    prompt: str
    responses: tuple[str, ...]  # ids in the material, the older first
    reason: str
    own: str  # what the adjudicator gave before seeing the others'
    decision: str
    words: str
    adjudicator: str
    at: datetime


def rounds_with_cases(project: Project) -> list[RoundWithCases]:
    is_decided = Q(cases__judgements__step=CaseJudgement.Step.DECISION)
    begun = (
        project.rounds.filter(purpose__in=WORK)
        .exclude(state=Round.State.DRAFT)
        .annotate(
            sent=Count("cases", distinct=True), decided=Count("cases", filter=is_decided, distinct=True)
        )
    )
    return [
        RoundWithCases(
            work.pk,
            shown_name(work.name),
            work.get_kind_display(),
            work.get_state_display(),
            work.sent - work.decided,
            work.decided,
        )
        for work in begun.order_by("-pk")
    ]


def adjudicators(project: Project) -> int:
    return _adjudicators(project).count()


def unread(project: Project) -> str:
    """The languages in which cases wait that none of the adjudicators reads; "" for none."""
    read = [
        of_languages(languages) for languages in _adjudicators(project).values_list("languages", flat=True)
    ]
    waiting = AdjudicationCase.objects.filter(round__project=project).exclude(
        judgements__step=CaseJudgement.Step.DECISION
    )
    found = {
        primary(language)
        for language in set(waiting.values_list("prompt__language", flat=True))
        if read and not any(covers(reach, language) for reach in read)
    }
    return pgettext("between the items of a list", ", ").join(language_name(key) for key in sorted(found))


def _adjudicators(project: Project) -> QuerySet[Membership]:
    """Who can decide. Leads are left out: they know who gave what."""
    leads = project.memberships.filter(role=Membership.Role.LEAD, state=Membership.State.ACTIVE)
    held = project.memberships.filter(role=Membership.Role.ADJUDICATOR, state=Membership.State.ACTIVE)
    return held.exclude(user__in=leads.values("user"))


def preview(work: Round, thresholds: Thresholds) -> list[RuleCount]:
    """By rule, how many splits there are and how many of them have no case yet."""
    found = splits.found(work, thresholds)
    every = Counter(split.reason for split in found)
    new = Counter(split.reason for split in adjudication.without_case(work, found))
    return [
        RuleCount(str(reason.label), every[reason], new[reason])
        for reason in splits.RULES[Round.Kind(work.kind)]
    ]


def outcomes(work: Round) -> Outcomes | None:
    """None for rounds of another kind."""
    if work.kind != Round.Kind.CATEGORIES:
        return None
    votes = splits.category_votes(work)
    asked = set(work.assignments.values_list("prompt", flat=True)) | votes.keys()
    counted = Counter(
        category_votes.outcome([*votes.get(prompt, {}).values()], work.annotators_per_response).state
        for prompt in asked
    )
    return Outcomes(counted["decided"], counted["tied"], counted["open"])


def decided(project: Project, *, number: int, language: str) -> Page:
    """DecidedLine, newest first. A number past the end gives the last page."""
    own = CaseJudgement.objects.filter(step=CaseJudgement.Step.OWN).select_related("category")
    rows = (
        CaseJudgement.objects.filter(step=CaseJudgement.Step.DECISION, case__round__project=project)
        .select_related(
            "adjudicator__user", "category", "case__round", "case__prompt", "case__response", "case__other"
        )
        .prefetch_related(Prefetch("case__judgements", queryset=own))
        .order_by("-at", "-pk")
    )
    page = Paginator(rows, CASES_A_PAGE).get_page(number)
    page.object_list = [_line(row, language) for row in page.object_list]
    return page


def _line(decision: CaseJudgement, language: str) -> DecidedLine:
    case = decision.case
    own = next(one for one in case.judgements.all() if one.adjudicator_id == decision.adjudicator_id)
    return DecidedLine(
        round_name=shown_name(case.round.name),
        prompt=case.prompt.external_id,
        responses=tuple(one.external_id for one in (case.response, case.other) if one),
        reason=case.get_reason_display(),
        own=_in_words(case, own, language),
        decision=_in_words(case, decision, language),
        words=decision.justification,
        adjudicator=person_name(decision.adjudicator.user),
        at=decision.at,
    )


def _in_words(case: AdjudicationCase, judgement: CaseJudgement, language: str) -> str:
    """Responses by their ids, as a lead knows them."""
    if judgement.preferred == "tie":
        return adjudication.says_of_side("tie")
    if judgement.preferred:
        return (case.response if judgement.preferred == "a" else case.other).external_id
    if judgement.value is not None:
        return str(judgement.value)
    return rubrics.name_of(judgement.category, language)
