"""Columns as bytes that say themselves whether they are whole.

Equal columns give equal bytes: NumPy writes every member of its archive with the same date.
"""

import io
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from annotation.domain.sentences import Said, say

Column = NDArray[np.generic]

MAGIC = b"plumb-part-1\n"
HEAD = len(MAGIC) + sha256().digest_size
NAMES = "names"  # the member that holds what is no column


class Damaged(ValueError):
    """Bytes that are not what was written; `reason` says so."""

    code = "part_damaged"

    def __init__(self) -> None:
        self.reason: Said = say(
            "A part of the run is damaged or was cut short in the storage. Start a new run, and check the "
            "storage's disk."
        )
        super().__init__(self.reason)


def sealed(names: Mapping[str, object], columns: Mapping[str, Column]) -> bytes:
    """JSON values by name, and columns by name."""
    stream = io.BytesIO()
    stream.write(bytes(HEAD))
    told = np.frombuffer(orjson.dumps(names, option=orjson.OPT_SORT_KEYS), dtype=np.uint8)
    np.savez(stream, allow_pickle=False, **{NAMES: told}, **columns)
    content = stream.getbuffer()
    content[:HEAD] = MAGIC + sha256(content[HEAD:]).digest()
    return bytes(content)


def opened(content: bytes) -> tuple[dict[str, Any], dict[str, Column]]:
    """What was sealed. Damaged where a byte is missing or another."""
    digest = sha256(memoryview(content)[HEAD:]).digest()
    if content[:HEAD] != MAGIC + digest:
        raise Damaged
    with np.load(io.BytesIO(memoryview(content)[HEAD:]), allow_pickle=False) as archive:
        columns = dict(archive)
    names: dict[str, Any] = orjson.loads(columns.pop(NAMES).tobytes())
    return names, columns


def narrow(column: Column) -> Column:
    """Whole numbers of 0 and more in as few bytes as hold them."""
    return column.astype(np.min_scalar_type(int(column.max(initial=0))))
