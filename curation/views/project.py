from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.queries import setup
from annotation.queries.rounds import progress
from curation import tasks
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
        "releases": shown.releases_of(led),
    }
    return render(request, "curation/project.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start_run(request: HttpRequest, slug: str) -> HttpResponse:
    led = doors.led_project(request.user, slug)
    if request.method != "POST":
        # The address in the bar after a refusal, opened anew.
        return redirect("project", slug=slug)
    run = runs.request(
        led,
        recipe=recipes.current(led, by=request.user, now=timezone.now()),
        by=request.user,
        now=timezone.now(),
    )
    tasks.run_curation.delay_on_commit(run.pk)
    return redirect("run", slug=slug, pk=run.pk)
