"""Taking a score. Nothing that was written is lost, and nothing is counted twice."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import queries
from annotation.domain import scoring as scale
from annotation.domain import text
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Assignment, Lease, Membership, Round, Score
from annotation.services import journal


def submit(lease: Lease, *, value: int, justification: str, now: datetime) -> Score:
    """Store the score of a leased slot.

    Sent twice with the same content it is one score; a late score is taken while the slot is free, and kept
    as surplus, outside the count, where another annotator has filled it.
    """
    if value not in scale.SCALE:
        raise Invalid("not_a_score", _("Choose a score from 0 to 3."))
    _refuse_unless_at_work(lease)
    _refuse_too_short(lease, justification)
    stored = _stored(lease)
    if stored is None:
        try:
            return _store(lease, value=value, justification=justification, now=now)
        except IntegrityError:
            # The same form arrived twice at once and the other was first.
            stored = _stored(lease)
    if stored is None or (stored.value, stored.justification) != (value, justification):
        raise DomainError(
            "already_scored",
            _("You have submitted another score for this text already. The first one stands."),
        )
    return stored


def _stored(lease: Lease) -> Score | None:
    return queries.scores_of(lease).order_by("-revision").first()


def _refuse_unless_at_work(lease: Lease) -> None:
    if lease.annotator.state != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator",
            _("You no longer take part in this project, so the score was not stored."),
        )
    if lease.assignment.round.state != Round.State.OPEN:
        raise DomainError(
            "round_not_open",
            _("This round has been closed, so the score was not stored. Copy your text if you need it."),
        )


def _refuse_too_short(lease: Lease, justification: str) -> None:
    least = lease.assignment.round.project.justification_minimum
    prompt = lease.assignment.response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, lease.assignment.response.text)
    if text.length(justification, unit) >= least:
        return
    if unit == "characters":
        message = ngettext(
            "Write at least %(least)d character about what decided the score.",
            "Write at least %(least)d characters about what decided the score.",
            least,
        )
    else:
        message = ngettext(
            "Write at least %(least)d word about what decided the score.",
            "Write at least %(least)d words about what decided the score.",
            least,
        )
    raise Invalid("justification_too_short", message % {"least": least})


@transaction.atomic
def _store(lease: Lease, *, value: int, justification: str, now: datetime) -> Score:
    slot = queries.slot_for(lease)
    mine = Assignment.objects.filter(pk=slot.pk, state=Assignment.State.LEASED, annotator=lease.annotator)
    done = {"state": Assignment.State.DONE, "annotator": lease.annotator, "leased_until": None}
    filled = (
        mine.update(**done) or queries.free(Assignment.objects.filter(pk=slot.pk), now=now).update(**done)
    ) == 1
    score = Score.objects.create(
        round=slot.round,
        response=slot.response,
        annotator=lease.annotator,
        assignment=slot,
        rubric=slot.round.rubric,
        value=value,
        justification=justification,
        standing=Score.Standing.COUNTED if filled else Score.Standing.SURPLUS,
        at=now,
        recorded_at=now,
    )
    journal.record(
        "score.submitted",
        by=lease.annotator.user,
        at=now,
        project=slot.round.project,
        score=score.pk,
        standing=score.standing,
    )
    return score
