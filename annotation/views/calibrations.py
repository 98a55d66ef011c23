"""A lead's pages of calibrations. Instructors read them; before the close both see counts alone."""

from collections.abc import Collection, Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.errors import Invalid
from annotation.forms.calibration import (
    SEED,
    AddForm,
    CloseForm,
    DecisionForm,
    DraftForm,
    OpenForm,
    SecondForm,
    TextsForm,
)
from annotation.models import Membership, Project, Response, Round, Stage
from annotation.queries import agreed_texts, calibration_results, calibration_texts, rubrics, stages, threads
from annotation.queries import calibration as queries
from annotation.queries.calibration_results import PersonResult
from annotation.queries.people import language_name, person_name
from annotation.services import calibration, calibration_gate
from annotation.views.threads import form_of, take

page_or_post = require_http_methods(["GET", "HEAD", "POST"])

LONGEST_COUNT = 7

# Where on the page a refusal is shown; the summary of the form shows the others.
FIELD_OF = {
    "round_exists": "name",
    "deadline_passed": "closes_at",
    "no_texts": "responses",
    "unfit_texts": "responses",
    "scored_before": "responses",
    "too_few": "participants",
    "not_ready_for_calibration": "participants",
}


def led_round(request: HttpRequest, slug: str, pk: int) -> Round:
    """To read, an instructor may come in; to act, leads alone."""
    access.led_project(request.user, slug)
    return _read(request, slug, pk)


def _read(request: HttpRequest, slug: str, pk: int) -> Round:
    return access.instructed_round(request.user, slug, pk, purpose=queries.CALIBRATION)


@require_safe
def calibrations(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.instructed_project(request.user, slug)
    context = {
        "project": project,
        "lines": queries.lines(project),
        "leads": access.is_lead(request.user, project),
    }
    return render(request, "annotation/calibrations.html", context)


# --- A new one -----------------------------------------------------------------------------------


@page_or_post
def new_calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """First texts are drawn by a form that is read, then the draft is made by one that is sent."""
    project = access.led_project(request.user, slug)
    choosing = _choosing(project, request.POST if request.method == "POST" else request.GET)
    if request.method != "POST":
        return _new_page(request, project, choosing)
    form = _draft_form(project, choosing, request.POST)
    if not (choosing.is_valid() and form.is_valid()):
        return _new_page(request, project, choosing, form)
    chosen = {**form.cleaned(), "language": choosing.cleaned_data["language"]}
    try:
        made = calibration.draft(project, **chosen, by=request.user, now=timezone.now())
    except Invalid as refusal:
        said = _who_scored_before(chosen) if refusal.code == "scored_before" else refusal.message
        form.add_error(FIELD_OF.get(refusal.code), said)
        return _new_page(request, project, choosing, form)
    return redirect("calibration_round", slug=slug, pk=made.pk)


def _who_scored_before(chosen: Mapping[str, Collection[int]]) -> str:
    members = Membership.objects.filter(pk__in=chosen["participants"]).select_related("user")
    seen = queries.scored_before(list(members), chosen["responses"])
    keys = set(seen.values_list("annotator", flat=True))
    names = [person_name(each.user) for each in members.order_by("pseudonym") if each.pk in keys]
    return _(
        "Scored before: %(texts)d of these texts, by %(names)s. Choose other texts, or leave these people out."
    ) % {"texts": seen.values("response").distinct().count(), "names": _(", ").join(names)}


def _choosing(project: Project, data: QueryDict) -> TextsForm:
    language = rubrics.reader_language()
    return TextsForm(
        data,
        languages=[(each, language_name(each) if each else "–") for each in queries.languages(project)],
        genres=project.genres.filter(parent=None),
        genre_name=lambda genre: rubrics.name_of(genre, language),
    )


def _draft_form(project: Project, choosing: TextsForm, data: QueryDict | None = None) -> DraftForm:
    language = choosing.cleaned_data["language"] if choosing.is_valid() else ""
    people = queries.can_take_part(project, language)
    return DraftForm(data, texts=queries.unseen(project), people=people, zone=project.time_zone)


def _new_page(
    request: HttpRequest, project: Project, choosing: TextsForm, form: DraftForm | None = None
) -> HttpResponse:
    found, language = [], ""
    if choosing.is_valid():
        wanted = choosing.cleaned_data
        language = wanted["language"]
        texts = queries.candidates(
            project,
            language=language,
            genres=wanted["genre"],
            also_worked_on=wanted["also_worked_on"],
        )
        found = queries.drawn(texts, wanted["texts"], seed=wanted["seed"] or SEED)
    people = queries.can_take_part(project, language)
    seen = queries.scored_before([member for member, _stage in people], [each.pk for each in found])
    scored = set(seen.values_list("annotator", flat=True))
    context = {
        "project": project,
        "choosing": choosing,
        "form": form or _draft_form(project, choosing),
        "drawn": [(each, agreed_texts.tag_of(each)) for each in found],
        "lack": _lack(project, choosing) if choosing.is_valid() and not found else None,
        "chosen": form["responses"].value() if form else [str(each.pk) for each in found],
        "people": [(member, stage, member.pk in scored) for member, stage in people],
    }
    refused = form is not None or choosing.errors
    return render(request, "annotation/calibration_new.html", context, status=422 if refused else 200)


def _lack(project: Project, choosing: TextsForm) -> dict[str, object]:
    """Why nothing is left to draw: how many texts there are, and how many more rounds that are over would give."""
    wanted = choosing.cleaned_data
    over = 0
    if not wanted["also_worked_on"]:
        over = queries.candidates(
            project, language=wanted["language"], genres=wanted["genre"], also_worked_on=True
        ).count()
    return {"over": over, "texts": project.responses.filter(state=Response.State.ACTIVE).count()}


# --- One calibration -----------------------------------------------------------------------------


@require_safe
def calibration_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return round_page(request, _read(request, slug, pk))


def round_page(
    request: HttpRequest,
    work: Round,
    *,
    close_form: CloseForm | None = None,
    add_form: AddForm | None = None,
    second_form: SecondForm | None = None,
    decision: tuple[int, DecisionForm] | None = None,
) -> HttpResponse:
    """The page of one calibration; a form that was refused comes back with it."""
    first = queries.first_of(work)
    second = queries.second_of(work)
    taking_part = set(queries.participants(work).values_list("pk", flat=True))
    could_join = [
        each for each in queries.can_take_part(work.project, work.language) if each[0].pk not in taking_part
    ]
    lines = calibration_texts.text_lines(first) if work.state == Round.State.LOCKED else []
    zone = work.project.time_zone
    progress, people = queries.progress(work), calibration_results.people_results(work)
    standing = {each.pk: queries.qualification(each, work.language) for each in queries.participants(work)}
    context = {
        "project": work.project,
        "work": work,
        "leads": access.is_lead(request.user, work.project),
        "language": language_name(work.language) if work.language else "",
        "progress": progress,
        "asked": [(each, standing[each.annotator.pk]) for each in progress.people],
        "texts_asked": queries.responses(work).count(),
        "is_due": queries.is_due(work, now=timezone.now()),
        "works_now": any(stage == Stage.ACTIVE for stage in _stages_of(work, taking_part)),
        "first": first if first != work else None,
        "second": second,
        "group": calibration_results.group_result(work),
        "people": people,
        "would_pass": sum(each.would_pass for each in people),
        "said": _said(request, people),
        "gate": calibration_results.gate_of(work),
        "few": calibration_results.FEW,
        "before": calibration_results.group_result(first) if first != work else None,
        "lines": lines,
        "rounds_shown": len(lines[0].strips) if lines else 0,
        "uses_training": Stage.TRAINING in stages.uses(work.project),
        "close_form": close_form or CloseForm(),
        "add_form": add_form or AddForm(people=could_join),
        "could_join": could_join,
        "second_form": second_form or SecondForm(zone=zone),
        "refused_of": decision[0] if decision else None,
        "refused_decision": decision[1] if decision else None,
    }
    refused = close_form or add_form or second_form or decision
    return render(request, "annotation/calibration_round.html", context, status=422 if refused else 200)


def _said(request: HttpRequest, people: Sequence[PersonResult]) -> str:
    """What the press before came to."""
    passed, decided = request.GET.get("passed", ""), request.GET.get("decided", "")
    if request.method == "POST":
        return ""
    if passed.isascii() and passed.isdigit() and len(passed) < LONGEST_COUNT:
        count = int(passed)
        return ngettext(
            "%(count)d annotator is active now.", "%(count)d annotators are active now.", count
        ) % {"count": count}
    found = next((each for each in people if str(each.annotator.pk) == decided), None)
    if found is None:
        return ""
    return _("Decided. %(name)s stands here now: %(stage)s.") % {
        "name": person_name(found.annotator.user),
        "stage": found.stage_name,
    }


def _stages_of(work: Round, taking_part: set[int]) -> list[str]:
    able = queries.can_take_part(work.project, work.language)
    return [stage for member, stage in able if member.pk in taking_part]


@page_or_post
def open_calibration(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    form = OpenForm(request.POST)
    if request.method == "POST" and form.is_valid():
        calibration.open_draft(work, **form.cleaned_data, by=request.user, now=timezone.now())
    return redirect("calibration_round", slug=slug, pk=pk)


@page_or_post
def delete_calibration(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    if request.method != "POST":
        return redirect("calibration_round", slug=slug, pk=pk)
    calibration.delete(work, by=request.user, now=timezone.now())
    return redirect("calibrations", slug=slug)


@page_or_post
def add_participant(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    if request.method != "POST":
        return redirect("calibration_round", slug=slug, pk=pk)
    form = AddForm(request.POST, people=queries.can_take_part(work.project, work.language))
    if not form.is_valid():
        return round_page(request, work, add_form=form)
    member = Membership.objects.get(pk=form.cleaned_data["participant"])
    try:
        calibration.add_participant(
            work,
            member,
            stop_work=form.cleaned_data["stop_work"],
            by=request.user,
            now=timezone.now(),
        )
    except Invalid as refusal:
        form.add_error("participant", refusal.message)
        return round_page(request, work, add_form=form)
    return redirect("calibration_round", slug=slug, pk=pk)


@page_or_post
def second_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    if request.method != "POST":
        return redirect("calibration_round", slug=slug, pk=pk)
    form = SecondForm(request.POST, zone=work.project.time_zone)
    if not form.is_valid():
        return round_page(request, work, second_form=form)
    try:
        made = calibration.second_round(work, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error("closes_at", refusal.message)
        return round_page(request, work, second_form=form)
    return redirect("calibration_round", slug=slug, pk=made.pk)


# --- The gate ------------------------------------------------------------------------------------


@page_or_post
def pass_gate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Everybody who meets the gate becomes active."""
    work = led_round(request, slug, pk)
    if request.method != "POST":
        return redirect("calibration_round", slug=slug, pk=pk)
    passed = calibration_gate.pass_those_who_meet(work, by=request.user, now=timezone.now())
    return redirect(f"{reverse('calibration_round', args=[slug, pk])}?passed={passed}")


@page_or_post
def decide(request: HttpRequest, slug: str, pk: int, member_pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    member = queries.participants(work).filter(pk=member_pk).first()
    if member is None:
        raise Http404
    if request.method != "POST":
        return redirect("calibration_round", slug=slug, pk=pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return round_page(request, work, decision=(member.pk, form))
    calibration_gate.decide(work, member, **form.cleaned_data, by=request.user, now=timezone.now())
    return redirect(f"{reverse('calibration_round', args=[slug, pk])}?decided={member.pk}")


# --- One text ------------------------------------------------------------------------------------


@page_or_post
def calibration_text(request: HttpRequest, slug: str, pk: int, place: int) -> HttpResponse:
    """A text with everybody's scores and reasons, and its thread, where a lead rules."""
    work = _read(request, slug, pk)
    first = queries.first_of(work)
    text, response = calibration_texts.text_page(first, place), calibration_texts.response_at(first, place)
    if text is None or response is None:
        raise Http404
    talk = threads.thread(first, response, reader=request.user, pseudonyms=True)
    posting = take(request, first, response, talk) if request.method == "POST" else None
    if request.method == "POST" and posting is None:
        return redirect(request.path + "#thread")
    context = {
        "project": work.project,
        "work": work,
        "leads": access.is_lead(request.user, work.project),
        "text": text,
        "thread": talk,
        "posting": posting or form_of(talk),
        "thread_address": request.path,
    }
    return render(request, "annotation/calibration_text.html", context, status=422 if posting else 200)
