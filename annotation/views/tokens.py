"""A person's tokens for the REST interface: made here and shown once, listed, revoked."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation import access
from annotation.forms.tokens import TokenForm
from annotation.queries import tokens as queries
from annotation.services import tokens


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, TokenForm(user=request.user))
    form = TokenForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, form, status=422)
    given = form.cleaned_data
    made = tokens.create(request.user, **given, now=timezone.now())
    # Shown by the answer itself: anything it could be fetched from a second time would have to keep it.
    return _page(request, TokenForm(user=request.user), made=made, name=given["name"])


@require_POST
def revoke(request: HttpRequest, mark: str) -> HttpResponse:
    tokens.revoke(access.own_token(request.user, mark), by=request.user, now=timezone.now())
    return redirect(f"{reverse('tokens')}?revoked")


def _page(
    request: HttpRequest, form: TokenForm, *, made: str = "", name: str = "", status: int = 200
) -> HttpResponse:
    lines = queries.of_person(request.user, now=timezone.now())
    context = {
        "form": form,
        "made": made,
        "name": name,
        "live": [line for line in lines if line.is_live],
        "over": [line for line in lines if not line.is_live],
        "was_revoked": request.method != "POST" and "revoked" in request.GET,
    }
    return render(request, "annotation/tokens.html", context, status=status)
