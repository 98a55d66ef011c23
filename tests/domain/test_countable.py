"""What a program counts of a text, in English and Chinese, by hand-counted examples."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.countable import (
    MEASURES,
    Check,
    holds,
    list_items,
    number,
    occurrences,
    paragraphs,
    sentences,
    words,
)

ENGLISH = """# The bridge

Dr. Ames crossed it at 3.30 p.m. on foot. "Why?" he asked. Nobody knew…

It was long:

- stone below,
- wood above.

He went home. The end"""
CHINESE = "他走过桥。\n“为什么？”他问。没有人知道……\n一、石头在下；\n二、木头在上。\n他回家了"


@pytest.mark.parametrize(
    ("text", "language", "counts"),
    [
        (ENGLISH, "en", (30, 9, 4, 2)),
        (CHINESE, "zh", (39, 7, 4, 2)),
        ("", "en", (0, 0, 0, 0)),
        (" \n\n ", "zh", (0, 0, 0, 0)),
    ],
)
def test_known_answers(text, language, counts):
    assert (words(text, language), sentences(text), paragraphs(text), list_items(text)) == counts


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three? Four", 4),
        ("“Stop!” he said.", 1),
        ("“Stop!” He said so.", 2),
        ("Wait... what? No... Yes.", 3),
        ("It is 3.14, e.g. about three. I.e. so. J. R. R. T. wrote it.", 3),
        ("No. See No. 5 of Mr. X.", 2),
        ("So am I. You too.", 2),
        ("A line\nthat goes on.\n\nAnother", 2),
        ("1. One thing. And more.\n2. Two", 3),
        ("走！真的？？！好。", 3),
        ("他说：“走！”", 1),
        ("***\n\n---", 0),
        ("?!", 0),
    ],
)
def test_sentences(text, count):
    assert sentences(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One\nstill one.\n\nTwo.", 2),
        ("One.\r\n\r\nTwo.\r\n \r\nThree.", 3),
        ("第一段。\n　　第二段。\n第三段。", 3),
        ("# Heading\n\nOne.\n\n* * *\n\nTwo.", 2),
        ("One.\n\n1. a\n2. b\n\n3. c\n\nTwo.", 3),
        ("# Heading\nOne.\n\nTwo.", 2),
    ],
)
def test_paragraphs(text, count):
    assert paragraphs(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- a\n* b\n+ c\n• d", 4),
        ("1. a\n2) b\n10. c", 3),
        ("一、甲\n二、乙\n十二、丙", 3),
        ("（一）甲\n(2) b\n①丙\n1、丁\n1．戊", 5),
        ("  - nested\n\t- deeper", 2),
        ("-5 degrees\n3.14 is pi\n*stress*\n- \n---\n* * *\n十年以后", 0),
    ],
)
def test_list_items(text, count):
    assert list_items(text) == count


def test_a_string_is_found_whatever_its_composition_but_not_in_other_capitals():
    assert occurrences(unicodedata.normalize("NFD", "café"), "The café, the Café, the café.") == 2
    assert occurrences("aa", "aaaa") == 2
    assert occurrences("", "anything") == 0
    assert holds(Check("string", string="春风"), "又见春风。", "zh")
    assert not holds(Check("string", string="Bridge"), "the bridge", "en")


@pytest.mark.parametrize(
    ("check", "language", "text", "is_held"),
    [
        (Check("words", least=3), "en", "One two three", True),
        (Check("words", least=4), "en", "One two three", False),
        (Check("words", least=8), "zh", "八个字一共就这样", True),
        (Check("words", most=7), "zh", "八个字一共就这样", False),
        (Check("words", least=8), "", "八个字一共就这样", True),
        (Check("sentences", 2, 2), "en", "One. Two.", True),
        (Check("sentences", 2, 2), "en", "One. Two. Three.", False),
        (Check("paragraphs", most=1), "zh", "一段。\n两段。", False),
        (Check("list_items", most=0), "en", "No list.", True),
        (Check("list_items", least=1), "en", "No list.", False),
    ],
)
def test_a_bound_holds_or_not(check, language, text, is_held):
    assert holds(check, text, language) is is_held


@given(st.text(max_size=200) | st.text("a.。!?\n-1 *#、一 ", max_size=80))
def test_every_count_is_of_what_is_there(text):
    counts = {measure: number(Check(measure, least=1, string="a"), text, "en") for measure in MEASURES}
    assert all(count >= 0 for count in counts.values())
    lines = sum(bool(line.strip()) for line in text.replace("\r", "\n").split("\n"))
    assert counts["list_items"] <= lines
    assert counts["paragraphs"] <= lines
    if "a" in text and "#" not in text:
        assert counts["sentences"] >= 1


@given(st.lists(st.sampled_from(["One of them.", "又一句。", "Is it?"]), min_size=1, max_size=8))
def test_counts_of_paragraphs_add_up(parts):
    whole = "\n\n".join(parts)
    assert paragraphs(whole) == sentences(whole) == len(parts)
