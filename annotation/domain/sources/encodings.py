"""Which of six encodings a text is written in, and its bytes turned into UTF-8.

A mark at the beginning decides; then zero bytes show UTF-16; then whatever is UTF-8 is UTF-8. GB18030 and cp1252
can decode nearly anything, so that between them plausibility decides: Chinese stands in common characters of two
high bytes each, Western text has single letters with accents among plain ones. What is neither is refused.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.text_rows import chunks_of

SAMPLE = 256 * 1024  # bytes that are looked at where the encoding must be guessed
BEFORE = 64 * 1024  # of them before the first byte that is not UTF-8
HEAD = 64 * 1024  # bytes in which zeros and control characters are counted

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MARKS_OF_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)

CONTROLS = bytes(sorted({*range(32), 127} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B}))
MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
HIGH = re.compile(rb"[\x80-\xff]")
FOREIGN = re.compile(r"[^\x00-\x7f]+")  # a run of characters beyond ASCII
WESTERN = re.compile(r"[À-ÖØ-öø-ÿŒœŠšŽžŸƒªº€£¥¢§©®™°±²³µ×÷½¼¾†·«»‹›“”„‘’‚–—…•¡¿´\xa0]")
LATIN = re.compile(r"[A-Za-z]")
SMALL = re.compile(r"[a-z]")

# First bytes of two in GB 2312: punctuation and full-width forms, kana, the most common characters.
SIGNS = (0xA1, 0xA3)
KANA = (0xA4, 0xA5)
LEVEL_1 = range(0xB0, 0xD8)
HANGUL = 0xC8  # where Korean has its last syllables, the characters from Mandarin m- on follow in GB 2312
SEVERAL = 20

# Shares by which a guess must be borne out, in per cent.
COMMON = 50
SOME = 10
FEW = 2
PLAUSIBLE = 90
LONGEST_RUN = 2  # of accented letters in Western text, on average


def encoding_of(path: Path, source: str) -> str:
    """One of shape.ENCODINGS; InputError where the file is no text in any of them."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(MARKS_OF_UTF32):
        raise _refused(say("the file is UTF-32; save it as UTF-8"), source)
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    utf16 = _utf16_by_zeros(head)
    if utf16:
        return utf16
    bad = _first_not_utf8(path, source)
    controls = len(head) - len(head.translate(None, CONTROLS))
    if 100 * controls > len(head) * (30 if bad is None else 2):
        raise _refused(
            say("the file is no text and no table; export the data as CSV, JSONL or .xlsx"), source
        )
    return "utf-8" if bad is None else _guess(_sample(path, bad), source)


def utf8_chunks(path: Path, encoding: str, source: str) -> Iterator[bytes]:
    """The text of a file as UTF-8 bytes without a mark, piece by piece. A byte that is not of the encoding is an
    InputError; in UTF-8 itself nothing is checked, that is left to whoever decodes it."""
    chunks = chunks_of(path, source)
    if encoding in ("utf-8", "utf-8-sig"):
        for place, chunk in enumerate(chunks):
            yield chunk if place else chunk.removeprefix(codecs.BOM_UTF8)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    line, column, at_start = 1, 0, True
    for chunk, final in _with_end(chunks):
        good, fault = _decoded(decoder, chunk, final)
        yield (good.removeprefix("\ufeff") if at_start else good).encode()
        at_start = at_start and not good
        line, column = _moved(good, encoding, line, column)
        if fault is not None:
            raise _misfit(fault, encoding, line, column, source)


def _refused(reason: str, source: str) -> InputError:
    return InputError(reason, source=source)


# --- guessing --------------------------------------------------------------------------------------------


def _utf16_by_zeros(head: bytes) -> str:
    """UTF-16 without a mark has the zeros of its plain letters on one side of each pair of bytes: of many letters
    in a Western text, of some in a Chinese one, which then is no UTF-8. A NUL in plain text is neither."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    enough = len(head) // (20 if HIGH.search(MULTIBYTE.sub(b"", head)) else 5)
    if odd > enough and odd > 4 * even:  # a zero on the other side is in U+4E00, the Chinese for "one"
        return "utf-16-le"
    if even > enough and even > 4 * odd:
        return "utf-16-be"
    return ""


def _first_not_utf8(path: Path, source: str) -> int | None:
    """The place of the first byte that is not UTF-8, about; None where the whole file is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    for chunk, final in _with_end(chunks_of(path, source)):
        try:
            decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            return done + error.start
        done += len(chunk)
    return None


def _sample(path: Path, bad: int) -> bytes:
    """Whole lines, or nearly, around a place."""
    begin = max(0, bad - BEFORE)
    with path.open("rb") as file:
        file.seek(begin)
        sample = file.read(SAMPLE)
    if begin:
        sample = sample[sample.find(b"\n", 0, bad - begin) + 1 :]
    end = sample.rfind(b"\n") + 1
    return sample[:end] if len(sample) == SAMPLE and end else sample


def _guess(sample: bytes, source: str) -> str:
    whole = MULTIBYTE.findall(sample)
    rest = len(HIGH.findall(MULTIBYTE.sub(b"", sample)))
    if len(whole) > 3 * rest:
        return "utf-8"  # with a broken byte, whose place the reader will name
    if is_chinese(sample):
        return "gb18030"
    if _is_western(sample):
        return "cp1252"
    raise _refused(
        say("the encoding is none of UTF-8, UTF-16, GB18030 and Windows-1252; save the file as UTF-8"), source
    )


def is_chinese(sample: bytes) -> bool:
    """Whether most characters are among the 3,755 most common ones or Chinese punctuation and do not stand alone
    within Latin words, as a pair of accented letters would. Japanese and Korean, whose bytes are alike, are told by
    kana and by syllables that all lie within a part of that range."""
    text = sample.decode("gb18030", "replace")
    codes = [
        character.encode("gb18030")
        for run in FOREIGN.finditer(text)
        for character in run.group()
        if len(run.group()) > 1 or not _within_word(text, run.start())
    ]
    # Four bytes are emoji and rare characters: they speak neither for Chinese nor against it.
    found = sum(len(character.encode("gb18030")) == 2 for character in "".join(FOREIGN.findall(text)))
    common = sum(_is_common(code) for code in codes)
    kana = sum(code[0] in KANA for code in codes)
    korean = found > SEVERAL and not any(HANGUL < code[0] <= LEVEL_1[-1] for code in codes)
    if _is_broken(text, found) or korean or 100 * kana > SOME * found:
        return False
    return 100 * common >= COMMON * max(found, 1)


def _is_broken(text: str, found: int) -> bool:
    """Whether more than single bytes do not belong; those the reader names with their place."""
    return text.count("\ufffd") > 1 + FEW * found // 100


def _within_word(text: str, place: int) -> bool:
    """Whether Latin letters stand around, as in AÇÃO, or small ones on one side, as in Íñigo."""
    around = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
    return len(LATIN.findall(around)) == 2 or SMALL.search(around) is not None


def _is_common(code: bytes) -> bool:
    return len(code) == 2 and (code[0] in SIGNS or code[0] in LEVEL_1) and code[1] >= 0xA1


def _is_western(sample: bytes) -> bool:
    text = sample.decode("cp1252", "replace")
    runs = FOREIGN.findall(text.replace("\ufffd", ""))
    count = sum(map(len, runs))
    letters = sum(len(WESTERN.findall(run)) for run in runs)
    if _is_broken(text, count):
        return False
    return 100 * letters >= PLAUSIBLE * max(count, 1) and count <= LONGEST_RUN * len(runs)


# --- turning into UTF-8 ----------------------------------------------------------------------------------


def _with_end(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each chunk, and after the last an empty one that is marked as the end."""
    for chunk in chunks:
        yield chunk, False
    yield b"", True


def _decoded(
    decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool
) -> tuple[str, UnicodeDecodeError | None]:
    """The text of a chunk as far as it is of the encoding, and what stopped it."""
    try:
        return decoder.decode(chunk, final), None
    except UnicodeDecodeError as error:
        decoder.reset()
        return decoder.decode(error.object[: error.start]), error


def _moved(good: str, encoding: str, line: int, column: int) -> tuple[int, int]:
    """The line, and the bytes into it, at the end of a piece of text."""
    lines = good.count("\n")
    tail = good[good.rfind("\n") + 1 :]
    size = len(tail.encode(encoding))
    return line + lines, size if lines else column + size


def _misfit(fault: UnicodeDecodeError, encoding: str, line: int, column: int, source: str) -> InputError:
    reason = say(
        "the byte {byte} is not {encoding}; save the file as UTF-8",
        byte=f"0x{fault.object[fault.start]:02x}",
        encoding=encoding,
    )
    return InputError(reason, line=line, column=str(column + 1), source=source)
