"""The page on which the responses to a prompt are ranked. Once stored, it says back what the database holds."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.forms.rankings import RankingForm
from annotation.models import Lease, Round
from annotation.queries import flagging, work_time
from annotation.queries import rankings as queries
from annotation.queries.rubrics import reader_language
from annotation.services import rankings

# What a page says that is open while the round is locked.
STATUS_OF = {"round_not_open": 423}


@require_http_methods(["GET", "HEAD", "POST"])
def rank(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.lease_of(request.user, token, Round.Kind.RANKINGS)
    if request.method != "POST":
        return _page(request, lease)
    form = RankingForm(request.POST)
    if not form.is_valid():
        return _page(request, lease, form=form, status=422)
    try:
        _store(lease, form)
    except Invalid as refusal:
        name = "justification" if refusal.code == "justification_too_short" else None
        form.add_error(name, refusal.message)
        return _page(request, lease, form=form, status=refusal.status)
    except DomainError as refusal:
        refusal.status = STATUS_OF.get(refusal.code, refusal.status)
        if request.wants_json:
            raise
        return _page(request, lease, form=form, refusal=refusal, status=refusal.status)
    return redirect("rank", token=token)


def _store(lease: Lease, form: RankingForm) -> None:
    given = dict(form.cleaned_data)
    based_on, shown = given.pop("based_on"), given.pop("shown")
    if based_on:
        rankings.revise(lease, **given, based_on=based_on, now=timezone.now())
    else:
        rankings.submit(lease, **given, shown=shown, now=timezone.now())


def _page(
    request: HttpRequest,
    lease: Lease,
    *,
    form: RankingForm | None = None,
    refusal: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    """The texts with the form; a form that was refused comes back as it was sent."""
    item = queries.item(
        lease,
        language=reader_language(),
        sent=form.data if form else None,
        edit="edit" in request.GET and not refusal,
    )
    work = lease.assignment.round
    context = {
        "item": item,
        "form": form,
        "refusal": refusal,
        "flagged": flagging.has_flagged(lease),
        "project": work.project,
        "activity": work_time.activity_of(work),
    }
    return render(request, "annotation/rank.html", context, status=status)
