"""Reads that span models. What an annotator's page needs comes as a frozen dataclass that can hold no more.

No field of these types carries a source, another's score, a gold value or an id of the material.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from django.db.models import Q, QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext

from annotation.domain import exams, text
from annotation.domain.reach import Reach, genres_within, is_barred
from annotation.domain.stages import PREPARATORY
from annotation.models import (
    Assignment,
    Flag,
    Genre,
    Lease,
    Membership,
    Prompt,
    Response,
    Round,
    Rubric,
    Score,
    User,
)
from annotation.queries import rubrics, stages
from annotation.queries.rubrics import LevelText
from annotation.queries.texts import language_tag, paragraphs

BEGINNING = 160  # characters by which an annotator knows a text again
NOTHING_SENT: Mapping[tuple[str, str], str] = MappingProxyType({})


@dataclass(frozen=True)
class CriterionToRead:
    """A criterion, by keys that are the same in every language and with its text in one."""

    genre: str  # "" for those of every genre
    key: str
    name: str
    question: str
    mark: str  # as it was sent in a form that comes back; "" for none


@dataclass(frozen=True)
class GivenMark:
    criterion: str
    value: int


@dataclass(frozen=True)
class Given:
    """The annotator's own score."""

    value: int
    justification: str
    at: datetime
    marks: tuple[GivenMark, ...]


@dataclass(frozen=True)
class ScoringItem:
    """Everything the scoring page shows."""

    token: str
    project_name: str
    round_name: str
    round_token: str
    number: int  # of this text among those done and to do, from 1
    total: int
    genre_name: str
    text_language: str  # BCP 47, of prompt and response; "" where unknown
    prompt: str
    prompt_is_new: bool  # no text of this prompt has been scored yet, so it still has to be read
    response: str
    levels: tuple[LevelText, ...]  # 3 first
    universal_criteria: tuple[CriterionToRead, ...]
    genre_criteria: tuple[CriterionToRead, ...]
    takes_marks: bool  # a mark for each criterion may be given beside the score
    guideline: bool  # the rubric of the round has one to read
    flagged: bool  # by this annotator, and nobody has looked at it yet
    justification_minimum: int
    counts_characters: bool  # justification and text are counted in characters, not words
    given: Given | None
    earlier: (
        Given | None
    )  # the annotator's own score in the first round, where this is the second over the same texts

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        return paragraphs(self.response)

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def language_name(self) -> str:
        primary = self.text_language.split("-")[0].lower()
        return {"zh": gettext("Chinese"), "en": gettext("English")}.get(primary, self.text_language)

    @property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)


@dataclass(frozen=True)
class TextInHand:
    """Everything the page shows on which an annotator flags a text."""

    token: str
    round_name: str
    text_language: str
    beginning: str
    flagged: bool


@dataclass(frozen=True)
class RoundCard:
    """A round on the annotator's home page."""

    token: str
    project_name: str
    round_name: str
    is_open: bool
    is_paused: bool
    has_work: bool  # for this annotator, now
    done: int
    total: int  # texts that may be given to this annotator, however many of them others leave


def free(assignments: QuerySet[Assignment], *, now: datetime) -> QuerySet[Assignment]:
    """Open, or leased and expired."""
    return assignments.filter(
        Q(state=Assignment.State.OPEN) | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    )


def states(annotator: Membership, work: Round) -> tuple[str, str]:
    """The states of membership and round as they are now, whatever was read earlier."""
    member = Membership.objects.values_list("state", flat=True).get(pk=annotator.pk)
    return member, Round.objects.values_list("state", flat=True).get(pk=work.pk)


def reserved_for_none_but(annotator: int) -> Q:
    """Slots that are nobody's by a seat on a panel, and those of this annotator's own seats."""
    return Q(reserved_for=None) | Q(reserved_for=annotator)


def _meant_for(annotator: Membership, work: Round) -> QuerySet[Assignment]:
    """The slots of the round that this annotator could hold some time: of their seats, or of texts they read."""
    active = work.assignments.filter(response__state=Response.State.ACTIVE)
    meant = active.filter(reserved_for_none_but(annotator.pk))
    reach = stages.reach(annotator, work)
    if not reach:
        return meant.none()
    barred = [language for language in _languages(work) if is_barred(reach, language)]
    own = Q(reserved_for=annotator) & ~Q(response__prompt__language__in=barred)
    return meant.filter(own | _within(reach, work))


def may_have(annotator: Membership, slot: Assignment) -> bool:
    """Whether the text of a slot may be with the annotator, by where they stand in its language now.

    A seat that was given by hand holds in a language in which they do not stand at all.
    """
    reach, language = stages.reach(annotator, slot.round), slot.response.prompt.language
    if slot.reserved_for_id == annotator.pk and not is_barred(reach, language):
        return bool(reach)
    return genres_within(reach, language) is not None


def _languages(work: Round) -> list[str]:
    """As the prompts of the project name them."""
    prompts = Prompt.objects.filter(project=work.project_id)
    return list(prompts.values_list("language", flat=True).distinct())


def _within(reach: Reach, work: Round) -> Q:
    """Texts of the languages and genres in reach."""
    within = Q(pk__in=[])
    for language in _languages(work):
        held = genres_within(reach, language)
        if held is None:
            continue
        prompt = Q(response__prompt__language=language)
        if held:
            genre = "response__prompt__genre"
            prompt &= Q(**{genre: None}) | Q(**{f"{genre}__in": held}) | Q(**{f"{genre}__parent__in": held})
        within |= prompt
    return within


def free_slots(annotator: Membership, work: Round, *, now: datetime) -> QuerySet[Assignment, tuple[int, int]]:
    """(slot, response) of what this annotator could be given: free, active, and not theirs already."""
    return (
        free(_meant_for(annotator, work), now=now)
        .exclude(response__in=_touched(annotator, work))
        .values_list("pk", "response_id")
    )


def _touched(annotator: Membership, work: Round) -> QuerySet[Response]:
    """Responses on which the annotator holds a slot or has given a score in this round."""
    return Response.objects.filter(
        Q(pk__in=work.assignments.filter(annotator=annotator).values("response"))
        | Q(pk__in=work.scores.filter(annotator=annotator).values("response"))
    )


def scores_of(lease: Lease, work: int | None = None) -> QuerySet[Score]:
    """The annotator's own scores of the text they were handed, in that round or in another by its key."""
    work = work or lease.assignment.round_id
    return Score.objects.filter(
        round=work, response=lease.assignment.response_id, annotator=lease.annotator_id
    )


def marks_of(score: Score) -> dict[tuple[str, str], int]:
    """By (genre key, criterion key), in the order in which they were sent."""
    return {(mark.genre_key, mark.criterion_key): mark.value for mark in score.marks.order_by("pk")}


def criteria_to_mark(lease: Lease) -> set[tuple[str, str]]:
    """(genre key, criterion key) of what the rubric of the round asks of this text."""
    genres = _with_parent(lease.assignment.response.prompt.genre)
    criteria = _criteria(lease.assignment.round.rubric, [None, *genres], language="en")
    return {(criterion.genre, criterion.key) for criterion in criteria}


def has_flagged(lease: Lease) -> bool:
    """Whether a flag of the annotator's own on the text they were handed waits for a decision."""
    return lease.annotator.flags.filter(response=lease.assignment.response_id, state=Flag.State.OPEN).exists()


def slots_for(lease: Lease, *, now: datetime) -> QuerySet[Assignment]:
    """The slots that a judgement under this lease may fill: the annotator's own of this text, and any free one.

    A slot that is reserved for another is never free to this annotator.
    """
    asked = lease.assignment
    of_text = Assignment.objects.filter(
        round=asked.round_id, prompt=asked.prompt_id, response=asked.response_id, other=asked.other_id
    )
    own = Q(state=Assignment.State.LEASED, annotator=lease.annotator_id)
    vacant = Q(state=Assignment.State.OPEN) | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    return of_text.filter(own | vacant & reserved_for_none_but(lease.annotator_id))


def scoring_item(
    lease: Lease, *, language: str, sent_marks: Mapping[tuple[str, str], str] = NOTHING_SENT
) -> ScoringItem:
    """The page of one lease, its rubric in the reader's language ('en' or 'zh').

    `sent_marks` are those of a form that comes back, by (genre key, criterion key).
    """
    work, prompt = lease.assignment.round, lease.assignment.response.prompt
    response = lease.assignment.response
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    given = scores_of(lease).order_by("-revision").first()
    earlier = scores_of(lease, work.follows_id).order_by("-revision").first() if work.follows_id else None
    genres = _with_parent(prompt.genre)
    number = _done(lease.annotator, work) + (0 if given else 1)
    return ScoringItem(
        token=lease.token,
        project_name=work.project.name,
        round_name=work.name,
        round_token=(work.mixed_into or work).token,
        number=number,
        total=max(_size(lease.annotator, work), number),
        genre_name=rubrics.name_of(prompt.genre, language) if prompt.genre else "",
        text_language=prompt.language,
        prompt=prompt.text,
        prompt_is_new=not work.scores.filter(annotator=lease.annotator, response__prompt=prompt).exists(),
        response=response.text,
        levels=rubrics.level_texts(work.rubric, language),
        universal_criteria=_criteria(work.rubric, [None], language=language, sent=sent_marks),
        genre_criteria=_criteria(work.rubric, genres, language=language, sent=sent_marks),
        takes_marks=work.project.criterion_marks,
        guideline=rubrics.has_guideline(work.rubric),
        flagged=has_flagged(lease),
        justification_minimum=justification_minimum(work, unit),
        counts_characters=unit == "characters",
        given=_given(given, genres, language=language) if given else None,
        earlier=_given(earlier, genres, language=language) if earlier else None,
    )


def _given(score: Score, genres: Sequence[Genre], *, language: str) -> Given:
    marks = marks_of(score)
    criteria = _criteria(score.rubric, [None, *genres], language=language) if marks else ()
    names = {(criterion.genre, criterion.key): criterion.name for criterion in criteria}
    return Given(
        value=score.value,
        justification=score.justification,
        at=score.at or score.recorded_at,
        # The key stands for a criterion of a genre that the prompt has no longer.
        marks=tuple(GivenMark(names.get(each, each[1]), mark) for each, mark in marks.items()),
    )


def _criteria(
    rubric: Rubric,
    genres: Sequence[Genre | None],
    *,
    language: str,
    sent: Mapping[tuple[str, str], str] = NOTHING_SENT,
) -> tuple[CriterionToRead, ...]:
    """Criteria of these genres (None: universal), genre by genre, each in the language, else in the other."""
    found: dict[tuple[str, str], CriterionToRead] = {}
    for genre in genres:
        for row in rubric.criteria.filter(genre=genre).order_by("position", "pk"):
            each = (genre.key if genre else "", row.key)
            if each not in found or row.language == language:
                found[each] = CriterionToRead(*each, row.name, row.question, sent.get(each, ""))
    return tuple(found.values())


def justification_minimum(work: Round, unit: text.Unit) -> int:
    """How much has to be written, in that unit: in an exam a critique, in a second round why it was kept or not."""
    least = {"words": exams.LEAST_WORDS, "characters": exams.LEAST_CHARACTERS}[unit]
    needed = least if work.purpose == Round.Purpose.EXAM else int(work.follows_id is not None)
    return max(work.project.justification_minimum, needed)


def text_in_hand(lease: Lease) -> TextInHand:
    work, response = lease.assignment.round, lease.assignment.response
    prompt = response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    return TextInHand(
        token=lease.token,
        round_name=work.name,
        text_language=language_tag(prompt.language, counts_characters=unit == "characters"),
        beginning=" ".join(response.text[:BEGINNING].split()),
        flagged=has_flagged(lease),
    )


def _with_parent(genre: Genre | None) -> list[Genre]:
    """The criteria of a macro-category are those of its types too."""
    return [level for level in (genre and genre.parent, genre) if level]


def _size(annotator: Membership, work: Round) -> int:
    """Texts of the round that are meant for this annotator. Says nothing about how far the others are."""
    texts = _meant_for(annotator, work).exclude(state=Assignment.State.VOID)
    return texts.values("response").distinct().count()


def _done(annotator: Membership, work: Round) -> int:
    return work.scores.filter(annotator=annotator).values("response").distinct().count()


def _has_work(annotator: Membership, work: Round, *, now: datetime) -> bool:
    """Whether a claim would give this annotator a text."""
    in_hand = work.assignments.filter(annotator=annotator, state=Assignment.State.LEASED)
    return in_hand.exists() or free_slots(annotator, work, now=now).exists()


def round_cards(user: User, *, now: datetime) -> list[RoundCard]:
    """The rounds of work in which a person annotates: open ones first, then paused ones, then those they worked in.

    Exams, courses and calibrations stand on the page that says where the person is on the way.
    """
    members = Membership.objects.filter(
        user=user, role=Membership.Role.ANNOTATOR, state=Membership.State.ACTIVE
    ).select_related("project")
    cards = [
        _card(member, work, now=now)
        for member in members
        for work in member.project.rounds.exclude(state=Round.State.DRAFT).order_by("pk")
        if work.purpose not in PREPARATORY
    ]
    shown = [card for card in cards if card.done or ((card.is_open or card.is_paused) and card.total)]
    return sorted(shown, key=lambda card: (not card.is_open, not card.is_paused))


def _card(annotator: Membership, work: Round, *, now: datetime) -> RoundCard:
    done, is_open = _done(annotator, work), work.state == Round.State.OPEN
    return RoundCard(
        token=work.token,
        project_name=annotator.project.name,
        round_name=work.name,
        is_open=is_open,
        is_paused=work.state == Round.State.PAUSED,
        has_work=is_open and _has_work(annotator, work, now=now),
        done=done,
        total=max(_size(annotator, work), done),
    )
