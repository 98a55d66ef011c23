"""What holds for every page: what it may load, who is signed in for how long and in which language, nothing private
is cached, and a refusal of the domain becomes a page."""

import json
import time
from collections.abc import Callable

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.middleware import AuthenticationMiddleware, LoginRequiredMiddleware, get_user
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect, render
from django.utils import translation

from annotation.errors import DomainError
from annotation.queries import account

Respond = Callable[[HttpRequest], HttpResponse]

SIGNED_IN_AT, SEEN_AT = "signed_in_at", "seen_at"  # in the session: seconds since 1970
SEEN_EVERY = 300  # a session that is in use is written this often, not with every request
# What a person who has to set up a second factor can still open, besides what is open to everybody.
OPEN_WITHOUT_SECOND_FACTOR = {
    "sign_out",
    "theme",
    "set_language",
    "mfa_activate_totp",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "account_reauthenticate",
    "mfa_reauthenticate",
}


class ContentPolicy:
    """One policy for all pages, built once: none asks for more."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response
        self.policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # Django's own pages of errors, which a developer sees, bring their styles and scripts.
        if not (settings.DEBUG and response.status_code in (404, 500)):
            response.headers.setdefault(HEADER, self.policy)
        return response


class SignedIn(AuthenticationMiddleware):
    """Who asks is looked up at once: every request needs to know, and asks the account itself, not a proxy of it."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = get_user(request)


class SessionAge:
    """A session ends when it was not used for a while, and after some days in any case."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            self._look(request)
        return self.get_response(request)

    def _look(self, request: HttpRequest) -> None:
        now = int(time.time())
        began = request.session.get(SIGNED_IN_AT)
        seen = request.session.get(SEEN_AT, now)
        if began is None:
            request.session[SIGNED_IN_AT] = request.session[SEEN_AT] = now
        elif now - seen > settings.SESSION_IDLE_SECONDS or now - began > settings.SESSION_SECONDS:
            logout(request)
        elif now - seen > SEEN_EVERY:
            request.session[SEEN_AT] = now


class Scripts:
    """Scripts of pages ask for JSON. A redirect tells them where to go, instead of taking them there unseen."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        accepted = request.META.get("HTTP_ACCEPT", "")
        request.wants_json = "application/json" in (accepted.partition(",")[0], request.content_type)
        response = self.get_response(request)
        if request.wants_json and isinstance(response, HttpResponseRedirectBase):
            response.content = json.dumps({"next": response.url})
            response["Content-Type"] = "application/json"
            response.status_code = 200
        return response


class SignInRequired(LoginRequiredMiddleware):
    """A page asks to sign in by itself; a script is told, so that what is on its page stays there."""

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponse]
    ) -> HttpResponse:
        if request.htmx:
            return HttpResponse(status=401, headers={"HX-Trigger": "session-expired", "HX-Reswap": "none"})
        if request.wants_json:
            return JsonResponse({"code": "signed_out"}, status=401)
        return super().handle_no_permission(request, view_func)


class ReadersLanguage:
    """The language that a person chose for themselves goes before the one of the browser."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "ui_language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        return self.get_response(request)


class SecondFactor:
    """Whoever leads or operates sets up a second factor before any other page."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: tuple, kwargs: dict
    ) -> HttpResponse | None:
        if not settings.LEADS_NEED_TOTP or not request.user.is_authenticated:
            return None
        if not getattr(view, "login_required", True):
            return None
        if request.resolver_match.view_name in OPEN_WITHOUT_SECOND_FACTOR:
            return None
        if not account.needs_second_factor(request.user):
            return None
        if is_mfa_enabled(request.user, [Authenticator.Type.TOTP]):
            return None
        return redirect("mfa_activate_totp")


class PrivatePages:
    """Pages of a signed-in person must not come back from a cache after another person signs in."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "Cache-Control" not in response and request.user.is_authenticated:
            response["Cache-Control"] = "no-store"
        return response


class Refusals:
    """A DomainError raised anywhere in a view is shown with its sentence and its status."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        if request.wants_json:
            return JsonResponse({"code": error.code, "message": error.message}, status=error.status)
        return render(request, "refusal.html", {"error": error}, status=error.status)
