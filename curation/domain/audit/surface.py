r"""What a program sees of a text without reading it, as whole numbers.

words, characters      as annotation/domain/text.py counts them
paragraphs             stretches between blank lines; where there is no blank line, lines
markdown               marks of Markdown: headings, items of lists, quotes, rules, fences, rows of tables,
                       emphasis, code, links
quotation_marks        each " “ ” „ ‟ « » ‹ › 「 」 『 』 〝 〞 〟 ＂ ﹁ ﹂ ﹃ ﹄, and of single ones, which are mostly
                       apostrophes, those that open: ‘, ‚, and ' where a word begins
word_types             different words, without regard to capitals
letters, letter_types  letters, marks and digits after NFC, and different ones: the words of languages without spaces
"""

import unicodedata

import numpy as np
import regex
from numpy.typing import NDArray

from annotation.domain import text as measure
from curation.domain.audit.found import VARIETY

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

COUNTS = (
    "words",
    "characters",
    "paragraphs",
    "markdown",
    "quotation_marks",
    "word_types",
    "letters",
    "letter_types",
)
COLUMN = {name: column for column, name in enumerate(COUNTS)}
LOGGED = ("words", "characters", "paragraphs", "markdown", "quotation_marks")
FEATURES = (*LOGGED, VARIETY)

QUOTATION_MARKS = '"“”„‟«»‹›「」『』〝〞〟＂﹁﹂﹃﹄‘‚'
OPENING_APOSTROPHE = regex.compile(r"(?<![\w'])'(?=\w)")
WITHOUT_JOINERS = dict.fromkeys(map(ord, measure.JOINERS))
BLANK_LINE = regex.compile(r"\n[^\S\n]*+\n")
LINE_END = regex.compile(r"\r\n?|[\u2028\u2029\x85]")
# Each alternative takes time in proportion to what it reads, whatever stands there.
MARKDOWN_OF_LINES = regex.compile(
    r"""^(?:
    [ ]{0,3}(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$  # a rule
    | [ ]{0,3}\#{1,6}+(?=[ \t])  # a heading
    | [ \t]*+(?:[-*+]|\d{1,9}+[.)])(?=[ \t]++\S)  # an item of a list
    | [ ]{0,3}(?:>|```|~~~)  # a quote, a fence
    | [ \t]*+\|[^\n]*\|[ \t]*+$  # a row of a table
    )""",
    regex.X | regex.M,
)
MARKDOWN_WITHIN_LINES = regex.compile(
    r"""
    (?<!\*)\*{1,3}+(?=\S)[^*\n]{1,500}+(?<=\S)\*  # emphasis
    | (?<!\w)_{1,3}+(?=\S)[^_\n]{1,500}+(?<=\S)_{1,3}+(?!\w)
    | `[^`\n]{1,500}+`  # code
    | \[[^\[\]\n]{1,500}+\]\([^()\s]{1,2000}+\)  # a link
    """,
    regex.X,
)


def counts(text: str) -> tuple[int, ...]:
    """The numbers of COUNTS."""
    words = measure.WORD.findall(text)
    is_normal = unicodedata.is_normalized("NFC", text)
    normal = words if is_normal else measure.WORD.findall(unicodedata.normalize("NFC", text))
    letters = "".join(normal).translate(WITHOUT_JOINERS)  # words are letters and what joins them
    lines = LINE_END.sub("\n", text)
    return (
        len(words),
        measure.length(text, "characters"),
        _paragraphs(lines),
        len(MARKDOWN_OF_LINES.findall(lines)) + len(MARKDOWN_WITHIN_LINES.findall(lines)),
        sum(map(text.count, QUOTATION_MARKS)) + len(OPENING_APOSTROPHE.findall(text)),
        len(set(map(str.casefold, words))),
        len(letters),
        len(set(letters)),
    )


def differences(chosen: Counts, rejected: Counts, by_characters: Bools) -> Floats:
    """By pair and feature of FEATURES (N, 6), chosen less rejected, of counts (N, 8).

    Counts as logarithms of one more, so that a text is longer by a share rather than by a number of words, in
    any language. `by_characters` (N,) says whether a pair's type-token ratio is that of letters or of words.
    """
    at = [COLUMN[name] for name in LOGGED]
    logged = np.log1p(chosen[:, at]) - np.log1p(rejected[:, at])
    ratio = _ratio(chosen, by_characters) - _ratio(rejected, by_characters)
    return np.column_stack([logged, ratio])


def types_and_tokens(found: Counts, by_characters: Bools) -> tuple[Counts, Counts]:
    """Of each text (N,), in the unit of its pair."""
    types = np.where(by_characters, found[:, COLUMN["letter_types"]], found[:, COLUMN["word_types"]])
    tokens = np.where(by_characters, found[:, COLUMN["letters"]], found[:, COLUMN["words"]])
    return types, tokens


def _ratio(found: Counts, by_characters: Bools) -> Floats:
    types, tokens = types_and_tokens(found, by_characters)
    return np.asarray(types / np.maximum(tokens, 1))


def _paragraphs(lines: str) -> int:
    pieces = BLANK_LINE.split(lines.strip())
    pieces = pieces if len(pieces) > 1 else lines.split("\n")
    return sum(1 for piece in pieces if piece.strip())
