"""What of a text a program can count: a sanity figure beside a requirement, never a judgement.

words        the length as everywhere else: words, or characters of a language that is written without spaces
sentences    end in . ! ? or …, with quotes and brackets behind it, where a space and no small letter follows; in 。！？
             wherever they stand. Titles like Dr., initials, e.g. and No. before a number end none. A line of a list,
             and what is left without a mark at the end of a paragraph, is a sentence of its own.
paragraphs   parts between blank lines; where a text has none, as is usual in Chinese, its lines. Headings and rules are
             none; items that follow each other are one.
list items   lines behind -, * or +, a bullet, 1. or 1), 1、 一、 （一） or ①
string       how often it occurs, without overlaps, after NFC; capital letters are others than small ones
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

import regex

from annotation.domain.text import length, unit_for

Measure = Literal["words", "sentences", "paragraphs", "list_items", "string"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

NUMERAL = "一二三四五六七八九十百"
MARKER = regex.compile(
    rf"[^\S\n]*(?:[-*+][^\S\n]+|[•·‣◦●○▪–—][^\S\n]*|\d{{1,3}}(?:[.．](?!\d)|[)）、])[^\S\n]*"
    rf"|[（(](?:\d{{1,3}}|[{NUMERAL}]{{1,3}})[)）][^\S\n]*|[{NUMERAL}]{{1,3}}[、.．][^\S\n]*|[①-⑳][^\S\n]*)(?=\S)"
)
BLANK_LINES = regex.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
HEADING = regex.compile(r"[^\S\n]{0,3}#{1,6}(?:[^\S\n]|$)")
RULE = regex.compile(r"[^\S\n]*(?:(?:\*[^\S\n]*){3,}|(?:-[^\S\n]*){3,}|(?:_[^\S\n]*){3,}|={3,})$")
WRITTEN = regex.compile(r"[\p{L}\p{N}]")
LOOK_AHEAD = 8  # characters behind a full stop, blanks among them
CLOSING = r"""["'”’»\)\]）】》」』*_]*+"""
MARKS = regex.compile(
    rf"(?P<chinese>[。！？｡][。！？｡.!?…]*+{CLOSING})"
    rf"|(?<![.!?…])(?P<latin>[.!?…]++){CLOSING}(?=\s+[^\s\p{{Ll}}]|\s*$)"
)
BEFORE = r"(?<![\p{L}\p{M}\p{N}.])"
TITLE = regex.compile(
    rf"{BEFORE}(?:Mr|Mrs|Ms|Dr|Prof|St|Rev|Gen|Col|Capt|Lt|Sgt|Mt|vs|cf|(?:\p{{L}}\.)+\p{{L}}|[\p{{Lu}}--I])$",
    regex.V1,
)
OF_A_NUMBER = regex.compile(rf"{BEFORE}(?:No|Nos|Nr|Fig|Vol|Ch|pp?|ca?|approx)$", regex.V1)


@dataclass(frozen=True, slots=True)
class Check:
    """A bound on a count, at least one of `least` and `most`; or, of measure "string", what must occur."""

    measure: Measure
    least: int | None = None
    most: int | None = None
    string: str = ""


def number(check: Check, text: str, language: str) -> int:
    """What is counted of the text; `language` is a tag, "" where it is not known."""
    match check.measure:
        case "words":
            return words(text, language)
        case "sentences":
            return sentences(text)
        case "paragraphs":
            return paragraphs(text)
        case "list_items":
            return list_items(text)
        case "string":
            return occurrences(check.string, text)


def holds(check: Check, text: str, language: str) -> bool:
    found = number(check, text, language)
    if check.measure == "string":
        return found > 0
    return (check.least is None or found >= check.least) and (check.most is None or found <= check.most)


# --- Counts --------------------------------------------------------------------------------------


def words(text: str, language: str) -> int:
    """Characters where the language is written without spaces, as every length of this site."""
    return length(text, unit_for("auto", language, "", text))


def sentences(text: str) -> int:
    return sum(_sentences(piece) for piece in _pieces(text))


def paragraphs(text: str) -> int:
    found, in_list = 0, False
    for block in _blocks(text):
        written = [line for line in block.split("\n") if _says_something(line)]
        if written:
            found += not (in_list and _is_item(written[0]))
            in_list = _is_item(written[-1])
    return found


def list_items(text: str) -> int:
    return sum(_is_item(line) for line in _unix(text).split("\n"))


def occurrences(string: str, text: str) -> int:
    """0 for an empty string."""
    sought = unicodedata.normalize("NFC", string)
    return unicodedata.normalize("NFC", text).count(sought) if sought else 0


# --- How -----------------------------------------------------------------------------------------


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _blocks(text: str) -> list[str]:
    whole = _unix(text).strip()
    return BLANK_LINES.split(whole) if BLANK_LINES.search(whole) else whole.split("\n")


def _is_item(line: str) -> bool:
    return bool(MARKER.match(line)) and not RULE.match(line)


def _says_something(line: str) -> bool:
    return bool(WRITTEN.search(line)) and not HEADING.match(line) and not RULE.match(line)


def _pieces(text: str) -> list[str]:
    """Blocks, cut where a line begins an item of a list or is a heading; without the marks of either."""
    pieces: list[str] = []
    for block in _blocks(text):
        is_open = False
        for line in block.split("\n"):
            if RULE.match(line):
                is_open = False
                continue
            is_heading, is_item = bool(HEADING.match(line)), _is_item(line)
            said = MARKER.sub("", line, count=1) if is_item else line
            if is_open and not is_item and not is_heading:
                pieces[-1] += f"\n{said}"
            else:
                pieces.append(said)
            is_open = not is_heading
    return pieces


def _sentences(piece: str) -> int:
    found, begin = 0, 0
    for mark in MARKS.finditer(piece):
        before = piece[begin : mark.start()]
        if mark["latin"] == "." and _is_abbreviated(
            before, piece[mark.end() : mark.end() + LOOK_AHEAD].lstrip()[:1]
        ):
            continue
        found += bool(WRITTEN.search(before))
        begin = mark.end()
    return found + bool(WRITTEN.search(piece[begin:]))


def _is_abbreviated(before: str, following: str) -> bool:
    """Whether a full stop behind this, and before that letter, is of a short form. "I." ends a sentence."""
    tail = before[-24:]
    return bool(following and TITLE.search(tail)) or bool(following.isdecimal() and OF_A_NUMBER.search(tail))
