"""Where people stand on their way, and what the way is made of."""

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.access.projects import instructed_project, led_project
from annotation.access.work import lease
from annotation.domain import stages
from annotation.domain.reach import ANY_LANGUAGE
from annotation.errors import NotAllowed
from annotation.models import (
    Attempt,
    ConsensusItem,
    Lease,
    Lesson,
    Membership,
    Project,
    Qualification,
    Response,
    Round,
    Score,
    User,
)

Role = Membership.Role


def own_qualification(user: User, slug: str, language: str) -> Qualification:
    """Where the person stands in a language of the project ('any' where they were not asked for one)."""
    found = (
        Qualification.objects.select_related("project", "annotator__user", "annotator__project")
        .filter(
            project__slug=slug,
            annotator__user=user,
            language="" if language == ANY_LANGUAGE else language,
        )
        .exclude(annotator__state__in=Membership.ENDED)
        .first()
    )
    if found is None:
        raise Http404
    return found


def own_membership(user: User, slug: str) -> Membership:
    """The person as annotator of the project."""
    found = (
        Membership.objects.select_related("project", "user")
        .filter(user=user, project__slug=slug, role=Role.ANNOTATOR)
        .exclude(state__in=Membership.ENDED)
        .first()
    )
    if found is None:
        raise Http404
    return found


def led_qualification(user: User, slug: str, pk: int) -> Qualification:
    """Where an annotator stands, in a project that the person leads."""
    found = (
        led_project(user, slug)
        .qualifications.select_related("project", "annotator__user", "invitation")
        .filter(pk=pk)
        .first()
    )
    if found is None:
        raise Http404
    return found


def instructed_round(user: User, slug: str, pk: int, *, purpose: str) -> Round:
    """An exam, a course or a calibration of such a project."""
    project = instructed_project(user, slug)
    found = project.rounds.select_related("project", "rubric").filter(pk=pk, purpose=purpose).first()
    if found is None:
        raise Http404
    return found


def examinee(user: User, slug: str, language: str) -> Qualification:
    """The person's own standing in a language, where the exam is open to them or lies behind them."""
    found = own_qualification(user, slug, language)
    here = found.stage == stages.EXAM or stages.has_passed(found.stage, stages.EXAM)
    if not here and not found.attempts.exists():
        raise NotAllowed("not_at_exam", _("The exam opens once you have come to that stage."))
    return found


def sat_exam(annotator: Membership, form: Round) -> Qualification:
    """The standing with which the annotator took that form; for who did not, there is no such form."""
    found = form.attempts.select_related("qualification").filter(qualification__annotator=annotator).first()
    if found is None:
        raise Http404
    return found.qualification


def project_attempt(project: Project, pk: int) -> Attempt:
    """An attempt at an exam of the project."""
    found = (
        Attempt.objects.select_related(
            "round__rubric",
            "round__project",
            "qualification__project",
            "qualification__annotator__user",
            "decided_by",
        )
        .filter(pk=pk, qualification__project=project)
        .first()
    )
    if found is None:
        raise Http404
    return found


def trainee(user: User, slug: str, language: str) -> Qualification:
    """The person's own standing in a language, where the course is open to them or lies behind them."""
    found = own_qualification(user, slug, language)
    if found.stage != stages.TRAINING and not stages.has_passed(found.stage, stages.TRAINING):
        raise NotAllowed("not_in_training", _("The training course opens once you have come to that stage."))
    return found


def locked_lease(user: User, token: str) -> Lease:
    """An item of a course that the person has scored. 403 before that, 404 for texts of other rounds."""
    found = lease(user, token)
    if found.assignment.round.purpose != Round.Purpose.TRAINING:
        raise Http404
    own = Score.objects.filter(
        round=found.assignment.round_id, response=found.assignment.response_id, annotator=found.annotator_id
    )
    if not own.exists():
        raise NotAllowed(
            "not_locked", _("Score this text first. What others think of it is shown after that.")
        )
    return found


def lesson(project: Project, pk: int) -> Lesson:
    found = project.lessons.select_related("project", "genre").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def course_item(project: Project, pk: int) -> ConsensusItem:
    """An item of a course of the project; those of an exam are none."""
    found = (
        ConsensusItem.objects.select_related(
            "round__project", "round__rubric", "response__prompt__genre__parent"
        )
        .filter(pk=pk, round__project=project, round__purpose=Round.Purpose.TRAINING)
        .first()
    )
    if found is None:
        raise Http404
    return found


def item_round(user: User, slug: str, pk: int) -> Round:
    """An exam, a course, or a round of gold items, whose items the person writes."""
    project = instructed_project(user, slug)
    purposes = [Round.Purpose.EXAM, Round.Purpose.TRAINING, Round.Purpose.GOLD]
    found = project.rounds.select_related("project", "rubric").filter(pk=pk, purpose__in=purposes).first()
    if found is None:
        raise Http404
    return found


def consensus_item(work: Round, pk: int) -> ConsensusItem:
    found = (
        work.consensus_items.select_related("round__project", "response__prompt__genre").filter(pk=pk).first()
    )
    if found is None:
        raise Http404
    return found


def response_for_item(work: Round, pk: int) -> Response:
    """A response of the project that could become an item."""
    there = work.project.responses.filter(state=Response.State.ACTIVE)
    found = there.select_related("prompt__genre").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found
