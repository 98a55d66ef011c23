"""The files of a release as chunks, each read once, and what they turn out to be."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

import orjson

from curation.domain.release.merkle import Tree, root_of_roots

RECORDS = "data/"  # files below it hold records, one a line
ROWS_AT_A_TIME = 256
BYTES_AT_A_TIME = 2**18
DECIMALS = 10  # of a statistic: sums of doubles may differ in the last bits between machines


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Of one file: its size, its lines, its SHA-256, and the Merkle root of its records where it holds some."""

    bytes: int
    rows: int
    sha256: str
    merkle_root: str = ""

    def as_dict(self) -> dict[str, object]:
        root = {"merkle_root": self.merkle_root} if self.merkle_root else {}
        return {"bytes": self.bytes, "rows": self.rows, "sha256": self.sha256, **root}


@dataclass(frozen=True, slots=True)
class Seal:
    """What a release takes along as proof: the program that verifies it, and who signs its manifest. `public_key` is
    Ed25519 in base64, "" where nobody signs."""

    script: bytes = b""
    public_key: str = ""
    sign: Callable[[bytes], bytes] | None = None


class Release(Mapping[str, Iterator[bytes]]):
    """The files of a release, path to content in chunks.

    Each is read once, all in this order: the manifest and the checksums speak of the files before them. `facts`
    fills as they are read. `withheld` are paths that not everybody gets.
    """

    def __init__(self) -> None:
        self.facts: dict[str, FileFacts] = {}
        self.withheld: set[str] = set()
        self._chunks: dict[str, Iterator[bytes]] = {}

    def add(self, path: str, content: Iterable[bytes], *, withheld: bool = False) -> None:
        self._chunks[path] = self._noted(path, content)
        if withheld:
            self.withheld.add(path)

    def __getitem__(self, path: str) -> Iterator[bytes]:
        return self._chunks[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)

    def open_facts(self) -> dict[str, FileFacts]:
        """Of what has been read so far and everybody gets."""
        return {path: facts for path, facts in self.facts.items() if path not in self.withheld}

    def merkle_root(self) -> str:
        """Over the records of all files that have been read so far."""
        return root_of_roots(
            {path: facts.merkle_root for path, facts in self.facts.items() if facts.merkle_root}
        )

    def _noted(self, path: str, content: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks as they are, noting what the file turns out to be."""
        digest, size, rows = sha256(), 0, 0
        tree, rest = Tree() if path.startswith(RECORDS) else None, b""
        for chunk in content:
            digest.update(chunk)
            size += len(chunk)
            rows += chunk.count(b"\n")
            if tree is not None:
                *lines, rest = (rest + chunk).split(b"\n")
                tree.extend(lines)
            yield chunk
        self.facts[path] = FileFacts(size, rows, digest.hexdigest(), tree.root() if tree else "")


def document(value: object) -> bytes:
    """A JSON document for people to open: indented by two, keys in the order given, one line end at the end."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def later(make: Callable[[], bytes]) -> Iterator[bytes]:
    """What can only be made once the files before it have been read."""
    yield make()


def rounded(value: object) -> object:
    """The value with every double in it rounded to DECIMALS."""
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0  # -0.0 becomes 0.0
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return value


def lines_of(rows: Iterable[object], canary: str = "") -> Iterator[bytes]:
    """A line for each row: the fields of its dataclass, in their order, and last the canary where there is one."""
    tail = orjson.dumps({"": canary})[4:-1] if canary else b""
    last = b',"canary":' + tail + b"}\n"
    lines: list[bytes] = []
    size = 0
    for row in rows:
        line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        lines.append(line[:-2] + last if canary else line)
        size += len(lines[-1])
        if len(lines) == ROWS_AT_A_TIME or size >= BYTES_AT_A_TIME:
            yield b"".join(lines)
            lines.clear()
            size = 0
    yield b"".join(lines)
