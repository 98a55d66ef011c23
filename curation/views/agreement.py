"""Agreement as a lead sees it: what a worker computed, for a choice that stands in the address."""

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.models import Project
from curation import access, tasks
from curation.domain.choice import Choice
from curation.forms import ChoiceForm
from curation.models import Report
from curation.queries import agreement_page, report_state, response_page
from curation.services import figures, reports
from curation.views.figure_files import FILES, as_file

MINUTES = 10  # that the figures of a report are kept in a process


@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    project = doors.led_project(request.user, slug)
    form = _form(request, project, request.GET)
    if not form.is_valid():
        return render(request, "curation/agreement.html", {"project": project, "form": form}, status=422)
    choice = form.choice()
    state = report_state.state(project, choice, now=timezone.now())
    context = {
        "project": project,
        "form": form,
        "choice": choice,
        "state": state,
        "here": _address(project, choice),
        "address": f"{reverse('report_compute', args=[slug])}?{choice.as_query()}",
    }
    if request.htmx:
        return render(request, "curation/_report_state.html", context)
    if state.report is not None:
        context |= {
            "page": agreement_page.agreement_page(project, state.report, language=_genres_in()),
            "figures": _figures(project, state.report, language=str(get_language())),
        }
    return render(request, "curation/agreement.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def compute(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for the report of a choice. A choice that was just made asks only where there is no report of it."""
    project = doors.led_project(request.user, slug)
    if request.method != "POST":
        # The address in the bar after a refusal, opened anew.
        return redirect("agreement", slug=slug)
    form = _form(request, project, request.POST if "choose" in request.POST else request.GET)
    if not form.is_valid():
        return render(request, "curation/agreement.html", {"project": project, "form": form}, status=422)
    choice, now = form.choice(), timezone.now()
    if "choose" not in request.POST or report_state.state(project, choice, now=now).report is None:
        report = reports.request(project, choice=choice, by=request.user, now=now)
        tasks.compute_report.delay_on_commit(report.pk)
    return redirect(_address(project, choice, onward=request.POST.get("onward", "")))


@require_safe
def response(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A response with all its scores and justifications."""
    found = access.judged_response(request.user, slug, pk)
    context = {
        "project": found.project,
        "response": response_page.response_page(found, language=_genres_in()),
    }
    return render(request, "curation/response.html", context)


@require_safe
def figure(request: HttpRequest, slug: str, report: int, key: str, kind: str) -> HttpResponse:
    """The numbers or the picture of a figure as a file. Annotators are pseudonyms there."""
    found = access.figure(request.user, slug, report, key, language=str(get_language()))
    return as_file(found, kind, name=f"{slug}-{key}-{found.report.as_of:%Y-%m-%d}")


def _form(request: HttpRequest, project: Project, data: object) -> ChoiceForm:
    return ChoiceForm(data, options=agreement_page.options(project, language=_genres_in()))


def _address(project: Project, choice: Choice, *, onward: str = "") -> str:
    page = reverse("progress" if onward == "progress" else "agreement", args=[project.slug])
    return f"{page}?{choice.as_query()}" if choice else page


def _figures(project: Project, report: Report, *, language: str) -> str:
    """As the page prints them. A report that is done never changes, so they are not rendered each time."""
    cache, key = caches["process"], f"figures:{report.pk}:{report.finished_at.isoformat()}:{language}"
    found = cache.get(key)
    if found is None:
        kept = agreement_page.figures(report, language=language)
        shown = [{**figures.shown(each), "files": _files(project, report.pk, each)} for each in kept]
        found = render_to_string("curation/_agreement_figures.html", {"figures": shown})
        cache.set(key, found, timeout=MINUTES * 60)
    return found


def _files(project: Project, report: int, kept: dict) -> list[dict[str, str]]:
    """What a figure can be taken away as; a heat map is a table and has no picture."""
    kinds = FILES if "wide" in kept else ("csv",)
    return [
        {
            "kind": kind.upper(),
            "url": reverse("report_figure", args=[project.slug, report, kept["key"], kind]),
        }
        for kind in kinds
    ]


def _genres_in() -> str:
    return "zh" if str(get_language()).startswith("zh") else "en"
