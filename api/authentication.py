"""Bearer tokens, in the Authorization header alone: never in an address, where logs would keep them."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation import access
from annotation.models import User

SCHEME = b"bearer"


class BearerToken(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, None] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != SCHEME:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("Write the header as 'Authorization: Bearer TOKEN'.")
        user = access.token_owner(words[1].decode("latin-1"), now=timezone.now())
        if user is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        return user, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="plumb"'
