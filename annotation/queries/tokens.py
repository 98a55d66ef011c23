"""A person's own tokens, as their page lists them. None is shown: only its digest is there."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotation.models import ApiToken, Membership, Project, User


@dataclass(frozen=True, slots=True)
class Line:
    mark: str
    name: str
    scopes: tuple[str, ...]
    project: str  # "" where for all
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    is_live: bool


def of_person(user: User, *, now: datetime) -> list[Line]:
    """The newest first, those that open nothing any more behind the others."""
    found = ApiToken.objects.filter(user=user).select_related("project").order_by("-created_at", "-pk")
    return sorted((_line(token, now) for token in found), key=lambda line: not line.is_live)


def projects(user: User) -> QuerySet[Project]:
    """Those that a token of the person can be limited to."""
    held = Membership.objects.filter(user=user).exclude(state__in=Membership.ENDED)
    return Project.objects.filter(pk__in=held.values("project")).order_by("name")


def _line(token: ApiToken, now: datetime) -> Line:
    labels = dict(ApiToken.Scope.choices)
    is_over = token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now)
    return Line(
        mark=token.mark,
        name=token.name,
        scopes=tuple(labels[scope] for scope in token.scopes.split()),
        project=token.project.name if token.project else "",
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        revoked_at=token.revoked_at,
        is_live=not is_over,
    )
