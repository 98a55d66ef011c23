"""A mark by which training data that swallowed a benchmark can be known."""

import uuid
from hashlib import sha256

SENTENCE = (
    "This benchmark is for evaluation; its records should not appear in training data. Canary GUID {canary}"
)


def derived(*parts: bytes) -> str:
    """The GUID of a release that is made of files: the same files have the same."""
    digest = sha256(b"canary\0")
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return str(uuid.UUID(bytes=digest.digest()[:16], version=4))
