"""Taking a score. Nothing that was written is lost, and nothing is counted twice."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain import scoring as scale
from annotation.domain import text
from annotation.errors import DomainError, Invalid
from annotation.models import Lease, Mark, Score
from annotation.models.prepared import insert
from annotation.queries import scoring as queries
from annotation.queries import scoring_page
from annotation.services import drafts, filling, journal, work_time

ATTEMPTS = 3

Marks = Mapping[tuple[str, str], int]  # by (genre key, criterion key), the first "" for every genre
NO_MARKS: Marks = MappingProxyType({})


def submit(
    lease: Lease,
    *,
    value: int,
    justification: str,
    marks: Marks = NO_MARKS,
    active: int | None = None,
    now: datetime,
) -> Score:
    """Store the score of a leased slot, with marks for those criteria that the annotator marked.

    Sent twice with the same content it is one score. A late score counts while any slot of the text is free,
    and is kept as surplus, outside the count, where others hold or have filled them all. `active` are the seconds
    at work on the text as the page counted them; None where it did not.
    """
    refuse_unfit(lease, value=value, justification=justification)
    slot = lease.assignment
    # What is in their hands was not scored when the lease was read; if it was since, the database says so.
    in_hand = slot.state == slot.State.LEASED and slot.annotator_id == lease.annotator_id
    for attempt in range(ATTEMPTS):
        stored = None if in_hand and not attempt else queries.latest(lease)
        if stored is not None:
            return _repeated(stored, value=value, justification=justification, marks=marks)
        try:
            return _store(
                lease, value=value, justification=justification, marks=marks, active=active, now=now
            )
        except IntegrityError:
            # The same form arrived twice, or another tab took another slot of this text, at this moment.
            continue
    raise DomainError("busy", _("Many people are submitting at once. Try again in a moment."))


def says(score: Score, *, value: int, justification: str, marks: Marks) -> bool:
    """Whether a score that is stored says just that."""
    said = (score.value, score.justification) == (value, justification)
    return said and queries.marks_of(score) == marks


def _repeated(stored: Score, *, value: int, justification: str, marks: Marks) -> Score:
    if not says(stored, value=value, justification=justification, marks=marks):
        raise DomainError(
            "already_scored",
            _("You have submitted another score for this text already. The first one stands."),
        )
    return stored


def refuse_unfit(lease: Lease, *, value: int, justification: str) -> None:
    if value not in scale.SCALE:
        raise Invalid("not_a_score", _("Choose a score from 0 to 3."))
    _refuse_too_short(lease, justification)


def time_at_work(lease: Lease, active: int | None, *, now: datetime) -> dict[str, int | bool]:
    """For the journal: the seconds at work, as far as the clock allows, and whether they were very few."""
    response = lease.assignment.response
    return work_time.of_judgement(lease, active, prompt=response.prompt, texts=[response.text], now=now)


def _refuse_too_short(lease: Lease, justification: str) -> None:
    prompt = lease.assignment.response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, lease.assignment.response.text)
    least = queries.justification_minimum(lease.assignment.round, unit)
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


def refuse_unfit_marks(lease: Lease, marks: Marks) -> None:
    if not marks:
        return
    if not lease.assignment.round.project.criterion_marks:
        raise Invalid(
            "marks_are_off", _("This project has no marks for criteria any more. Submit again without them.")
        )
    if not scoring_page.criteria_to_mark(lease) >= marks.keys():
        raise Invalid(
            "unknown_criterion",
            _(
                "You marked a criterion that the rubric does not have here. Look at your marks and submit again."
            ),
        )
    if any(mark not in scale.SCALE for mark in marks.values()):
        raise Invalid("not_a_mark", _("Choose marks from 0 to 3."))


@transaction.atomic
def _store(
    lease: Lease, *, value: int, justification: str, marks: Marks, active: int | None, now: datetime
) -> Score:
    standing = filling.refuse_unless_at_work(lease, now=now)
    refuse_unfit_marks(lease, marks)
    slot = filling.fill(lease, standing, now=now)
    work = lease.assignment.round
    score = insert(
        Score(
            round=work,
            response=lease.assignment.response,
            annotator=lease.annotator,
            assignment=slot or lease.assignment,
            rubric=work.rubric,
            value=value,
            justification=justification,
            standing=Score.Standing.COUNTED if slot else Score.Standing.SURPLUS,
            at=now,
            recorded_at=now,
        )
    )
    keep_marks(score, marks)
    drafts.drop(lease)
    journal.record(
        "score.submitted",
        by=lease.annotator.user,
        at=now,
        project=work.project,
        score=score.pk,
        standing=score.standing,
        **time_at_work(lease, active, now=now),
    )
    return score


def keep_marks(score: Score, marks: Marks) -> None:
    if marks:
        Mark.objects.bulk_create(
            Mark(score=score, genre_key=genre, criterion_key=criterion, value=mark)
            for (genre, criterion), mark in marks.items()
        )
