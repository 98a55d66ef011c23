from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import DomainError
from annotation.forms.projects import NewProjectForm, SettingsForm, language_initial
from annotation.models import Project
from annotation.queries import projects as queries
from annotation.queries.rubrics import reader_language
from annotation.services import projects

# Where on the page a refusal is shown.
SLUG_REFUSALS = {"slug_taken", "slug_reserved"}


@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    operator = access.operator(request.user)
    if request.method != "POST":
        return _new_page(request, NewProjectForm())
    form = NewProjectForm(request.POST)
    if not form.is_valid():
        return _new_page(request, form, status=422)
    given = form.cleaned_data
    try:
        made = projects.create(
            given["slug"] or projects.free_slug(given["name"]),
            name=given["name"],
            taxonomy=given["taxonomy"],
            languages=form.tags(),
            lead=operator,
            by=operator,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error("slug" if refusal.code in SLUG_REFUSALS else None, refusal.message)
        return _new_page(request, form, status=refusal.status)
    return redirect(reverse("project_settings", args=[made.slug]) + "?made")


def _new_page(request: HttpRequest, form: NewProjectForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "taxonomies": queries.offered_taxonomies(reader_language())}
    return render(request, "annotation/project_new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def project_settings(request: HttpRequest, slug: str) -> HttpResponse:
    led = access.led_project(request.user, slug)
    if request.method != "POST":
        initial = {
            **projects.values(led),
            **language_initial(led.languages),
            "version": projects.version(led),
        }
        return _settings_page(request, led, SettingsForm(initial=initial, kept_zone=led.time_zone))
    form = SettingsForm(request.POST, kept_zone=led.time_zone)
    if not form.is_valid():
        return _settings_page(request, led, form, status=422)
    try:
        projects.change(
            led,
            form.settings(),
            version=form.cleaned_data["version"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _settings_page(request, led, form, status=refusal.status)
    return redirect(reverse("project_settings", args=[slug]) + "?saved")


def _settings_page(
    request: HttpRequest, project: Project, form: SettingsForm, status: int = 200
) -> HttpResponse:
    work = queries.work_of(project)
    context = {
        "project": project,
        "form": form,
        "work": work,
        "marks_stay": projects.reason_to_keep_marks(work),
    }
    return render(request, "annotation/project_settings.html", context, status=status)
