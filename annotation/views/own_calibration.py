"""An annotator's own pages of a calibration. Their addresses carry no ids: numbers among one's own, places of texts."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.models import Qualification
from annotation.queries import calibration_texts, threads
from annotation.queries import own_calibration as queries
from annotation.views.threads import form_of, take


@require_safe
def calibration(request: HttpRequest, slug: str, language: str, number: int | None = None) -> HttpResponse:
    """The newest, unless a number is named."""
    held = access.own_qualification(request.user, slug, language)
    found = queries.own_calibration(held, number)
    if found is None:
        raise Http404
    context = {**_where(held, language), "calibration": found}
    if isinstance(found, queries.Waiting):
        return render(request, "annotation/own_calibration_none.html", context)
    return render(request, "annotation/own_calibration.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def text(request: HttpRequest, slug: str, language: str, number: int, place: int) -> HttpResponse:
    """A text of a closed round that the person scored, with everybody's reasons, and its thread."""
    held = access.own_qualification(request.user, slug, language)
    first = queries.first_round(held, number)
    reader = held.annotator
    found = calibration_texts.text_page(first, place, reader=reader) if first else None
    if first is None or found is None:
        raise Http404
    response = calibration_texts.response_at(first, place, reader=reader)
    talk = threads.thread(first, response, reader=request.user, pseudonyms=True)
    posting = take(request, first, response, talk) if request.method == "POST" else None
    if request.method == "POST" and posting is None:
        return redirect(request.path + "#thread")
    context = {
        **_where(held, language),
        "number": number,
        "text": found,
        "thread": talk,
        "posting": posting or form_of(talk),
        "thread_address": request.path,
    }
    return render(request, "annotation/own_calibration_text.html", context, status=422 if posting else 200)


def _where(held: Qualification, language: str) -> dict[str, object]:
    return {"project": held.project, "held": held, "language": language}
