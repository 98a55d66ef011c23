"""Changing a score that was given. Append-only: the earlier revisions stay."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.stages import WORK
from annotation.errors import DomainError
from annotation.models import Lease, Score
from annotation.queries import scoring as queries
from annotation.queries import scoring_page
from annotation.services import drafts, filling, journal, scoring
from annotation.services.scoring import NO_MARKS, Marks


def revise(
    lease: Lease,
    *,
    based_on: int,
    value: int,
    justification: str,
    marks: Marks = NO_MARKS,
    active: int | None = None,
    now: datetime,
) -> Score:
    """Store a new revision of the annotator's score, while the round is open or paused.

    `based_on` is the revision that the annotator saw. Sent twice it is one revision, and none where nothing was
    changed; where another tab was first, the second is refused and nothing is lost.
    """
    _refuse_unless_revisable(lease)
    scoring.refuse_unfit(lease, value=value, justification=justification)
    given = {"value": value, "justification": justification, "marks": marks}
    stored = _latest(lease)
    if stored.revision == based_on and not scoring.says(stored, **given):
        try:
            return _store(lease, stored, **given, active=active, now=now)
        except IntegrityError:
            # The same form arrived twice, or another tab was first, at this moment.
            stored = _latest(lease)
    return _same(lease, stored, **given, based_on=based_on)


def _refuse_unless_revisable(lease: Lease) -> None:
    work = lease.assignment.round
    if work.purpose not in WORK:
        raise DomainError("not_revisable", _("What you gave in exam, training or calibration stands."))


def _latest(lease: Lease) -> Score:
    stored = queries.latest(lease)
    if stored is None:
        raise DomainError("not_scored", _("You have not scored this text yet."))
    return stored


def _same(
    lease: Lease, stored: Score, *, based_on: int, value: int, justification: str, marks: Marks
) -> Score:
    """What is stored, where it says the same; else another tab revised meanwhile."""
    if stored.revision < based_on or not scoring.says(
        stored, value=value, justification=justification, marks=marks
    ):
        raise DomainError(
            "revised_meanwhile",
            _(
                "You have changed this score meanwhile, in another tab. Look at it there, then change it again."
            ),
        )
    drafts.drop(lease)
    return stored


@transaction.atomic
def _store(
    lease: Lease,
    stored: Score,
    *,
    value: int,
    justification: str,
    marks: Marks,
    active: int | None,
    now: datetime,
) -> Score:
    filling.refuse_unless_at_work(lease, now=now)
    if scoring_page.why_closed(lease):
        raise DomainError(
            "round_not_open",
            _("This round has been closed, so this was not stored. Copy your text if you need it."),
        )
    scoring.refuse_unfit_marks(lease, marks)
    work = lease.assignment.round
    score = Score.objects.create(
        round=work,
        response=lease.assignment.response,
        annotator=lease.annotator,
        assignment=stored.assignment,
        rubric=work.rubric,
        revision=stored.revision + 1,
        value=value,
        justification=justification,
        standing=stored.standing,
        at=now,
        recorded_at=now,
    )
    scoring.keep_marks(score, marks)
    drafts.drop(lease)
    journal.record(
        "score.revised",
        by=lease.annotator.user,
        at=now,
        project=work.project,
        score=score.pk,
        revision=score.revision,
        **scoring.time_at_work(lease, active, now=now),
    )
    return score
