from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.forms.votes import CHOOSE_A_CATEGORY
from annotation.models import Round
from annotation.queries import category_votes as queries
from annotation.services import category_votes as services
from annotation.views import choices

PAGE = choices.ChoicePage(
    name="vote",
    template="annotation/vote.html",
    ask=CHOOSE_A_CATEGORY,
    item=queries.item,
    chosen="category",
    submit=services.submit,
    revise=services.revise,
)


@require_http_methods(["GET", "HEAD", "POST"])
def vote(request: HttpRequest, token: str) -> HttpResponse:
    """To which category a prompt belongs."""
    return choices.answer(request, access.lease_of(request.user, token, Round.Kind.CATEGORIES), PAGE)
