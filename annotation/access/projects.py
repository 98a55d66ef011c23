"""Projects, by what a person is in them."""

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.errors import NotAllowed
from annotation.models import Membership, Project, User

Role = Membership.Role
# Who may see scores and sources. An annotator of the same project may not, whatever else they are.
SIGHTED = (Role.LEAD, Role.INSTRUCTOR, Role.ADJUDICATOR)


def sighted_projects(user: User) -> QuerySet[Project]:
    """Projects whose scores and sources the person may see."""
    theirs = Membership.objects.filter(user=user, state=Membership.State.ACTIVE)
    blind = Membership.objects.filter(user=user, role=Role.ANNOTATOR)
    return Project.objects.filter(
        pk__in=theirs.filter(role__in=SIGHTED).values("project"),
    ).exclude(pk__in=blind.values("project"))


def led_projects(user: User) -> QuerySet[Project]:
    return Project.objects.filter(
        memberships__user=user, memberships__role=Role.LEAD, memberships__state=Membership.State.ACTIVE
    ).order_by("name")


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


def member_project(user: User, slug: str) -> Project:
    """A project in which the person takes part, in whichever role."""
    found = Project.objects.filter(
        slug=slug, memberships__user=user, memberships__state=Membership.State.ACTIVE
    ).first()
    if found is None:
        raise Http404
    return found


def own_project(user: User, slug: str) -> Project:
    """A project in which the person has part, paused or not."""
    held = Membership.objects.filter(user=user).exclude(state__in=Membership.ENDED)
    found = Project.objects.filter(slug=slug, pk__in=held.values("project")).first()
    if found is None:
        raise Http404
    return found


def triaged_projects(user: User) -> QuerySet[Project]:
    """Projects that the person triages without leading them, as instructor or adjudicator."""
    return sighted_projects(user).exclude(pk__in=led_projects(user).values("pk")).order_by("name")


def triaged_project(user: User, slug: str) -> Project:
    """A project whose flags the person may decide on: who is sighted may. 403 for its annotators."""
    found = sighted_projects(user).filter(slug=slug).first()
    if found is not None:
        return found
    member_project(user, slug)
    raise NotAllowed(
        "not_sighted",
        _("This page is for leads, instructors and adjudicators; it shows where texts come from."),
    )


def instructed_project(user: User, slug: str) -> Project:
    """A project whose course and exam the person writes and grades, as lead or instructor; never its annotators."""
    found = sighted_projects(user).filter(slug=slug).first()
    writes = found and found.memberships.filter(
        user=user, role__in=[Role.LEAD, Role.INSTRUCTOR], state=Membership.State.ACTIVE
    )
    if found is not None and writes.exists():
        return found
    member_project(user, slug)
    raise NotAllowed("not_an_instructor", _("This page is for the leads and instructors of the project."))


def operator(user: User) -> User:
    """Whoever may make projects. It opens none of them."""
    if not user.is_superuser:
        raise NotAllowed("not_an_operator", _("This page is for the operators of this site."))
    return user


def active_leads(project: Project) -> QuerySet[Membership]:
    """Those who lead the project and can sign in to do so."""
    return project.memberships.filter(role=Role.LEAD, state=Membership.State.ACTIVE, user__is_active=True)


def is_lead(user: User, project: Project) -> bool:
    """What is for leads alone is shown to them, on pages that others read as well."""
    return active_leads(project).filter(user=user).exists()


def leaderless_projects(user: User) -> QuerySet[Project]:
    """Projects without an active lead; an operator alone may know of them, to give them one."""
    if not user.is_superuser:
        return Project.objects.none()
    led = Membership.objects.filter(role=Role.LEAD, state=Membership.State.ACTIVE, user__is_active=True)
    return Project.objects.exclude(pk__in=led.values("project")).order_by("name")
