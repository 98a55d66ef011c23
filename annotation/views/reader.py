"""Theme and language, for guests and for who has signed in: kept on the device, and with the account."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import i18n
from django.views.decorators.http import require_POST

from annotation.models import User
from annotation.services import accounts

THEMES = ("light", "dark")
A_YEAR = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light or dark; anything else returns to the device's own setting."""
    chosen = request.POST.get("theme")
    chosen = chosen if chosen in THEMES else ""
    if request.user.is_authenticated:
        accounts.set_reader(request.user, theme=chosen)
    response = _back(request)
    keep_theme(request, response, chosen)
    return response


@require_POST
def reading(request: HttpRequest) -> HttpResponse:
    """Size and type of the texts, from a page on which somebody reads; what is unknown changes nothing."""
    choices = {"text_size": User.TextSize.values, "text_face": User.TextFace.values}
    sent = {name: request.POST[name] for name in choices if name in request.POST}
    accounts.set_reader(
        request.user, **{name: value for name, value in sent.items() if value in choices[name]}
    )
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    back = request.POST.get("next", "/")
    return HttpResponseRedirect(back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "/")


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("language", "")
    if request.user.is_authenticated and chosen in dict(settings.LANGUAGES):
        accounts.set_reader(request.user, ui_language=chosen)
    return i18n.set_language(request)


def keep_theme(request: HttpRequest, response: HttpResponse, chosen: str) -> None:
    if chosen:
        response.set_cookie("theme", chosen, max_age=A_YEAR, secure=request.is_secure(), samesite="Lax")
    else:
        response.delete_cookie("theme")
