"""The key that signs releases: Ed25519, given by the operator, or made once and kept beside the releases."""

import base64
import os
from functools import cache
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.conf import settings

from annotation.errors import DomainError
from curation.domain.release.files import Seal
from curation.services import directory
from curation.services.verify_script import script

KEPT = ".signing-key"  # below RELEASES_DIR, where no name of a release begins with a dot


def seal() -> Seal:
    """What every release of this installation takes along."""
    key = _key(settings.RELEASE_SIGNING_KEY, settings.RELEASES_DIR)
    return Seal(
        script=script(), public_key=_public(key), sign=lambda content: base64.b64encode(key.sign(content))
    )


def public_key() -> str:
    """In base64, as manifests name it."""
    return _public(_key(settings.RELEASE_SIGNING_KEY, settings.RELEASES_DIR))


def _public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


@cache
def _key(given: str, folder: Path) -> Ed25519PrivateKey:
    if given:
        return read(given)
    try:
        with directory.refusals(folder):
            return read(_kept(folder))
    except directory.DirectoryError as error:
        raise DomainError("cannot_be_written", error.reason) from error


def read(text: str) -> Ed25519PrivateKey:
    """The key from 32 bytes in base64; ValueError where it is none."""
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(text.strip(), validate=True))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError("no Ed25519 key: 32 bytes in base64") from error


def _kept(folder: Path) -> str:
    """The one that lies there, made by whoever comes first; nobody else may read it."""
    path = folder / KEPT
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        apart = folder / f"{KEPT}.{os.getpid()}"
        descriptor = os.open(apart, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(base64.b64encode(made) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(apart, path)  # all or nothing, and never over one that is there
        except FileExistsError:
            pass  # another process was first
        finally:
            apart.unlink()
    return path.read_text(encoding="ascii")
