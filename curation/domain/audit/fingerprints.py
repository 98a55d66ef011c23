"""What is kept of a text to find it again: a digest for the same text, a sketch for one that shares most.

    digest   SHA-256 of the text after NFC, trimming and collapsing of white space: equal texts, equal digests
    sketch   MinHash of the sequences of five characters (annotation/domain/triage/duplicates.py); the share of equal
             numbers in two sketches estimates Jaccard's share, with a standard error of at most .045

Sketches hang on the version of the library that makes them, so each bears its method and is compared only with its
like; digests can be compared for ever. Empty texts are like nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version

import numpy as np
import orjson
from numpy.typing import NDArray
from rensa import RMinHash

from annotation.domain.text import same_text_key
from annotation.domain.triage.duplicates import COMPARED, GRAM, HASHES, SEED

Sketches = NDArray[np.uint32]

METHOD = f"rensa {version('rensa')}, {HASHES} hashes, {GRAM} characters, seed {SEED}"
NOTHING = b""  # the digest of an empty text
NUMBER = np.dtype("<u4")
DIGEST = 32  # bytes
SKETCH = HASHES * NUMBER.itemsize


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Of a text of an earlier release. `sketch` may be empty: then only the same text is looked for."""

    release: str
    response: str
    digest: bytes
    sketch: bytes = b""
    method: str = METHOD


def of_texts(release: str, texts: Iterable[tuple[str, str]]) -> Iterator[Fingerprint]:
    """Of the texts of a release, as (response id, text), one at a time."""
    for response, text in texts:
        yield Fingerprint(release, response, digest(text), sketch(text))


def to_bytes(found: Iterable[Fingerprint]) -> bytes:
    """What `found` are, but for their release and method: to be kept, texts without words left out.

    A line of JSON with the ids of the responses, then all digests, then all sketches, which are there.
    """
    kept = [each for each in found if each.digest != NOTHING]
    names = orjson.dumps([each.response for each in kept], option=orjson.OPT_APPEND_NEWLINE)
    return names + b"".join(each.digest for each in kept) + b"".join(each.sketch for each in kept)


def from_bytes(release: str, content: bytes, *, method: str = METHOD) -> Iterator[Fingerprint]:
    """What to_bytes kept; ValueError on bytes of another length than their first line tells."""
    head = content.index(b"\n") + 1
    names: list[str] = orjson.loads(content[:head])
    sketches_at = head + DIGEST * len(names)
    if len(content) != sketches_at + SKETCH * len(names):
        raise ValueError(f"{len(content)} bytes are not the fingerprints of {len(names)} texts")
    for place, name in enumerate(names):
        at, then = head + DIGEST * place, sketches_at + SKETCH * place
        yield Fingerprint(release, name, content[at : at + DIGEST], content[then : then + SKETCH], method)


def digest(text: str) -> bytes:
    key = same_text_key(text)
    return sha256(key.encode("utf-8", "surrogatepass")).digest() if key else NOTHING


def sketch(text: str) -> bytes:
    made = RMinHash(num_perm=HASHES, seed=SEED)
    codes = np.frombuffer(body(text).encode("utf-32-be", "surrogatepass"), dtype=">u4")
    if codes.size:
        windows = np.lib.stride_tricks.sliding_window_view(codes, min(GRAM, codes.size))
        # Each sequence as bytes: to make them of the text takes four times as long.
        made.update(np.ascontiguousarray(windows).view(f"S{4 * windows.shape[1]}")[:, 0].tolist())
    return np.array(made.digest(), dtype=NUMBER).tobytes()


def sketches(written: bytes) -> Sketches:
    """Sketches one after the other, as an array (S, HASHES)."""
    return np.frombuffer(written, dtype=NUMBER).reshape(-1, HASHES)


def body(text: str) -> str:
    """What is compared of a text."""
    return same_text_key(text)[:COMPARED]
