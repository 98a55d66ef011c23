"""Differences between two versions of a rubric, word by word."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.rubric_diff import Piece, differences, pieces
from annotation.domain.rubrics import CriterionContent, LevelContent, RubricContent

pytestmark = pytest.mark.files

TEXTS = st.text(alphabet="ab ,\n写好。", max_size=40)


def marked(older, newer):
    """As one line: [-gone-] and {+new+}."""
    forms = {"equal": "{}", "deleted": "[-{}-]", "inserted": "{{+{}+}}"}
    return "".join(forms[piece.kind].format(piece.text) for piece in pieces(older, newer))


@pytest.mark.parametrize(
    ("older", "newer", "shown"),
    [
        ("The cat sat on the mat.", "The dog sat on a mat.", "The [-cat -]{+dog +}sat on [-the -]{+a +}mat."),
        ("Give one score.", "Give one whole score.", "Give one {+whole +}score."),
        ("只有这一篇说的东西。", "只有这一篇才说的东西。", "只有这一篇{+才+}说的东西。"),
        ("first line\nsame line\n", "same line\nlast line\n", "[-first line\n-]same line\n{+last line\n+}"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("same", "same", "same"),
        ("", "", ""),
    ],
)
def test_words_lines_and_chinese_characters_are_what_is_compared(older, newer, shown):
    assert marked(older, newer) == shown


def test_a_text_that_is_another_altogether_is_not_chopped_into_shreds():
    assert marked("不可用：读不通。", "Poor; hard to read.") == "[-不可用：读不通。-]{+Poor; hard to read.+}"


def test_blanks_alone_do_not_count_unless_they_are_all_that_differs():
    assert marked("a  b c", "a b d") == "a b [-c-]{+d+}"
    assert marked("a  b", "a b") == "[-a  b-]{+a b+}"


def test_markup_is_text_like_any_other():
    assert pieces("", "<script>x</script>") == (Piece("inserted", "<script>x</script>"),)


@given(TEXTS, TEXTS)
def test_the_pieces_hold_both_texts(older, newer):
    found = pieces(older, newer)
    assert "".join(piece.text for piece in found if piece.kind != "deleted") == newer
    kept = "".join(piece.text for piece in found if piece.kind != "inserted")
    assert kept.replace(" ", "") == older.replace(" ", "")
    assert all(one.kind != other.kind for one, other in pairwise(found))
    assert all(piece.kind == "equal" for piece in found) == (older == newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [("a\n" * 32_000, "b\n" * 32_000), ("a " * 32_000, "b " * 32_000), ("ab \n" * 16_000, "ba \n" * 16_000)],
)
def test_two_long_texts_are_compared_in_little_time(older, newer):
    before = time.process_time()
    assert pieces(older, newer)
    assert time.process_time() - before < 3


# --- Versions ------------------------------------------------------------------------------------


def both(text):
    return {"en": text, "zh": f"{text}（中）"}


def level(value):
    return LevelContent(value, both(f"name {value}"), both(f"description {value}"), both(""))


def criterion(key, genre=""):
    return CriterionContent(genre, key, both(f"name {key}"), both(f"question {key}"))


@pytest.fixture
def content():
    return RubricContent(
        levels=tuple(level(value) for value in (3, 2, 1, 0)),
        criteria=(criterion("voice"), criterion("form"), criterion("plot", "fiction")),
        guideline={"en": "Read.", "zh": "读。"},
    )


def test_equal_versions_differ_in_nothing(content):
    assert not any(found.any for found in differences(content, content))


def test_a_changed_level_is_shown_in_its_language_alone(content):
    second = content.levels[1]
    changed = replace(second, description={**second.description, "en": "description 2 changed"})
    english, chinese = differences(
        content, replace(content, levels=(content.levels[0], changed, *content.levels[2:]))
    )
    (found,) = english.levels
    assert (found.state, found.value, found.name) == ("changed", 2, "name 2")
    assert found.parts == (
        (Piece("equal", "name 2"),),
        (Piece("equal", "description 2 "), Piece("inserted", "changed")),
        (),
    )
    assert not chinese.any


def test_criteria_are_added_removed_and_told_apart_by_genre(content):
    newer = replace(
        content,
        criteria=(criterion("voice"), criterion("form"), criterion("plot"), criterion("world", "fiction")),
    )
    for found in differences(content, newer):
        assert [(each.state, each.genre, each.key) for each in found.criteria] == [
            ("added", "", "plot"),
            ("added", "fiction", "world"),
            ("removed", "fiction", "plot"),
        ]
        assert not found.reordered


def test_another_order_is_a_difference_within_a_genre_alone(content):
    voice, form, plot = content.criteria
    swapped = differences(content, replace(content, criteria=(form, voice, plot)))
    assert [found.reordered for found in swapped] == [("",), ("",)]
    assert not any(found.criteria for found in swapped)
    assert not any(
        found.any for found in differences(content, replace(content, criteria=(plot, voice, form)))
    )


def test_a_language_that_comes_in_is_added_as_a_whole(content):
    only_english = replace(
        content,
        levels=tuple(
            LevelContent(each.value, {"en": each.name["en"]}, {"en": "d"}, {}) for each in content.levels
        ),
        guideline={"en": "Read."},
    )
    _, chinese = differences(only_english, content)
    assert [each.state for each in chinese.levels] == ["added"] * 4
    assert chinese.guideline == (Piece("inserted", "读。"),)
