"""Taking votes on what a prompt is about. A change of mind is a new revision; the earlier ones stay."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import CategoryVote, Genre, Lease, Score
from annotation.queries import category_votes as queries
from annotation.services import drafts, filling, first_come, journal, work_time


def submit(
    lease: Lease, *, category: str, justification: str, active: int | None = None, now: datetime
) -> CategoryVote:
    """Store the vote of a leased slot for the category of that key.

    Sent twice with the same content it is one vote. A late one counts while any slot of the prompt is free, and is
    kept as surplus otherwise. `active` are the seconds at work as the page counted them; None where it did not.
    """
    chosen = _category(lease, category)
    stored = first_come.once(
        lambda: queries.vote_of(lease),
        lambda: _store(lease, chosen, justification=justification, active=active, now=now),
    )
    if (stored.category_id, stored.justification) != (chosen.pk, justification):
        raise DomainError(
            "already_voted",
            _("You have submitted another vote on this prompt already. The first one stands."),
        )
    return stored


def revise(
    lease: Lease,
    *,
    category: str,
    justification: str,
    based_on: int,
    active: int | None = None,
    now: datetime,
) -> CategoryVote:
    """Store a change of mind about revision `based_on`, until the round is locked. Sent twice it is one revision."""
    chosen = _category(lease, category)
    try:
        return _revise(lease, chosen, justification=justification, based_on=based_on, active=active, now=now)
    except IntegrityError as error:
        raise first_come.changed_elsewhere() from error


def _category(lease: Lease, key: str) -> Genre:
    found = queries.categories_of(lease.assignment.round.project).filter(key=key).first()
    if found is None:
        raise Invalid("not_a_category", _("Choose a category."))
    return found


@transaction.atomic
def _store(
    lease: Lease, category: Genre, *, justification: str, active: int | None, now: datetime
) -> CategoryVote:
    standing = filling.refuse_unless_at_work(lease, now=now)
    slot = filling.fill(lease, standing, now=now)
    vote = CategoryVote.objects.create(
        round=lease.assignment.round,
        prompt=lease.assignment.prompt,
        annotator=lease.annotator,
        assignment=slot or lease.assignment,
        category=category,
        justification=justification,
        standing=Score.Standing.COUNTED if slot else Score.Standing.SURPLUS,
        at=now,
        recorded_at=now,
    )
    drafts.drop(lease)
    _record("category_vote.submitted", lease, vote, active=active, now=now)
    return vote


@transaction.atomic
def _revise(
    lease: Lease, category: Genre, *, justification: str, based_on: int, active: int | None, now: datetime
) -> CategoryVote:
    filling.refuse_unless_at_work(lease, now=now)
    last = queries.vote_of(lease)
    if last is None:
        raise first_come.nothing_to_change()
    if (last.category_id, last.justification) == (category.pk, justification):
        return last
    if last.revision != based_on:
        raise first_come.changed_elsewhere()
    vote = CategoryVote.objects.create(
        round=last.round,
        prompt=last.prompt,
        annotator=last.annotator,
        assignment=last.assignment,
        category=category,
        revision=last.revision + 1,
        justification=justification,
        standing=last.standing,
        at=now,
        recorded_at=now,
    )
    drafts.drop(lease)
    _record("category_vote.revised", lease, vote, active=active, now=now)
    return vote


def _record(action: str, lease: Lease, vote: CategoryVote, *, active: int | None, now: datetime) -> None:
    prompt = lease.assignment.prompt
    journal.record(
        action,
        by=lease.annotator.user,
        at=now,
        project=lease.assignment.round.project,
        category_vote=vote.pk,
        standing=vote.standing,
        **work_time.of_judgement(lease, active, prompt=prompt, texts=[prompt.text], now=now),
    )
