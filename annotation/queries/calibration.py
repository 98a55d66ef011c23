"""Calibrations: who takes part, how far they are, and what of it may be seen before the close: counts alone."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.domain import order, stages
from annotation.domain.reach import primary
from annotation.models import (
    Assignment,
    Genre,
    Membership,
    Project,
    Prompt,
    Qualification,
    Response,
    Round,
    Score,
    Stage,
)
from annotation.queries import raters
from annotation.queries.consensus import asked_blind, same_texts
from annotation.queries.stages import reaches_of

CALIBRATION = Round.Purpose.CALIBRATION


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How many texts an annotator has scored; never which score."""

    annotator: Membership
    done: int
    total: int
    can_score: bool  # a member at a stage at which calibration texts are given

    @property
    def is_in(self) -> bool:
        return self.done >= self.total


@dataclass(frozen=True, slots=True)
class Progress:
    people: tuple[PersonProgress, ...]

    @property
    def submitted(self) -> int:
        return sum(person.is_in for person in self.people)

    @property
    def total(self) -> int:
        return len(self.people)

    @property
    def all_in(self) -> bool:
        """Nobody is waited for who cannot score any more."""
        return bool(self.submitted) and all(person.is_in for person in self.people if person.can_score)


@dataclass(frozen=True, slots=True)
class CalibrationLine:
    """A calibration in the list."""

    work: Round
    is_second: bool
    texts: int
    progress: Progress


def rounds(project: Project) -> QuerySet[Round]:
    return project.rounds.filter(purpose=CALIBRATION).select_related("project", "rubric", "follows")


def lines(project: Project) -> list[CalibrationLine]:
    """The newest first."""
    return [
        CalibrationLine(work, work.follows_id is not None, responses(work).count(), progress(work))
        for work in rounds(project).order_by("-pk")
    ]


# --- Who and what --------------------------------------------------------------------------------


def participants(work: Round) -> QuerySet[Membership]:
    """Those with slots of their own, whatever has become of them since."""
    held = work.assignments.filter(reserved_for__isnull=False)
    return Membership.objects.filter(pk__in=held.values("reserved_for")).select_related("user")


def responses(work: Round) -> QuerySet[Response]:
    """The texts, in an order that stays: their places stand for them in addresses. None was removed since."""
    asked = Response.objects.filter(pk__in=work.assignments.values("response"), state=Response.State.ACTIVE)
    return asked.select_related("prompt__genre__parent").order_by("prompt", "pk")


def qualification(member: Membership, language: str) -> Qualification | None:
    """Where the annotator stands in the language of a calibration: in that one, else in any."""
    held = {each.language: each for each in member.qualifications.filter(language__in={"", language})}
    return held.get(language) or held.get("")


def can_take_part(project: Project, language: str) -> list[tuple[Membership, str]]:
    """(annotator, stage) of those to whom a calibration in the language can be given, by pseudonym."""
    members = project.memberships.filter(
        role=Membership.Role.ANNOTATOR, state=Membership.State.ACTIVE, user__is_active=True
    )
    found = []
    for member in members.select_related("user", "project").order_by("pseudonym"):
        held = qualification(member, language)
        if held is not None and stages.may(held.stage, CALIBRATION):
            found.append((member, held.stage))
    return found


def languages(project: Project) -> list[str]:
    """In which anybody stands at a stage of calibration or after it, "" for any."""
    held = project.qualifications.filter(stage__in=[Stage.CALIBRATION, Stage.ACTIVE])
    return sorted(set(held.values_list("language", flat=True)))


def own(held: Qualification) -> QuerySet[Round]:
    """First rounds in which the annotator takes or took part in this language, the oldest first."""
    language = Q(language=held.language)
    if not held.language:
        # "" is for every language in which the annotator does not stand by itself.
        others = held.annotator.qualifications.exclude(language="").values("language")
        language |= ~Q(language="") & ~Q(language__in=others)
    slots = Assignment.objects.filter(reserved_for=held.annotator_id)
    first = Round.objects.filter(language, purpose=CALIBRATION, follows=None, project=held.project_id)
    given = first.filter(pk__in=slots.values("round")).exclude(state=Round.State.DRAFT)
    return given.select_related("project", "rubric").order_by("opened_at", "pk")


# --- Before the close ----------------------------------------------------------------------------


def progress(work: Round) -> Progress:
    """Counts per person, by pseudonym."""
    texts = Q(response__state=Response.State.ACTIVE)
    asked = Counter(work.assignments.filter(texts).values_list("reserved_for", flat=True))
    scored = Counter(
        work.scores.filter(texts, standing=Score.Standing.COUNTED, revision=1).values_list(
            "annotator", flat=True
        )
    )
    can = set(reaches_of(work))
    return Progress(
        tuple(
            PersonProgress(
                member,
                scored[member.pk],
                asked[member.pk],
                member.pk in can and member.state == Membership.State.ACTIVE,
            )
            for member in participants(work).order_by("pseudonym")
        )
    )


def is_due(work: Round, *, now: datetime) -> bool:
    return work.closes_at is not None and work.closes_at <= now


def has_scored(member: Membership, work: Round) -> bool:
    return work.scores.filter(annotator=member).exists()


# --- Series and pseudonyms -----------------------------------------------------------------------


def first_of(work: Round) -> Round:
    """The round whose texts are scored, where this one scores them a second time; itself otherwise."""
    return work.follows or work


def second_of(work: Round) -> Round | None:
    return Round.objects.filter(follows=work).first()


def letters(work: Round) -> dict[int, str]:
    """By membership: 'Rater B' is the same person in both rounds and in the threads between them."""
    return raters.rater_letters(first_of(work))


def asked_since(work: Round) -> set[int]:
    """Memberships that take part in a later calibration of the language: what this one came to decides no more."""
    if work.opened_at is None:  # a draft has come to nothing yet
        return set()
    later = Q(opened_at__gt=work.opened_at) | Q(opened_at=work.opened_at, pk__gt=work.pk)
    newer = rounds(work.project).filter(later, language=work.language).exclude(state=Round.State.DRAFT)
    slots = Assignment.objects.filter(round__in=newer, reserved_for__isnull=False)
    return set(slots.values_list("reserved_for", flat=True).distinct())


# --- Choosing texts ------------------------------------------------------------------------------


def unseen(project: Project) -> QuerySet[Response]:
    """Active texts of no exam, no course and no work under way, where what is said of them here would matter."""
    active = project.responses.filter(state=Response.State.ACTIVE)
    agreed = project.responses.filter(consensus_items__isnull=False)
    known, under_way = same_texts(project, agreed), asked_blind(project, *stages.WORK)
    return active.exclude(pk__in=known.values("pk")).exclude(pk__in=under_way.values("pk"))


def candidates(
    project: Project, *, language: str, genres: Collection[Genre], also_worked_on: bool
) -> QuerySet[Response]:
    """Texts a calibration may ask about: unless told otherwise, none that any round asks about."""
    spoken = Prompt.objects.filter(project=project).values_list("language", flat=True).distinct()
    found = unseen(project).select_related("prompt__genre__parent")
    if language:
        found = found.filter(prompt__language__in=[tag for tag in spoken if primary(tag) in ("", language)])
    if genres:
        found = found.filter(Q(prompt__genre__in=genres) | Q(prompt__genre__parent__in=genres))
    if also_worked_on:
        return found
    planned = Round.prompts.through.objects.filter(round__project=project).values("prompt")
    asked = Assignment.objects.filter(response=OuterRef("pk"))
    return found.exclude(Exists(asked)).exclude(prompt__in=planned)


def drawn(found: QuerySet[Response], number: int, *, seed: str) -> list[Response]:
    """So many of them at random; the same seed draws the same."""
    keys = found.order_by("pk").values_list("pk", flat=True)
    taken = sorted(keys, key=lambda pk: order.key("calibration", seed, str(pk)))[:number]
    return list(found.filter(pk__in=taken).order_by("prompt", "pk"))


def scored_before(members: Sequence[Membership], asked: Collection[int]) -> QuerySet[Score]:
    """Scores that one of the annotators gave one of the responses, in whichever round."""
    return Score.objects.filter(annotator__in=members, response__in=asked)
