"""JSON that is one value for the whole file: a list of objects, one object around such a list, or one object.

The file is cut at the ends of its items and each is decoded alone, so that memory holds one item at a time.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from annotation.domain.rows import InputError, Record
from annotation.domain.sentences import say
from annotation.domain.sources.encodings import utf8_chunks
from annotation.domain.sources.shape import Shape
from annotation.domain.strict_json import MAX_DEPTH, NotJson, decode, printable, shown

MAX_ITEM = 32 * 1024 * 1024  # bytes
DEEPEST = MAX_DEPTH + 2  # brackets beyond which a value is refused without being decoded

SPACE = re.compile(rb"[ \t\r\n]*+")
SCALAR = re.compile(rb"[^,:\]}\s]*+")
INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # of a string
STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
INNERMOST = rb'[{\[](?:[^"{}\[\]]++|' + STRING + rb")*+[}\]]"
# What opens and closes no more brackets than it has: plain parts, whole strings, the innermost lists and objects.
LEVEL = re.compile(rb'(?:[^"{}\[\]]++|' + STRING + rb"|" + INNERMOST + rb")*+", re.DOTALL)
END = b""


def read(path: Path, shape: Shape, source: str) -> Iterator[Record]:
    """The items as records; `line` is the number of the item."""
    scanner = _Scanner(utf8_chunks(path, shape.encoding, source), source)
    if scanner.next_byte() == b"[":
        yield from _list(scanner)
    elif scanner.next_byte() == b"{":
        key = _key_of_list(_Scanner(utf8_chunks(path, shape.encoding, source), source))
        yield from _single(scanner) if key is None else _wrapped(scanner, key)
    elif scanner.next_byte() == END:
        raise InputError(say("the file is empty; it needs at least one row"), line=1, source=source)
    else:
        raise scanner.error(say("the file is no list of objects; write it as [{{...}}, {{...}}]"))
    if scanner.next_byte() != END:
        scanner.item = 0
        raise scanner.error(
            say(
                "something stands after the end of the list or object; put all rows into one list, or one a line"
            )
        )


# --- the three forms ---------------------------------------------------------------------------------------


def _list(scanner: "_Scanner") -> Iterator[Record]:
    scanner.take(b"[")
    if scanner.next_byte() == b"]":
        scanner.take(b"]")
        return
    while True:
        scanner.item += 1
        yield _record(scanner)
        mark = scanner.next_byte()
        if mark == b"]":
            scanner.take(b"]")
            return
        if mark == END:
            raise scanner.cut_off()
        if mark != b",":
            raise scanner.error(say("after this item a comma or the end of the list is missing; add it"))
        scanner.take(b",")
        if scanner.next_byte() == b"]":
            raise scanner.error(say("a comma stands between this item and the end of the list; delete it"))


def _wrapped(scanner: "_Scanner", key: bytes) -> Iterator[Record]:
    for found in _keys(scanner):
        if found == key:
            yield from _list(scanner)
        else:
            scanner.skip()


def _single(scanner: "_Scanner") -> Iterator[Record]:
    scanner.item = 1
    yield _record(scanner)


def _key_of_list(scanner: "_Scanner") -> bytes | None:
    """The key, as written, of the only list of objects within an object; None where there is none or are several."""
    found: list[bytes] = []
    for key in _keys(scanner):
        if scanner.next_byte() == b"[":
            scanner.take(b"[")
            if scanner.next_byte() == b"{":
                found.append(key)
            scanner.skip(depth=1)
        else:
            scanner.skip()
    return found[0] if len(found) == 1 else None


def _keys(scanner: "_Scanner") -> Iterator[bytes]:
    """The keys of an object; whoever asks for the next must have gone past the value."""
    scanner.take(b"{")
    while scanner.next_byte() == b'"':
        key = scanner.value()
        scanner.take(b":")
        yield key
        if scanner.next_byte() != b",":
            break
        scanner.take(b",")
    scanner.take(b"}")


def _record(scanner: "_Scanner") -> Record:
    written = scanner.value()
    value = _decoded(written, scanner)
    if not isinstance(value, dict):
        raise scanner.error(say("{value} is not an object; write a list of objects", value=shown(value)))
    return Record(scanner.item, value, scanner.source, False, "item")


def _decoded(written: bytes, scanner: "_Scanner") -> object:
    try:
        return decode(written.decode())
    except UnicodeDecodeError as error:
        byte = f"0x{written[error.start]:02x}"
        reason = say("the byte {byte} is not UTF-8; save the file as UTF-8", byte=byte)
        raise scanner.error(reason, str(error.start + 1)) from error
    except NotJson as error:
        raise scanner.error(_fault_of_item(error), error.place) from error


def _fault_of_item(error: NotJson) -> str:
    if not error.syntax:
        return error.reason
    return say(
        "not valid JSON ({fault} at character {place} of the item); correct the item",
        fault=error.syntax,
        place=error.place,
    )


# --- cutting -----------------------------------------------------------------------------------------------


class _Scanner:
    """Goes through UTF-8 bytes value by value. `item` is the number of the item it is at; 0: at none."""

    def __init__(self, chunks: Iterator[bytes], source: str) -> None:
        self.item = 0
        self.source = source
        self._chunks = chunks
        self._buffer = b""
        self._at = 0

    def error(self, reason: str, column: str = "") -> InputError:
        return InputError(
            reason, line=self.item or None, column=printable(column), source=self.source, unit="item"
        )

    def cut_off(self) -> InputError:
        return self.error(
            say("the file ends within a list or object, as if it had been cut off; copy it again")
        )

    def next_byte(self) -> bytes:
        """The next byte that is no white space, without taking it; END at the end."""
        while True:
            self._at = _end(SPACE, self._buffer, self._at)
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._more():
                return END

    def take(self, mark: bytes) -> None:
        found = self.next_byte()
        if found == END:
            raise self.cut_off()
        if found != mark:
            reason = say(
                "not valid JSON: '{wanted}' is missing before '{found}'; correct the file",
                wanted=mark.decode(),
                found=printable(found.decode("latin-1")),
            )
            raise self.error(reason)
        self._at += 1

    def value(self) -> bytes:
        """The bytes of the next value."""
        if self.next_byte() == END:
            raise self.cut_off()
        held: list[bytes] = []
        size = 0
        for piece in self._pieces(0):
            held.append(piece)
            size += len(piece)
            if size > MAX_ITEM:
                raise self.error(
                    say("the item is longer than {most} MiB; split or shorten it", most=MAX_ITEM // 2**20)
                )
        return b"".join(held)

    def skip(self, depth: int = 0) -> None:
        """Goes past the next value, or past what is left of `depth` brackets."""
        self.next_byte()
        for _ in self._pieces(depth):
            pass

    def _more(self) -> bool:
        """Puts the next chunk in place of the one that was read."""
        for chunk in self._chunks:
            if chunk:
                self._buffer, self._at = chunk, 0
                return True
        return False

    def _pieces(self, depth: int) -> Iterator[bytes]:
        """The next value, as far as each chunk has it."""
        begin = self._at
        first = self._buffer[begin : begin + 1]
        walk = _Walk(depth, scalar=not depth and first not in (b"{", b"[", b'"'))
        if not depth and first == b'"':
            walk.inside = True
            self._at += 1
        while True:
            self._at, done = walk.through(self._buffer, self._at)
            yield self._buffer[begin : self._at]
            if walk.depth > DEEPEST:
                raise self.error(
                    say("the value is nested too deep; the most is {most} levels", most=MAX_DEPTH)
                )
            if done:
                return
            if not self._more():
                if walk.scalar:
                    return
                raise self.cut_off()
            begin = 0


class _Walk:
    """Where the end of a value is looked for: how many brackets are open, whether within a string."""

    def __init__(self, depth: int, scalar: bool) -> None:
        self.depth = depth
        self.scalar = scalar
        self.inside = False
        self._escaped = False

    def through(self, buffer: bytes, at: int) -> tuple[int, bool]:
        """The place up to which the buffer belongs to the value, and whether the value ends there."""
        if self.scalar:
            at = _end(SCALAR, buffer, at)
            return at, at < len(buffer)
        while at < len(buffer):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            if self.inside or self.depth:  # else the value begins here, with a bracket
                at = _end(INSIDE if self.inside else LEVEL, buffer, at)
            mark = buffer[at : at + 1]
            at += len(mark)
            if self._ends_at(mark) or self.depth > DEEPEST:
                return at, True
        return at, False

    def _ends_at(self, mark: bytes) -> bool:
        if self.inside:
            self._escaped = mark == b"\\"
            self.inside = mark != b'"'
        elif mark == b'"':
            self.inside = True
        elif mark in (b"{", b"["):
            self.depth += 1
        elif mark:
            self.depth -= 1
        return bool(mark) and not self.inside and self.depth == 0


def _end(pattern: re.Pattern[bytes], buffer: bytes, at: int) -> int:
    """Where a pattern that may be empty stops."""
    match = pattern.match(buffer, at)
    return match.end() if match else at
