from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import Invalid
from annotation.forms.scoring import ScoreForm
from annotation.models import Lease, Round
from annotation.queries import scoring as queries
from annotation.queries import work_time
from annotation.services import exams, scoring
from annotation.views import hand_out

# Where on the page a refusal is shown.
FIELD_OF = {"not_a_score": "value", "justification_too_short": "justification"}


@require_http_methods(["GET", "HEAD", "POST"])
def score(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.lease(request.user, token)
    is_course = lease.assignment.round.purpose == Round.Purpose.TRAINING
    if request.method != "POST":
        if is_course and queries.scores_of(lease).exists():
            return redirect("consensus", token=token)
        return _page(request, lease)
    form = ScoreForm(request.POST)
    if not form.is_valid():
        return _page(request, lease, form=form)
    try:
        scoring.submit(lease, **form.cleaned_data, now=timezone.now())
    except Invalid as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, lease, form=form)
    return _onward(lease)


def _onward(lease: Lease) -> HttpResponse:
    """Where a score that was taken leads."""
    work = lease.assignment.round
    if work.purpose == Round.Purpose.TRAINING:
        return redirect("consensus", token=lease.token)
    if work.purpose == Round.Purpose.EXAM and exams.settle_after(lease, now=timezone.now()):
        return redirect("finished", token=work.token)
    return hand_out.onward(lease)


def _page(request: HttpRequest, lease: Lease, form: ScoreForm | None = None) -> HttpResponse:
    """The text with the form; a form that was refused comes back as it was sent, with status 422."""
    language = "zh" if get_language().startswith("zh") else "en"
    item = queries.scoring_item(lease, language=language, sent_marks=form.sent_marks if form else {})
    work = lease.assignment.round
    context = {
        "item": item,
        "form": form,
        "project": work.project,
        "activity": work_time.activity_of(work),
    }
    return render(request, "annotation/score.html", context, status=422 if form else 200)
