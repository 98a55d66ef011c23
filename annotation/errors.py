"""What a service may refuse. The code is stable and tested; the message is for the person who reads it."""

from datetime import timedelta
from http import HTTPStatus


class DomainError(Exception):
    """A request that the state of the world refuses."""

    status = HTTPStatus.CONFLICT

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NotAllowed(DomainError):
    """The person may see the thing but not do this to it."""

    status = HTTPStatus.FORBIDDEN


class TooMany(DomainError):
    """More than may be asked for in a time. `wait` is how long until the next."""

    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, code: str, message: str, *, wait: timedelta) -> None:
        super().__init__(code, message)
        self.wait = wait


class Invalid(DomainError):
    """The input itself cannot be accepted."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
