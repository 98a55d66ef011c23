"""Exams as leads and instructors run them: forms, critiques to grade, and the record of each attempt."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.forms.exams import FormForm, GradeForm, ReasonForm
from annotation.models import Attempt, Project, Round
from annotation.queries import critiques as queues
from annotation.queries import exam_forms as queries
from annotation.queries import exam_records as records
from annotation.queries import exams as attempts
from annotation.services import critiques, exam_forms
from annotation.services import exams as services

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


# --- Forms ---------------------------------------------------------------------------------------


@page_or_post
def exams(request: HttpRequest, slug: str) -> HttpResponse:
    """Sent: make a form."""
    project = access.instructed_project(request.user, slug)
    languages = queries.language_choices(project)
    if request.method != "POST":
        return _exams_page(request, project, FormForm(languages=languages))
    form = FormForm(request.POST, languages=languages)
    if not form.is_valid():
        return _exams_page(request, project, form)
    try:
        made = exam_forms.draft_form(project, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error("name", refusal.message)
        return _exams_page(request, project, form)
    return redirect("exam_form", slug=slug, pk=made.pk)


def _exams_page(request: HttpRequest, project: Project, form: FormForm) -> HttpResponse:
    now = timezone.now()
    is_lead = access.is_lead(request.user, project)
    context = {
        "project": project,
        "is_lead": is_lead,
        "languages": queries.by_language(project, now=now),
        "waiting": len(queues.waiting(project, request.user)),
        "attempts": records.lines(project, now=now) if is_lead else [],
        "form": form,
        "choices": queries.language_choices(project),
    }
    return render(request, "annotation/exams.html", context, status=422 if form.is_bound else 200)


@require_safe
def form(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _form_page(request, _form(request, slug, pk))


@require_POST
def publish(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _form(request, slug, pk)
    try:
        exam_forms.publish(found, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _form_page(request, found, refused=refusal)
    return redirect("exam_form", slug=slug, pk=pk)


@require_POST
def retire(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _form(request, slug, pk)
    services.settle_all(found.project, now=timezone.now())
    try:
        exam_forms.retire(found, by=request.user, now=timezone.now())
    except DomainError as refusal:
        found.refresh_from_db()
        return _form_page(request, found, refused=refusal)
    return redirect("exam_form", slug=slug, pk=pk)


@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _form(request, slug, pk)
    try:
        exam_forms.delete(found, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _form_page(request, found, refused=refusal)
    return redirect("exams", slug=slug)


def _form(request: HttpRequest, slug: str, pk: int) -> Round:
    return access.instructed_round(request.user, slug, pk, purpose=Round.Purpose.EXAM)


def _form_page(request: HttpRequest, found: Round, refused: DomainError | None = None) -> HttpResponse:
    now = timezone.now()
    context = {
        "project": found.project,
        "is_lead": access.is_lead(request.user, found.project),
        "work": found,
        "line": queries.line(found, now=now),
        "levels": queries.levels(found),
        "genres": queries.genres(found),
        "sitting": queries.sitting(found, now=now),
        "obstacles": queries.obstacles(found) if found.state == Round.State.DRAFT else [],
        "refused": refused.message if refused else "",
    }
    return render(request, "annotation/exam_form.html", context, status=refused.status if refused else 200)


# --- Grading -------------------------------------------------------------------------------------


@page_or_post
def grading(request: HttpRequest, slug: str) -> HttpResponse:
    """The next critique that waits for this grader; sent, the points of one."""
    project = access.instructed_project(request.user, slug)
    if request.method != "POST":
        return _grading_page(request, project)
    form = GradeForm(request.POST)
    if not form.is_valid():
        return _grading_page(request, project, form)
    sent = form.cleaned_data
    attempt = access.project_attempt(project, sent["attempt"])
    try:
        critiques.grade(
            attempt,
            sent["response"],
            by=request.user,
            points=form.points,
            comment=sent["comment"],
            now=timezone.now(),
        )
    except Invalid as refusal:
        form.add_error(None, refusal.message)
        return _grading_page(request, project, form)
    return redirect("exam_grading", slug=slug)


def _grading_page(request: HttpRequest, project: Project, form: GradeForm | None = None) -> HttpResponse:
    """A form that was refused comes back with its own critique, if that still waits."""
    sent = {name: _number(form[name].value()) for name in ("attempt", "response")} if form else {}
    item = queues.to_grade(project, request.user, **sent)
    is_same = item is not None and sent == {"attempt": item.attempt, "response": item.response}
    context = {
        "project": project,
        "is_lead": access.is_lead(request.user, project),
        "item": item,
        "questions": [
            (question, form[question.key] if form and is_same else None) for question in queues.questions()
        ],
        "answers": queues.answers(),
        "form": form if is_same else None,
        "refused": form.non_field_errors() if form else [],
    }
    return render(request, "annotation/exam_grading.html", context, status=422 if form else 200)


def _number(sent: object) -> int:
    text = str(sent)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


# --- Records -------------------------------------------------------------------------------------


@page_or_post
def attempt(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The record of an attempt. Sent: pass, fail or grant another one, with the reason."""
    project = access.led_project(request.user, slug)
    found = access.project_attempt(project, pk)
    if request.method != "POST":
        return _attempt_page(request, project, found)
    services.settle(found, now=timezone.now())
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _attempt_page(request, project, found, form)
    try:
        _act(request, found, **form.cleaned_data)
    except DomainError as refusal:
        form.add_error("reason" if refusal.code == "no_reason" else None, refusal.message)
        return _attempt_page(request, project, access.project_attempt(project, pk), form)
    return redirect("exam_attempt", slug=slug, pk=pk)


def _act(request: HttpRequest, found: Attempt, *, reason: str, action: str) -> None:
    by, now = request.user, timezone.now()
    if action == "grant":
        services.grant_attempt(found.qualification, by=by, reason=reason, now=now)
    else:
        services.decide(found, passed=action == "pass", by=by, reason=reason, now=now)


def _attempt_page(
    request: HttpRequest, project: Project, found: Attempt, form: ReasonForm | None = None
) -> HttpResponse:
    context = {
        "project": project,
        "is_lead": True,
        "record": records.record(found, now=timezone.now()),
        "others": attempts.attempts_of(found.qualification),
        "form": form,
    }
    return render(request, "annotation/exam_attempt.html", context, status=422 if form else 200)
