"""A submission to a release: its results, whether they are published, and itself against another."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from annotation.queries.jobs import error_of
from annotation.queries.people import person_name
from curation import access, tasks
from curation.forms.submissions import AgainstForm
from curation.models import Comparison, Submission
from curation.queries import submission_page as queries
from curation.queries.report_state import WAITING_TOO_LONG
from curation.services import submissions
from curation.views.figure_files import download

ACTIVE = (Submission.State.QUEUED, Submission.State.RUNNING)


@require_safe
def submission(request: HttpRequest, name: str, version: str, pk: int) -> HttpResponse:
    found = access.submission(request.user, name, version, pk)
    context = {
        "release": found.release,
        "submission": found,
        "by": person_name(found.queued_by),
        "is_active": found.state in ACTIVE,
        "error": error_of(found),
        "waits_too_long": found.state == Submission.State.QUEUED
        and timezone.now() - found.queued_at > WAITING_TOO_LONG,
        "publication": getattr(found, "publication", None),
        "here": request.path,
    }
    if request.htmx:
        return render(request, "curation/_submission_state.html", context)
    context["leads"] = doors.is_lead(request.user, found.release.project)
    if found.state == Submission.State.DONE:
        context["page"] = queries.submission_page(found, number=request.GET.get("page", "1"))
        context |= _against(request, found)
    return render(request, "curation/submission.html", context)


def _against(request: HttpRequest, found: Submission) -> dict[str, object]:
    """What ?against= asks for, as far as it is there; a submission that the reader may not see is not."""
    others = queries.others(access.submissions(request.user, found.release), found)
    given = request.GET.get("against", "")
    form = AgainstForm({"against": given} if given else None, others=others)
    shown: dict[str, object] = {"against_form": form, "others": others}
    if not form.is_valid():
        return shown
    other = access.submission(
        request.user, found.release.name, found.release.version, form.cleaned_data["against"]
    )
    comparison = queries.comparison_of(found, other)
    shown |= {"other": other, "comparison": comparison}
    if comparison is not None and comparison.state == Comparison.State.DONE:
        shown["against"] = queries.against_page(comparison, found)
    elif comparison is not None:
        shown |= {
            "comparison_is_active": comparison.state in ACTIVE,
            "comparison_error": error_of(comparison),
        }
    return shown


@require_safe
def parts_file(request: HttpRequest, name: str, version: str, pk: int) -> HttpResponse:
    """What the page says by part, with all digits."""
    found = access.submission(request.user, name, version, pk)
    if found.state != Submission.State.DONE:
        raise Http404
    return download(
        queries.parts_table(found).csv().encode(), "csv", name=f"{name}-{version}-submission-{pk}"
    )


@require_POST
def compare(request: HttpRequest, name: str, version: str, pk: int) -> HttpResponse:
    """Ask for the comparison with another that the person may see."""
    found = access.submission(request.user, name, version, pk)
    others = queries.others(access.submissions(request.user, found.release), found)
    form = AgainstForm(request.POST, others=others)
    address = reverse("submission", args=[name, version, pk])
    if not form.is_valid():
        return redirect(address)
    other = access.submission(request.user, name, version, form.cleaned_data["against"])
    try:
        made = submissions.compare(found, other, by=request.user, now=timezone.now())
    except DomainError:
        return redirect(address)  # one of them has no result: the page does not offer it
    if made.state != Comparison.State.DONE:
        tasks.compare_submissions.delay_on_commit(made.pk)
    return redirect(f"{address}?against={other.pk}#against")


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, name: str, version: str, pk: int) -> HttpResponse:
    """Show it to every reader of the release, or with `take_back` no longer."""
    found = access.led_submission(request.user, name, version, pk)
    if request.method == "POST" and found.state == Submission.State.DONE:
        act = submissions.unpublish if "take_back" in request.POST else submissions.publish
        act(found, by=request.user, now=timezone.now())
    return redirect("submission", name=name, version=version, pk=pk)
