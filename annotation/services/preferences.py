"""Taking votes on pairs of responses, with the sides as they were shown. A change of mind is a new revision."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain import text
from annotation.errors import DomainError, Invalid
from annotation.models import Lease, Preference, Score
from annotation.queries import preferences as queries
from annotation.queries import scoring as work_queries
from annotation.services import drafts, filling, first_come, journal, work_time


def submit(
    lease: Lease, *, preferred: str, justification: str, active: int | None = None, now: datetime
) -> Preference:
    """Store which of the two responses of a leased slot is better: "a" and "b" as they are shown to the annotator.

    Sent twice with the same content it is one vote. A late one counts while any slot of the pair is free, and is
    kept as surplus otherwise. `active` are the seconds at work as the page counted them; None where it did not.
    """
    _refuse_unfit(lease, preferred, justification)
    stored = first_come.once(
        lambda: queries.preference_of(lease),
        lambda: _store(lease, preferred=preferred, justification=justification, active=active, now=now),
    )
    if (stored.preferred, stored.justification) != (preferred, justification):
        raise DomainError(
            "already_chosen",
            _("You have submitted another choice on these texts already. The first one stands."),
        )
    return stored


def revise(
    lease: Lease,
    *,
    preferred: str,
    justification: str,
    based_on: int,
    active: int | None = None,
    now: datetime,
) -> Preference:
    """Store a change of mind about revision `based_on`, until the round is locked. Sent twice it is one revision."""
    _refuse_unfit(lease, preferred, justification)
    try:
        return _revise(
            lease,
            preferred=preferred,
            justification=justification,
            based_on=based_on,
            active=active,
            now=now,
        )
    except IntegrityError as error:
        raise first_come.changed_elsewhere() from error


def _refuse_unfit(lease: Lease, preferred: str, justification: str) -> None:
    if preferred not in Preference.Preferred.values:
        raise Invalid("not_a_choice", _("Choose the better text."))
    if preferred == Preference.Preferred.TIE and not lease.assignment.round.ties_allowed:
        raise Invalid("no_ties", _("This round takes no ties: choose the better text, by however little."))
    _refuse_too_short(lease, justification)


def _refuse_too_short(lease: Lease, justification: str) -> None:
    unit = queries.unit_of(lease)
    least = work_queries.justification_minimum(lease.assignment.round, unit)
    if text.length(justification, unit) >= least:
        return
    if unit == "characters":
        message = ngettext(
            "Write at least %(least)d character about what decided the choice.",
            "Write at least %(least)d characters about what decided the choice.",
            least,
        )
    else:
        message = ngettext(
            "Write at least %(least)d word about what decided the choice.",
            "Write at least %(least)d words about what decided the choice.",
            least,
        )
    raise Invalid("justification_too_short", message % {"least": least})


@transaction.atomic
def _store(
    lease: Lease, *, preferred: str, justification: str, active: int | None, now: datetime
) -> Preference:
    standing = filling.refuse_unless_at_work(lease, now=now)
    slot = filling.fill(lease, standing, now=now)
    first, second = queries.sides(lease)
    vote = Preference.objects.create(
        round=lease.assignment.round,
        prompt=lease.assignment.prompt,
        assignment=slot or lease.assignment,
        annotator=lease.annotator,
        response_a=first,
        response_b=second,
        preferred=preferred,
        justification=justification,
        standing=Score.Standing.COUNTED if slot else Score.Standing.SURPLUS,
        at=now,
        recorded_at=now,
    )
    drafts.drop(lease)
    _record("preference.submitted", lease, vote, active=active, now=now)
    return vote


@transaction.atomic
def _revise(
    lease: Lease, *, preferred: str, justification: str, based_on: int, active: int | None, now: datetime
) -> Preference:
    filling.refuse_unless_at_work(lease, now=now)
    last = queries.preference_of(lease)
    if last is None:
        raise first_come.nothing_to_change()
    if (last.preferred, last.justification) == (preferred, justification):
        return last
    if last.revision != based_on:
        raise first_come.changed_elsewhere()
    vote = Preference.objects.create(
        round=last.round,
        prompt=last.prompt,
        assignment=last.assignment,
        annotator=last.annotator,
        response_a=last.response_a,
        response_b=last.response_b,
        preferred=preferred,
        revision=last.revision + 1,
        justification=justification,
        standing=last.standing,
        at=now,
        recorded_at=now,
    )
    drafts.drop(lease)
    _record("preference.revised", lease, vote, active=active, now=now)
    return vote


def _record(action: str, lease: Lease, vote: Preference, *, active: int | None, now: datetime) -> None:
    texts = [vote.response_a.text, vote.response_b.text]
    journal.record(
        action,
        by=lease.annotator.user,
        at=now,
        project=lease.assignment.round.project,
        preference=vote.pk,
        standing=vote.standing,
        **work_time.of_judgement(lease, active, prompt=lease.assignment.prompt, texts=texts, now=now),
    )
