"""Reads that span models. What an annotator's page needs comes as a frozen dataclass that can hold no more.

No field of these types carries a source, another's score, a gold value or an id of the material.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext

from annotation.domain import text
from annotation.models import (
    Assignment,
    Genre,
    Lease,
    Membership,
    Project,
    Response,
    Round,
    Rubric,
    Score,
    User,
)

BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8})*")


@dataclass(frozen=True)
class LevelText:
    value: int
    name: str
    description: str
    comparison: str


@dataclass(frozen=True)
class CriterionText:
    name: str
    question: str


@dataclass(frozen=True)
class Given:
    """The annotator's own score."""

    value: int
    justification: str
    at: datetime


@dataclass(frozen=True)
class ScoringItem:
    """Everything the scoring page shows."""

    token: str
    project_name: str
    round_name: str
    round_id: int
    number: int  # of this text among those done and to do, from 1
    total: int
    genre_name: str
    text_language: str  # BCP 47, of prompt and response; "" where unknown
    prompt: str
    prompt_is_new: bool  # no text of this prompt has been scored yet, so it still has to be read
    response: str
    levels: tuple[LevelText, ...]  # 3 first
    universal_criteria: tuple[CriterionText, ...]
    genre_criteria: tuple[CriterionText, ...]
    justification_minimum: int
    counts_characters: bool  # justification and text are counted in characters, not words
    given: Given | None

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        """Parts between blank lines; where a text has none, as is usual in Chinese, its lines."""
        whole = self.response.replace("\r\n", "\n").strip()
        parts = BLANK_LINES.split(whole) if BLANK_LINES.search(whole) else whole.split("\n")
        # The page indents by itself; an indent of the text's own would be seen twice.
        return tuple(part.strip() for part in parts if part.strip())

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def language_name(self) -> str:
        primary = self.text_language.split("-")[0].lower()
        return {"zh": gettext("Chinese"), "en": gettext("English")}.get(primary, self.text_language)

    @property
    def language_tag(self) -> str:
        """What the page declares the text to be, so that it is set and read aloud as such; "" where unknown."""
        tag = self.text_language
        if tag.lower() == "zh" or (not tag and self.counts_characters):
            return "zh-Hans"
        return tag if LANGUAGE_TAG.fullmatch(tag) else ""


@dataclass(frozen=True)
class RoundCard:
    """A round on the annotator's home page."""

    round_id: int
    project_name: str
    round_name: str
    is_open: bool
    has_work: bool  # for this annotator, now
    done: int
    total: int  # texts of the round, however many of them others leave to this annotator


def free(assignments: QuerySet[Assignment], *, now: datetime) -> QuerySet[Assignment]:
    """Open, or leased and expired."""
    return assignments.filter(
        Q(state=Assignment.State.OPEN) | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    )


def states(annotator: Membership, work: Round) -> tuple[str, str]:
    """The states of membership and round as they are now, whatever was read earlier."""
    member = Membership.objects.values_list("state", flat=True).get(pk=annotator.pk)
    return member, Round.objects.values_list("state", flat=True).get(pk=work.pk)


def free_slots(annotator: Membership, work: Round, *, now: datetime) -> QuerySet[Assignment, tuple[int, int]]:
    """(slot, response) of what this annotator could be given: free, active, and not theirs already."""
    return (
        free(work.assignments.filter(response__state=Response.State.ACTIVE), now=now)
        .exclude(response__in=_touched(annotator, work))
        .values_list("pk", "response_id")
    )


def _touched(annotator: Membership, work: Round) -> QuerySet[Response]:
    """Responses on which the annotator holds a slot or has given a score in this round."""
    return Response.objects.filter(
        Q(pk__in=work.assignments.filter(annotator=annotator).values("response"))
        | Q(pk__in=work.scores.filter(annotator=annotator).values("response"))
    )


def scores_of(lease: Lease) -> QuerySet[Score]:
    """The annotator's own scores of the text they were handed, in that round."""
    return Score.objects.filter(
        round=lease.assignment.round_id, response=lease.assignment.response_id, annotator=lease.annotator_id
    )


def slots_for(lease: Lease, *, now: datetime) -> QuerySet[Assignment]:
    """The slots that a score under this lease may fill: the annotator's own of this text, and any free one."""
    of_text = Assignment.objects.filter(
        round=lease.assignment.round_id, response=lease.assignment.response_id
    )
    own = Q(state=Assignment.State.LEASED, annotator=lease.annotator_id)
    vacant = Q(state=Assignment.State.OPEN) | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    return of_text.filter(own | vacant)


def genre_name(genre: Genre | None, language: str) -> str:
    if genre is None:
        return ""
    return genre.name_zh if language == "zh" else genre.name_en


def scoring_item(lease: Lease, *, language: str) -> ScoringItem:
    """The page of one lease, its rubric in the reader's language ('en' or 'zh')."""
    work, prompt = lease.assignment.round, lease.assignment.response.prompt
    response = lease.assignment.response
    given = scores_of(lease).order_by("-revision").first()
    number = _done(lease.annotator, work) + (0 if given else 1)
    criteria = list(work.rubric.criteria.filter(language=language, genre__in=_with_parent(prompt.genre)))
    universal = work.rubric.criteria.filter(language=language, genre=None)
    return ScoringItem(
        token=lease.token,
        project_name=work.project.name,
        round_name=work.name,
        round_id=work.pk,
        number=number,
        total=max(_size(work), number),
        genre_name=genre_name(prompt.genre, language),
        text_language=prompt.language,
        prompt=prompt.text,
        prompt_is_new=not work.scores.filter(annotator=lease.annotator, response__prompt=prompt).exists(),
        response=response.text,
        levels=_levels(work.rubric, language),
        universal_criteria=_criteria(universal),
        genre_criteria=_criteria(criteria),
        justification_minimum=work.project.justification_minimum,
        counts_characters=text.unit_for("auto", prompt.language, prompt.text, response.text) == "characters",
        given=Given(given.value, given.justification, given.at or given.recorded_at) if given else None,
    )


def _with_parent(genre: Genre | None) -> list[Genre]:
    return [level for level in (genre, genre and genre.parent) if level]


def _levels(rubric: Rubric, language: str) -> tuple[LevelText, ...]:
    return tuple(
        LevelText(level.value, level.name, level.description, level.comparison)
        for level in rubric.levels.filter(language=language)
    )


def _criteria(criteria: Iterable) -> tuple[CriterionText, ...]:
    return tuple(CriterionText(criterion.name, criterion.question) for criterion in criteria)


def _size(work: Round) -> int:
    """Texts of the round. The same for everybody, so it says nothing about how far the others are."""
    texts = work.assignments.filter(response__state=Response.State.ACTIVE).exclude(
        state=Assignment.State.VOID
    )
    return texts.values("response").distinct().count()


def _done(annotator: Membership, work: Round) -> int:
    return work.scores.filter(annotator=annotator).values("response").distinct().count()


def _has_work(annotator: Membership, work: Round, *, now: datetime) -> bool:
    """Whether a claim would give this annotator a text."""
    in_hand = work.assignments.filter(annotator=annotator, state=Assignment.State.LEASED)
    return in_hand.exists() or free_slots(annotator, work, now=now).exists()


def round_cards(user: User, *, now: datetime) -> list[RoundCard]:
    """The rounds in which a person annotates, open ones first."""
    members = Membership.objects.filter(
        user=user, role=Membership.Role.ANNOTATOR, state=Membership.State.ACTIVE
    ).select_related("project")
    cards = []
    for member in members:
        for work in member.project.rounds.exclude(state=Round.State.DRAFT).order_by("pk"):
            done, is_open = _done(member, work), work.state == Round.State.OPEN
            if done or is_open:
                cards.append(
                    RoundCard(
                        round_id=work.pk,
                        project_name=member.project.name,
                        round_name=work.name,
                        is_open=is_open,
                        has_work=is_open and _has_work(member, work, now=now),
                        done=done,
                        total=max(_size(work), done),
                    )
                )
    return sorted(cards, key=lambda card: not card.is_open)


@dataclass(frozen=True)
class RoundProgress:
    """A round on the lead's page."""

    name: str
    purpose: str
    state: str
    slots: int
    done: int
    surplus: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.slots if self.slots else 0


def progress(project: Project) -> list[RoundProgress]:
    surplus = dict(
        Score.objects.filter(round__project=project, standing=Score.Standing.SURPLUS)
        .values_list("round")
        .annotate(n=Count("pk"))
    )
    rounds = (
        project.rounds.exclude(state=Round.State.DRAFT)
        .annotate(
            slots=Count("assignments", filter=~Q(assignments__state=Assignment.State.VOID)),
            done=Count("assignments", filter=Q(assignments__state=Assignment.State.DONE)),
        )
        .order_by("pk")
    )
    return [
        RoundProgress(
            name=work.name,
            purpose=work.get_purpose_display(),
            state=work.get_state_display(),
            slots=work.slots,
            done=work.done,
            surplus=surplus.get(work.pk, 0),
        )
        for work in rounds
    ]
