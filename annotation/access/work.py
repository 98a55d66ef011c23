"""Rounds, and the texts handed to an annotator."""

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.access.projects import led_project
from annotation.domain.stages import WORK
from annotation.errors import DomainError
from annotation.models import Lease, Membership, Round, User
from annotation.models.prepared import Parameter, prepared

Role = Membership.Role


def scoring_round(user: User, token: str) -> tuple[Membership, Round]:
    """A round in which the person annotates."""
    opened = Round.objects.exclude(state=Round.State.DRAFT).filter(mixed_into=None)
    work = opened.select_related("project").filter(token=token).first()
    member = work and Membership.objects.filter(user=user, project=work.project, role=Role.ANNOTATOR).first()
    if not work or not member or member.state in Membership.ENDED:
        raise Http404
    return member, work


@prepared
def _lease(*, token: Parameter, user: Parameter) -> QuerySet[Lease]:
    held = Lease.objects.filter(token=token, annotator__user=user)
    return held.exclude(annotator__state__in=Membership.ENDED).select_related(
        "annotator",
        "assignment__round__project",
        "assignment__round__rubric",
        "assignment__prompt__genre__parent",
        "assignment__response",
    )


def lease(user: User, token: str) -> Lease:
    """A slot that was handed to this person; for anybody else it does not exist."""
    found = next(iter(_lease(token=token, user=user.pk)), None)
    if found is None:
        raise Http404
    found.annotator.user = user
    for text in (found.assignment.response, found.assignment.other):
        if text is not None:
            text.prompt = found.assignment.prompt  # it is the same row
    return found


def lease_of(user: User, token: str, kind: str) -> Lease:
    """A slot that was handed to this person in a round of that kind; each kind has a page of its own."""
    found = lease(user, token)
    if found.assignment.round.kind != kind:
        raise Http404
    return found


def project_round(user: User, slug: str, pk: int) -> Round:
    """A round of work of a project that the person leads, in whatever state it is."""
    work = led_project(user, slug).rounds.filter(purpose__in=WORK)
    found = work.select_related("project", "rubric").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def draft_round(user: User, slug: str, pk: int) -> Round:
    """A round that has not been opened yet."""
    found = project_round(user, slug, pk)
    if found.state != Round.State.DRAFT:
        raise DomainError("not_a_draft", _("This round has been opened, so this cannot be changed any more."))
    return found
