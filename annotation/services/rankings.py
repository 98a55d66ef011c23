"""Taking a ranking. It is stored whole or not at all, and never changed: a change of mind is a new revision."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.domain import rankings as rules
from annotation.domain import text
from annotation.domain.rankings import NotARankingError, Tiers
from annotation.errors import DomainError, Invalid
from annotation.models import Lease, RankedResponse, Ranking, Response, Score
from annotation.queries import rankings as queries
from annotation.queries import scoring
from annotation.services import drafts, filling, first_come, journal, work_time


@dataclass(frozen=True, slots=True)
class Given:
    """What an annotator sent."""

    tiers: Sequence[Collection[str]]
    justification: str
    unread: Collection[str]
    active: int | None  # seconds at work as the page counted them; None where it did not


def submit(
    lease: Lease,
    *,
    tiers: Sequence[Collection[str]],
    justification: str,
    unread: Collection[str] = (),
    active: int | None = None,
    shown: str | None = None,
    now: datetime,
) -> Ranking:
    """Store the order of the texts, best tier first, each by the letter under which the annotator has it.

    `unread` are those whose end they have not reached. `shown` is what `queries.shown` said when the page was made;
    where it is given, and the letters mean other texts by now, nothing is stored. Sent twice with the same content
    it is one ranking. A late one counts while any slot of the prompt is free, and is kept as surplus otherwise.
    """
    given = Given(tiers, justification, unread, active)
    stored = first_come.once(
        lambda: queries.current(lease), lambda: _store(lease, given, shown=shown, now=now)
    )
    if not _says(stored, given):
        raise DomainError(
            "already_ranked",
            _("You have submitted another ranking of these texts already. That one stands."),
        )
    return stored


def revise(
    lease: Lease,
    *,
    tiers: Sequence[Collection[str]],
    justification: str,
    unread: Collection[str] = (),
    active: int | None = None,
    based_on: int,
    now: datetime,
) -> Ranking:
    """Store a change of mind about a revision, until the round is locked. Sent twice it is one revision.

    It orders the same texts, under the same letters. The slot, and whether the ranking counts, stay.
    """
    given = Given(tiers, justification, unread, active)
    try:
        return _revise(lease, given, based_on=based_on, now=now)
    except IntegrityError as error:
        # Sent twice at this moment, or changed in another tab.
        last = queries.current(lease)
        if last is not None and _says(last, given):
            return last
        raise first_come.changed_elsewhere() from error


def _says(stored: Ranking, given: Given) -> bool:
    order = tuple(tuple(sorted(tier)) for tier in given.tiers)
    return (queries.tiers_of(stored), stored.justification) == (order, given.justification)


@transaction.atomic
def _store(lease: Lease, given: Given, *, shown: str | None, now: datetime) -> Ranking:
    standing = filling.refuse_unless_at_work(lease, now=now)
    texts = queries.texts_of(lease, None)
    _refuse_closed(lease, texts)
    if shown is not None and shown != queries.shown(lease, texts):
        raise DomainError(
            "texts_changed",
            _(
                "A text of this prompt was removed or added while you were at work, so this was not stored. "
                "Reload the page and place the texts once more; what you wrote is kept."
            ),
        )
    order = _checked(lease, given, texts)
    slot = filling.fill(lease, standing, now=now)
    ranking = Ranking.objects.create(
        round=lease.assignment.round,
        prompt=lease.assignment.prompt,
        annotator=lease.annotator,
        assignment=slot or lease.assignment,
        justification=given.justification,
        standing=Score.Standing.COUNTED if slot else Score.Standing.SURPLUS,
        at=now,
        recorded_at=now,
    )
    _place(ranking, order, texts, given.unread)
    drafts.drop(lease)
    _record("ranking.submitted", lease, ranking, texts, given, now=now)
    return ranking


@transaction.atomic
def _revise(lease: Lease, given: Given, *, based_on: int, now: datetime) -> Ranking:
    filling.refuse_unless_at_work(lease, now=now)
    last = queries.current(lease)
    if last is None:
        raise first_come.nothing_to_change()
    if _says(last, given):
        return last
    if last.revision != based_on:
        raise first_come.changed_elsewhere()
    texts = queries.texts_of(lease, last)
    _refuse_closed(lease, texts)
    order = _checked(lease, given, texts)
    ranking = Ranking.objects.create(
        round=last.round,
        prompt=last.prompt,
        annotator=last.annotator,
        assignment=last.assignment,
        revision=last.revision + 1,
        justification=given.justification,
        standing=last.standing,
        at=now,
        recorded_at=now,
    )
    _place(ranking, order, texts, given.unread)
    drafts.drop(lease)
    _record("ranking.revised", lease, ranking, texts, given, now=now)
    return ranking


def _place(ranking: Ranking, order: Tiers, texts: Sequence[Response], unread: Collection[str]) -> None:
    tier_of = rules.ranks(order)
    RankedResponse.objects.bulk_create(
        RankedResponse(
            ranking=ranking,
            response=response,
            tier=tier_of[letter],
            shown=shown,
            was_read=letter not in unread,
        )
        for shown, (letter, response) in enumerate(
            zip(rules.letters(len(texts)), texts, strict=True), start=1
        )
    )


def _record(
    action: str,
    lease: Lease,
    ranking: Ranking,
    texts: Sequence[Response],
    given: Given,
    *,
    now: datetime,
) -> None:
    time = work_time.of_judgement(
        lease,
        given.active,
        prompt=lease.assignment.prompt,
        texts=[response.text for response in texts],
        now=now,
    )
    journal.record(
        action,
        by=lease.annotator.user,
        at=now,
        project=lease.assignment.round.project,
        ranking=ranking.pk,
        revision=ranking.revision,
        standing=ranking.standing,
        **time,
    )


# --- What is refused -----------------------------------------------------------------------------


def _refuse_closed(lease: Lease, texts: Sequence[Response]) -> None:
    closed = queries.why_closed(lease, texts)
    if closed == "withdrawn":
        raise drafts.Gone(
            "withdrawn",
            _("These texts have been withdrawn, so this was not stored. Copy your text if you need it."),
        )
    if closed:
        raise DomainError(
            "round_not_open",
            _("This round has been closed, so this was not stored. Copy your text if you need it."),
        )


def _checked(lease: Lease, given: Given, texts: Sequence[Response]) -> Tiers:
    try:
        order = rules.checked(
            given.tiers,
            among=rules.letters(len(texts)),
            ties_allowed=lease.assignment.round.ties_allowed,
        )
    except NotARankingError as fault:
        raise Invalid(fault.code, _sentence(fault)) from fault
    _refuse_too_short(lease, given.justification, texts)
    return order


def _sentence(fault: NotARankingError) -> str:
    """What is wrong with an order, and what to do about it."""
    named = pgettext("between the letters of texts", ", ").join(fault.texts)
    if fault.code == "unranked":
        message = ngettext("Place text %(texts)s.", "Place texts %(texts)s.", len(fault.texts))
    elif fault.code == "ties_not_allowed":
        message = _("This round takes no ties: give texts %(texts)s places of their own.")
    elif fault.code == "unknown_text":
        message = _("There is no text %(texts)s here. Open the page again.")
    elif fault.code == "ranked_twice":
        message = _("Text %(texts)s stands in more than one place. Keep one.")
    else:
        message = _("Some place is empty. Open the page again.")
    return message % {"texts": named}


def _refuse_too_short(lease: Lease, justification: str, texts: Sequence[Response]) -> None:
    unit = queries.unit_of(lease.assignment.prompt, texts)
    least = scoring.justification_minimum(lease.assignment.round, unit)
    if text.length(justification, unit) >= least:
        return
    if unit == "characters":
        message = ngettext(
            "Write at least %(least)d character about what decided the order.",
            "Write at least %(least)d characters about what decided the order.",
            least,
        )
    else:
        message = ngettext(
            "Write at least %(least)d word about what decided the order.",
            "Write at least %(least)d words about what decided the order.",
            least,
        )
    raise Invalid("justification_too_short", message % {"least": least})
