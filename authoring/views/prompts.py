"""Prompts in the making: the list, a new blueprint, and what can be done with a prompt as a whole."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import is_lead
from annotation.errors import Invalid
from annotation.models import Project
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of, reader_language
from annotation.queries.texts import language_tag
from authoring import access
from authoring.forms.prompts import BeginForm, RetireForm
from authoring.models import AuthoredPrompt
from authoring.queries import prompts as queries
from authoring.queries import versions
from authoring.services import prompts


@require_safe
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.writing_project(request.user, slug)
    reader = reader_language()
    genres, languages = queries.genres(project, reader), queries.languages(project)
    wanted = queries.read_filter(request.GET, genres=dict(genres), languages=dict(languages))
    context = {
        **where(request, project),
        "wanted": wanted,
        "states": queries.states(),
        "genres": genres,
        "languages": languages,
        "page": queries.page(
            project, wanted, request.GET.get("page", ""), reader=request.user, language=reader
        ),
        "waiting": queries.waiting_for(project, request.user),
        "rounds": queries.rounds_until_accepted(project),
        "shortfall": queries.shortfall(project, wanted.target, language=reader),
    }
    return render(request, "authoring/prompts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """A blueprint; `parallel_to` in the address names the prompt that it is in another language."""
    project = access.writing_project(request.user, slug)
    key = request.GET.get("parallel_to", "")
    parallel_to = access.authored(request.user, slug, key) if key else None
    form = _begin_form(request, project, parallel_to)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        given["genre"] = project.genres.filter(key=given["genre"]).first()
        author = access.seat(request.user, project)
        try:
            made = prompts.begin(project, **given, author=author, parallel_to=parallel_to, now=timezone.now())
        except Invalid as refusal:
            form.refuse(refusal)
        else:
            return redirect("authored_edit", slug=slug, key=made.key)
    context = {**where(request, project), "form": form, "parallel_to": parallel_to}
    return render(request, "authoring/begin.html", context, status=422 if form.is_bound else 200)


def _begin_form(request: HttpRequest, project: Project, parallel_to: AuthoredPrompt | None) -> BeginForm:
    genres, languages = queries.genres(project, reader_language()), queries.languages(project)
    initial: dict[str, object] = {}
    if parallel_to is not None:
        there = {parallel_to.language, *(each.language for each, _ in queries.parallels(parallel_to))}
        languages = [(tag, name) for tag, name in languages if tag not in there]
        initial = {**versions.form_values(parallel_to), "language": languages[0][0] if languages else ""}
        initial["key"] = f"{parallel_to.key}-{initial['language']}".lower()[:60]
    data = request.POST if request.method == "POST" else None
    return BeginForm(data, genres=genres, languages=languages, initial=initial)


@require_safe
def prompt(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    return _prompt_page(request, access.authored(request.user, slug, key))


@require_POST
def retire(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    form = RetireForm(request.POST)
    if not form.is_valid():
        return _prompt_page(request, authored, retiring=form)
    prompts.retire(authored, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now())
    return redirect("authored_prompt", slug=slug, key=key)


@require_POST
def reopen(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    prompts.reopen(authored, by=request.user, now=timezone.now())
    return redirect("authored_edit", slug=slug, key=key)


@require_POST
def link(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    other = access.authored(request.user, slug, request.POST.get("other", ""))
    prompts.link(authored, other, by=request.user, now=timezone.now())
    return redirect("authored_prompt", slug=slug, key=key)


@require_POST
def unlink(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    prompts.unlink(authored, by=request.user, now=timezone.now())
    return redirect("authored_prompt", slug=slug, key=key)


def _prompt_page(
    request: HttpRequest, authored: AuthoredPrompt, *, retiring: RetireForm | None = None
) -> HttpResponse:
    history = versions.history(authored, request.user)
    latest = history[0] if history else None
    context = {
        **of_prompt(request, authored),
        "history": history,
        "latest": latest,
        "has_reviewed": latest is not None and any(each.is_own for each in latest.reviews),
        "in_material": [line for line in history if line.prompt],
        "parallels": queries.parallels(authored),
        "linkable": queries.may_be_parallel(authored),
        "retirement": versions.retirement(authored) if authored.state == "retired" else None,
        "retiring": retiring or RetireForm(),
    }
    return render(request, "authoring/prompt.html", context, status=422 if retiring else 200)


# --- What every page of prompts shows ------------------------------------------------------------


def where(request: HttpRequest, project: Project) -> dict[str, object]:
    return {"project": project, "is_lead": is_lead(request.user, project)}


def of_prompt(request: HttpRequest, authored: AuthoredPrompt) -> dict[str, object]:
    genre = name_of(authored.genre, reader_language()) if authored.genre else ""
    return {
        **where(request, authored.project),
        "authored": authored,
        "name": authored.title.strip() or authored.key,
        "genre": genre,
        "language": language_name(authored.language),
        "tag": language_tag(authored.language, counts_characters=False),
        "is_open": authored.state in AuthoredPrompt.OPEN,
    }
