from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation import access
from annotation.forms import drafts as forms
from annotation.services import drafts


@require_POST
def draft(request: HttpRequest, token: str) -> HttpResponse:
    """Keep what a page of work has in its form. Where another tab saved meanwhile, 409 with what that one has."""
    lease = access.lease(request.user, token)
    sent = forms.read(request.body)
    try:
        kept = drafts.save(lease, version=sent.version, content=sent.content, now=timezone.now())
    except drafts.Stale as refusal:
        stale = refusal.kept
        return JsonResponse({"version": stale.version, "content": stale.content}, status=refusal.status)
    return JsonResponse({"version": kept.version, "saved_at": kept.saved_at})
