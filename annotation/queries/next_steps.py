"""What a lead can do for somebody now, or what is waited for."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain import stages as way
from annotation.models import Attempt, CalibrationResult, Qualification, Round, Stage
from annotation.queries import exams, stages, training


@dataclass(frozen=True, slots=True)
class Next:
    """A sentence; the page on which the lead goes on, if there is one; and the stage that a lead may decide on."""

    text: str
    url: str = ""
    label: str = ""
    stage: str = ""  # offered where nothing but a decision helps


def next_step(held: Qualification, *, now: datetime) -> Next:
    of_stage = {
        Stage.INVITED: _invited,
        Stage.SCREENING: _screening,
        Stage.TRAINING: _training,
        Stage.CALIBRATION: _calibration,
        Stage.ACTIVE: _active,
        Stage.PAUSED: _paused,
    }
    if held.stage == Stage.EXAM:
        return _exam(held, now=now)
    if held.stage == Stage.DECLINED:
        return Next(_("Takes no further part."))
    return of_stage[Stage(held.stage)](held)


def _invited(held: Qualification) -> Next:
    text = _("Waits for the invitation to be accepted. It can be renewed or taken back.")
    return Next(text, reverse("invitations", args=[held.project.slug]), _("Go to the invitations"))


def _screening(held: Qualification) -> Next:
    if not held.screening_answers.exists():
        return Next(_("Has the questions to answer."))
    after = way.following(Stage.SCREENING, stages.uses(held.project))
    return Next(_("Answered, and did not meet the marks of the screening: you decide."), stage=after)


def _training(held: Qualification) -> Next:
    text = _("Goes through the course.")
    if training.progress(held).is_finished:
        text = _("Has done all that the course asks, and finishes it on their own page.")
    return Next(text, reverse("course", args=[held.project.slug]), _("Go to the course"))


def _paused(held: Qualification) -> Next:
    before = held.passages.order_by("-pk").values_list("from_stage", flat=True).first()
    return Next(_("Is given nothing until you move them on."), stage=before or Stage.ACTIVE)


def _exam(held: Qualification, *, now: datetime) -> Next:
    slug = held.project.slug
    last = exams.latest(held, now=now)
    if exams.lacks_form(held, now=now):
        text = _("Could begin, but no form of the exam is left to take: publish another one.")
        return Next(text, reverse("exams", args=[slug]), _("Go to the exam"))
    if last is None or not exams.is_of_this_stay(last):
        return Next(_("Has the exam to begin."), reverse("exams", args=[slug]), _("Go to the exam"))
    if last.state == Attempt.State.FINISHED:
        address = reverse("exam_grading", args=[slug])
        return Next(_("Waits for critiques to be graded."), address, _("Grade critiques"))
    texts = {
        Attempt.State.OPEN: _("Sits the exam."),
        Attempt.State.PASSED: _("Has passed the exam."),
        Attempt.State.FAILED: _after_a_failure(held, now=now),
    }
    address = reverse("exam_attempt", args=[slug, last.pk])
    return Next(texts[Attempt.State(last.state)], address, _("Go to the attempt"))


def _after_a_failure(held: Qualification, *, now: datetime) -> str:
    allowance = exams.allowance(held, now=now)
    if not allowance.left:
        return _("Has failed, and no retake is left: you decide.")
    left = ngettext("%(n)d retake is left.", "%(n)d retakes are left.", allowance.left) % {
        "n": allowance.left
    }
    if allowance.retake_from and allowance.retake_from > now:
        day = date_format(localtime(allowance.retake_from), "SHORT_DATETIME_FORMAT")
        return _("Has failed, and may try another form from %(day)s on. %(left)s") % {
            "day": day,
            "left": left,
        }
    return _("Has failed, and may try another form now. %(left)s") % {"left": left}


def open_calibrations(held: Qualification) -> QuerySet[Round]:
    """Calibrations under way in which the annotator takes part in this language."""
    return (
        held.project.rounds.filter(
            purpose=Round.Purpose.CALIBRATION,
            state__in=[Round.State.OPEN, Round.State.PAUSED],
            language__in=["", held.language],
            assignments__reserved_for=held.annotator,
        )
        .distinct()
        .order_by("pk")
    )


def _calibration(held: Qualification) -> Next:
    slug = held.project.slug
    under_way = open_calibrations(held).first()
    if under_way is not None:
        return _takes_part(under_way)
    result = CalibrationResult.objects.filter(annotator=held.annotator).order_by("-pk").first()
    if result is not None:
        text = _("Is calibrated: look at the result and make them active, or calibrate again.")
        address = reverse("calibration_round", args=[slug, result.round_id])
        return Next(text, address, _("Look at the result"))
    text = _("Waits for a calibration: open one with everybody who stands here.")
    return Next(text, reverse("calibration_new", args=[slug]), _("New calibration"))


def _takes_part(work: Round) -> Next:
    text = _("Takes part in the open calibration %(name)s.") % {"name": work.name}
    address = reverse("calibration_round", args=[work.project.slug, work.pk])
    return Next(text, address, _("Go to the calibration"))


def _active(held: Qualification) -> Next:
    under_way = open_calibrations(held).first()
    if under_way is not None:
        found = _takes_part(under_way)
        return Next(f"{_('Can be given work.')} {found.text}", found.url, found.label)
    return Next(
        _("Can be given work."), reverse("calibrations", args=[held.project.slug]), _("Calibrate again")
    )
