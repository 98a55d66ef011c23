"""Characters that no reader sees, or that stand where a conversion failed."""

import unicodedata

import regex

from annotation.domain.sentences import Said, say
from annotation.domain.triage.findings import Case, Finding, place, quote

ODD = regex.compile(
    "["
    "\ufffd"  # replacement
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff"  # zero width
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls that are no white space
    "\ufff9-\ufffc\ufffe\uffff\U000e0000-\U000e007f"  # annotations, non-characters, tags
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    "]"
)
REPLACED = regex.compile("[\ufffc\ufffd]")
LAYOUT = regex.compile(r"[\n\r\t\u3000]+")
MARKS_OF_DIRECTION = frozenset("\u061c\u200e\u200f")
JOINERS = frozenset("\u200c\u200d")

# Scripts in which joiners shape letters, and the signs that a joiner makes into one emoji.
SHAPED = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}"
    r"\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}]"
)
EMOJI = regex.compile(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3\U000e0020-\U000e007f]")
PICTURE = regex.compile(r"\p{Extended_Pictographic}")
BLACK_FLAG = "\U0001f3f4"
FLAG = regex.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,12}\U000e007f")
WRITTEN_FROM_RIGHT = regex.compile(r"[\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}]")


def odd_characters(case: Case) -> Finding | None:
    text = case.text
    # All others count as not printable, and this is quick to see.
    if not REPLACED.search(text) and "".join(LAYOUT.split(text)).isprintable():
        return None
    flags = _flags(text)
    from_right = WRITTEN_FROM_RIGHT.search(text) is not None
    odd = [
        match.start()
        for match in ODD.finditer(text)
        if match.start() not in flags and not _belongs(text, match.start(), from_right)
    ]
    if not odd:
        return None
    return Finding("odd_characters", _detail(text, odd[0], len(odd)))


def _flags(text: str) -> set[int]:
    """The positions of the invisible tags that spell the region of a flag, such as Scotland's."""
    if BLACK_FLAG not in text:
        return set()
    return {at for match in FLAG.finditer(text) for at in range(*match.span())}


def _belongs(text: str, at: int, from_right: bool) -> bool:
    """Whether an invisible character does there what it is made for."""
    sign = text[at]
    if sign == "\ufeff":
        return at == 0
    if sign in MARKS_OF_DIRECTION:
        return from_right
    if sign not in JOINERS or not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if sign == "\u200d" and EMOJI.match(before) and PICTURE.match(after):
        return True
    return SHAPED.match(before) is not None


def _detail(text: str, at: int, count: int) -> Said:
    code = f"U+{ord(text[at]):04X} {unicodedata.name(text[at], '')}".strip()
    return say(
        "odd characters ({count}); the first, at character {place}, is {code}: {evidence}",
        count=count,
        place=place(at),
        code=code,
        evidence=quote(text, at, at + 1),
    )
