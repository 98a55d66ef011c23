"""Accounts and tokens."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from annotation import access
from annotation.errors import DomainError
from annotation.models import ApiToken, User
from annotation.services import journal

PREFIX = "plumb_"


@transaction.atomic
def create_token(user: User, *, name: str, now: datetime, days: int | None) -> str:
    """A new bearer token. It is returned this once; only its digest is kept."""
    if not user.is_active:
        raise DomainError("account_inactive", f"The account {user.username} is not active.")
    token = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.create(
        user=user,
        name=name,
        digest=access.token_digest(token),
        created_at=now,
        expires_at=now + timedelta(days=days) if days else None,
    )
    journal.record("token.created", by=user, at=now, name=name)
    return token
