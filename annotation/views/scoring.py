from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.forms.scoring import ScoreForm
from annotation.models import Lease, Membership, Round
from annotation.queries import scoring as queries
from annotation.queries import work_time
from annotation.services import assignments, exams, scoring

# Where on the page a refusal is shown.
FIELD_OF = {"not_a_score": "value", "justification_too_short": "justification"}


@require_POST
def next_text(request: HttpRequest, pk: int) -> HttpResponse:
    member, work = access.scoring_round(request.user, pk)
    if work.purpose == Round.Purpose.TRAINING:
        return _to_own_page("training", member, work)
    try:
        lease = assignments.claim(member, work, now=timezone.now())
    except DomainError as refusal:
        if refusal.code not in ("round_paused", "exam_over"):
            raise
        # No fault of anybody's; the page says it, also after a score that was taken during the pause.
        lease = None
    if lease is None:
        return redirect("finished", pk=pk)
    return redirect("score", token=lease.token)


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
    return _onward(request, lease)


def _onward(request: HttpRequest, lease: Lease) -> HttpResponse:
    """Where a score that was taken leads."""
    work = lease.assignment.round
    if work.purpose == Round.Purpose.TRAINING:
        return redirect("consensus", token=lease.token)
    if work.purpose == Round.Purpose.EXAM and exams.settle_after(lease, now=timezone.now()):
        return redirect("finished", pk=work.pk)
    return next_text(request, work.pk)


def _to_own_page(name: str, member: Membership, work: Round) -> HttpResponse:
    """A course has its own order, and a calibration its own outcome: each has a page of its own."""
    held = member.qualifications.filter(language__in=["", work.language]).order_by("-language").first()
    language = (held.language if held else "") or access.ANY_LANGUAGE
    return redirect(name, slug=work.project.slug, language=language)


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


@require_safe
def finished(request: HttpRequest, pk: int) -> HttpResponse:
    member, work = access.scoring_round(request.user, pk)
    if work.purpose == Round.Purpose.EXAM:
        held = access.sat_exam(member, work)
        return redirect("exam", slug=work.project.slug, language=held.language or access.ANY_LANGUAGE)
    if work.purpose == Round.Purpose.CALIBRATION:
        return _to_own_page("calibration", member, work)
    card = next(
        (card for card in queries.round_cards(request.user, now=timezone.now()) if card.round_id == pk), None
    )
    return render(request, "annotation/finished.html", {"work": card, "round_name": work.name})
