"""Files made for a test, read as anybody's file is: what it is, is found out first."""

import struct
import zlib
from pathlib import Path

import pytest

from annotation.domain.records import InputError, Record
from annotation.domain.sources import Shape, detect, read_any


def made(folder: Path, content: str | bytes, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(path: Path, shape: Shape | None = None) -> list[Record]:
    return list(read_any(path, shape or detect(path, name=path.name), name=path.name))


def values_of(path: Path) -> list[dict[str, object]]:
    return [row.values for row in rows_of(path)]


def refusal(path: Path, shape: Shape | None = None) -> InputError:
    """The refusal of a file, which says what to do: its sentence has a second part."""
    with pytest.raises(InputError) as caught:
        rows_of(path, shape)
    error = caught.value
    assert str(error).startswith(path.name)
    assert any(mark in error.reason for mark in (";", ":", ","))
    assert hasattr(error.reason, "template"), "a page must be able to say it in another language"
    return error


def place_of(error: InputError) -> tuple[str, int | None, str]:
    return error.unit, error.line, error.column


def bomb(name: str, megabytes: int) -> bytes:
    """A zip archive of one file of spaces, made without ever having them all."""
    block = b" " * 1_000_000
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)) * megabytes + packer.flush()
    crc = 0
    for _ in range(megabytes):
        crc = zlib.crc32(block, crc)
    written = name.encode()
    common = struct.pack(
        "<HHHHHLLLHH", 20, 0, 8, 0, 33, crc, len(packed), len(block) * megabytes, len(written), 0
    )
    member = b"PK\x03\x04" + common + written + packed
    directory = b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(14) + written
    end = struct.pack("<HHHHLLH", 0, 0, 1, 1, len(directory), len(member), 0)
    return member + directory + b"PK\x05\x06" + end
