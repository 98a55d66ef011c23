"""A refusal of several fields of a form at once, and the mark of what a form was made from."""

import json
from collections.abc import Mapping
from hashlib import sha256

from annotation.errors import DomainError, Invalid


class FieldsRefused(Invalid):
    """`fields` says by field why; the message is the first of them."""

    def __init__(self, code: str, fields: Mapping[str, str]) -> None:
        super().__init__(code, next(iter(fields.values())))
        self.fields = fields


class Outdated(DomainError):
    """Somebody else changed what the form was made from.

    `now` holds, by field, what stands there now; `version` is the mark of it.
    """

    def __init__(self, code: str, message: str, *, now: Mapping[str, object], version: str) -> None:
        super().__init__(code, message)
        self.now = now
        self.version = version


def digest(values: Mapping[str, object]) -> str:
    """A short mark that differs where a value differs."""
    text = json.dumps(values, sort_keys=True, default=str, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
