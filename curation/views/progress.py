"""Progress as a lead sees it, and what a lead does about it: pause, go on, remind."""

from collections.abc import Callable, Mapping
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from annotation.models import Membership, Project
from annotation.queries import reminders
from annotation.queries.people import person_name
from annotation.services import mails, membership
from annotation.services import reminders as reminding
from curation import access
from curation.domain.choice import Choice
from curation.forms import PlannerForm, ReminderForm
from curation.models import Report
from curation.queries import pairs_ahead, progress_page, report_state
from curation.services import figures

FILES = ("csv", "svg", "png")
WANTED = 20  # accepted pairs of each genre


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    project = doors.led_project(request.user, slug)
    state = report_state.state(project, Choice(), now=timezone.now())
    context = {
        "project": project,
        "state": state,
        "here": reverse("progress", args=[slug]),
        "address": reverse("report_compute", args=[slug]),
        "onward": "progress",
    }
    if request.htmx:
        return render(request, "curation/_report_state.html", context)
    if state.report is None:
        return render(request, "curation/progress.html", context)
    genres = progress_page.genre_names(project, language=_genres_in())
    form = _planner(request, genres)
    context |= _numbers(request, project, state.report, genres) | _plan(
        form, state.result["progress"], genres
    )
    return render(request, "curation/progress.html", context, status=422 if form.errors else 200)


@require_POST
def pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = access.annotator(request.user, slug, pk)
    return _moved(request, member, membership.pause, Membership.State.PAUSED)


@require_POST
def go_on(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = access.annotator(request.user, slug, pk)
    return _moved(request, member, membership.resume, Membership.State.ACTIVE)


@require_http_methods(["GET", "HEAD", "POST"])
def remind(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A mail to one annotator. It is noted before it is sent, so that two clicks send one."""
    member, now = access.annotator(request.user, slug, pk), timezone.now()
    if request.method != "POST":
        return _remind_page(request, member, ReminderForm(), now=now)
    form = ReminderForm(request.POST)
    if not form.is_valid() or not mails.go_out():
        return _remind_page(request, member, form, now=now, status=422 if form.errors else 409)
    try:
        reminding.remind(member, by=request.user, now=now)
    except DomainError as refusal:
        return _remind_page(request, member, form, now=now, status=refusal.status)
    mail = mails.reminder(
        member,
        by=request.user,
        note=form.cleaned_data["note"],
        url=request.build_absolute_uri(reverse("home")),
    )
    if not mails.send_quietly(mail):
        reminding.not_sent(member, by=request.user, now=timezone.now())
        return _remind_page(request, member, form, now=now, has_failed=True, status=502)
    return redirect(f"{reverse('progress', args=[slug])}?reminded={member.pseudonym}#people")


def _moved(
    request: HttpRequest, member: Membership, move: Callable[..., None], wanted: Membership.State
) -> HttpResponse:
    """Whoever asks for what is so already, by a second click or beside another lead, is not refused."""
    try:
        move(member, by=request.user, now=timezone.now())
    except DomainError:
        member.refresh_from_db(fields=["state"])
        if member.state != wanted:
            raise
    return redirect(f"{reverse('progress', args=[member.project.slug])}#people")


def _remind_page(
    request: HttpRequest,
    member: Membership,
    form: ReminderForm,
    *,
    now: datetime,
    has_failed: bool = False,
    status: int = 200,
) -> HttpResponse:
    last = reminders.last(member.project).get(member.pk)
    context = {
        "project": member.project,
        "member": member,
        "name": person_name(member.user),
        "form": form,
        "last": last,
        "is_too_early": last is not None and now - last < reminding.AGAIN_AFTER,
        "is_active": member.state == Membership.State.ACTIVE,
        "mails_go_out": mails.go_out(),
        "has_failed": has_failed,
    }
    return render(request, "curation/progress_remind.html", context, status=status)


def _numbers(
    request: HttpRequest, project: Project, report: Report, genres: Mapping[str, str]
) -> dict[str, object]:
    page = progress_page.progress_page(project, report, genres=genres, ui_language=str(get_language()))
    reminded = request.GET.get("reminded")
    return {
        "page": page,
        "figures": [{**figures.shown(kept), "files": _files(project, report, kept)} for kept in page.figures],
        "reminded": next((line for line in page.people if line.pseudonym == reminded), None),
        "mails_go_out": mails.go_out(),
    }


def _planner(request: HttpRequest, genres: Mapping[str, str]) -> PlannerForm:
    usual = {"wanted": WANTED, "pairs": WANTED * max(len(genres), 1)}
    given = {name: request.GET[name] for name in usual if name in request.GET}
    return PlannerForm({**usual, **given})


def _plan(form: PlannerForm, facts: Mapping[str, object], genres: Mapping[str, str]) -> dict[str, object]:
    """The form, and its answer where it was filled in rightly."""
    if not form.is_valid():
        return {"form": form}
    return {"form": form, "plan": pairs_ahead.plan(facts, genres, **form.cleaned_data)}


def _files(project: Project, report: Report, kept: Mapping[str, object]) -> list[dict[str, str]]:
    return [
        {
            "kind": kind.upper(),
            "url": reverse("report_figure", args=[project.slug, report.pk, kept["key"], kind]),
        }
        for kind in FILES
    ]


def _genres_in() -> str:
    return "zh" if str(get_language()).startswith("zh") else "en"
