"""The page on which a lead steers a round while the work is on."""

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.round_work import CapForm, HandOverForm, MixtureForm, QuotaForm
from annotation.models import Membership, Round
from annotation.queries import quotas as quota_queries
from annotation.queries import round_work as queries
from annotation.services import mixing, quotas, rounds, seats


@require_safe
def round_work(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.project_round(request.user, slug, pk))


@require_POST
def set_cap(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    form = CapForm(request.POST)
    if not form.is_valid():
        return _page(request, work, cap=form)
    rounds.set_cap(work, form.cleaned_data["daily_cap"], by=request.user, now=timezone.now())
    return redirect("round_work", slug=slug, pk=pk)


@require_POST
def set_mixture(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    form = MixtureForm(request.POST)
    if not form.is_valid():
        return _page(request, work, mixture=form)
    try:
        mixing.set_rates(work, **form.cleaned_data, by=request.user, now=timezone.now())
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _page(request, work, mixture=form)
    return redirect("round_work", slug=slug, pk=pk)


@require_POST
def open_gold(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    host = work.mixed_into or work
    try:
        mixing.open_gold(work, by=request.user, now=timezone.now())
    except DomainError as refusal:
        form = _mixture(host)
        form.add_error(None, refusal.message)
        return _page(request, host, mixture=form)
    return redirect("round_work", slug=slug, pk=host.pk)


@require_POST
def set_quotas(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    form = QuotaForm(request.POST, lines=quota_queries.lines(work, language=_language()))
    if not form.is_valid():
        return _page(request, work, quota=form)
    quotas.save(work, form.wanted(), by=request.user, now=timezone.now())
    return redirect("round_work", slug=slug, pk=pk)


@require_POST
def hand_over(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    form = _hand_over(work, request.POST)
    if not form.is_valid():
        return _page(request, work, seats_form=form)
    members = Membership.objects.filter(project=work.project)
    sent = form.cleaned_data
    try:
        done = seats.hand_over(
            work,
            members.get(pk=sent["member"]),
            members.get(pk=sent["successor"]) if sent["successor"] else None,
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _page(request, work, seats_form=form)
    said = _("%(taken)d seats were taken over; %(vacant)d wait for whoever comes next.") % {
        "taken": done.taken,
        "vacant": done.vacant,
    }
    return _page(request, work, said=said)


def _language() -> str:
    return "zh" if get_language().startswith("zh") else "en"


def _mixture(work: Round) -> MixtureForm:
    return MixtureForm({"gold": work.gold_percent, "repeat": work.repeat_percent})


def _hand_over(work: Round, data: object = None) -> HandOverForm:
    holders = [(line.pk, line.name) for line in queries.seat_lines(work)]
    return HandOverForm(data, holders=holders, successors=queries.successors(work))


def _page(
    request: HttpRequest,
    work: Round,
    *,
    said: str = "",
    cap: Form | None = None,
    mixture: Form | None = None,
    quota: Form | None = None,
    seats_form: Form | None = None,
) -> HttpResponse:
    """Every form as the round stands, but for the one that was refused: it comes back as it was sent."""
    refused = any(form is not None for form in (cap, mixture, quota, seats_form))
    strata = quota_queries.lines(work, language=_language())
    context = {
        "project": work.project,
        "work": work,
        "said": said,
        "cap": cap or CapForm(initial={"daily_cap": work.daily_cap}),
        "mixture": mixture or MixtureForm(initial={"gold": work.gold_percent, "repeat": work.repeat_percent}),
        "mixed_in": queries.mixed_in(work),
        "mixable": work.kind == Round.Kind.SCORES and work.purpose == Round.Purpose.LIVE,
        "quota": quota or QuotaForm(lines=strata),
        "seat_lines": queries.seat_lines(work),
        "vacant": queries.vacant_seats(work),
        "seats_form": seats_form or _hand_over(work),
    }
    return render(request, "annotation/round_work.html", context, status=422 if refused else 200)
