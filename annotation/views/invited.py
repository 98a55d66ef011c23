"""The page behind the link of an invitation. Whatever is wrong with a link, its page looks the same."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotation import access
from annotation.errors import DomainError
from annotation.forms.invitations import AcceptForm, NewcomerForm
from annotation.models import Invitation
from annotation.queries import consent
from annotation.queries import invitations as queries
from annotation.services import invitations

# Refusals that say what the person may mend; by any other the invitation is not theirs to accept.
FIELD_OF = {
    "bad_username": "username",
    "username_taken": "username",
    "weak_password": "password",
    "consent_needed": "agreed",
    "consent_changed": "agreed",
}


@login_not_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invited(request: HttpRequest, token: str) -> HttpResponse:
    invitation = access.open_invitation(token, now=timezone.now())
    if invitation is None or _is_foreign(request, invitation):
        return _gone(request)
    form_class = AcceptForm if request.user.is_authenticated else NewcomerForm
    if request.method != "POST":
        return _page(request, token, invitation, form_class(initial={"full_name": invitation.full_name}))
    form = form_class(request.POST)
    if not form.is_valid():
        return _page(request, token, invitation, form, status=422)
    try:
        _accept(request, invitation, form)
    except DomainError as refusal:
        if refusal.code == "invitation_gone":
            return _gone(request)
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, token, invitation, form, status=refusal.status)
    return redirect("home")


@login_not_required
@never_cache
@require_POST
def decline(request: HttpRequest, token: str) -> HttpResponse:
    now = timezone.now()
    invitation = access.open_invitation(token, now=now)
    if invitation is None or _is_foreign(request, invitation):
        return _gone(request)
    try:
        invitations.decline(invitation, now=now)
    except DomainError:
        return _gone(request)
    return render(request, "annotation/invited_declined.html", {"offer": queries.offer(invitation)})


def _accept(request: HttpRequest, invitation: Invitation, form: AcceptForm) -> None:
    now = timezone.now()
    if request.user.is_authenticated:
        invitations.accept(invitation, request.user, consents_to=form.version(), now=now)
        return
    given = form.cleaned_data
    user = invitations.accept_as_new(
        invitation,
        username=given["username"],
        password=given["password"],
        full_name=given["full_name"],
        consents_to=form.version(),
        now=now,
    )
    login(request, user)


def _is_foreign(request: HttpRequest, invitation: Invitation) -> bool:
    return request.user.is_authenticated and not invitations.is_for(invitation, request.user)


def _page(
    request: HttpRequest, token: str, invitation: Invitation, form: AcceptForm, status: int = 200
) -> HttpResponse:
    context = {
        "token": token,
        "offer": queries.offer(invitation),
        "consent": consent.page(invitation.project),
        "has_account": queries.has_account(invitation),
        "form": form,
    }
    return render(request, "annotation/invited.html", context, status=status)


def _gone(request: HttpRequest) -> HttpResponse:
    return render(
        request, "annotation/invited_gone.html", {"title": _("This invitation cannot be used")}, status=404
    )
