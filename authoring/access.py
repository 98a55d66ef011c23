"""The doors to what is being written and asked: 404 hides, 403 explains.

Instructors and leads write prompts and their requirements, and may have a model begin one; leads alone make plans,
which ask for many texts. Annotators of a project reach none of it, whatever else they are.
"""

from django.http import Http404

from annotation import access
from annotation.models import Membership, Project, Prompt, User
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, Plan, PlanSource

Role = Membership.Role


def writing_project(user: User, slug: str) -> Project:
    """A project whose prompts the person writes, as lead or instructor."""
    return access.instructed_project(user, slug)


def seat(user: User, project: Project) -> Membership:
    """As whom the person writes there: as instructor, where they are both."""
    held = project.memberships.filter(
        user=user, role__in=[Role.INSTRUCTOR, Role.LEAD], state=Membership.State.ACTIVE
    )
    found = held.order_by("role").first()  # "instructor" < "lead"
    if found is None:
        raise Http404
    return found


def authored(user: User, slug: str, key: str) -> AuthoredPrompt:
    found = writing_project(user, slug).authored_prompts.filter(key=key).first()
    if found is None:
        raise Http404
    return found


def written_prompt(user: User, slug: str, pk: int) -> Prompt:
    """A prompt of the material, for its requirements."""
    found = writing_project(user, slug).prompts.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def plan(user: User, slug: str, pk: int) -> Plan:
    found = access.led_project(user, slug).plans.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def plan_source(user: User, slug: str, plan_pk: int, pk: int) -> PlanSource:
    found = plan(user, slug, plan_pk).sources.select_related("plan__project").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def model_request(user: User, slug: str, plan_pk: int, pk: int) -> ModelRequest:
    found = plan(user, slug, plan_pk).requests.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def endpoint(user: User, name: str) -> Endpoint:
    """For operators, who alone set them."""
    access.operator(user)
    found = Endpoint.objects.filter(name=name).first()
    if found is None:
        raise Http404
    return found
