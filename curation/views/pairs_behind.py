"""The pairs behind a number of a what-if, one of them, and both as files; also the what-if's tables and figures."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from curation import access
from curation.models import WhatIf, WhatIfBar
from curation.queries import pairs_behind, what_if_names, what_if_page
from curation.queries.what_if_page import Numbers
from curation.services import what_if_figures
from curation.views.figure_files import FILES, as_file, download


@require_safe
def pairs(request: HttpRequest, slug: str, pk: int, key: str) -> HttpResponse:
    kept = access.what_if_bar(request.user, slug, pk, key)
    asked = request.GET.get("page", "1")
    number = int(asked) if asked.isdecimal() and len(asked) <= 6 else 1
    context = {
        **_context(kept),
        "bar": pairs_behind.bar_page(kept, _numbers(kept.what_if), page=number),
    }
    return render(request, "curation/pairs_behind.html", context)


@require_safe
def pair(request: HttpRequest, slug: str, pk: int, key: str, place: int) -> HttpResponse:
    kept = access.what_if_bar(request.user, slug, pk, key)
    genres_in = "zh" if str(get_language()).startswith("zh") else "en"
    found = pairs_behind.pair_page(kept.what_if, kept, place, language=genres_in)
    if found is None:
        raise Http404
    title = pairs_behind.title(key, _numbers(kept.what_if))
    context = {**_context(kept), "pair": found, "key": key, "bar_title": title}
    return render(request, "curation/pair.html", context)


@require_safe
def pairs_file(request: HttpRequest, slug: str, pk: int, key: str) -> HttpResponse:
    """All that are kept of those behind the number."""
    kept = access.what_if_bar(request.user, slug, pk, key)
    body = pairs_behind.table(kept).csv().encode()
    return download(body, "csv", name=f"{slug}-what-if-{pk}-{key}")


@require_safe
def file(request: HttpRequest, slug: str, pk: int, key: str, kind: str) -> HttpResponse:
    """A table, which is there as soon as the numbers are, or the picture of it."""
    name = f"{slug}-what-if-{pk}-{key}"
    if kind not in FILES:
        raise Http404
    if kind != "csv":
        figure = access.what_if_figure(request.user, slug, pk, key, language=str(get_language()))
        return as_file(figure, kind, name=name)
    found = access.what_if(request.user, slug, pk)
    table = what_if_figures.table(key, _numbers(found)) if found.result is not None else None
    if table is None:
        raise Http404
    return download(table.csv().encode(), kind, name=name)


def _context(kept: WhatIfBar) -> dict[str, object]:
    return {"project": kept.what_if.project, "what_if": kept.what_if}


def _numbers(found: WhatIf) -> Numbers:
    return what_if_page.numbers(found, what_if_names.names(found.project, language=str(get_language())))
