from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from annotation import access
from annotation.queries import scoring as queries

THEMES = ("light", "dark")
A_YEAR = 365 * 24 * 3600


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    cards = queries.round_cards(request.user, now=timezone.now())
    context = {
        "cards": cards,
        "projects": access.led_projects(request.user),
        "triaged": access.triaged_projects(request.user),
        "leaderless": access.leaderless_projects(request.user),
    }
    return render(request, "annotation/home.html", context)


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light or dark, kept on the device; anything else returns to the device's own setting."""
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    response = HttpResponseRedirect(back)
    chosen = request.POST.get("theme")
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=A_YEAR, secure=request.is_secure(), samesite="Lax")
    else:
        response.delete_cookie("theme")
    return response
