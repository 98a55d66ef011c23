"""How reviews settle a version, and what differs between two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.expansion import Blueprint, asked
from authoring.domain.reviewing import (
    Content,
    after_edit,
    compared,
    differences,
    missing,
    prompt_ids,
    settled,
)

pytestmark = pytest.mark.files

TEXTS = st.text(alphabet="ab ,\n写好。", max_size=40)
WRITTEN = Content(title="A bridge", text="Write about a bridge.", blueprint="Somebody crosses a bridge.")


@pytest.mark.parametrize(
    ("accepting", "state"),
    [
        ([], "in_review"),
        ([True], "in_review"),
        ([False], "in_review"),
        ([True, True], "accepted"),
        ([True, False], "changes_asked"),
        ([False, True], "changes_asked"),
        ([False, False], "changes_asked"),
    ],
)
def test_a_version_waits_for_two_and_is_accepted_by_both(accepting, state):
    assert settled(accepting) == state


def test_a_blueprint_becomes_a_draft_with_its_first_word_and_stays_one():
    assert after_edit("blueprint", "  \n") == "blueprint"
    assert after_edit("blueprint", "Write") == "draft"
    assert after_edit("draft", "") == "draft"
    assert after_edit("changes_asked", "Write") == "changes_asked"


def test_what_is_handed_in_has_title_text_and_blueprint():
    assert missing(WRITTEN) == ()
    assert missing(Content(title=" ", text="", blueprint="\n")) == ("title", "text", "blueprint")


def test_the_first_accepted_version_has_the_key_and_a_later_one_its_number():
    first, later = (prompt_ids("bridge", number=4, is_first=is_first) for is_first in (True, False))
    assert first[:3] == ("bridge", "bridge-v4", "bridge-v4-2")
    assert later[:2] == ("bridge-v4", "bridge-v4-2")
    assert len(set(first)) == len(first)


# --- Differences ---------------------------------------------------------------------------------


def test_english_differs_by_words_and_chinese_by_characters():
    assert differences("Give one score.", "Give one whole score.") == [
        ("equal", "Give one "),
        ("inserted", "whole "),
        ("equal", "score."),
    ]
    assert ("inserted", "才") in differences("只有这一篇说的东西。", "只有这一篇才说的东西。")


@given(TEXTS, TEXTS)
def test_what_is_not_deleted_is_the_newer_text(older, newer):
    assert "".join(text for kind, text in differences(older, newer) if kind != "deleted") == newer


def test_a_first_version_stands_as_it_is():
    found = {each.field: each for each in compared(None, WRITTEN)}
    assert not any(each.is_changed for each in found.values())
    assert found["text"].pieces == (("equal", "Write about a bridge."),)
    assert found["constraints"].pieces == found["intended_length"].pieces == ()


def test_every_field_of_two_versions_is_compared():
    newer = Content(title="A bridge", text="Write about a long bridge.", blueprint="B", intended_length=800)
    found = {each.field: each for each in compared(WRITTEN, newer)}
    assert [field for field, each in found.items() if each.is_changed] == [
        "text",
        "blueprint",
        "intended_length",
    ]
    assert found["intended_length"].pieces == (("inserted", "800"),)


# --- What a model is asked -----------------------------------------------------------------------


def test_a_model_reads_all_that_the_blueprint_says():
    blueprint = Blueprint(
        text="Somebody crosses a bridge.",
        genre="Fiction",
        language="en",
        constraints="No dialogue.",
        length=800,
    )
    said = asked(blueprint)
    for part in ("Somebody crosses a bridge.", "Genre: Fiction", "No dialogue.", "about 800 words"):
        assert part in said


def test_what_is_open_is_not_mentioned():
    said = asked(Blueprint(text="Somebody crosses a bridge.", genre="", language="en"))
    for name in ("Genre", "Constraints", "Length"):
        assert name not in said


def test_a_chinese_blueprint_is_asked_for_in_chinese():
    said = asked(Blueprint(text="有人过桥。", genre="小说", language="zh-Hans", length=800))
    assert "体裁：小说" in said
    assert "约 800 字" in said
    assert "Write" not in said
