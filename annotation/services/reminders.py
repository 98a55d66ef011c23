"""Reminding somebody of their work: whether that may be done now. The view writes the mail."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.errors import DomainError, NotAllowed
from annotation.models import Membership, Project, User
from annotation.queries import reminders
from annotation.services import journal

AGAIN_AFTER = timedelta(hours=24)


@transaction.atomic
def remind(member: Membership, *, by: User, now: datetime) -> None:
    """Note that an annotator is written to, once in AGAIN_AFTER. Whoever asked second is refused."""
    Project.objects.select_for_update(no_key=True).get(pk=member.project_id)
    if not access.is_lead(by, member.project):
        raise NotAllowed("not_a_lead", _("Only leads of the project remind its annotators."))
    member.refresh_from_db(fields=["state"])
    if member.state != Membership.State.ACTIVE:
        raise DomainError("not_active", _("This role is not active, so there is nothing to be reminded of."))
    if not member.user.email:
        raise DomainError("no_address", _("This person has given no e-mail address."))
    last = reminders.last(member.project).get(member.pk)
    if last is not None and now - last < AGAIN_AFTER:
        raise DomainError("reminded_lately", _("A reminder went out within the last 24 hours."))
    journal.record(
        "membership.reminded",
        by=by,
        at=now,
        project=member.project,
        member=member.pk,
        user=member.user_id,
    )


def not_sent(member: Membership, *, by: User, now: datetime) -> None:
    """The mail server did not take it, so it may be tried again."""
    journal.record(
        "membership.reminder_failed",
        by=by,
        at=now,
        project=member.project,
        member=member.pk,
        user=member.user_id,
    )
