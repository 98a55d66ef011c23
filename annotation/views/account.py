"""A person's own settings: how they read, their account, what is kept of them, and leaving."""

from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.forms.account import CloseForm, EmailForm, ReaderForm
from annotation.queries import account as queries
from annotation.queries import own_data
from annotation.services import accounts, leaving, membership
from annotation.views.reader import keep_theme

SAVED = ("reading", "email", "password", "sessions", "left", "factor")


@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    form = ReaderForm(request.POST, auto_id="read_%s")
    if not form.is_valid():
        return _page(request, reader_form=form, status=422)
    accounts.set_reader(request.user, **form.cleaned_data)
    response = _back("reading")
    keep_theme(request, response, form.cleaned_data["theme"])
    language = form.cleaned_data["ui_language"]
    if language:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, language, secure=request.is_secure(), samesite="Lax"
        )
    return response


@sensitive_post_parameters("password")
@rate_limit(action="reauthenticate")
@require_http_methods(["GET", "HEAD", "POST"])
def change_email(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("settings")
    form = EmailForm(request.POST, auto_id="mail_%s")
    if not form.is_valid():
        return _page(request, email_form=form, status=422)
    try:
        accounts.change_email(
            request.user,
            form.cleaned_data["email"],
            password=form.cleaned_data["password"],
            now=timezone.now(),
        )
    except Invalid as refusal:
        form.add_error({"wrong_password": "password"}.get(refusal.code, "email"), refusal.message)
        return _page(request, email_form=form, status=refusal.status)
    return _back("email")


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Everywhere but here."""
    accounts.end_sessions(request.user, now=timezone.now())
    update_session_auth_hash(request, request.user)
    return _back("sessions")


@require_safe
def download(request: HttpRequest) -> HttpResponse:
    found = own_data.everything(request.user)
    response = JsonResponse(found, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response


@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.own_project(request.user, slug)
    try:
        membership.leave(project, request.user, now=timezone.now())
    except DomainError as refusal:
        return _page(request, refusal=refusal, status=refusal.status)
    return _back("left")


@sensitive_post_parameters("password")
@rate_limit(action="reauthenticate")
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("settings")
    form = CloseForm(request.POST, auto_id="close_%s")
    if not form.is_valid():
        return _page(request, close_form=form, status=422)
    try:
        leaving.close(request.user, password=form.cleaned_data["password"], now=timezone.now())
    except DomainError as refusal:
        form.add_error("password" if refusal.code == "wrong_password" else None, refusal.message)
        return _page(request, close_form=form, status=refusal.status)
    logout(request)
    return redirect(reverse("sign_in") + "?closed")


def _back(saved: str) -> HttpResponse:
    return redirect(f"{reverse('settings')}?saved={saved}")


def _page(
    request: HttpRequest,
    *,
    reader_form: ReaderForm | None = None,
    email_form: EmailForm | None = None,
    close_form: CloseForm | None = None,
    refusal: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    user = request.user
    reader = {name: getattr(user, name) for name in accounts.READER}
    saved = request.GET.get("saved")
    context = {
        "reader_form": reader_form or ReaderForm(initial=reader, auto_id="read_%s"),
        "email_form": email_form or EmailForm(initial={"email": user.email}, auto_id="mail_%s"),
        "close_form": close_form or CloseForm(auto_id="close_%s"),
        "parts": queries.parts(user),
        "second_factor": queries.second_factor(user),
        "needs_second_factor": settings.LEADS_NEED_TOTP and queries.needs_second_factor(user),
        "refusal": refusal,
        "saved": saved if request.method != "POST" and saved in SAVED else "",
    }
    return render(request, "annotation/settings.html", context, status=status)
