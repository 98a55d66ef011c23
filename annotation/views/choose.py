from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.forms.votes import CHOOSE_A_TEXT
from annotation.models import Round
from annotation.queries import preferences as queries
from annotation.services import preferences as services
from annotation.views import choices

PAGE = choices.ChoicePage(
    name="choose",
    template="annotation/choose.html",
    ask=CHOOSE_A_TEXT,
    item=queries.item,
    chosen="preferred",
    submit=services.submit,
    revise=services.revise,
)


@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest, token: str) -> HttpResponse:
    """Which of two responses is better."""
    return choices.answer(request, access.lease_of(request.user, token, Round.Kind.PAIRS), PAGE)
