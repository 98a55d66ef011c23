"""Embeddings of texts from a configured end point. As clients.py, for workers alone."""

from collections.abc import Sequence

from annotation.errors import DomainError, Invalid
from authoring.domain.chat import MEANINGS, Failure
from authoring.models import Endpoint
from authoring.services import clients


class NotEmbedded(DomainError):
    """A server that gave no embeddings. `failure` says why, and whether asking again may go better."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind, MEANINGS[failure.kind])
        self.failure = failure


def embed(endpoint: Endpoint, texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text, in their order, all of one length. NotEmbedded where the server gave none."""
    if endpoint.kind != Endpoint.Kind.EMBEDDINGS:
        raise Invalid("bad_endpoint", f"{endpoint.name} gives no embeddings.")
    target = clients.target_of(endpoint)
    found = target if isinstance(target, Failure) else clients.vectors(target, endpoint.model, texts)
    if isinstance(found, Failure):
        raise NotEmbedded(found)
    return found
