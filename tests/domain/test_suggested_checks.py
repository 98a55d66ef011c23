"""Which check the words of a requirement suggest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.countable import Check
from authoring.domain.suggested_checks import LONGEST_STRING, MOST_COUNTED, suggested

WORDS = {
    "Write at least 300 words.": Check("words", least=300),
    "300 words or more": Check("words", least=300),
    "Use more than 300 words.": Check("words", least=301),
    "Do not write more than 300 words": Check("words", most=300),
    "It must not exceed 1,250 words.": Check("words", most=1250),
    "Keep it under 100 words": Check("words", most=99),
    "Between 200 and 300 words": Check("words", 200, 300),
    "500-800 words": Check("words", 500, 800),
    "about 1,200 words": Check("words", 1080, 1320),
    "A 500-word essay": Check("words", 450, 550),
    "exactly 50 words": Check("words", 50, 50),
    "Write exactly 3 paragraphs.": Check("paragraphs", 3, 3),
    "Write in three short paragraphs.": Check("paragraphs", 3, 3),
    "No more than twelve sentences": Check("sentences", most=12),
    "Give at least five bullet points.": Check("list_items", least=5),
    "A numbered list of 4 items": Check("list_items", 4, 4),
    "不少于300字": Check("words", least=300),
    "不少于１０００字": Check("words", least=1000),
    "不得超过八百字。": Check("words", most=800),
    "字数控制在800字以内": Check("words", most=800),
    "全文800-1000字": Check("words", 800, 1000),
    "八百到一千字": Check("words", 800, 1000),
    "约一千二百字": Check("words", 1080, 1320),
    "两千字左右": Check("words", 1800, 2200),
    "1万字以上": Check("words", least=10_000),
    "一万二千字以上": Check("words", least=12_000),
    "分为五个自然段": Check("paragraphs", 5, 5),
    "至少列出5条建议": Check("list_items", least=5),
    "恰好十二句": Check("sentences", 12, 12),
}
STRINGS = {
    'Use the phrase "the last bridge".': "the last bridge",
    "The text must contain the word “bridge” somewhere.": "bridge",
    "Mention 'the old mill' once.": "the old mill",
    "文中须出现“春风十里”一句": "春风十里",
    "以「那一年」作为开头": "那一年",
}
NOTHING = [
    "",
    "Use vivid imagery.",
    "The story has three characters.",
    "Each paragraph has at least 3 sentences.",
    "The title has at most ten words.",
    "Use three words of French.",
    "Write 3 paragraphs of 100 words or 5 sentences.",
    'Do not use the word "love".',
    'Use the words "love" and "hate".',
    "Avoid 'very'.",
    "每段不少于100字",
    "不要使用“然而”",
    "写三个人物",
    "At least 99999999 words",
    "between 300 and 200 words",
]


@pytest.mark.parametrize("text", WORDS)
def test_a_count_with_its_bounds_is_read(text):
    assert suggested(text) == WORDS[text]


@pytest.mark.parametrize("text", STRINGS)
def test_what_has_to_be_used_literally_is_read(text):
    assert suggested(text) == Check("string", string=STRINGS[text])


@pytest.mark.parametrize("text", NOTHING)
def test_where_words_say_something_else_nothing_is_suggested(text):
    assert suggested(text) is None


@given(st.text(max_size=200) | st.text('0123456789 words至少字段一二十百万"“”use', max_size=60))
def test_whatever_is_written_suggests_a_check_that_could_be_stored(text):
    found = suggested(text)
    if found is None:
        return
    if found.measure == "string":
        assert 0 < len(found.string) <= LONGEST_STRING
        return
    bounds = [bound for bound in (found.least, found.most) if bound is not None]
    assert bounds
    assert bounds == sorted(bounds)
    assert all(0 <= bound <= 2 * MOST_COUNTED for bound in bounds)
