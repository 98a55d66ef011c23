"""What an end point may be: a server of those that are allowed, and a body that says nothing the site says itself."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from annotation.domain import strict_json
from annotation.domain.sentences import Said, say

PLAIN = re.compile(r"[!-~]+")  # printable ASCII without blanks: what no reader of addresses takes another way
OF_THE_SITE = frozenset(
    {"model", "messages", "stream", "n", "temperature", "max_tokens", "max_completion_tokens", "input"}
)
SECRET = re.compile(r"key|authorization|secret|password|bearer", re.IGNORECASE)
MOST_EXTRA = 4_000  # characters


def origin_of(base_url: str) -> str:
    """Scheme, host and port as they are written; "" where it is no address."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def address_fault(base_url: str, allowed: Sequence[str]) -> str:
    """Why the site may not ask there; "" where it may."""
    origin = origin_of(base_url)
    if not PLAIN.fullmatch(base_url) or "\\" in base_url or not origin.startswith(("http://", "https://")):
        return say("Write an address such as https://models.example.org/v1.")
    if "@" in origin:
        return say("Leave the user and the password out of the address; a key has a field of its own.")
    if "?" in base_url or "#" in base_url:
        return say("Leave out what begins with ? or # in the address.")
    if origin not in allowed:
        return _not_allowed(origin, allowed)
    return ""


def _not_allowed(origin: str, allowed: Sequence[str]) -> Said:
    if not allowed:
        return say("No server may be asked as long as MODEL_ORIGINS is empty in the environment.")
    return say(
        "{origin} is not one of the servers that may be asked: {allowed}. Whoever runs this site allows others "
        "by MODEL_ORIGINS in the environment.",
        origin=origin,
        allowed=", ".join(allowed),
    )


def read_extra(text: str) -> dict[str, object]:
    """More of the body of a request, from the JSON of an object; {} from nothing. ValueError says what is wrong."""
    if not text.strip():
        return {}
    if len(text) > MOST_EXTRA:
        raise ValueError(say("These are more than {most} characters.", most=MOST_EXTRA))
    found = strict_json.decode(text)
    if not isinstance(found, dict):
        raise ValueError(say('Write a JSON object, such as {{"top_p": 0.95}}.'))
    fault = extra_fault(found)
    if fault:
        raise ValueError(fault)
    return found


def extra_fault(extra: Mapping[str, object]) -> str:
    """Why these may not go along with a request; "" where they may."""
    taken = sorted(name for name in extra if name.lower() in OF_THE_SITE)
    if taken:
        return say("A plan says this itself: {names}. Leave it out.", names=", ".join(taken))
    secret = next((name for name in _names(extra) if SECRET.search(name)), None)
    if secret is not None:
        return say(
            "'{name}' looks like a secret, and what stands here is kept and shown. A key belongs into the environment.",
            name=strict_json.printable(secret[:60]),
        )
    return ""


def _names(value: object) -> list[str]:
    """Of all keys, however deep."""
    if isinstance(value, Mapping):
        return [each for name, part in value.items() for each in (str(name), *_names(part))]
    if isinstance(value, list):
        return [each for part in value for each in _names(part)]
    return []
