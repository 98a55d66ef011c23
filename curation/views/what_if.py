"""What recipes would give: a lead asks, a worker computes, the page shows it, also two side by side."""

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.models import Project
from curation import access, tasks
from curation.forms import WhatIfForm, what_if_initial
from curation.models import WhatIf
from curation.queries import what_if_comparison, what_if_list, what_if_names, what_if_page
from curation.services import figures, recipes, runs
from curation.services import what_if as services
from curation.views.figure_files import FILES, download

MINUTES = 10  # that the figures of a what-if are kept in a process


@require_http_methods(["GET", "HEAD", "POST"])
def what_ifs(request: HttpRequest, slug: str) -> HttpResponse:
    """Those there are, and the form for another."""
    project = doors.led_project(request.user, slug)
    if request.method != "POST":
        begun = what_if_list.parameters_to_begin_with(project, request.GET.get("recipe", ""))
        form = WhatIfForm(initial=what_if_initial(begun))
        return _list_page(request, project, form)
    form = WhatIfForm(request.POST)
    if not form.is_valid():
        return _list_page(request, project, form, status=422)
    stored = what_if_list.snapshot_of(project, request.POST.get("snapshot", ""))
    found = services.request(
        project,
        parameters=form.parameters(),
        snapshot=stored if form.cleaned_data["scores"] == "stored" else None,
        by=request.user,
        now=timezone.now(),
    )
    tasks.compute_what_if.delay_on_commit(found.pk)
    return redirect("what_if", slug=slug, pk=found.pk)


@require_safe
def what_if(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One of them. It may be asked for while a worker is at it: numbers come before pictures."""
    found = access.what_if(request.user, slug, pk)
    if found.same_as_id is not None and not request.htmx:
        return redirect("what_if", slug=slug, pk=found.same_as_id)
    state = what_if_page.state(found, now=timezone.now())
    context = {
        "project": found.project,
        "what_if": found,
        "state": state,
        "here": request.path,
        # Somebody who has no numbers yet is shown them as soon as they are there.
        "asks_again": state.is_active and state.has_numbers == ("numbers" in request.GET)
        if request.htmx
        else state.is_active,
    }
    if request.htmx:
        return render(request, "curation/_what_if_state.html", context)
    context |= {
        "form": WhatIfForm(initial=what_if_initial(found.parameters)),
        "changed": what_if_list.changes(found),
        "others": what_if_list.others(found),
        "recipes": what_if_list.names_of_recipes(found.project),
    }
    if state.has_numbers:
        names = what_if_names.names(found.project, language=str(get_language()))
        context |= {
            "numbers": what_if_page.numbers(found, names),
            "figures": _figures(found, language=str(get_language())),
        }
    return render(request, "curation/what_if.html", context)


@require_safe
def compare(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Side by side with another, as a page or as a file; which one stands in the address."""
    found = access.what_if(request.user, slug, pk)
    beside = request.GET.get("with", "")
    if not what_if_list.is_key(beside):
        raise Http404
    other = access.what_if(request.user, slug, int(beside))
    names = what_if_names.names(found.project, language=str(get_language()))
    context = {"project": found.project, "what_if": found, "other": other}
    if found.result is not None and other.result is not None:
        page = context["page"] = what_if_comparison.comparison(found, other, names)
        if request.GET.get("file") == "csv":
            body = what_if_comparison.table(page).csv().encode()
            return download(body, "csv", name=f"{slug}-what-if-{pk}-and-{other.pk}")
    return render(request, "curation/what_if_compare.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Save the parameters as a new version of a recipe of the project, and start a run of it."""
    found = access.what_if(request.user, slug, pk)
    if request.method != "POST":
        # The address in the bar after a refusal, opened anew.
        return redirect("what_if", slug=slug, pk=pk)
    name, now = request.POST.get("recipe", recipes.SHIPPED), timezone.now()
    if name not in what_if_list.names_of_recipes(found.project):
        raise Http404
    recipe = recipes.save(found.project, parameters=found.parameters, name=name, by=request.user, now=now)
    started = runs.request(found.project, recipe=recipe, by=request.user, now=now)
    tasks.run_curation.delay_on_commit(started.pk)
    return redirect("run", slug=slug, pk=started.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def of_run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The what-if of a run's own recipe and snapshot: behind its numbers stand the run's pairs."""
    found = access.run(request.user, slug, pk)
    if found.snapshot is None:
        raise Http404
    if request.method == "POST":
        asked = services.request(
            found.project,
            parameters=found.recipe.parameters,
            snapshot=found.snapshot,
            by=request.user,
            now=timezone.now(),
        )
        tasks.compute_what_if.delay_on_commit(asked.pk)
        return redirect("what_if", slug=slug, pk=asked.pk)
    there = what_if_list.of_run(found)
    if there is None:
        return render(request, "curation/what_if_of_run.html", {"project": found.project, "run": found})
    key = request.GET.get("bar", "")
    if key and there.bars.filter(key=key).exists():
        return redirect("pairs_behind", slug=slug, pk=there.pk, key=key)
    return redirect("what_if", slug=slug, pk=there.pk)


def _list_page(request: HttpRequest, project: Project, form: WhatIfForm, status: int = 200) -> HttpResponse:
    context = {
        "project": project,
        "form": form,
        "snapshot": what_if_list.newest_snapshot(project),
        "lines": what_if_list.lines(project),
    }
    return render(request, "curation/what_ifs.html", context, status=status)


def _figures(found: WhatIf, *, language: str) -> str:
    """As the page prints them; "" before they are drawn. One that is done never changes."""
    if found.state != WhatIf.State.DONE:
        return ""
    cache, key = caches["process"], f"what-if:{found.pk}:{found.finished_at.isoformat()}:{language}"
    there = cache.get(key)
    if there is None:
        shown = [
            {**figures.shown(each), "files": _files(found, each["key"])}
            for each in what_if_list.figures(found, language=language)
        ]
        there = render_to_string("curation/_agreement_figures.html", {"figures": shown})
        cache.set(key, there, timeout=MINUTES * 60)
    return there


def _files(found: WhatIf, key: str) -> list[dict[str, str]]:
    return [
        {
            "kind": kind.upper(),
            "url": reverse("what_if_file", args=[found.project.slug, found.pk, key, kind]),
        }
        for kind in FILES
    ]
