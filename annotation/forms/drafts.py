"""The shape of a draft, as a page sends it in JSON."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.errors import Invalid

MOST_NAMES = 500
LATEST_VERSION = 2**31 - 2

Content = dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class SentDraft:
    version: int  # of the draft that the page has seen last; 0 for none
    content: Content  # the names of the form with their values


def read(body: bytes) -> SentDraft:
    """Invalid where it is none."""
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _bad() from error
    version, content = (sent.get("version"), sent.get("content")) if isinstance(sent, dict) else (None, None)
    if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version <= LATEST_VERSION:
        raise _bad()
    if not isinstance(content, dict) or len(content) > MOST_NAMES:
        raise _bad()
    return SentDraft(version, {_storable(name): _value(value) for name, value in content.items()})


def _value(value: Any) -> str | list[str]:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return [_storable(each) for each in value]
    raise _bad()


def _storable(text: str) -> str:
    """Without what PostgreSQL cannot hold: NUL, and halves of a character."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _bad() -> Invalid:
    return Invalid("bad_draft", _("This is no draft."))
