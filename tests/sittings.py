"""Forms of the exam and people who sit them, made by the services as in the application."""

from collections.abc import Callable
from datetime import datetime, timedelta

from annotation.domain import exams as rules
from annotation.models import Attempt, Membership, Preparation, Project, Qualification, Round, User
from annotation.services import assignments, consensus, critiques, exam_forms, exams, scoring, stages
from tests.factories import NOW, make_member, make_prompt, make_response

TEXTS = 8
CRITIQUE = "The second paragraph turns the bridge into a person, which decides it: see the closing line."
# No word of an item may reach a candidate beyond its text.
SECRET = "because the experts agreed on it in March"


def ask(project: Project, **settings: object) -> Preparation:
    """Small exams: eight texts, two critiques by one grader."""
    asked = {"exam_items_minimum": TEXTS, "critiques_graded": 2, "graders": 1, **settings}
    return Preparation.objects.create(project=project, **asked)


def make_form(
    project: Project, name: str = "Form A", *, language: str = "en", texts: int = TEXTS, publish: bool = True
) -> Round:
    """A form whose texts have the consensus scores 0, 1, 2, 3, 0, …"""
    form = exam_forms.draft_form(project, language=language, name=name, by=None, now=NOW)
    genre = project.genres.get(key="fiction")
    for number in range(texts):
        response = make_response(make_prompt(project, language=language or "en", genre=genre))
        value = number % 4
        split = [3 if each == value else 0 for each in range(4)]
        consensus.add(
            form, response, kind="exam", value=value, split=split, rationale=SECRET, by=None, now=NOW
        )
    if publish:
        exam_forms.publish(form, by=None, now=NOW)
    return form


def candidate(member: Membership, *, language: str = "en", stage: str = "exam") -> Qualification:
    """The annotator, standing there in that language."""
    held = Qualification.objects.filter(annotator=member).order_by("pk").first()
    if held is None:
        return stages.enter(member, languages=[language], stage=stage, by=None, now=NOW)[0]
    Qualification.objects.filter(pk=held.pk).update(stage=stage, language=language)
    held.refresh_from_db()
    return held


def exactly(value: int) -> int:
    return value


def always_off(value: int) -> int:
    return 3 - value


def answer(
    attempt: Attempt, *, texts: int | None = None, scores: Callable[[int], int] = exactly, now: datetime = NOW
) -> int:
    """Score texts of the attempt: so many, or all. Gives how many."""
    expert = dict(attempt.round.consensus_items.values_list("response", "value"))
    member, done = attempt.qualification.annotator, 0
    while done != texts:
        lease = assignments.claim(member, attempt.round, now=now)
        if lease is None:
            break
        value = scores(expert[lease.assignment.response_id])
        scoring.submit(lease, value=value, justification=CRITIQUE, now=now)
        done += 1
    return done


def points(each: int) -> dict[str, int]:
    return dict.fromkeys(rules.CRITIQUE_QUESTIONS, each)


def grade_all(attempt: Attempt, grader: User, *, each: int = 2, now: datetime = NOW) -> None:
    for response in attempt.result["critiques"]:
        critiques.grade(attempt, response, by=grader, points=points(each), comment="", now=now)


def sat(
    held: Qualification,
    *,
    scores: Callable[[int], int] = exactly,
    now: datetime = NOW,
    grader: User | None = None,
    each: int = 2,
) -> Attempt:
    """An attempt whose texts are all scored; with a grader, one that is decided."""
    attempt = exams.start(held, now=now)
    answer(attempt, scores=scores, now=now)
    exams.settle(attempt, now=now)
    if grader is not None:
        grade_all(attempt, grader, each=each, now=now)
        attempt.refresh_from_db()
    return attempt


def instructor_of(project: Project, username: str = "ines") -> Membership:
    return make_member(project, "instructor", username)


def later(hours: int) -> datetime:
    return NOW + timedelta(hours=hours)
