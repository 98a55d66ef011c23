"""Invitations as a lead sees them, and as the invited do."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.models import Invitation, Project, User
from annotation.queries.people import language_name, person_name

State = Invitation.State
A_PAGE = 100


@dataclass(frozen=True, slots=True)
class Line:
    pk: int
    email: str
    name: str
    role_name: str
    languages: tuple[str, ...]  # their names; () for any
    state: str  # one of Invitation.State, or "expired"
    state_name: str
    invited_by: str
    created_at: datetime
    expires_at: datetime
    decided_at: datetime | None
    accepted_by: int | None  # primary key of the account

    @property
    def is_open(self) -> bool:
        return self.state == State.OPEN

    @property
    def can_be_renewed(self) -> bool:
        return self.state != State.ACCEPTED and bool(self.email)


@dataclass(frozen=True, slots=True)
class Lines:
    waiting: tuple[Line, ...]  # open ones, the soonest to expire first
    decided: tuple[Line, ...]  # the others, newest first
    next: int | None  # where the following part of `decided` begins before; None at the end


@dataclass(frozen=True, slots=True)
class Offer:
    """What the link's page says."""

    project: str
    inviter: str
    role: str
    role_name: str
    email: str
    name: str
    languages: tuple[str, ...]
    expires_at: datetime


def lines(project: Project, *, now: datetime, before: int | None = None) -> Lines:
    rows = project.invitations.select_related("invited_by")
    waiting = rows.filter(state=State.OPEN, expires_at__gt=now).order_by("expires_at", "pk")
    decided = rows.exclude(state=State.OPEN, expires_at__gt=now).order_by("-pk")
    part = list((decided.filter(pk__lt=before) if before else decided)[: A_PAGE + 1])
    shown = part[:A_PAGE]
    return Lines(
        waiting=tuple(_line(one, now=now) for one in waiting) if before is None else (),
        decided=tuple(_line(one, now=now) for one in shown),
        next=shown[-1].pk if len(part) > len(shown) else None,
    )


def offer(invitation: Invitation) -> Offer:
    return Offer(
        project=invitation.project.name,
        inviter=person_name(invitation.invited_by),
        role=invitation.role,
        role_name=invitation.get_role_display(),
        email=invitation.email,
        name=invitation.full_name,
        languages=tuple(language_name(code) for code in invitation.languages),
        expires_at=invitation.expires_at,
    )


def has_account(invitation: Invitation) -> bool:
    """Whether the invited address is that of an account already."""
    return User.objects.filter(email=invitation.email, is_active=True).exists()


def _line(invitation: Invitation, *, now: datetime) -> Line:
    is_over = invitation.state == State.OPEN and invitation.expires_at <= now
    return Line(
        pk=invitation.pk,
        email=invitation.email,
        name=invitation.full_name,
        role_name=invitation.get_role_display(),
        languages=tuple(language_name(code) for code in invitation.languages),
        state="expired" if is_over else invitation.state,
        state_name=_("Expired") if is_over else invitation.get_state_display(),
        invited_by=person_name(invitation.invited_by),
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        decided_at=invitation.decided_at,
        accepted_by=invitation.accepted_by_id,
    )
