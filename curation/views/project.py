from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.queries import setup
from annotation.queries.rounds import progress
from curation import access, tasks
from curation.queries import recipe_page
from curation.queries import runs as shown
from curation.services import recipes, runs


@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    led = doors.led_project(request.user, slug)
    context = {
        "project": led,
        "steps": setup.steps(led),
        "open_flags": setup.open_flags(led),
        "rounds": progress(led),
        "runs": shown.recent_runs(led),
        "recipes": recipe_page.choices(led),
        "releases": shown.releases_of(led),
    }
    return render(request, "curation/project.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start_run(request: HttpRequest, slug: str) -> HttpResponse:
    led = doors.led_project(request.user, slug)
    if request.method != "POST":
        # The address in the bar after a refusal, opened anew.
        return redirect("project", slug=slug)
    chosen = request.POST.get("recipe", "")
    recipe = (
        access.recipe(request.user, slug, _number(chosen))
        if chosen
        else recipes.current(led, by=request.user, now=timezone.now())
    )
    run = runs.request(led, recipe=recipe, by=request.user, now=timezone.now())
    tasks.run_curation.delay_on_commit(run.pk)
    return redirect("run", slug=slug, pk=run.pk)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise Http404
    return int(text)
