"""Strict readers of the environment: a bad value stops the start and is named."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "")
    if value == "":
        return default
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} is {value!r}; write True or False.")
    return value == "True"


def number(name: str, default: int, *, least: int = 0) -> int:
    value = os.environ.get(name, "")
    if value == "":
        return default
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number, {least} or more.")
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def secret(name: str) -> str:
    """The value of NAME, or the first line of the file that NAME_FILE names."""
    path = os.environ.get(f"{name}_FILE", "")
    if not path:
        return os.environ.get(name, "")
    if os.environ.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise ImproperlyConfigured(f"{name}_FILE is {path!r}: {reason}.") from error
