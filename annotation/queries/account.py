"""What a person's own settings show: their projects, and their second factor."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from allauth.mfa.models import Authenticator
from django.db.models import Exists, Q, QuerySet

from annotation.models import Invitation, Membership, Project, User
from annotation.models.prepared import Parameter, prepared


@dataclass(frozen=True, slots=True)
class Part:
    """A project that the person has part in."""

    slug: str
    name: str
    roles: tuple[str, ...]
    led_alone: bool  # the last lead cannot leave


@dataclass(frozen=True, slots=True)
class SecondFactor:
    since: datetime
    codes_left: int


def account(pk: int) -> User | None:
    """Who is signed in, with what `needs_second_factor` asks of them: every request needs both."""
    return next(iter(_account(user=pk)), None)


@prepared
def _account(*, user: Parameter) -> QuerySet[User]:
    led = Membership.objects.filter(user=user, role=Membership.Role.LEAD).exclude(state__in=Membership.ENDED)
    return User.objects.filter(pk=user).annotate(leads=Exists(led))


def needs_second_factor(user: User) -> bool:
    """Whether the person, as `account` gave them, sees what annotators must not, or runs the installation."""
    return user.is_superuser or user.leads


def led_alone(user: User) -> list[Project]:
    """Projects that the person leads and that have no other lead."""
    leads = Membership.objects.filter(role=Membership.Role.LEAD, state=Membership.State.ACTIVE)
    others = leads.filter(user__is_active=True).exclude(user=user)
    led = Project.objects.filter(pk__in=leads.filter(user=user).values("project"))
    return list(led.exclude(pk__in=others.values("project")).order_by("name"))


def members_addressed(project: Project, address: str) -> QuerySet[Membership]:
    """Roles in the project of whoever has the address, or took up an invitation to it."""
    invited = Invitation.objects.filter(project=project, email=address, accepted_by__isnull=False)
    theirs = Q(user__email=address) | Q(user__in=invited.values("accepted_by"))
    return project.memberships.select_related("user").filter(theirs)


def parts(user: User) -> list[Part]:
    held = (
        Membership.objects.filter(user=user)
        .exclude(state__in=Membership.ENDED)
        .select_related("project")
        .order_by("project__name", "project_id", "pk")
    )
    alone = {project.pk for project in led_alone(user)}
    return [
        Part(project.slug, project.name, tuple(one.get_role_display() for one in each), project.pk in alone)
        for project, each in groupby(held, key=lambda one: one.project)
    ]


def second_factor(user: User) -> SecondFactor | None:
    found = {each.type: each for each in Authenticator.objects.filter(user=user)}
    totp = found.get(Authenticator.Type.TOTP)
    if totp is None:
        return None
    codes = found.get(Authenticator.Type.RECOVERY_CODES)
    return SecondFactor(totp.created_at, len(codes.wrap().get_unused_codes()) if codes else 0)
