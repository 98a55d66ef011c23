"""Bearer tokens, and the links of invitations."""

from datetime import datetime
from hashlib import sha256

from django.db.models import Q

from annotation.models import ApiToken, User


def token_digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def token_owner(token: str, *, now: datetime) -> User | None:
    """The account that a valid bearer token speaks for."""
    found = (
        ApiToken.objects.select_related("user")
        .filter(digest=token_digest(token), revoked_at=None, user__is_active=True)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .first()
    )
    return found.user if found else None
