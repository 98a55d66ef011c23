"""The doors: the only ways from a person and an address to an object. 404 hides, 403 explains."""

from datetime import datetime
from hashlib import sha256

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.errors import DomainError, NotAllowed
from annotation.models import (
    ApiToken,
    Genre,
    Import,
    Lease,
    Membership,
    Project,
    Prompt,
    Response,
    Round,
    Rubric,
    SavedFieldMap,
    User,
)

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


def member_project(user: User, slug: str) -> Project:
    """A project in which the person takes part, in whichever role."""
    found = Project.objects.filter(
        slug=slug, memberships__user=user, memberships__state=Membership.State.ACTIVE
    ).first()
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


def triaged_response(user: User, slug: str, pk: int) -> Response:
    """A response of such a project, flagged or not."""
    there = triaged_project(user, slug).responses.exclude(state=Response.State.INCOMING)
    found = there.select_related("project", "prompt__genre", "source", "removed_by").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def triaged_prompt(user: User, slug: str, pk: int) -> Prompt:
    """A flagged prompt of such a project."""
    flagged = triaged_project(user, slug).prompts.filter(pk=pk, flags__isnull=False)
    found = flagged.select_related("project", "genre", "source").first()
    if found is None:
        raise Http404
    return found


def led_import(user: User, slug: str, pk: int) -> Import:
    """An import of a project the person leads; that of another project does not exist."""
    project = led_project(user, slug)
    found = project.imports.select_related("project", "created_by").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def saved_field_map(found: Import, pk: int) -> SavedFieldMap:
    """A mapping kept in the import's project."""
    kept = SavedFieldMap.objects.filter(project=found.project, pk=pk).first()
    if kept is None:
        raise Http404
    return kept


def genre(project: Project, pk: int) -> Genre:
    """A macro-category or type of the project."""
    found = project.genres.select_related("project", "parent").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def rubric_version(project: Project, number: int) -> Rubric:
    found = project.rubrics.select_related("project", "created_by").filter(version=number).first()
    if found is None:
        raise Http404
    return found


def operator(user: User) -> User:
    """Whoever may make projects. It opens none of them."""
    if not user.is_superuser:
        raise NotAllowed("not_an_operator", _("This page is for the operators of this site."))
    return user


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


# --- Rounds ---


def project_round(user: User, slug: str, pk: int) -> Round:
    """A round of a project that the person leads, in whatever state it is."""
    project = led_project(user, slug)
    found = project.rounds.select_related("project", "rubric").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def draft_round(user: User, slug: str, pk: int) -> Round:
    """A round that has not been opened yet."""
    found = project_round(user, slug, pk)
    if found.state != Round.State.DRAFT:
        raise DomainError("not_a_draft", _("This round has been opened, so this cannot be changed any more."))
    return found


# --- People ---


def active_leads(project: Project) -> QuerySet[Membership]:
    """Those who lead the project and can sign in to do so."""
    return project.memberships.filter(role=Role.LEAD, state=Membership.State.ACTIVE, user__is_active=True)


def leaderless_projects(user: User) -> QuerySet[Project]:
    """Projects without an active lead; an operator alone may know of them, to give them one."""
    if not user.is_superuser:
        return Project.objects.none()
    led = Membership.objects.filter(role=Role.LEAD, state=Membership.State.ACTIVE, user__is_active=True)
    return Project.objects.exclude(pk__in=led.values("project")).order_by("name")


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


def led_projects(user: User) -> QuerySet[Project]:
    return Project.objects.filter(
        memberships__user=user, memberships__role=Role.LEAD, memberships__state=Membership.State.ACTIVE
    ).order_by("name")
