"""Adjudication: the adjudicator's queue and cases, and what the lead sends and reads."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.errors import Invalid
from annotation.forms.adjudication import RulesForm
from annotation.forms.votes import ChoiceForm, DecisionForm
from annotation.models import ActiveTime, AdjudicationCase, Membership, Round
from annotation.queries import adjudication as queries
from annotation.queries import case_judgements, decided_cases, rubrics, splits
from annotation.services import adjudication as services


@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """For a lead what was sent and decided, for an adjudicator the queue."""
    led = access.led_projects(request.user).filter(slug=slug).first()
    if led is not None:
        return _overview(request, slug)
    member = access.adjudicator(request.user, slug)
    cases = access.cases_of(member)
    tongues = queries.tongues(cases)
    asked = request.GET.get("language", "")
    chosen = next((one for one in tongues if one.key == asked and len(tongues) > 1), None)
    if chosen is not None:
        cases = queries.in_tongue(cases, chosen.key)
    context = {
        "project": member.project,
        "queue": queries.queue(cases, member, language=rubrics.reader_language()),
        "tongues": tongues,
        "chosen": chosen,
    }
    return render(request, "annotation/adjudication_queue.html", context)


def _overview(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    number = request.GET.get("page", "1")
    context = {
        "project": project,
        "rounds": decided_cases.rounds_with_cases(project),
        "decided": decided_cases.decided(project, number=number, language=rubrics.reader_language()),
        "adjudicators": decided_cases.adjudicators(project),
        "unread": decided_cases.unread(project),
    }
    return render(request, "annotation/adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def send_cases(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A lead chooses rules and sees what they would send; the button sends it."""
    work = access.project_round(request.user, slug, pk)
    asked = splits.RULES[Round.Kind(work.kind)]
    form = RulesForm(request.POST if request.method == "POST" else request.GET, asked=asked)
    thresholds = form.thresholds()
    if request.method == "POST" and thresholds is not None:
        services.send(work, thresholds, by=request.user, now=timezone.now())
        return redirect("adjudication", slug=slug)
    counts = decided_cases.preview(work, thresholds) if thresholds else []
    context = {
        "project": work.project,
        "work": work,
        "form": form,
        "counts": counts,
        "new": sum(rule.new for rule in counts),
        "outcomes": decided_cases.outcomes(work),
        "adjudicators": decided_cases.adjudicators(work.project),
    }
    return render(request, "annotation/adjudication_send.html", context, status=200 if thresholds else 422)


# --- A case --------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: HttpRequest, token: str) -> HttpResponse:
    """Step 1: the adjudicator judges alone. Step 2: what the others gave, and the decision."""
    member, case = access.case(request.user, token)
    if request.method != "POST":
        return _page(request, member, case)
    if request.POST.get("step") == "decision":
        return _decide(request, member, case)
    form = ChoiceForm(request.POST, options=_options(case), ask=queries.ask_of(case))
    if not form.is_valid():
        return _page(request, member, case, form)
    sent = form.cleaned_data
    services.own(case, member, choice=sent["value"], justification=sent["justification"], now=timezone.now())
    return redirect("adjudicate", token=token)


def _decide(request: HttpRequest, member: Membership, case: AdjudicationCase) -> HttpResponse:
    form = DecisionForm(request.POST, options=_options(case), ask=queries.ask_of(case))
    if not form.is_valid():
        return _page(request, member, case, form)
    sent = form.cleaned_data
    try:
        services.decide(case, member, choice=sent["value"], reason=sent["justification"], now=timezone.now())
    except Invalid as refusal:
        form.add_error("justification", refusal.message)
        return _page(request, member, case, form)
    return redirect("adjudication", slug=case.round.project.slug)


def _options(case: AdjudicationCase) -> tuple[queries.Option, ...]:
    return queries.options_of(case, language=rubrics.reader_language())


def _page(
    request: HttpRequest, member: Membership, case: AdjudicationCase, sent: ChoiceForm | None = None
) -> HttpResponse:
    """The page of the step at which the adjudicator is; a refused form comes back as it was sent, with 422."""
    language = rubrics.reader_language()
    item = queries.item(case, member, language=language)
    judged = case_judgements.judged(case, member, language=language)
    kind = DecisionForm if judged else ChoiceForm
    context = {
        "item": item,
        "judged": judged,
        "form": sent or kind(options=item.options, ask=queries.ask_of(case)),
        "project": case.round.project,
        "activity": ActiveTime.Activity.JUDGING,
    }
    return render(request, "annotation/adjudicate.html", context, status=422 if sent else 200)
