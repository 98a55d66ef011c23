"""Tokens for the REST interface: made by their owner, shown once, revoked for good."""

import logging
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import OperationalError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.models import ApiToken, Membership, Project, User
from annotation.services import journal

PREFIX = "plumb_"
BYTES = 32  # of chance in a token: too many to try
EVERYTHING = tuple(ApiToken.Scope.values)
LONGEST_NAME = 100
MOST_DAYS = 3650
NOTED_EVERY = timedelta(minutes=1)

logger = logging.getLogger(__name__)


@transaction.atomic
def create(
    user: User,
    *,
    name: str,
    days: int | None,
    now: datetime,
    scopes: Collection[str] = EVERYTHING,
    project: Project | None = None,
) -> str:
    """A new bearer token. It is returned this once; only its digest is kept. `days` is None for one that stays."""
    if not user.is_active:
        raise DomainError("account_inactive", f"The account {user.username} is not active.")
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Invalid("bad_token_name", _("Write what the token is for, in 1 to 100 characters."))
    if not scopes or not set(scopes) <= set(EVERYTHING):
        raise Invalid("bad_scopes", _("Choose what the token may do."))
    if project is not None and not _takes_part(user, project):
        raise Invalid("not_a_member", _("You have no part in this project."))
    token = PREFIX + secrets.token_urlsafe(BYTES)
    made = ApiToken.objects.create(
        user=user,
        name=name,
        digest=access.token_digest(token),
        scopes=" ".join(scope for scope in EVERYTHING if scope in scopes),
        project=project,
        created_at=now,
        expires_at=now + timedelta(days=days) if days is not None else None,
    )
    journal.record("token.created", by=user, at=now, project=project, name=name, scopes=made.scopes)
    return token


@transaction.atomic
def revoke(token: ApiToken, *, by: User, now: datetime) -> None:
    """A second time changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now) == 1:
        journal.record("token.revoked", by=by, at=now, project=token.project, name=token.name)


def revoke_all(user: User, *, now: datetime) -> None:
    """Where a password changes or an account is closed, whose entry in the journal says so. In its transaction."""
    ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=now)


def note_use(token: ApiToken, *, now: datetime) -> None:
    """Once a minute and not more, as it is asked with every request. Where the database is busy it is left out."""
    if token.last_used_at is not None and now - token.last_used_at < NOTED_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - NOTED_EVERY)
    try:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    except OperationalError:
        logger.warning("The last use of the token %s could not be noted.", token.pk)


def _takes_part(user: User, project: Project) -> bool:
    return project.memberships.filter(user=user).exclude(state__in=Membership.ENDED).exists()
