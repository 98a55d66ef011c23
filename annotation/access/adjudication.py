"""Cases of adjudication, for adjudicators who neither lead the project nor had part in what they would decide."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.access.projects import led_projects
from annotation.domain.reach import covers, of_languages
from annotation.errors import NotAllowed
from annotation.models import (
    AdjudicationCase,
    Assignment,
    CategoryVote,
    Membership,
    Preference,
    Project,
    Ranking,
    Score,
    User,
)

Role = Membership.Role


def _adjudicators(user: User) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, role=Role.ADJUDICATOR, state=Membership.State.ACTIVE)


def adjudicated_projects(user: User) -> QuerySet[Project]:
    """Projects whose cases the person may decide. A lead knows who gave what, so is no adjudicator there."""
    held = Project.objects.filter(pk__in=_adjudicators(user).values("project"))
    return held.exclude(pk__in=led_projects(user).values("pk")).order_by("name")


def adjudicator(user: User, slug: str) -> Membership:
    """The person as adjudicator of a project. 403 for its other members, 404 for strangers."""
    found = _adjudicators(user).filter(project__in=adjudicated_projects(user), project__slug=slug)
    member = found.select_related("project", "user").first()
    if member is not None:
        return member
    if Membership.objects.filter(user=user, project__slug=slug, state=Membership.State.ACTIVE).exists():
        raise NotAllowed("not_an_adjudicator", _("This page is for the adjudicators of the project."))
    raise Http404


def cases_of(member: Membership) -> QuerySet[AdjudicationCase]:
    """The cases of the adjudicator's project in languages that they read, without those in which they had part."""
    of_project = AdjudicationCase.objects.filter(round__project=member.project_id)
    if member.languages:
        reads = of_languages(member.languages)
        tongues = set(of_project.values_list("prompt__language", flat=True))
        of_project = of_project.filter(prompt__language__in=[each for each in tongues if covers(reads, each)])
    return of_project.exclude(own_work(member.user))


def own_work(user: User) -> Q:
    """Cases on a prompt that the person judged in the round, or was to judge there."""
    same = {"round": OuterRef("round"), "prompt": OuterRef("prompt")}
    theirs = Q(annotator__user=user) | Q(reserved_for__user=user)
    slots = Assignment.objects.filter(theirs, **same)
    scores = Score.objects.filter(
        annotator__user=user, round=OuterRef("round"), response__prompt=OuterRef("prompt")
    )
    given = [
        model.objects.filter(annotator__user=user, **same) for model in (Ranking, CategoryVote, Preference)
    ]
    found = Q(Exists(slots)) | Q(Exists(scores))
    for rows in given:
        found |= Q(Exists(rows))
    return found


def case(user: User, token: str) -> tuple[Membership, AdjudicationCase]:
    """A case that the person may decide on. 404 for whoever is no adjudicator of its project."""
    found = (
        AdjudicationCase.objects.select_related(
            "round__project", "round__rubric", "prompt__genre", "response", "other"
        )
        .filter(token=token, round__project__in=_adjudicators(user).values("project"))
        .first()
    )
    if found is None:
        raise Http404
    project = found.round.project
    if not adjudicated_projects(user).filter(pk=project.pk).exists():
        raise NotAllowed(
            "leads_the_project", _("Whoever leads a project decides no case of it; an adjudicator does.")
        )
    if AdjudicationCase.objects.filter(own_work(user), pk=found.pk).exists():
        raise NotAllowed(
            "own_work",
            _("You have worked on this prompt in the round yourself, so another adjudicator decides."),
        )
    member = _adjudicators(user).select_related("user").get(project=project)
    if not covers(of_languages(member.languages), found.prompt.language):
        raise NotAllowed(
            "not_your_language",
            _("This case is in a language that you do not read here, so another adjudicator decides."),
        )
    return member, found
