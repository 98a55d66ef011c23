"""The leaderboard of a release, and sending a model's predictions to it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from curation import access, tasks
from curation.forms.submissions import SubmissionForm
from curation.queries import leaderboard as queries
from curation.queries import release_page
from curation.services import submissions
from curation.services.submissions import MOST_BYTES
from curation.views.figure_files import download


@require_safe
def leaderboard(request: HttpRequest, name: str, version: str) -> HttpResponse:
    release = access.release(request.user, name, version)
    found = access.submissions(request.user, release)
    context = {
        "release": release,
        "yank": release_page.yank_of(release),
        "leads": doors.is_lead(request.user, release.project),
        "page": queries.leaderboard(found, sort=request.GET.get("sort", queries.DEFAULT)),
    }
    return render(request, "curation/leaderboard.html", context)


@require_safe
def leaderboard_file(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """What the page shows, with all digits."""
    release = access.release(request.user, name, version)
    page = queries.leaderboard(access.submissions(request.user, release))
    return download(queries.table(page).csv().encode(), "csv", name=f"{name}-{version}-leaderboard")


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, name: str, version: str) -> HttpResponse:
    release = access.release(request.user, name, version)
    posted = request.method == "POST"
    form = SubmissionForm(request.POST, request.FILES) if posted else SubmissionForm()
    if form.is_valid():
        given = dict(form.cleaned_data)
        content = given.pop("file").read()
        try:
            made = submissions.request(release, content=content, by=request.user, now=timezone.now(), **given)
        except DomainError as refusal:
            form.refuse(refusal)
        else:
            tasks.score_submission.delay_on_commit(made.pk)
            return redirect("submission", name=name, version=version, pk=made.pk)
    context = {"release": release, "form": form, "most_bytes": MOST_BYTES}
    return render(request, "curation/submit.html", context, status=422 if form.errors else 200)
