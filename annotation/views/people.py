"""Who takes part in a project: adding people, and what becomes of their roles."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.people import AddForm, ChangeForm, LanguagesForm, NewAccountForm
from annotation.models import Membership, Project, Stage, User
from annotation.queries import people as queries
from annotation.services import membership, stages

LONGEST_REASON = 2000
# Where on the page a refusal is shown; the summary of the form shows the others.
FIELD_OF = {
    "no_account": "username",
    "bad_username": "username",
    "username_taken": "username",
    "has_the_role": "role",
    "roles_exclude_each_other": "role",
}


@dataclass(frozen=True, slots=True)
class NewLogin:
    """A new account's password, for the one page that shows it."""

    name: str
    username: str
    password: str


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    project, is_rescue = access.peopled_project(request.user, slug)
    return _people_page(request, project, is_rescue)


@require_http_methods(["GET", "HEAD", "POST"])
def add_member(request: HttpRequest, slug: str) -> HttpResponse:
    project, is_rescue = access.peopled_project(request.user, slug)
    if request.method != "POST":
        # The address in the bar after a refused form, opened anew.
        return redirect("people", slug=slug)
    form = AddForm(_sent(request, is_rescue), offered=queries.offered_languages(project))
    if not form.is_valid():
        return _people_page(request, project, is_rescue, add_form=form)
    try:
        membership.add_by_name(
            project,
            form.cleaned_data["username"],
            role=form.cleaned_data["role"],
            languages=form.read(),
            stage=_stage(project, form),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _people_page(request, project, is_rescue, add_form=form)
    return redirect("home") if is_rescue else redirect("people", slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
def add_account(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes an account; the answer itself shows its password, since no later page could."""
    project, is_rescue = access.peopled_project(request.user, slug)
    if request.method != "POST":
        return redirect("people", slug=slug)
    form = NewAccountForm(_sent(request, is_rescue), prefix="new", offered=queries.offered_languages(project))
    if not form.is_valid():
        return _people_page(request, project, is_rescue, new_form=form)
    try:
        member, password = membership.add_account(
            project,
            form.cleaned_data["username"],
            full_name=form.cleaned_data["full_name"],
            role=form.cleaned_data["role"],
            languages=form.read(),
            stage=_stage(project, form),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _people_page(request, project, is_rescue, new_form=form)
    name = queries.person_name(member.user)
    login = NewLogin(name=name, username=member.user.username, password=password)
    return _people_page(request, project, is_rescue, login=login)


@require_safe
def person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = access.led_project(request.user, slug)
    return _person_page(request, project, access.member_person(project, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def change_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = access.led_project(request.user, slug)
    found = access.member_person(project, pk)
    if request.method != "POST":
        return redirect("person", slug=slug, pk=pk)
    form = ChangeForm(request.POST)
    if not form.is_valid():
        return _person_page(request, project, found, role_form=form)
    try:
        _change(project, found, by=request.user, **form.cleaned_data)
    except DomainError as refusal:
        return _person_page(request, project, found, refusal=refusal)
    if found == request.user and not access.is_lead(found, project):
        return redirect("home")
    return redirect("person", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def withdraw_data(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = access.led_project(request.user, slug)
    found = access.member_person(project, pk)
    if request.method != "POST":
        return redirect("person", slug=slug, pk=pk)
    member = access.member_role(project, found, Membership.Role.ANNOTATOR)
    reason = request.POST.get("reason", "")[:LONGEST_REASON]
    try:
        membership.withdraw_data(member, reason=reason, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _person_page(request, project, found, withdrawal=refusal, reason=reason)
    return redirect("person", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def set_languages(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = access.led_project(request.user, slug)
    found = access.member_person(project, pk)
    if request.method != "POST":
        return redirect("person", slug=slug, pk=pk)
    read = queries.person(project, found).languages
    form = LanguagesForm(request.POST, offered=queries.offered_languages(project, also=read))
    if not form.is_valid():
        return _person_page(request, project, found, languages_form=form)
    try:
        membership.set_languages(project, found, languages=form.read(), by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _person_page(request, project, found, refusal=refusal)
    return redirect("person", slug=slug, pk=pk)


def _change(project: Project, person: User, *, role: str, action: str, by: User) -> None:
    now = timezone.now()
    if action == "give":
        membership.add(project, person, role=role, by=by, now=now)
        return
    change = {"pause": membership.pause, "resume": membership.resume, "end": membership.end}
    change[action](access.member_role(project, person, role), by=by, now=now)


def _stage(project: Project, form: AddForm) -> str:
    """Where an annotator begins: as the form says, else as the project does it."""
    chosen = {"work": Stage.ACTIVE.value, "way": stages.first_stage(project)}
    return chosen.get(form.cleaned_data["begins"], stages.direct_stage(project))


def _sent(request: HttpRequest, is_rescue: bool) -> QueryDict:
    """What came with the form; where a project has no lead, a lead is all that can be added."""
    if not is_rescue:
        return request.POST
    sent = request.POST.copy()
    sent["role"] = sent["new-role"] = Membership.Role.LEAD.value
    return sent


def _people_page(
    request: HttpRequest,
    project: Project,
    is_rescue: bool,
    *,
    add_form: AddForm | None = None,
    new_form: NewAccountForm | None = None,
    login: NewLogin | None = None,
) -> HttpResponse:
    """An operator who only gives the project a lead sees nothing of its people."""
    offered = queries.offered_languages(project)
    after = request.GET.get("after", "")
    begins = {"begins": "work" if stages.direct_stage(project) == Stage.ACTIVE else "way"}
    context = {
        "project": project,
        "is_rescue": is_rescue,
        "login": login,
        "add_form": add_form or AddForm(offered=offered, initial=begins),
        "new_form": new_form or NewAccountForm(prefix="new", offered=offered, initial=begins),
        "roles": Membership.Role.choices,
    }
    if not is_rescue:
        context["staff"] = queries.staff(project)
        context["annotators"] = queries.annotators(project, after=_number(after))
    status = 422 if add_form or new_form else 200
    return render(request, "annotation/people.html", context, status=status)


def _person_page(
    request: HttpRequest,
    project: Project,
    found: User,
    *,
    role_form: ChangeForm | None = None,
    languages_form: LanguagesForm | None = None,
    refusal: DomainError | None = None,
    withdrawal: DomainError | None = None,
    reason: str = "",
) -> HttpResponse:
    person = queries.person(project, found)
    offered = queries.offered_languages(project, also=person.languages)
    context = {
        "project": project,
        "person": person,
        "is_self": found == request.user,
        "refusal": refusal,
        "withdrawal": withdrawal,
        "reason": reason,
        "role_form": role_form,
        "languages_form": languages_form
        or LanguagesForm(offered=offered, initial={"languages": person.languages}),
    }
    refused = refusal or withdrawal
    status = refused.status if refused else 422 if role_form or languages_form else 200
    return render(request, "annotation/person.html", context, status=status)


def _number(text: str) -> int:
    """A row number from an address; 0 for anything else."""
    return int(text) if len(text) <= 18 and text.isascii() and text.isdecimal() else 0
