from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.domain.stages import WORK
from annotation.errors import DomainError, Invalid
from annotation.forms.scoring import ScoreForm
from annotation.models import Lease, Round
from annotation.queries import scoring as queries
from annotation.queries import scoring_page, work_time
from annotation.queries.rubrics import reader_language
from annotation.services import exams, revising, scoring
from annotation.views import hand_out

# Where on the page a refusal is shown.
FIELD_OF = {"not_a_score": "value", "justification_too_short": "justification"}
# What a page says that is open while the round is locked.
STATUS_OF = {"round_not_open": 423}


@require_http_methods(["GET", "HEAD", "POST"])
def score(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.lease_of(request.user, token, Round.Kind.SCORES)
    is_course = lease.assignment.round.purpose == Round.Purpose.TRAINING
    if request.method != "POST":
        if is_course and queries.latest(lease):
            return redirect("consensus", token=token)
        return _page(request, lease)
    form = ScoreForm(request.POST)
    if not form.is_valid():
        return _page(request, lease, form=form, status=422)
    try:
        _store(lease, form)
    except Invalid as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, lease, form=form, status=refusal.status)
    except DomainError as refusal:
        refusal.status = STATUS_OF.get(refusal.code, refusal.status)
        if request.wants_json:
            raise
        return _page(request, lease, refusal=refusal, status=refusal.status)
    return _onward(request, lease)


def _store(lease: Lease, form: ScoreForm) -> None:
    given = dict(form.cleaned_data)
    based_on = given.pop("based_on")
    if based_on:
        revising.revise(lease, based_on=based_on, **given, now=timezone.now())
    else:
        scoring.submit(lease, **given, now=timezone.now())


def _onward(request: HttpRequest, lease: Lease) -> HttpResponse:
    """Where a score that was taken leads."""
    work = lease.assignment.round
    if request.POST.get("after") == "own_work":
        return redirect("own_work")
    if work.purpose == Round.Purpose.TRAINING:
        return redirect("consensus", token=lease.token)
    if work.purpose == Round.Purpose.EXAM and exams.settle_after(lease, now=timezone.now()):
        return redirect("finished", token=work.token)
    return hand_out.onward(lease)


def _page(
    request: HttpRequest,
    lease: Lease,
    *,
    form: ScoreForm | None = None,
    refusal: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    """The text with the form; a form that was refused comes back as it was sent."""
    item = scoring_page.scoring_item(
        lease,
        language=reader_language(),
        sent=form.data if form else None,
        edit="edit" in request.GET and not refusal,
    )
    work = lease.assignment.round
    is_work = work.purpose in WORK
    here = request.path
    context = {
        "item": item,
        "here": here,
        "has_form": item.shows_form and not refusal,
        "form": form,
        "refusal": refusal,
        "project": work.project,
        "activity": work_time.activity_of(work),
        "undo": f"{here}?edit" if is_work else "",
        "is_work": is_work,
        "after": request.POST.get("after") or request.GET.get("edit", ""),
    }
    return render(request, "annotation/score.html", context, status=status)
