"""Accounts and tokens."""

import secrets
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.models import ApiToken, User
from annotation.services import journal

PREFIX = "plumb_"


@transaction.atomic
def get_or_create(username: str, *, now: datetime) -> tuple[User, str]:
    """The account of that name, and the password of a new one ("" where the account was there)."""
    found = User.objects.filter(username=username).first()
    if found is not None:
        return found, ""
    password = secrets.token_urlsafe(12)
    user = User(username=username, date_joined=now)
    user.set_password(password)
    try:
        user.full_clean()
    except ValidationError as error:
        raise Invalid(
            "bad_username", f"{username!r} will not do as a user name: {error.messages[0]}"
        ) from error
    user.save()
    journal.record("account.created", by=None, at=now, user=user.pk)
    return user, password


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
