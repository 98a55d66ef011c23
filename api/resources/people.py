"""Who takes part in a project. A lead knows names and pseudonyms; nobody else is told of either."""

from django.http import Http404
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.errors import Invalid
from annotation.forms.people import AddForm, LanguagesForm, NewAccountForm
from annotation.models import Membership, Project, Stage, User
from annotation.queries import people as queries
from annotation.services import membership, stages
from api.base import View
from api.resources import bodies, doors
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row


class Members(Filtered):
    """One row for each role of a person."""

    filters = {
        "role": Filter("role", tuple(Membership.Role.values)),
        "state": Filter("state", tuple(Membership.State.values)),
    }
    orders = {"joined": "pk", "pseudonym": "pseudonym"}

    def get(self, request: Request, slug: str) -> Response:
        found = doors.led(self, slug).memberships.select_related("user")

        def row(each: Membership) -> Row:
            return {**_who(request, slug, each.user), **_role(each)}

        return self.page(found, row, order="joined")

    def post(self, request: Request, slug: str) -> Response:
        """Gives the role to an account, or makes one for it and tells its password."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.NewMemberBody)
        is_new = given.pop("new_account", False)
        if not is_new and given.get("full_name"):
            raise Invalid("name_of_an_account", "The name of an account is its owner's to say.")
        sent = {**given, "others": " ".join(given.pop("languages", ()))}
        form = (NewAccountForm if is_new else AddForm)(sent, offered=queries.offered_languages(project))
        wanted = bodies.cleaned(form)
        common = {
            "role": wanted["role"],
            "languages": form.read(),
            "stage": _stage(project, wanted["begins"]),
            "by": request.user,
            "now": timezone.now(),
        }
        password = None
        if is_new:
            member, password = membership.add_account(
                project, wanted["username"], full_name=wanted["full_name"], **common
            )
        else:
            member = membership.add_by_name(project, wanted["username"], **common)
        told = {**_person(request, project, member.user), "password": password}
        return Response(told, status=201, headers={"Location": told["url"], "Cache-Control": "no-store"})


class OneMember(View):
    """A person with every role that they have, or had, in the project."""

    def get(self, request: Request, slug: str, username: str) -> Response:
        project = doors.led(self, slug)
        return Response(_person(request, project, doors.person(project, username)))

    def patch(self, request: Request, slug: str, username: str) -> Response:
        """What becomes of one role (`role` and `action`), or in which languages the person reads."""
        project = doors.led(self, slug)
        found = doors.person(project, username)
        given = bodies.taken(request, bodies.MemberChange)
        if ("role" in given) != ("action" in given) or ("role" in given) == ("languages" in given):
            raise Invalid("one_change", "Give role and action together, or languages alone.")
        by, now = request.user, timezone.now()
        if "languages" in given:
            offered = queries.offered_languages(project)
            form = LanguagesForm({"others": " ".join(given["languages"])}, offered=offered)
            bodies.cleaned(form)
            membership.set_languages(project, found, languages=form.read(), by=by, now=now)
        elif given["action"] == "give":
            membership.add(project, found, role=given["role"], by=by, now=now)
        else:
            change = {"pause": membership.pause, "resume": membership.resume, "end": membership.end}
            change[given["action"]](_held(project, found, given["role"]), by=by, now=now)
        return Response(_person(request, project, found))


def _held(project: Project, person: User, role: str) -> Membership:
    try:
        return access.member_role(project, person, role)
    except Http404 as error:
        raise Invalid("not_held", "This person does not have that role in the project.") from error


def _stage(project: Project, begins: str) -> str:
    """Where an annotator begins, as on the page of people."""
    chosen = {"work": Stage.ACTIVE.value, "way": stages.first_stage(project)}
    return chosen.get(begins, stages.direct_stage(project))


def _who(request: Request, slug: str, person: User) -> Row:
    return {
        "username": person.username,
        "name": queries.person_name(person),
        "url": address(request, "api_member", slug, person.username),
    }


def _role(member: Membership) -> Row:
    return {
        "role": member.role,
        "state": member.state,
        "languages": member.languages,
        "pseudonym": member.pseudonym,
        "joined_at": member.joined_at,
    }


def _person(request: Request, project: Project, person: User) -> Row:
    held = project.memberships.filter(user=person).order_by("pk")
    return {**_who(request, project.slug, person), "roles": [_role(member) for member in held]}
