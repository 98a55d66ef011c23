"""Bearer tokens, and the links of invitations."""

from datetime import datetime
from hashlib import sha256

from django.db.models import Q
from django.http import Http404

from annotation.models import ApiToken, User


def token_digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def valid_token(token: str, *, now: datetime) -> ApiToken | None:
    """The token with its owner and its project, where it is neither revoked nor expired and its owner may sign in."""
    return (
        ApiToken.objects.select_related("user", "project")
        .filter(digest=token_digest(token), revoked_at=None, user__is_active=True)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .first()
    )


def own_token(user: User, mark: str) -> ApiToken:
    for token in ApiToken.objects.filter(user=user, digest__startswith=mark).select_related("project"):
        if token.mark == mark:
            return token
    raise Http404
