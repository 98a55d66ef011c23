"""Where an annotator goes next: to a text of the round, or to the page that says that there is none."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.models import Lease, Membership, Round
from annotation.queries import scoring as queries
from annotation.services import assignments

# The page of a hand-out, by what is judged in its round.
PAGE_OF = {
    Round.Kind.SCORES: "score",
    Round.Kind.RANKINGS: "rank",
    Round.Kind.CATEGORIES: "vote",
    Round.Kind.PAIRS: "choose",
}


@require_POST
def next_text(request: HttpRequest, token: str) -> HttpResponse:
    member, work = access.scoring_round(request.user, token)
    return give(member, work)


def give(member: Membership, work: Round) -> HttpResponse:
    """The annotator's next hand-out of the round, or the page that says that there is none."""
    if work.purpose == Round.Purpose.TRAINING:
        return to_own_page("training", member, work)
    try:
        lease = assignments.claim(member, work, now=timezone.now())
    except DomainError as refusal:
        if refusal.code not in ("round_paused", "exam_over", "cap_reached"):
            raise
        # No fault of anybody's; the page says it, also after a judgement that was taken during the pause.
        lease = None
    if lease is None:
        return redirect("finished", token=work.token)
    return redirect(PAGE_OF[Round.Kind(work.kind)], token=lease.token)


def onward(lease: Lease) -> HttpResponse:
    """Where a judgement that was taken leads. What is mixed into a round leads on in that round."""
    work = lease.assignment.round
    return give(lease.annotator, work.mixed_into or work)


def to_own_page(name: str, member: Membership, work: Round) -> HttpResponse:
    """A course has its own order, and a calibration its own outcome: each has a page of its own."""
    held = member.qualifications.filter(language__in=["", work.language]).order_by("-language").first()
    language = (held.language if held else "") or access.ANY_LANGUAGE
    return redirect(name, slug=work.project.slug, language=language)


@require_safe
def finished(request: HttpRequest, token: str) -> HttpResponse:
    member, work = access.scoring_round(request.user, token)
    if work.purpose == Round.Purpose.EXAM:
        held = access.sat_exam(member, work)
        return redirect("exam", slug=work.project.slug, language=held.language or access.ANY_LANGUAGE)
    if work.purpose == Round.Purpose.CALIBRATION:
        return to_own_page("calibration", member, work)
    cards = queries.round_cards(request.user, now=timezone.now())
    card = next((card for card in cards if card.token == token), None)
    return render(request, "annotation/finished.html", {"work": card, "round_name": work.name})
