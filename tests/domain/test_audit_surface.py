"""What the audit sees of a text: counted by hand, in English and Chinese."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain import text as measure
from curation.domain.audit import surface
from curation.domain.audit.surface import COLUMN, COUNTS, FEATURES

pytestmark = pytest.mark.files

NO, YES = np.array([False]), np.array([True])


def seen(text: str) -> dict[str, int]:
    return dict(zip(COUNTS, surface.counts(text), strict=True))


def table(text: str) -> np.ndarray:
    return np.array([surface.counts(text)])


def difference(name: str, chosen: str, rejected: str, by_characters: np.ndarray = NO) -> float:
    found = surface.differences(table(chosen), table(rejected), by_characters)
    return float(found[0, FEATURES.index(name)])


def test_an_english_text_counted_by_hand():
    assert seen('The tide said: "The clock is late."\n\nThe bell didn\'t.') == {
        "words": 10,
        "characters": 43,
        "paragraphs": 2,
        "markdown": 0,
        "quotation_marks": 2,
        "word_types": 8,  # The the The are one
        "letters": 37,
        "letter_types": 14,
    }


def test_a_chinese_text_counted_by_hand():
    assert seen("「潮水」来了，\n潮水走了。") == {
        "words": 3,  # runs between marks
        "characters": 12,
        "paragraphs": 2,
        "markdown": 0,
        "quotation_marks": 2,
        "word_types": 3,
        "letters": 8,
        "letter_types": 5,
    }


def test_nothing_has_nothing():
    assert set(surface.counts("")) == {0}
    assert set(surface.counts(" \n\n ")) == {0}


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("one", 1),
        ("one\ntwo", 2),
        ("one\r\ntwo\r\n", 2),
        ("one\n\ntwo\nstill two", 2),
        ("one\n \t\n\n\ntwo", 2),
        ("\n\none\n\n", 1),
        ("一\n二\n三", 3),
        ("one\u2029two", 2),
    ],
)
def test_paragraphs_lie_between_blank_lines_or_else_are_lines(text, paragraphs):
    assert seen(text)["paragraphs"] == paragraphs


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("# Title\n\nText", 1),
        ("Text #1 and C# and #tag", 0),
        ("- one\n- two\n* three\n+ four", 4),
        ("1. one\n2) two\n   10. three", 3),
        ("It was 1984. 12 men came", 0),
        ("> said\n> he", 2),
        ("a > b", 0),
        ("---", 1),
        ("* * *", 1),
        ("***", 1),
        ("a -- b --- c", 0),
        ("**bold** and *slanted* and ***both***", 3),
        ("__bold__ and _slanted_", 2),
        ("snake_case_name and 2 * 3 * 4", 0),
        ("`code` and ```", 1),
        ("```\ncode\n```", 2),
        ("[a link](https://example.org) and [none] (here)", 1),
        ("| a | b |\n|---|---|\n| 1 | 2 |", 3),
        ("**标题**\n\n- 一\n- 二", 3),
        ("一、标题", 0),
        ("- Yes.\n\n", 1),
        ("—Sí —dijo.", 0),
    ],
)
def test_marks_of_markdown(text, marks):
    assert seen(text)["markdown"] == marks


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ('"one" and "two"', 4),
        ("“one” „two‟ «three» ‹four›", 8),
        ("「一」『二』〝三〞", 6),
        ("“潮水”，‘钟’", 3),  # a single mark that closes looks like an apostrophe
        ("'Yes,' he said, 'it's the dogs' bone.'", 2),
        ("It's the boys’ bell", 0),
        ("5 ft 10", 0),
    ],
)
def test_quotation_marks(text, marks):
    assert seen(text)["quotation_marks"] == marks


def test_a_ratio_is_of_words_or_of_characters():
    assert difference("type_token_ratio", "a b c d", "a b a b") == 1 - 2 / 4
    assert difference("type_token_ratio", "潮水来了", "潮潮水水", YES) == 1 - 2 / 4
    assert difference("type_token_ratio", "潮水来了", "潮潮水水", NO) == 0


def test_a_count_is_compared_by_its_share():
    assert difference("words", "a b c", "a") == pytest.approx(np.log(4 / 2))
    assert difference("markdown", "- a\n- b\n- c", "a") == pytest.approx(np.log(4))


def test_a_text_without_a_word_has_the_ratio_0():
    assert difference("type_token_ratio", "", "a") == -1


@given(st.text())
@settings(deadline=None)
def test_lengths_are_those_of_the_recipes(text):
    found = seen(text)
    assert found["words"] == measure.length(text, "words")
    assert found["characters"] == measure.length(text, "characters")


@given(st.text(alphabet="a#*_`[]()>-|1. \n\"'“中", max_size=60), st.text(max_size=60), st.booleans())
@settings(deadline=None)
def test_turning_a_pair_around_turns_its_differences(one, other, by_characters):
    unit = np.array([by_characters])
    there = surface.differences(table(one), table(other), unit)
    assert (there == -surface.differences(table(other), table(one), unit)).all()


@given(st.text())
@settings(deadline=None)
def test_there_are_no_more_types_than_tokens(text):
    found = seen(text)
    assert 0 <= found["word_types"] <= found["words"]
    assert 0 <= found["letter_types"] <= found["letters"]
    assert found["letters"] <= found["characters"]


@pytest.mark.parametrize("piece", ["*", "_", "`", "[", "[a](", "**a ", "- ", "> ", "|", "#", "-\t", "a_"])
def test_no_text_takes_more_than_its_length(piece):
    """A pattern that tried all ways would not end on these within the life of a test."""
    assert surface.counts(piece * 20_000)[COLUMN["markdown"]] >= 0


@given(st.text(alphabet="ab\u0301\u00e1'’- 中1", max_size=40))
@settings(deadline=None)
def test_letters_are_those_after_normalisation(text):
    letters = "".join(measure.RUN.findall(unicodedata.normalize("NFC", text)))
    found = seen(text)
    assert (found["letters"], found["letter_types"]) == (len(letters), len(set(letters)))
