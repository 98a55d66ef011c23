"""When two texts are the same, and how long one is."""

import pytest
from hypothesis import given, settings, strategies

from annotation.domain.text import LONG, WORD, length, same_text_key, unit_for

pytestmark = pytest.mark.files


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two  three", 3),
        ("don't", 1),
        ("don’t stop-gap", 2),
        ("rock 'n' roll", 3),
        ("well - known", 2),
        ("a--b", 2),
        ("3.14", 2),
        ("naïve café", 2),
        ("nai\u0308ve", 1),
        ("snake_case", 2),
        ("... !?", 0),
        ("春天来了，他走了", 2),
        ("O'Neill’s-own", 1),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text, words):
    assert length(text, "words") == words


@settings(deadline=None)  # the first one waits for the table
@given(
    strategies.text(strategies.sampled_from("ab1é́’'- .\n_漢Ж🚀\ud800") | strategies.characters(), min_size=1)
)
def test_a_long_text_has_as_many_words_as_its_parts(part):
    long = (part * LONG)[: max(LONG, len(part))]
    assert len(long) >= LONG
    assert length(long, "words") == len(WORD.findall(long))


def test_every_character_is_known_to_both_ways_of_counting():
    for start in range(0, 0x110000, 0x1000):
        block = ".".join(map(chr, range(start, start + 0x1000)))
        assert length(block, "words") == len(WORD.findall(block)), hex(start)


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("", 0),
        (" \n\t\u3000", 0),
        ("春天 来了。", 5),
        ("cafe\u0301", 4),
        ("a b\u00a0c\u2028d", 4),
        ("👩\u200d🚀", 3),
    ],
)
def test_characters_are_code_points_after_nfc_without_white_space(text, characters):
    assert length(text, "characters") == characters


@pytest.mark.parametrize(
    "language", ["zh", "zh-CN", "zh_Hans", "ZH-Hant-TW", "ja", "yue", "wuu", "lzh", "th", "Chinese", "中文"]
)
def test_languages_without_spaces_are_measured_in_characters(language):
    assert unit_for("auto", language, "Write.", "text") == "characters"


@pytest.mark.parametrize("language", ["en", "en-GB", "es", "ko", "vi", "de", "xx"])
def test_other_languages_are_measured_in_words_whatever_the_script(language):
    assert unit_for("auto", language, "写一首诗", "春天") == "words"


@pytest.mark.parametrize(
    ("prompt", "response", "unit"),
    [
        ("写一首诗", "spring", "characters"),
        ("Write a poem", "春天", "words"),
        ("写诗ab", "", "words"),  # exactly half
        ("写诗ab诗", "", "characters"),
        ("写 1234567890 !!", "", "characters"),  # digits are no letters
        ("", "春天来了", "characters"),
        ("", "spring", "words"),
        ("  \n", "春天来了", "characters"),
        ("", "", "words"),
        ("???", "春天", "words"),  # there is a prompt, and not half of its letters are Han
    ],
)
def test_without_a_language_the_letters_of_the_prompt_decide_then_those_of_the_response(
    prompt, response, unit
):
    assert unit_for("auto", "", prompt, response) == unit


@pytest.mark.parametrize("setting", ["words", "characters"])
def test_a_unit_that_is_set_holds_for_every_language(setting):
    assert unit_for(setting, "zh", "写", "春") == setting
    assert unit_for(setting, "en", "Write.", "spring") == setting


def test_texts_are_the_same_after_nfc_trimming_and_collapsing_of_white_space():
    assert same_text_key(" The  cat\nsat. ") == same_text_key("The cat sat.")
    assert same_text_key("cafe\u0301") == same_text_key("café")
    assert same_text_key("The cat sat") != same_text_key("The cat sat.")
    assert same_text_key("The Cat") != same_text_key("The cat")
