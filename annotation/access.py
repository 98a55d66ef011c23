"""The doors: the only ways from a person and an address to an object. 404 hides, 403 explains."""

from datetime import datetime
from hashlib import sha256

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.errors import NotAllowed
from annotation.models import ApiToken, Lease, Membership, Project, Round, User

Role = Membership.Role
# Who may see scores and sources. An annotator of the same project may not, whatever else they are.
SIGHTED = (Role.LEAD, Role.INSTRUCTOR, Role.ADJUDICATOR)


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


def sighted_projects(user: User) -> QuerySet[Project]:
    """Projects whose scores and sources the person may see."""
    theirs = Membership.objects.filter(user=user, state=Membership.State.ACTIVE)
    blind = Membership.objects.filter(user=user, role=Role.ANNOTATOR)
    return Project.objects.filter(
        pk__in=theirs.filter(role__in=SIGHTED).values("project"),
    ).exclude(pk__in=blind.values("project"))


def led_project(user: User, slug: str) -> Project:
    """A project the person leads. 403 for its other members, 404 for strangers."""
    roles = dict(
        Membership.objects.filter(user=user, project__slug=slug, state=Membership.State.ACTIVE).values_list(
            "role", "project"
        )
    )
    if Role.LEAD in roles:
        return Project.objects.get(pk=roles[Role.LEAD])
    if roles:
        raise NotAllowed("not_a_lead", _("This page is for the leads of the project."))
    raise Http404


def scoring_round(user: User, pk: int) -> tuple[Membership, Round]:
    """A round in which the person annotates."""
    work = Round.objects.select_related("project").filter(pk=pk).exclude(state=Round.State.DRAFT).first()
    member = work and Membership.objects.filter(user=user, project=work.project, role=Role.ANNOTATOR).first()
    if not work or not member or member.state == Membership.State.WITHDRAWN:
        raise Http404
    return member, work


def lease(user: User, token: str) -> Lease:
    """A slot that was handed to this person; for anybody else it does not exist."""
    found = (
        Lease.objects.select_related(
            "annotator__user",
            "assignment__round__project",
            "assignment__round__rubric",
            "assignment__response__prompt__genre",
        )
        .filter(token=token, annotator__user=user)
        .exclude(annotator__state=Membership.State.WITHDRAWN)
        .first()
    )
    if found is None:
        raise Http404
    return found


def led_projects(user: User) -> QuerySet[Project]:
    return Project.objects.filter(
        memberships__user=user, memberships__role=Role.LEAD, memberships__state=Membership.State.ACTIVE
    ).order_by("name")
