"""What a server that speaks the OpenAI protocol may answer, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from math import isfinite
from typing import Any

from annotation.domain.sentences import Said, say
from annotation.domain.strict_json import printable

MOST_DETAIL = 2_000  # characters of an error that are kept
FIRST_WAIT = timedelta(seconds=2)
LONGEST_WAIT = timedelta(minutes=2)
LONGEST_ASKED_WAIT = timedelta(hours=1)  # that a server is given when it asks for more
ATTEMPTS = 6
REFUSAL = "refusal"  # as finish reason where the model says that it will not


@dataclass(frozen=True, slots=True)
class Answer:
    """`tokens` as the server counted them; None where it did not say. `raw` is all that it sent."""

    text: str
    finish_reason: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """An asking without an answer. `status` is of HTTP, None where none came; `detail` is what the server said."""

    kind: str
    status: int | None = None
    detail: str = ""
    wait: timedelta | None = None  # that the server asked for

    @property
    def may_pass(self) -> bool:
        """Whether asking again may go better."""
        return self.kind in MAY_PASS

    @property
    def stops_all(self) -> bool:
        """Whether no other request to this model would go better either."""
        return self.kind in STOPS_ALL


MAY_PASS = frozenset({"rate_limited", "server_error", "timed_out", "not_reached", "broken_answer", "died"})
STOPS_ALL = frozenset(
    {"key_refused", "key_missing", "no_such_model", "no_money", "not_allowed", "redirected"}
)

MEANINGS: Mapping[str, Said] = {
    "rate_limited": say("The server takes no more requests for a while."),
    "server_error": say("The server met an error of its own."),
    "timed_out": say("The server did not answer in time."),
    "not_reached": say("The server could not be reached, or the connection was cut."),
    "broken_answer": say("The answer of the server could not be read."),
    "died": say("The worker stopped while the answer was awaited."),
    "refused": say("The server refused the request."),
    "key_refused": say("The server refuses the key. An operator has to set another."),
    "key_missing": say(
        "The key of the model is not in the environment of the worker. An operator has to set it."
    ),
    "no_such_model": say(
        "The server knows no such model, or no such address. An operator has to mend the end point."
    ),
    "no_money": say("The account of the model has no money left. Whoever pays for it has to top it up."),
    "not_allowed": say(
        "The end point names a server that this site may not ask. An operator has to allow it."
    ),
    "redirected": say(
        "The server sends elsewhere, which is not followed. An operator has to mend the address."
    ),
}
BY_STATUS = {401: "key_refused", 402: "no_money", 403: "key_refused", 404: "no_such_model"}
PASSING_STATUS = frozenset({408, 409, 425})


def read_answer(body: Mapping[str, Any]) -> Answer | Failure:
    """The first choice of a chat completion."""
    try:
        choice = min(body["choices"], key=lambda each: each.get("index") or 0)
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return Failure("broken_answer", 200, _kept(str(body)))
    text = _text(content)
    if text is None and content is not None:
        return Failure("broken_answer", 200, _kept(str(body)))
    finish = choice.get("finish_reason")
    said = text or ""
    if not said and isinstance(refusal, str) and refusal:
        said, finish = refusal, REFUSAL
    usage = body.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return Answer(
        text=_storable(said),
        finish_reason=printable(str(finish or ""))[:40],
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        model=_storable(str(body.get("model") or ""))[:200],
        raw=_storable_json(body),
    )


def of_status(status: int, detail: str, *, code: str = "", wait: timedelta | None = None) -> Failure:
    """What an answer that is not 200 means. `code` is the one in the body of the error."""
    kept = _kept(detail)
    if status == 429:
        return Failure("no_money" if code == "insufficient_quota" else "rate_limited", status, kept, wait)
    if status >= 500 or status in PASSING_STATUS:
        return Failure("server_error", status, kept, wait)
    if 300 <= status < 400:
        return Failure("redirected", status, kept)
    return Failure(BY_STATUS.get(status, "refused"), status, kept)


def asked_wait(header: str, *, now: datetime) -> timedelta | None:
    """What Retry-After says, in seconds or as a moment; None where it says nothing that can be read."""
    text = header.strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return min(timedelta(seconds=min(float(text), 1e6)), LONGEST_ASKED_WAIT)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        return None
    return min(max(moment - now, timedelta()), LONGEST_ASKED_WAIT)


def wait_before(attempt: int, key: str, asked: timedelta | None) -> timedelta:
    """How long to leave a request alone after so many attempts (from 1): twice as long each time, with up to half as
    much again, drawn by the key, so that not all come back at once."""
    base = min(FIRST_WAIT * (1 << min(attempt - 1, 16)), LONGEST_WAIT)
    drawn = int.from_bytes(blake2b(f"{key}:{attempt}".encode(), digest_size=4).digest()) / 2**32
    return max(base, asked or timedelta()) + base * drawn / 2


def _text(content: object) -> str | None:
    """Of a message, whose content may come in parts."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)
    return None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _kept(detail: str) -> str:
    return _storable(detail)[:MOST_DETAIL]


def _storable(text: str) -> str:
    """Without what a database cannot keep: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, Mapping):
        return {_storable(str(key)): _storable_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_storable_json(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def read_vectors(body: Mapping[str, Any], n: int) -> list[list[float]] | Failure:
    """The embeddings of n texts, in their order, whatever the order of the answer."""
    try:
        found = {each["index"]: [float(value) for value in each["embedding"]] for each in body["data"]}
    except (KeyError, TypeError, ValueError):
        return Failure("broken_answer", 200, _kept(str(body)))
    if found.keys() != set(range(n)) or len({len(vector) for vector in found.values()}) != 1:
        return Failure("broken_answer", 200, _kept(str({"vectors": len(found), "texts": n})))
    return [found[place] for place in range(n)]
