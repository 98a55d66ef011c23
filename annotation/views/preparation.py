"""The way from invitation to work: what the annotator sees of it, what the lead sets, and who stands where."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.preparation import GenresForm, MoveForm, PreparationForm, ScreeningForm
from annotation.models import Project, Qualification, Stage
from annotation.queries import preparation as queries
from annotation.queries import screening as asked
from annotation.queries import stages as standings
from annotation.queries import standing as own
from annotation.queries.rubrics import name_of, reader_language
from annotation.services import preparation, stages
from annotation.services import screening as answers

# --- The annotator -------------------------------------------------------------------------------


@require_safe
def standing(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the person stands in each language of the project, and what comes next."""
    member = access.own_membership(request.user, slug)
    lines = [each for each in own.standings(request.user) if each.slug == slug]
    return render(request, "annotation/standing.html", {"project": member.project, "standings": lines})


@require_http_methods(["GET", "HEAD", "POST"])
def screening(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    held = access.own_qualification(request.user, slug, language)
    if held.stage != Stage.SCREENING:
        # Nothing to answer any more, or not yet: the page of the way says where to go on.
        return redirect("standing", slug=slug)
    form = ScreeningForm(
        request.POST or None,
        genres=_genres(held.project),
        questions=standings.settings_of(held.project).questions,
    )
    if request.method != "POST" or not form.is_valid():
        return _screening_page(request, held, form)
    try:
        answers.answer(
            held,
            level=form.cleaned_data["level"],
            familiarity=form.familiarity(),
            answers=form.answers(),
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _screening_page(request, held, form)
    return redirect("standing", slug=slug)


def _screening_page(request: HttpRequest, held: Qualification, form: ScreeningForm) -> HttpResponse:
    context = {
        "project": held.project,
        "standing": own.standing(held),
        "form": form,
        "answered": asked.answered(held, language=reader_language()),
    }
    return render(request, "annotation/screening.html", context, status=422 if form.is_bound else 200)


def _genres(project: Project) -> list[tuple[object, str]]:
    reader = reader_language()
    return [(genre, name_of(genre, reader)) for genre in asked.macro_categories(project)]


# --- The lead ------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    form = PreparationForm(request.POST or None, instance=standings.settings_of(project))
    if request.method == "POST" and form.is_valid():
        try:
            preparation.change(project, form.cleaned_data, by=request.user, now=timezone.now())
            return redirect(f"{request.path}?saved")
        except DomainError as refusal:
            form.add_error(None, refusal.message)
    context = {"project": project, "form": form, "here": "preparation_settings", "is_lead": True}
    return render(
        request, "annotation/preparation_settings.html", context, status=422 if form.is_bound else 200
    )


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """The funnel, and everybody on the way."""
    project = access.led_project(request.user, slug)
    stage, search = request.GET.get("stage", ""), request.GET.get("search", "").strip()[:100]
    page, now = request.GET.get("page", "1"), timezone.now()
    context = {
        "project": project,
        "funnel": queries.funnel(project),
        "lines": queries.people(project, stage=stage, search=search, page=page, now=now),
        "stage": stage,
        "search": search,
        "here": "preparation_people",
        "is_lead": True,
    }
    return render(request, "annotation/preparation_people.html", context)


@require_safe
def record(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _record_page(request, access.led_qualification(request.user, slug, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def move(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    held = access.led_qualification(request.user, slug, pk)
    if request.method != "POST":
        return redirect("preparation_record", slug=slug, pk=pk)
    form = MoveForm(request.POST)
    if not form.is_valid():
        return _record_page(request, held, move_form=form)
    try:
        stages.move(
            held,
            to=form.cleaned_data["stage"],
            reason=form.cleaned_data["reason"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _record_page(request, held, move_form=form)
    return redirect("preparation_record", slug=slug, pk=pk)


@require_POST
def genres(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    held = access.led_qualification(request.user, slug, pk)
    form = GenresForm(request.POST, offered=_genres(held.project))
    if not form.is_valid():
        return _record_page(request, held, genres_form=form)
    stages.set_genres(held, form.chosen(), by=request.user, now=timezone.now())
    return redirect("preparation_record", slug=slug, pk=pk)


def _record_page(
    request: HttpRequest,
    held: Qualification,
    *,
    move_form: MoveForm | None = None,
    genres_form: GenresForm | None = None,
) -> HttpResponse:
    ticked = list(held.genres.values_list("key", flat=True))
    record = queries.record(held, language=reader_language(), now=timezone.now())
    context = {
        "project": held.project,
        "held": held,
        "record": record,
        "answered": asked.answered(held, language=reader_language()),
        "move_form": move_form or MoveForm(initial={"stage": record.line.next.stage or held.stage}),
        "genres_form": genres_form or GenresForm(offered=_genres(held.project), initial={"genres": ticked}),
        "here": "preparation_people",
        "is_lead": True,
    }
    status = 422 if move_form or genres_form else 200
    return render(request, "annotation/preparation_record.html", context, status=status)
