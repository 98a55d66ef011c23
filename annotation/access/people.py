"""Members of a project, and invitations into it."""

from datetime import datetime

from django.http import Http404

from annotation.access.projects import leaderless_projects, led_project
from annotation.access.tokens import token_digest
from annotation.models import Invitation, Membership, Project, User


def peopled_project(user: User, slug: str) -> tuple[Project, bool]:
    """A project whose people the person may change, and whether all they may do is to give it a lead."""
    leaderless = leaderless_projects(user).filter(slug=slug).first()
    return (leaderless, True) if leaderless else (led_project(user, slug), False)


def member_person(project: Project, pk: int) -> User:
    """A person who has, or had, a role in the project."""
    person = User.objects.filter(pk=pk, memberships__project=project).distinct().first()
    if person is None:
        raise Http404
    return person


def member_role(project: Project, person: User, role: str) -> Membership:
    found = project.memberships.select_related("project", "user").filter(user=person, role=role).first()
    if found is None:
        raise Http404
    return found


def led_invitation(user: User, slug: str, pk: int) -> Invitation:
    """An invitation into a project the person leads."""
    project = led_project(user, slug)
    found = project.invitations.select_related("project", "invited_by").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def open_invitation(token: str, *, now: datetime) -> Invitation | None:
    """The invitation of a link while it can be answered; whatever else the link is, there is none."""
    return (
        Invitation.objects.select_related("project", "invited_by")
        .filter(token_digest=token_digest(token), state=Invitation.State.OPEN, expires_at__gt=now)
        .first()
    )
