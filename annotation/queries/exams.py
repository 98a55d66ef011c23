"""Attempts at the exam: what is left of one, what may be begun, and what came of it.

What a candidate's page gets stands in queries/exam_pages.py; nothing here goes into a page as it is.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation.domain import exams
from annotation.domain.exams import Answer, ExamResult, PassMarks, Share
from annotation.domain.order import key
from annotation.domain.sentences import say
from annotation.models import (
    Assignment,
    Attempt,
    ConsensusItem,
    Membership,
    Preparation,
    Project,
    Qualification,
    Response,
    Round,
    Score,
)
from annotation.queries import stages

EXAM = Round.Purpose.EXAM
State = Attempt.State
UNDER_WAY = (State.OPEN, State.FINISHED)
DECIDED = (State.PASSED, State.FAILED)


# --- Forms ---------------------------------------------------------------------------------------


def forms(project: Project) -> QuerySet[Round]:
    return project.rounds.filter(purpose=EXAM)


def forms_to_take(held: Qualification) -> QuerySet[Round]:
    """Published forms of the language that this annotator has not taken, in whichever language they stand.

    None with a text that the person has scored in some round, or that they made an item of as an instructor. Without
    items it is no form, but a round of before there were any.
    """
    taken = Attempt.objects.filter(qualification__annotator=held.annotator_id).values("round")
    scored = Score.objects.filter(annotator=held.annotator_id).values("response")
    met = ConsensusItem.objects.filter(Q(response__in=scored) | Q(created_by=held.annotator.user_id))
    published = forms(held.project).filter(state=Round.State.OPEN)
    found = published.exclude(pk__in=taken).exclude(pk__in=met.values("round"))
    found = found.filter(pk__in=ConsensusItem.objects.values("round"))
    return found.filter(language__in=["", held.language]) if held.language else found


def draw(held: Qualification, found: Sequence[Round], *, number: int) -> Round:
    """The form of the attempt of that number: by a key, so that nobody chooses it and everybody can check."""
    return min(found, key=lambda form: key("form", f"{held.pk}:{number}", str(form.pk)))


def items(form: Round) -> QuerySet[Response]:
    """The texts of a form; those that were removed since are asked of nobody."""
    return Response.objects.filter(
        pk__in=form.consensus_items.values("response"), state=Response.State.ACTIVE
    ).order_by("pk")


# --- What may be begun ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Allowance:
    used: int
    allowed: int
    retake_from: datetime | None  # when the next may begin, if that is later than the last one's end

    @property
    def left(self) -> int:
        return max(0, self.allowed - self.used)


def attempts(held: Qualification, *, now: datetime) -> list[Attempt]:
    """All of them in their order, as they stand now."""
    rows = held.attempts.select_related("round", "qualification__project").order_by("number")
    return [as_of(attempt, now=now) for attempt in rows]


def is_of_this_stay(attempt: Attempt) -> bool:
    """Whether the attempt came to its end since the annotator entered the stage, or has not yet."""
    return attempt.decided_at is None or attempt.decided_at >= attempt.qualification.since


def allowance(held: Qualification, *, now: datetime) -> Allowance:
    """The first attempt, the retakes of the project, and what leads granted on top.

    Who was moved back to the exam begins anew: what an earlier stay came to, and was granted, is past.
    """
    asked = stages.settings_of(held.project)
    here = [attempt for attempt in attempts(held, now=now) if is_of_this_stay(attempt)]
    granted = list(held.extra_attempts.filter(at__gte=held.since).values_list("at", flat=True))
    last = next((attempt for attempt in reversed(here) if attempt.state == State.FAILED), None)
    waits = last is not None and not any(at >= last.decided_at for at in granted)
    return Allowance(
        used=len(here),
        allowed=1 + asked.retakes + len(granted),
        # A lead who grants an attempt lets it begin at once.
        retake_from=last.decided_at + timedelta(hours=asked.retake_hours) if last and waits else None,
    )


def lacks_form(held: Qualification, *, now: datetime) -> bool:
    """Whether the annotator, who stands at the exam, could begin now or after the delay, but for a form."""
    last = latest(held, now=now)
    if last is not None and (
        last.state in UNDER_WAY or (last.state == State.PASSED and is_of_this_stay(last))
    ):
        return False
    return allowance(held, now=now).left > 0 and not forms_to_take(held).exists()


def current(held: Qualification) -> Attempt | None:
    """The row of the last attempt, to be settled; who only reads takes `latest`."""
    return held.attempts.select_related("round", "qualification__project").order_by("-number").first()


def latest(held: Qualification, *, now: datetime) -> Attempt | None:
    """The last attempt, whatever became of it."""
    last = current(held)
    return as_of(last, now=now) if last is not None else None


def attempts_of(held: Qualification) -> list[tuple[int, int]]:
    """(primary key, number) of all of them."""
    return list(held.attempts.order_by("number").values_list("pk", "number"))


def marks_of(asked: Preparation) -> PassMarks:
    return PassMarks(
        kappa=exams.decimal(asked.exam_kappa_minimum),
        exact_percent=asked.exam_exact_percent,
        within_one_percent=asked.exam_within_one_percent,
        critique_percent=asked.critique_percent,
        critiques_graded=asked.critiques_graded,
        graders=asked.graders,
    )


# --- An attempt ----------------------------------------------------------------------------------


def running(annotator: Membership, form: Round, *, now: datetime) -> bool:
    """Whether the annotator is sitting this form, and in time."""
    sitting = form.attempts.filter(qualification__annotator=annotator, state=State.OPEN, due_at__gt=now)
    return sitting.exists()


def as_of(attempt: Attempt, *, now: datetime) -> Attempt:
    """The attempt as it stands, also before that is written: at its deadline it has failed.

    Reading a page writes nothing; services/exams.py settles what is overtaken when something is sent, and the sweep
    does.
    """
    if attempt.state != State.OPEN or now < attempt.due_at or not to_do(attempt).exists():
        return attempt
    read = copy(attempt)
    read.state, read.finished_at, read.decided_at = State.FAILED, attempt.due_at, attempt.due_at
    read.result = out_of_time(attempt)
    return read


def out_of_time(attempt: Attempt) -> dict[str, object]:
    """The result of an attempt whose time is up."""
    of, done = slots(attempt).count(), len(answers(attempt))
    missed = say("Not finished in time: {done} of {of} texts were scored", done=done, of=of)
    return {"tables": tables(attempt), "missed": [missed.as_dict()], "late": True}


def tables(attempt: Attempt) -> dict[str, object]:
    """Of the scores given so far, by key of the genre and of all texts under "*"."""
    return {name: result.table for name, result in exams.grade(answers(attempt)).items()}


def slots(attempt: Attempt) -> QuerySet[Assignment]:
    return attempt.round.assignments.filter(reserved_for=attempt.qualification.annotator_id)


def to_do(attempt: Attempt) -> QuerySet[Assignment]:
    """The texts that are not scored yet."""
    waiting = slots(attempt).filter(state__in=[Assignment.State.OPEN, Assignment.State.LEASED])
    return waiting.filter(response__state=Response.State.ACTIVE)


def given(attempt: Attempt) -> QuerySet[Score]:
    """What the candidate gave, as far as it came in time; the latest revision last."""
    counted = attempt.round.scores.filter(standing=Score.Standing.COUNTED)
    return counted.filter(annotator=attempt.qualification.annotator_id).order_by("revision")


def scores(attempt: Attempt) -> QuerySet[Score]:
    """The same of texts that are still there; those that were removed since count for nothing."""
    return given(attempt).filter(response__state=Response.State.ACTIVE)


def answers(attempt: Attempt) -> dict[int, Answer]:
    """By response."""
    expert = dict(attempt.round.consensus_items.values_list("response", "value"))
    rows = scores(attempt).values_list(
        "response", "value", "response__prompt__genre__key", "response__prompt__genre__parent__key"
    )
    return {
        response: Answer(value, expert[response], macro or genre or "")
        for response, value, genre, macro in rows
        if response in expert
    }


def last_score_at(attempt: Attempt) -> datetime | None:
    return scores(attempt).aggregate(last=Max("recorded_at"))["last"]


def graded(attempt: Attempt) -> dict[int, int]:
    """How many graders have graded each of the critiques that were drawn."""
    counts = dict.fromkeys(attempt.result.get("critiques", []), 0)
    for response in attempt.grades.values_list("response", flat=True):
        counts[response] += 1
    return counts


def all_graded(attempt: Attempt) -> bool:
    asked = PassMarks.from_dict(attempt.marks).graders
    return all(count >= asked for count in graded(attempt).values())


def under_way() -> QuerySet[Attempt]:
    """Attempts under way: time, the last score or the last grade may have ended them without anybody looking."""
    return Attempt.objects.filter(state__in=UNDER_WAY).select_related(
        "round", "qualification__project", "qualification__annotator"
    )


def overtaken(*, now: datetime) -> QuerySet[Attempt]:
    """Open attempts of which time is up, or all of whose texts are scored or were removed."""
    left = Assignment.objects.filter(
        round=OuterRef("round"),
        reserved_for=OuterRef("qualification__annotator"),
        state__in=[Assignment.State.OPEN, Assignment.State.LEASED],
        response__state=Response.State.ACTIVE,
    )
    return under_way().filter(Q(due_at__lte=now) | ~Q(Exists(left)), state=State.OPEN)


# --- What came of it -----------------------------------------------------------------------------


def results(attempt: Attempt) -> dict[str, ExamResult]:
    """By key of the genre, and of all texts under "*"; {} where there are none yet."""
    tables = attempt.result.get("tables", {})
    return {name: ExamResult(tuple(map(tuple, table))) for name, table in tables.items()}


def critique_points(attempt: Attempt) -> Share | None:
    """Points of the critiques, once all are graded; None where none are."""
    kept = attempt.result.get("points")
    return Share(*kept) if kept else None


def seed(attempt: Attempt) -> str:
    """Of the interval of kappa."""
    return f"exam:{attempt.pk}"
