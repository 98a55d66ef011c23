"""Which ids were met, where and with what: some 150 bytes an id, so that a million rows fit into memory."""

import unicodedata
from dataclasses import dataclass
from hashlib import blake2b

NAME_BITS, CONTENT_BITS, FILE_BITS, LINE_BITS = 48, 64, 16, 32


@dataclass(frozen=True, slots=True)
class Meeting:
    """An id that was met before: whether it was written the same, whether the content was the same, and where
    it stood first. `line` 0 stands for what is stored already."""

    same_name: bool
    same_content: bool
    file: int
    line: int


def folded(name: str) -> str:
    """Equal for names that a reader would take for one: they differ in case or in Unicode form alone."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Ledger:
    """Ids by their digest. A false meeting needs two of 2^128 to collide."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}

    def meet(self, name: str, content: bytes = b"", *, file: int = 0, line: int = 0) -> Meeting | None:
        """Note the id; None the first time, else what is known of it. The first entry is the one that stays."""
        found = self.find(name, content)
        if found is None:
            entry = (digest(name.encode(), NAME_BITS // 8) << CONTENT_BITS) | digest(
                content, CONTENT_BITS // 8
            )
            self._met[_key(name)] = (entry << FILE_BITS | file) << LINE_BITS | line
        return found

    def find(self, name: str, content: bytes = b"") -> Meeting | None:
        """What is known of the id, without noting it."""
        known = self._met.get(_key(name))
        if known is None:
            return None
        entry, place = known >> (FILE_BITS + LINE_BITS), known & ((1 << (FILE_BITS + LINE_BITS)) - 1)
        return Meeting(
            same_name=entry >> CONTENT_BITS == digest(name.encode(), NAME_BITS // 8),
            same_content=entry & ((1 << CONTENT_BITS) - 1) == digest(content, CONTENT_BITS // 8),
            file=place >> LINE_BITS,
            line=place & ((1 << LINE_BITS) - 1),
        )

    def has(self, name: str) -> bool:
        """Whether the id was met, written exactly so."""
        found = self.find(name)
        return found is not None and found.same_name

    def __len__(self) -> int:
        return len(self._met)


def _key(name: str) -> int:
    return digest(folded(name).encode(), 16)


def digest(content: bytes, size: int) -> int:
    """A number of so many bytes that stands for the content."""
    return int.from_bytes(blake2b(content, digest_size=size).digest(), "big")
