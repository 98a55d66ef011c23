"""Ids of prompts and responses that came without one."""

import hashlib
import unicodedata

JOIN = "|"  # between the columns of one value, and between the pieces of one


def prompt_id_of(prompt: str) -> str:
    """The id of a prompt of which only the text is known."""
    return "p-" + _digest(prompt)


def response_id_of(prompt_id: str, *, model: str = "", sample: str = "", text: str = "") -> str:
    """The id of a response that came without one: prompt|model or prompt|model|sample.

    Where neither model nor sample is known the text tells the responses to a prompt apart.
    """
    names = [name for name in (model, sample) if name] or ["t-" + _digest(text)]
    return JOIN.join([prompt_id, *names])


def _digest(text: str) -> str:
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:12]
