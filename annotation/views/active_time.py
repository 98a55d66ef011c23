from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation import access
from annotation.forms.training import ActiveTimeForm
from annotation.services import work_time


@require_POST
def active_time(request: HttpRequest) -> HttpResponse:
    """A page reports the seconds that somebody was at work on it, since it was opened. Nothing is answered."""
    form = ActiveTimeForm(request.POST)
    if not form.is_valid():
        return HttpResponse(status=422)
    given = form.cleaned_data
    project = access.member_project(request.user, given.pop("project"))
    work_time.note(request.user, project, **given, now=timezone.now())
    return HttpResponse(status=204)
