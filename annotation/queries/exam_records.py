"""Attempts as a lead sees them: in a list, and each with all its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.domain.exams import PassMarks, hundredths
from annotation.domain.scoring import SCALE
from annotation.models import Attempt, CritiqueGrade, Project, Stage
from annotation.queries import exam_pages, exams
from annotation.queries.critiques import Question, questions
from annotation.queries.exam_pages import Result
from annotation.queries.people import language_name, person_name

State = Attempt.State
SHOWN = 100  # attempts in the list


@dataclass(frozen=True, slots=True)
class AttemptLine:
    pk: int
    name: str
    pseudonym: str
    language_name: str
    form: str
    number: int
    state: str  # as it is called
    started_at: datetime
    decided_at: datetime | None
    kappa: str
    asks_the_lead: bool  # nothing happens before a lead decides


@dataclass(frozen=True, slots=True)
class Given:
    """What one grader gave for a critique."""

    grader: str
    points: tuple[int, ...]  # in the order of the questions
    comment: str


@dataclass(frozen=True, slots=True)
class CritiqueLine:
    number: int
    critique: str
    value: int
    given: tuple[Given, ...]  # once every grader is done with it


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """The texts that the candidate gave one level, by the level of the experts."""

    level: int
    cells: tuple[int, ...]  # 0 first
    total: int


@dataclass(frozen=True, slots=True)
class Record:
    line: AttemptLine
    state_key: str
    user: int
    due_at: datetime
    texts: int
    done: int
    critiques_graded: int
    critiques: int
    result: Result | None
    severity: str
    severity_low: str
    severity_high: str
    confusion: tuple[ConfusionRow, ...]
    expected: tuple[int, ...]
    graded: tuple[CritiqueLine, ...]
    questions: tuple[Question, ...]
    reason: str
    decided_by: str
    may_pass: bool
    may_fail: bool
    may_grant: bool


def lines(project: Project, *, now: datetime) -> list[AttemptLine]:
    """Attempts of the project, those that wait for a lead first, then the latest."""
    rows = (
        Attempt.objects.filter(qualification__project=project)
        .select_related("round", "qualification__annotator__user", "qualification__project")
        .order_by("-started_at", "-pk")[:SHOWN]
    )
    found = (_line(exams.as_of(attempt, now=now), now=now) for attempt in rows)
    return sorted(found, key=lambda line: not line.asks_the_lead)


def _line(attempt: Attempt, *, now: datetime) -> AttemptLine:
    held, results = attempt.qualification, exams.results(attempt)
    # What is not decided may still be graded by who reads this.
    is_decided = attempt.state in exams.DECIDED
    found = results["*"].agreement.kappa if results and is_decided else None
    user = held.annotator.user
    return AttemptLine(
        pk=attempt.pk,
        name=person_name(user),
        pseudonym=held.annotator.pseudonym,
        language_name=language_name(held.language) if held.language else "",
        form=attempt.round.name,
        number=attempt.number,
        state=attempt.get_state_display(),
        started_at=attempt.started_at,
        decided_at=attempt.decided_at,
        kappa=hundredths(found) if found is not None else "",
        asks_the_lead=_asks_the_lead(attempt, now=now),
    )


def _asks_the_lead(attempt: Attempt, *, now: datetime) -> bool:
    held = attempt.qualification
    return (
        attempt.state == State.FAILED
        and held.stage == Stage.EXAM
        and exams.current(held) == attempt
        and not exams.allowance(held, now=now).left
    )


def record(attempt: Attempt, *, now: datetime) -> Record:
    attempt = exams.as_of(attempt, now=now)
    held, results = attempt.qualification, exams.results(attempt)
    whole = results.get("*")
    counts = exams.graded(attempt)
    needed = PassMarks.from_dict(attempt.marks).graders
    is_last, at_exam = exams.current(held) == attempt, held.stage == Stage.EXAM
    interval = whole.severity_interval if whole else None
    return Record(
        line=_line(attempt, now=now),
        state_key=attempt.state,
        user=held.annotator.user_id,
        due_at=attempt.due_at,
        texts=exams.slots(attempt).count(),
        done=len(exams.answers(attempt)),
        critiques_graded=sum(count >= needed for count in counts.values()),
        critiques=len(counts),
        result=exam_pages.result_of(attempt) if results and attempt.state in exams.DECIDED else None,
        severity=exam_pages.signed(whole.severity) if whole else "",
        severity_low=exam_pages.signed(interval.low) if interval else "",
        severity_high=exam_pages.signed(interval.high) if interval else "",
        confusion=tuple(ConfusionRow(level, whole.table[level], whole.given[level]) for level in SCALE)
        if whole
        else (),
        expected=whole.expected if whole else (),
        graded=tuple(_critiques(attempt, counts, needed)),
        questions=tuple(questions()),
        reason=attempt.reason,
        decided_by=person_name(attempt.decided_by) if attempt.decided_by else "",
        may_pass=is_last and at_exam and attempt.state != State.PASSED,
        may_fail=is_last and attempt.state in exams.UNDER_WAY,
        may_grant=_asks_the_lead(attempt, now=now),
    )


def _critiques(attempt: Attempt, counts: Mapping[int, int], needed: int) -> list[CritiqueLine]:
    """Points appear once every grader of the critique has given theirs."""
    scores = {score.response_id: score for score in exams.given(attempt).filter(response__in=list(counts))}
    grades: dict[int, list[CritiqueGrade]] = {}
    for grade in attempt.grades.select_related("grader").order_by("pk"):
        grades.setdefault(grade.response_id, []).append(grade)
    keys = [question.key for question in questions()]
    return [
        CritiqueLine(
            number=number,
            critique=scores[response].justification,
            value=scores[response].value,
            given=tuple(
                Given(
                    person_name(grade.grader),
                    tuple(grade.points[key] for key in keys),
                    grade.comment,
                )
                for grade in grades.get(response, [])
            )
            if counts[response] >= needed
            else (),
        )
        for number, response in enumerate(counts, start=1)
    ]
