"""Inviting people into a project: one, or many from a pasted list."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.domain.invitation_lines import MOST_LINES
from annotation.errors import DomainError
from annotation.forms.invitations import InviteForm, InviteManyForm
from annotation.models import Invitation, Membership, Project
from annotation.queries import invitations as queries
from annotation.queries import people
from annotation.services import invitations, mails
from annotation.services.invitations import Outcome

# Where on the page a refusal is shown; the summary of the form shows the others.
FIELD_OF = {
    "bad_address": "email",
    "already_invited": "email",
    "already_member": "email",
    "data_withdrawn": "email",
    "roles_exclude_each_other": "role",
    "no_lines": "lines",
    "too_many_lines": "lines",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A new invitation with its link, for the one page that shows it."""

    email: str
    name: str
    link: str
    is_mailed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    number: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What became of what was sent. `mails_go_out` is False where no mail server is set."""

    sent: tuple[Sent, ...]
    refused: tuple[Refused, ...] = ()
    mails_go_out: bool = True

    @property
    def all_mailed(self) -> bool:
        return all(one.is_mailed for one in self.sent)


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, access.led_project(request.user, slug))


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    if request.method != "POST":
        # The address in the bar after the page that showed the link, opened anew.
        return redirect("invitations", slug=slug)
    form = InviteForm(request.POST, offered=people.offered_languages(project))
    if not form.is_valid():
        return _page(request, project, form=form, status=422)
    given = form.cleaned_data
    try:
        made = invitations.invite(
            project,
            given["email"],
            full_name=given["full_name"],
            role=given["role"],
            languages=form.read(),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, project, form=form, status=refusal.status)
    return _page(request, project, report=_report(request, [made]))


@require_http_methods(["GET", "HEAD", "POST"])
def invite_many(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    if request.method != "POST":
        return redirect("invitations", slug=slug)
    form = InviteManyForm(request.POST, prefix="many", offered=people.offered_languages(project))
    if not form.is_valid():
        return _page(request, project, many=form, status=422)
    try:
        outcomes = invitations.invite_many(
            project,
            form.cleaned_data["lines"],
            role=form.cleaned_data["role"],
            languages=form.read(),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, project, many=form, status=refusal.status)
    made = [(one.invitation, one.token) for one in outcomes if one.invitation]
    return _page(request, project, report=_report(request, made, outcomes))


@require_http_methods(["GET", "HEAD", "POST"])
def renew(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    invitation = access.led_invitation(request.user, slug, pk)
    if request.method != "POST":
        return redirect("invitations", slug=slug)
    made = invitations.renew(invitation, by=request.user, now=timezone.now())
    return _page(request, invitation.project, report=_report(request, [made]))


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    invitation = access.led_invitation(request.user, slug, pk)
    invitations.revoke(invitation, by=request.user, now=timezone.now())
    return redirect(reverse("invitations", args=[slug]) + "?revoked")


def _report(
    request: HttpRequest, made: Sequence[tuple[Invitation, str]], outcomes: Sequence[Outcome] = ()
) -> Report:
    """Writes to those who were invited: what they were invited to is stored by now."""
    links = [request.build_absolute_uri(reverse("invited", args=[token])) for _one, token in made]
    language = get_language() or "en"
    mailed = mails.send_all(
        [
            mails.invitation(one, url=link, language=_language_of(one, language))
            for (one, _token), link in zip(made, links, strict=True)
        ]
    )
    return Report(
        sent=tuple(
            Sent(one.email, one.full_name, link, is_mailed)
            for (one, _token), link, is_mailed in zip(made, links, mailed, strict=True)
        ),
        refused=tuple(
            Refused(one.line.number, one.line.text, one.refusal) for one in outcomes if one.refusal
        ),
        mails_go_out=mails.go_out(),
    )


def _language_of(invitation: Invitation, otherwise: str) -> str:
    """A person who is invited for one language of the interface is written to in that one."""
    spoken = {"en": "en", "zh": "zh-hans"}
    read = [spoken[code] for code in invitation.languages if code in spoken]
    return read[0] if len(read) == 1 else otherwise


def _page(
    request: HttpRequest,
    project: Project,
    *,
    form: InviteForm | None = None,
    many: InviteManyForm | None = None,
    report: Report | None = None,
    status: int = 200,
) -> HttpResponse:
    offered = people.offered_languages(project)
    initial = {"role": Membership.Role.ANNOTATOR}
    before = request.GET.get("before", "")
    context = {
        "project": project,
        "report": report,
        "form": form or InviteForm(offered=offered, initial=initial),
        "many": many or InviteManyForm(prefix="many", offered=offered, initial=initial),
        "roles": Membership.Role.choices,
        "lines": queries.lines(project, now=timezone.now(), before=_number(before)),
        "most_lines": MOST_LINES,
        "days": invitations.DAYS,
        "mails_go_out": mails.go_out(),
    }
    return render(request, "annotation/invitations.html", context, status=status)


def _number(text: str) -> int | None:
    return int(text) if len(text) <= 18 and text.isascii() and text.isdecimal() and int(text) else None
