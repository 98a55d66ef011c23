from collections.abc import Iterator
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.genres import MacroForm, NamePair, SectionForm
from annotation.models import Genre, Project
from annotation.queries import projects as queries
from annotation.queries.projects import GenreRow
from annotation.queries.rubrics import reader_language
from annotation.services import genres as services

FEW = 3  # so few sections are shown open


@dataclass(frozen=True)
class Section:
    """A macro-category with its types on the page."""

    row: GenreRow
    form: SectionForm
    is_open: bool
    problem: str  # what was refused after the names were stored

    @property
    def macro(self) -> NamePair:
        return next(self.form.pairs())

    def types(self) -> Iterator[tuple[GenreRow, NamePair]]:
        pairs = {pair.place: pair for pair in self.form.pairs()}
        for row in self.row.types:
            if str(row.genre.pk) in pairs:
                yield row, pairs[str(row.genre.pk)]

    @property
    def new(self) -> NamePair:
        return list(self.form.pairs())[-1]


@require_safe
def genres(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, access.led_project(request.user, slug))


@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Store the names of a section, then do to one of its genres what the button says."""
    led = access.led_project(request.user, slug)
    macro = access.genre(led, pk)
    if request.method != "POST" or macro.parent_id:
        return redirect("genres", slug=slug)
    form = _form(macro, request.POST)
    if not form.is_valid():
        return _page(request, led, refused=(macro, form), status=422)
    try:
        services.save_section(
            macro,
            form.given(),
            version=form.cleaned_data["version"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _page(request, led, refused=(macro, form), status=refusal.status)
    try:
        _do(request, led, macro)
    except DomainError as refusal:
        return _page(
            request, led, refused=(macro, _form(macro)), problem=refusal.message, status=refusal.status
        )
    return redirect(f"{reverse('genres', args=[slug])}?open={macro.pk}#genre-{macro.pk}")


def _do(request: HttpRequest, project: Project, macro: Genre) -> None:
    """up:KEY, down:KEY and remove:KEY move and remove a genre of the section; anything else does nothing more."""
    action, _, pk = request.POST.get("do", "").partition(":")
    if action not in ("up", "down", "remove"):
        return
    if not pk.isdecimal():
        raise Http404
    genre = access.genre(project, int(pk))
    if macro.pk not in (genre.pk, genre.parent_id):
        raise Http404
    by, now = request.user, timezone.now()
    if action == "remove":
        services.remove(genre, by=by, now=now)
    else:
        services.move(genre, up=action == "up", by=by, now=now)


@require_http_methods(["GET", "HEAD", "POST"])
def add_macro(request: HttpRequest, slug: str) -> HttpResponse:
    led = access.led_project(request.user, slug)
    if request.method != "POST":
        return redirect("genres", slug=slug)
    form = MacroForm(request.POST)
    if not form.is_valid():
        return _page(request, led, adding=form, status=422)
    given = form.cleaned_data
    try:
        added = services.add_macro(
            led, given["english"], given["chinese"], by=request.user, now=timezone.now()
        )
    except DomainError as refusal:
        form.add_error("english", refusal.message)
        return _page(request, led, adding=form, status=refusal.status)
    return redirect(f"{reverse('genres', args=[slug])}?open={added.pk}#genre-{added.pk}")


@require_http_methods(["GET", "HEAD", "POST"])
def taxonomy(request: HttpRequest, slug: str) -> HttpResponse:
    led = access.led_project(request.user, slug)
    if request.method == "POST":
        offered = {each.key for each in queries.offered_taxonomies(reader_language())}
        if request.POST.get("taxonomy") not in offered:
            raise Http404
        services.replace_all(led, request.POST["taxonomy"], by=request.user, now=timezone.now())
    return redirect("genres", slug=slug)


def _form(macro: Genre, data: dict[str, str] | None = None) -> SectionForm:
    section = [macro, *macro.types.order_by("position", "pk")]
    return SectionForm(
        data,
        names={str(genre.pk): (genre.name_en, genre.name_zh) for genre in section},
        initial={"version": services.section_version(macro)},
        auto_id=f"s{macro.pk}-%s",
    )


def _page(
    request: HttpRequest,
    project: Project,
    *,
    refused: tuple[Genre, SectionForm] | None = None,
    problem: str = "",
    adding: MacroForm | None = None,
    status: int = 200,
) -> HttpResponse:
    tree = queries.genre_tree(project)
    wished = request.GET.get("open", "")
    sections = []
    for row in tree:
        is_refused = refused is not None and refused[0].pk == row.genre.pk
        is_open = is_refused or len(tree) <= FEW or wished == str(row.genre.pk)
        form = refused[1] if is_refused else _form(row.genre)
        sections.append(Section(row, form, is_open, problem if is_refused else ""))
    context = {
        "project": project,
        "sections": sections,
        "adding": adding or MacroForm(auto_id="add-%s"),
        "taxonomies": []
        if queries.any_genre_is_used(project)
        else queries.offered_taxonomies(reader_language()),
    }
    return render(request, "annotation/genres.html", context, status=status)
