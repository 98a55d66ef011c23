"""Grading critiques: a few of each attempt, by one or two graders who do not see each other's points."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain.exams import CRITIQUE_QUESTIONS, MOST_POINTS, PassMarks
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Attempt, CritiqueGrade, Membership, User
from annotation.services import exams, journal


@transaction.atomic
def grade(
    attempt: Attempt,
    response: int,
    *,
    by: User,
    points: Mapping[str, int],
    comment: str,
    now: datetime,
) -> CritiqueGrade:
    """Keep what a grader gives for a critique; the last one decides the attempt.

    Sent twice with the same points it is one grade.
    """
    _refuse_unless_grader(attempt, by)
    _refuse_unfit(points)
    under_way = exams.hold(attempt)
    # Read where nobody else can write: the same form may have come twice, or another grader been quicker.
    there = {grade.grader_id: grade for grade in attempt.grades.filter(response=response)}
    if by.pk in there:
        return _same(there[by.pk], points, comment)
    if not under_way or attempt.state != Attempt.State.FINISHED:
        raise DomainError("not_to_grade", _("This attempt is not to be graded, or not any more."))
    if response not in attempt.result.get("critiques", []):
        raise Invalid("not_to_grade", _("This critique is not among those to be graded."))
    if len(there) >= PassMarks.from_dict(attempt.marks).graders:
        raise DomainError("graded_already", _("This critique has been graded by others meanwhile."))
    made = CritiqueGrade.objects.create(
        attempt=attempt,
        response_id=response,
        grader=by,
        points=dict(points),
        comment=comment.strip(),
        at=now,
    )
    journal.record(
        "exam.critique_graded",
        by=by,
        at=now,
        project=attempt.qualification.project,
        attempt=attempt.pk,
        response=response,
    )
    exams.settle(attempt, now=now)
    return made


def _same(stored: CritiqueGrade, points: Mapping[str, int], comment: str) -> CritiqueGrade:
    if (stored.points, stored.comment) != (dict(points), comment.strip()):
        raise DomainError(
            "graded_by_you", _("You have graded this critique already. The first points stand.")
        )
    return stored


def _refuse_unless_grader(attempt: Attempt, by: User) -> None:
    """Leads and instructors grade. Who annotates in the project never does, so nobody grades themselves."""
    project = attempt.qualification.project
    if not access.sighted_projects(by).filter(pk=project.pk).exists():
        raise NotAllowed("not_a_grader", _("Critiques are graded by leads and instructors of the project."))
    roles = project.memberships.filter(user=by, state=Membership.State.ACTIVE)
    if not roles.filter(role__in=[Membership.Role.LEAD, Membership.Role.INSTRUCTOR]).exists():
        raise NotAllowed("not_a_grader", _("Critiques are graded by leads and instructors of the project."))


def _refuse_unfit(points: Mapping[str, int]) -> None:
    if set(points) != set(CRITIQUE_QUESTIONS) or any(
        isinstance(each, bool) or each not in range(MOST_POINTS + 1) for each in points.values()
    ):
        raise Invalid("not_points", _("Give each question 0, 1 or 2 points."))
