from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.errors import Invalid
from curation import access, tasks
from curation.forms import FreezeForm
from curation.models import Run
from curation.queries import runs
from curation.services import releases


@require_safe
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.run(request.user, slug, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.run(request.user, slug, pk)
    if request.method != "POST":
        # The address in the bar after a refused form, opened anew.
        return redirect("run", slug=slug, pk=pk)
    form = FreezeForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form=form)
    try:
        release = releases.request(found, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error(None, refusal.message)
        return _page(request, found, form=form)
    tasks.freeze_release.delay_on_commit(release.pk)
    return redirect("run", slug=slug, pk=pk)


def _page(request: HttpRequest, found: Run, form: FreezeForm | None = None) -> HttpResponse:
    context = {
        "project": found.project,
        "run": runs.run_page(found, now=timezone.now()),
        "form": form or FreezeForm(initial=runs.next_release(found)),
    }
    template = "curation/_run.html" if request.htmx else "curation/run.html"
    return render(request, template, context, status=422 if form else 200)
