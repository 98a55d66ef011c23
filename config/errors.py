"""The page of a fault of ours, with a reference by which its lines in the log are found."""

import logging
import secrets

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template.loader import render_to_string
from django.views.decorators.csrf import requires_csrf_token

logger = logging.getLogger(__name__)
REFERENCE = "X-Reference"


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """Asks neither database nor session, since they may be what has failed."""
    reference = secrets.token_hex(4)
    logger.error("The next traceback was shown to a person as reference %s.", reference)
    page = render_to_string("500.html", {"reference": reference})
    return HttpResponseServerError(page, headers={REFERENCE: reference})
