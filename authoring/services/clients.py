"""The one place from which the site speaks to models: the `openai` client, to servers that an operator allowed.

It is slow to load, so workers alone load this module. Proxies are those of the environment; redirects are not followed;
nothing is asked again here, for each asking is a row.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import openai
from django.conf import settings
from django.utils import timezone

from annotation.errors import DomainError
from authoring.domain import chat, keys
from authoring.domain.chat import Answer, Failure
from authoring.models import Endpoint

NO_KEY = "none"  # the client wants one, servers without keys read none
CONNECT_SECONDS = 10.0
MOST_BYTES = 32 * 2**20  # of an answer
Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a model is asked. It holds the key, so it is never shown, logged or kept."""

    base_url: str
    key: str
    timeout: float

    def __repr__(self) -> str:
        return f"Target({self.base_url!r})"


def target_of(endpoint: Endpoint) -> Target | Failure:
    """Failure where the server is not allowed any more, or the key is not there."""
    parts = urlsplit(endpoint.base_url)
    if f"{parts.scheme}://{parts.netloc}" not in settings.MODEL_ORIGINS:
        return Failure("not_allowed")
    try:
        key = keys.read(endpoint.key_name, os.environ) if endpoint.key_name else NO_KEY
    except DomainError as error:
        return Failure("key_missing", detail=error.message)
    return Target(endpoint.base_url, key, float(endpoint.timeout_seconds))


def complete(target: Target, body: Mapping[str, Any], *, once: str) -> Answer | Failure:
    """Ask for one chat completion. `once` names the request, for servers that know an Idempotency-Key."""

    def ask(client: openai.OpenAI) -> Answer | Failure:
        extra = {key: value for key, value in body.items() if key not in ("model", "messages")}
        answer = client.chat.completions.with_raw_response.create(
            model=body["model"],
            messages=body["messages"],
            extra_body=extra,
            extra_headers={"Idempotency-Key": once},
        )
        return chat.read_answer(_body_of(answer.http_response))

    return _asked(target, ask)


def vectors(target: Target, model: str, texts: Sequence[str]) -> list[list[float]] | Failure:
    """An embedding for each text, in their order."""

    def ask(client: openai.OpenAI) -> list[list[float]] | Failure:
        answer = client.embeddings.with_raw_response.create(
            model=model, input=list(texts), encoding_format="float"
        )
        return chat.read_vectors(_body_of(answer.http_response), len(texts))

    return _asked(target, ask)


def _asked(target: Target, ask: Callable[[openai.OpenAI], Answered | Failure]) -> Answered | Failure:
    """What came of it. The text of an error is the server's own; the key is taken out of it, should it be there."""
    try:
        return ask(_client(target))
    except openai.APIStatusError as error:
        return _refused(error, target)
    except openai.APITimeoutError:
        return Failure("timed_out")
    except openai.APIConnectionError as error:
        return Failure("not_reached", detail=_without_key(repr(error.__cause__ or error), target))
    except (ValueError, httpx.HTTPError, openai.OpenAIError) as error:
        return Failure("broken_answer", 200, _without_key(repr(error), target))


@lru_cache(maxsize=32)
def _client(target: Target) -> openai.OpenAI:
    """Shared by the threads of a worker, with its connections."""
    return openai.OpenAI(
        api_key=target.key,
        base_url=target.base_url,
        max_retries=0,
        http_client=httpx.Client(
            timeout=httpx.Timeout(target.timeout, connect=min(CONNECT_SECONDS, target.timeout)),
            follow_redirects=False,
        ),
        default_headers={"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit},
    )


def _body_of(response: httpx.Response) -> Mapping[str, Any]:
    """ValueError where it is no JSON object, or is far too long."""
    if len(response.content) > MOST_BYTES:
        raise ValueError(f"The answer has {len(response.content)} bytes.")
    body = response.json()
    if not isinstance(body, dict):
        raise ValueError("The answer is no JSON object.")
    return body


def _refused(error: openai.APIStatusError, target: Target) -> Failure:
    code = error.code if isinstance(error.code, str) else ""
    return chat.of_status(
        error.status_code,
        _without_key(error.response.text, target),
        code=code,
        wait=chat.asked_wait(error.response.headers.get("Retry-After", ""), now=timezone.now()),
    )


def _without_key(text: str, target: Target) -> str:
    return text.replace(target.key, "[key]") if target.key != NO_KEY else text
