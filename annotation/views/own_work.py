from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.queries import own_work as queries
from annotation.queries.rubrics import reader_language
from annotation.views.hand_out import PAGE_OF


@require_safe
def own_work(request: HttpRequest) -> HttpResponse:
    """The person's own answers, newest first."""
    pages = Paginator(queries.answers(request.user), queries.ON_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    answers = queries.page(request.user, list(page.object_list), language=reader_language())
    context = {"answers": [(PAGE_OF[each.kind], each) for each in answers], "page": page}
    return render(request, "annotation/own_work.html", context)
