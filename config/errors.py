"""What is shown where no view answers: of a fault of ours, with a reference by which its lines in the log are found."""

import logging
import secrets

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template.loader import render_to_string
from django.views import defaults
from django.views.decorators.csrf import requires_csrf_token

from api.errors import plain_refusal

logger = logging.getLogger(__name__)
REFERENCE = "X-Reference"
API = "/api/"


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """Asks neither database nor session, since they may be what has failed."""
    reference = secrets.token_hex(4)
    logger.error("The next traceback was shown to a person as reference %s.", reference)
    if request.path_info.startswith(API):
        told = "This is a fault of the server, which its log has under the reference that `instance` gives."
        response = plain_refusal("server_error", told, status=500, instance=f"urn:plumb:{reference}")
        response[REFERENCE] = reference
        return response
    page = render_to_string("500.html", {"reference": reference})
    return HttpResponseServerError(page, headers={REFERENCE: reference})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path_info.startswith(API):
        return plain_refusal("bad_request", "The request cannot be read.", status=400)
    return defaults.bad_request(request, exception)
