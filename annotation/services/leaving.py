"""Closing an account: the person goes, their judgements stay under their pseudonyms."""

import secrets
from datetime import datetime

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Membership, User
from annotation.queries import account
from annotation.services import accounts, journal, membership, tokens


@transaction.atomic
def close(user: User, *, password: str, now: datetime) -> None:
    """Ends the roles, the sessions and the tokens, and takes name and address out. It cannot be undone."""
    if not user.check_password(password):
        raise Invalid("wrong_password", _("This is not your password."))
    refuse_who_is_needed(user)
    parts = Membership.objects.filter(user=user).exclude(state__in=Membership.ENDED)
    for member in parts.select_related("project", "user").order_by("project_id", "pk"):
        membership.end(member, by=user, now=now)
    accounts.end_sessions(user, now=now)
    tokens.revoke_all(user, now=now)
    Authenticator.objects.filter(user=user).delete()
    user.accepted_invitations.update(email="", full_name="")
    user.username = f"closed-{secrets.token_hex(6)}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = False
    user.set_unusable_password()
    user.save(update_fields=["username", "first_name", "last_name", "email", "is_active", "password"])
    journal.record("account.closed", by=None, at=now, user=user.pk)


def refuse_who_is_needed(user: User) -> None:
    if user.is_superuser:
        raise DomainError(
            "operator", _("You are an operator of this site. Another operator has to take over first.")
        )
    alone = account.led_alone(user)
    if alone:
        raise DomainError(
            "last_lead",
            _("You are the only lead of %(project)s. Make somebody else lead first.")
            % {"project": alone[0].name},
        )
