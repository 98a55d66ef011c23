"""Quotas: how many finished responses of a language and genre a round needs."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.next_up import Stratum
from annotation.errors import DomainError, Invalid
from annotation.models import Assignment, Quota, Round, User
from annotation.queries import quotas as queries
from annotation.services import journal

MOST = 1_000_000


@transaction.atomic
def save(work: Round, wanted: Mapping[Stratum, int | None], *, by: User | None, now: datetime) -> None:
    """Set the quotas of these strata; None takes a quota away. One that is reached already stops at once."""
    if work.state == Round.State.LOCKED:
        raise DomainError("round_not_open", _("This round has been locked."))
    if any(number is not None and not 1 <= number <= MOST for number in wanted.values()):
        raise Invalid("not_a_quota", _("A quota is a whole number from 1 on; leave it empty for none."))
    for stratum, number in wanted.items():
        held = work.quotas.filter(language=stratum.language, genre=stratum.genre)
        held.exclude(wanted=number).delete() if number is not None else held.delete()
        if number is not None and not held.exists():
            Quota.objects.create(round=work, language=stratum.language, genre_id=stratum.genre, wanted=number)
    for quota in work.quotas.filter(reached_at=None):
        _stop_if_reached(quota, now=now)
    journal.record(
        "round.quotas_set", by=by, at=now, project=work.project, round=work.pk, quotas=work.quotas.count()
    )


def note(slot: Assignment, *, now: datetime) -> None:
    """After a slot was filled: stop its stratum where that was the last response it needed."""
    for quota in queries.of_slot(slot):
        _stop_if_reached(quota, now=now)


def _stop_if_reached(quota: Quota, *, now: datetime) -> None:
    if queries.finished(quota) >= quota.wanted:
        Quota.objects.filter(pk=quota.pk, reached_at=None).update(reached_at=now)
