"""Gold items and repeats, mixed into a round at its rates. They stand in rounds of their own and are never data."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.domain import next_up, order
from annotation.errors import DomainError, Invalid
from annotation.models import Assigning, Assignment, Lease, Membership, Round, User
from annotation.queries import consensus
from annotation.queries import mixing as queries
from annotation.services import journal, leases, seals, slots

State = Round.State
MOST = 50  # percent of the hand-outs
NAME_KEPT = 70  # characters of the host's name in that of what is mixed in
PURPOSE_OF = {next_up.GOLD: Round.Purpose.GOLD, next_up.REPEAT: Round.Purpose.REPEAT}


def take(annotator: Membership, host: Round, *, position: int, now: datetime) -> Lease | None:
    """What is mixed in at that hand-out; None where it is the round's own turn, or nothing is left to mix in."""
    drawn = next_up.mixture(
        host.pk, annotator.pk, position, gold=host.gold_percent, repeat=host.repeat_percent
    )
    if drawn == next_up.OWN:
        return None
    work = host.mixed_in.filter(purpose=PURPOSE_OF[drawn], state=Round.State.OPEN).first()
    if work is None:
        return None
    if work.purpose == Round.Purpose.GOLD:
        texts = queries.gold_left(annotator, work)
    else:
        texts = queries.repeats_left(annotator, work, host, before=position - next_up.REPEAT_AFTER)
    return _take(annotator, work, texts, position=position, now=now) if texts else None


def _take(
    annotator: Membership, work: Round, texts: Sequence[tuple[int, int]], *, position: int, now: datetime
) -> Lease | None:
    """A slot of the annotator's own on one of the texts, (response, prompt), in the order that is theirs."""
    response, prompt = min(texts, key=lambda text: order.key(str(work.pk), str(annotator.pk), str(text[0])))
    last = work.assignments.filter(response=response).aggregate(last=Max("slot"))["last"] or 0
    slot = slots.of_response(
        work,
        response,
        prompt,
        last + 1,
        reserved_for=annotator,
        annotator=annotator,
        state=Assignment.State.LEASED,
        leased_until=now + leases.LEASE,
    )
    try:
        with transaction.atomic():
            slot.save()
            return leases.make(slot.pk, annotator, position=position, now=now)
    except IntegrityError:
        # Another tab, or somebody else who was given the same text at this moment, was first.
        return None


# --- What a lead mixes in ------------------------------------------------------------------------


@transaction.atomic
def set_rates(host: Round, *, gold: int, repeat: int, by: User | None, now: datetime) -> None:
    """How many of a hundred hand-outs are gold items, and how many are repeats. Rounds for them are made at need."""
    _refuse_unfit(host, gold=gold, repeat=repeat)
    before = [host.gold_percent, host.repeat_percent]
    Round.objects.filter(pk=host.pk).update(gold_percent=gold, repeat_percent=repeat)
    host.refresh_from_db()
    if gold:
        _companion(host, Round.Purpose.GOLD, _("%(name)s: gold items"), state=State.DRAFT, now=now)
    if repeat:
        _companion(host, Round.Purpose.REPEAT, _("%(name)s: repeats"), state=State.OPEN, now=now)
    if before != [gold, repeat]:
        journal.record(
            "round.mixture_set",
            by=by,
            at=now,
            project=host.project,
            round=host.pk,
            gold=[before[0], gold],
            repeat=[before[1], repeat],
        )


def _refuse_unfit(host: Round, *, gold: int, repeat: int) -> None:
    if host.kind != Round.Kind.SCORES or host.purpose != Round.Purpose.LIVE:
        raise DomainError(
            "not_mixable", _("Gold items and repeats are mixed into live rounds of scores alone.")
        )
    if host.state not in (State.DRAFT, State.OPEN, State.PAUSED):
        raise DomainError("round_not_open", _("This round has been locked."))
    if min(gold, repeat) < 0 or gold + repeat > MOST:
        raise Invalid(
            "rates_too_high",
            _("Gold items and repeats together can be at most %(most)d in a hundred.") % {"most": MOST},
        )


def _companion(host: Round, purpose: str, name: str, *, state: str, now: datetime) -> None:
    """The round of that purpose that goes with the host; the one that is there, where there is one."""
    if host.mixed_in.filter(purpose=purpose).exists():
        return
    shortened = name % {"name": host.name[:NAME_KEPT]}
    try:
        with transaction.atomic():
            Round.objects.create(
                project=host.project,
                name=shortened,
                purpose=purpose,
                mixed_into=host,
                state=state,
                rubric=host.rubric,
                annotators_per_response=1,
                assigning=Assigning.POOL,
                created_at=now,
                opened_at=None if state == State.DRAFT else now,
            )
    except IntegrityError as error:
        raise Invalid(
            "round_exists", _("There is a round %(name)s already. Choose another name.") % {"name": shortened}
        ) from error


@transaction.atomic
def open_gold(work: Round, *, by: User | None, now: datetime) -> None:
    """From now on its items are mixed in; they stay as they are."""
    seals.hold(work.project)
    if not work.consensus_items.exists():
        raise DomainError("no_items", _("There is no gold item yet. Add some first."))
    unfit = consensus.unfit_in_words(work)
    if unfit:
        raise DomainError("unfit_items", unfit)
    draft = Round.objects.filter(pk=work.pk, state=State.DRAFT, purpose=Round.Purpose.GOLD)
    if draft.exclude(mixed_into=None).update(state=State.OPEN, opened_at=now) != 1:
        raise DomainError("not_a_draft", _("This round has been opened, so this cannot be changed any more."))
    journal.record("round.opened", by=by, at=now, project=work.project, round=work.pk, slots=0)
