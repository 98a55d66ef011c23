"""Strict readers of the environment: a bad value stops the start and is named."""

import base64
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

ORIGIN = re.compile(r"https?://[^/\s]+")
MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
MAIL_FORM = "smtp+tls://USER:PASSWORD@HOST:587 (or smtp://, smtps://)"
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
REDIS = re.compile(r"(rediss?|redis\+socket|unix)://\S+")


@dataclass(frozen=True, slots=True)
class MailServer:
    host: str
    port: int
    user: str
    password: str
    starts_tls: bool
    is_tls: bool


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


def mail_server(name: str) -> MailServer | None:
    """The server at smtp://USER:PASSWORD@HOST:PORT; None where there is none.

    smtp+tls turns encryption on after connecting, smtps has it from the start.
    """
    value = secret(name)
    if not value:
        return None
    try:
        url = urlsplit(value)
        port = url.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} cannot be read; write {MAIL_FORM}.") from error
    if url.scheme not in MAIL_PORTS or not url.hostname or url.path.strip("/") or url.query or url.fragment:
        raise ImproperlyConfigured(f"{name} cannot be read; write {MAIL_FORM}.")
    return MailServer(
        host=url.hostname,
        port=port or MAIL_PORTS[url.scheme],
        user=unquote(url.username or ""),
        password=unquote(url.password or ""),
        starts_tls=url.scheme == "smtp+tls",
        is_tls=url.scheme == "smtps",
    )


def redis_url(name: str) -> str:
    value = secret(name)
    if value and not REDIS.match(value):
        raise ImproperlyConfigured(f"{name} cannot be read; write redis://HOST:PORT/0.")
    return value


def bucket(name: str, *, location: str) -> dict | None:
    """The storage of that S3 bucket, below `location`; None where none is named.

    Where it is, and who may use it, boto3 finds out from its own variables (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, ...)
    or from the machine's role.
    """
    value = os.environ.get(name, "")
    if not value:
        return None
    if not BUCKET.fullmatch(value):
        raise ImproperlyConfigured(f"{name} is {value!r}; write the name of an S3 bucket alone.")
    if not all(find_spec(package) for package in ("storages", "boto3")):
        raise ImproperlyConfigured(
            f"{name} needs packages that are not installed: pip install --require-hashes -r requirements-s3.txt"
        )
    options = {"bucket_name": value, "location": location, "file_overwrite": True, "default_acl": None}
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


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


def signing_key(name: str) -> str:
    """32 bytes in base64, the private half of an Ed25519 key; "" where there is none."""
    value = secret(name)
    try:
        if value and len(base64.b64decode(value, validate=True)) != 32:
            raise ValueError(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no key; write 32 random bytes in base64.") from error
    return value
