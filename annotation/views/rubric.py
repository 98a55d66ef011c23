from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.domain.rubrics import RubricContent, required_languages
from annotation.errors import DomainError
from annotation.forms.rubrics import Layout, RubricForm, initial_of, rearranged
from annotation.models import Project, Rubric
from annotation.queries import rubric_versions as history
from annotation.queries import rubrics as queries
from annotation.queries import rulings
from annotation.services import rubrics as services

NOTHING = RubricContent((), (), {})


@require_safe
def rubric(request: HttpRequest, slug: str) -> HttpResponse:
    """The current version, and a list of all."""
    led = access.led_project(request.user, slug)
    return _version_page(request, led, queries.current(led))


@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    led = access.led_project(request.user, slug)
    return _version_page(request, led, access.rubric_version(led, number))


def _version_page(request: HttpRequest, project: Project, found: Rubric | None) -> HttpResponse:
    current = queries.current(project)
    context = {
        "project": project,
        "page": queries.version_page(found, language=queries.reader_language()) if found else None,
        "is_current": found is not None and found == current,
        "versions": history.versions(project),
        "rulings": rulings.of_project(project, reader=queries.reader_language()),
    }
    return render(request, "annotation/rubric.html", context)


@require_safe
def differences(request: HttpRequest, slug: str) -> HttpResponse:
    """Between two versions; where none are named, between the last two."""
    led = access.led_project(request.user, slug)
    last = queries.current(led)
    if last is None:
        raise Http404
    newer = _version(led, request.GET.get("to", ""), default=last.version)
    older = _version(led, request.GET.get("from", ""), default=max(newer.version - 1, 1))
    context = {
        "project": led,
        "older": older,
        "newer": newer,
        "versions": history.versions(led),
        "languages": history.differences(older, newer, language=queries.reader_language()),
    }
    return render(request, "annotation/rubric_diff.html", context)


def _version(project: Project, number: str, *, default: int) -> Rubric:
    if number and not number.isdecimal():
        raise Http404
    return access.rubric_version(project, int(number[:9]) if number else default)


# --- Writing a version ---------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    led = access.led_project(request.user, slug)
    if request.method != "POST":
        return _edit_page(request, led, _form_of_current(led))
    action = request.POST.get("do", "save")
    if action not in ("save", "confirm"):
        layout, values = rearranged(request.POST, action)
        previews = queries.previews(values) if action == "preview" else []
        group = action.partition(":")[2].partition(":")[0]
        form = _form(led, layout, initial=values)
        return _edit_page(request, led, form, previews=previews, at=action, opened=group)
    form = _form(led, Layout.sent(request.POST), data=request.POST)
    if not form.is_valid():
        return _edit_page(request, led, form, status=422)
    try:
        return _save(request, led, form, is_confirmed=action == "confirm")
    except DomainError as refusal:
        return _refused(request, led, form, refusal)


def _save(request: HttpRequest, project: Project, form: RubricForm, *, is_confirmed: bool) -> HttpResponse:
    """Where rounds are under way, it is asked first what becomes of them."""
    based_on, under_way = form.cleaned_data["based_on"], history.rounds_under_way(project)
    if under_way and not is_confirmed:
        services.refuse_unless_new(project, form.content(), based_on=based_on)
        context = {"project": project, "form": form, "rounds": under_way, "version": based_on + 1}
        return render(request, "annotation/rubric_edit_rounds.html", context)
    saved = services.save(
        project,
        form.content(),
        note=form.cleaned_data["note"],
        based_on=based_on,
        renewed=[work.pk for work in under_way if request.POST.get(f"round-{work.pk}") == "renew"],
        by=request.user,
        now=timezone.now(),
    )
    return redirect(f"{reverse('rubric', args=[project.slug])}?saved={len(saved.rounds)}")


def _refused(request: HttpRequest, project: Project, form: RubricForm, refusal: DomainError) -> HttpResponse:
    """The form as it was sent. One that is outdated may be sent again as what follows the latest version."""
    form.add_error(None, refusal.message)
    latest, based_on = queries.current(project), form.cleaned_data["based_on"]
    is_outdated = refusal.code == "rubric_outdated" and latest is not None
    if is_outdated:
        form.data = form.data.copy()
        form.data["based_on"] = latest.version
    return _edit_page(
        request,
        project,
        form,
        status=refusal.status,
        since=(based_on, latest.version) if is_outdated else None,
    )


def _form_of_current(project: Project) -> RubricForm:
    current = queries.current(project)
    content = queries.content(current) if current else NOTHING
    layout = Layout.of(content, queries.genre_names(project, queries.reader_language()))
    based_on = current.version if current else 0
    return _form(project, layout, initial=initial_of(content, layout, based_on=based_on))


def _form(project: Project, layout: Layout, **values: Mapping[str, object]) -> RubricForm:
    return RubricForm(
        layout=layout,
        genres=queries.genre_names(project, queries.reader_language()),
        required=required_languages(project.languages),
        **values,
    )


def _edit_page(
    request: HttpRequest, project: Project, form: RubricForm, status: int = 200, **shown: object
) -> HttpResponse:
    context = {"project": project, "form": form, **shown}
    return render(request, "annotation/rubric_edit.html", context, status=status)


# --- Reading for those who score -----------------------------------------------------------------


@require_safe
def guideline(request: HttpRequest, slug: str) -> HttpResponse:
    """For every member of the project: the current version."""
    project = access.member_project(request.user, slug)
    return _guideline_page(request, project, queries.current(project), where=project.name)


@require_safe
def round_guideline(request: HttpRequest, token: str) -> HttpResponse:
    """For the annotators of a round: the version that it uses."""
    _member, work = access.scoring_round(request.user, token)
    return _guideline_page(request, work.project, work.rubric, where=work.name)


def _guideline_page(
    request: HttpRequest, project: Project, rubric: Rubric | None, *, where: str
) -> HttpResponse:
    reader = queries.reader_language()
    is_lead = access.is_lead(request.user, project)
    context = {
        "project": project,
        "is_lead": is_lead,
        "page": queries.guideline_page(rubric, language=reader) if rubric else None,
        "where": where,
        # An annotator's are those of texts they have scored: others would say what is agreed about those to come.
        "rulings": rulings.of_project(project, reader=reader)
        if is_lead
        else rulings.of_annotator(project, request.user, reader=reader),
    }
    return render(request, "annotation/guideline.html", context)
