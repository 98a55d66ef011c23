"""The page on which an annotator flags what is in their hands, and gives it back if they wish."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation import access
from annotation.errors import DomainError
from annotation.forms.flag import LONGEST_NOTE, FlagForm
from annotation.models import Lease, Round
from annotation.queries import flagging as queries
from annotation.services import flagging as services
from annotation.views import hand_out


@require_http_methods(["GET", "HEAD", "POST"])
def flag(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.lease(request.user, token)
    item = queries.in_hand(lease)
    form = FlagForm(request.POST if request.method == "POST" else None, item=item)
    if request.method != "POST":
        return _page(request, lease, form, item)
    if not form.is_valid():
        return _page(request, lease, form, item, status=422)
    try:
        services.raise_flag(lease, **form.cleaned_data, now=timezone.now())
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _page(request, lease, form, item, status=refusal.status)
    return hand_out.onward(lease) if form.cleaned_data["skip"] else redirect(_work_page(lease), token=token)


@require_POST
def skip(request: HttpRequest, token: str) -> HttpResponse:
    """Give back what was flagged before, and go on."""
    lease = access.lease(request.user, token)
    services.give_back(lease, now=timezone.now())
    return hand_out.onward(lease)


def _work_page(lease: Lease) -> str:
    return hand_out.PAGE_OF[Round.Kind(lease.assignment.round.kind)]


def _page(
    request: HttpRequest, lease: Lease, form: FlagForm, item: queries.InHand, *, status: int = 200
) -> HttpResponse:
    context = {"item": item, "form": form, "longest": LONGEST_NOTE, "back": _work_page(lease)}
    return render(request, "annotation/flag.html", context, status=status)
