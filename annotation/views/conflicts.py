from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation import access
from annotation.services import conflicts
from annotation.views import hand_out


@require_POST
def conflict(request: HttpRequest, token: str) -> HttpResponse:
    """One click: the text goes back, and the next one comes."""
    lease = access.lease(request.user, token)
    conflicts.declare(lease, note=request.POST.get("note", "")[:500], now=timezone.now())
    return hand_out.onward(lease)
