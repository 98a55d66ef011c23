"""What a service may refuse. The code is stable and tested; the message is for the person who reads it."""

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


class Invalid(DomainError):
    """The input itself cannot be accepted."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
