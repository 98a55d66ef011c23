"""Bearer tokens, in the Authorization header alone: never in an address, where logs would keep them."""

import logging

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError
from rest_framework.request import Request

from annotation import access
from annotation.models import ApiToken, User
from annotation.services import tokens
from api import throttling

SCHEME = b"bearer"
logger = logging.getLogger(__name__)


class TokenInAddress(ParseError):
    default_code = "token_in_address"
    default_detail = (
        "A token stands in the address, where logs and histories keep it. Revoke it, make another, "
        "and send that in the header 'Authorization: Bearer TOKEN'."
    )


class BearerToken(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != SCHEME:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("Write the header as 'Authorization: Bearer TOKEN'.")
        now = timezone.now()
        token = access.valid_token(words[1].decode("latin-1"), now=now)
        if token is None:
            # A token has 256 bits and is not found by trying. The limit keeps such a client from the log and,
            # with one that holds a valid token behind the same address, does not shut that out.
            throttling.count_failure(request)
            address = throttling.client_address(request)
            logger.warning("A token that is unknown, expired or revoked came from %s.", address)
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        tokens.note_use(token, now=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="plumb"'


def refuse_token_in_address(request: Request) -> None:
    for _name, values in request.query_params.lists():
        if any(value.strip().startswith(tokens.PREFIX) for value in values):
            raise TokenInAddress
