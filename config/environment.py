"""Strict readers of the environment: a bad value stops the start and is named."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

ORIGIN = re.compile(r"https?://[^/\s]+")
REDIS = re.compile(r"(rediss?|redis\+socket|unix)://\S+")


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
    return [word.strip() for word in (os.environ.get(name) or default).split(",") if word.strip()]


def origins(name: str) -> list[str]:
    found = words(name)
    for origin in found:
        if not ORIGIN.fullmatch(origin):
            raise ImproperlyConfigured(
                f"{name} has {origin!r}; write origins such as https://plumb.example.org."
            )
    return found


def choice(name: str, default: str, *, allowed: Sequence[str]) -> str:
    value = os.environ.get(name) or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; write one of {', '.join(allowed)}.")
    return value


def redis_url(name: str) -> str:
    value = secret(name)
    if value and not REDIS.match(value):
        raise ImproperlyConfigured(f"{name} cannot be read; write redis://HOST:PORT/0.")
    return value


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
