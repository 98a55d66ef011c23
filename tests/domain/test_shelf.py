"""Texts laid away in a file: the rows stay what they are."""

import tempfile
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import material
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError
from annotation.domain.shelf import Shelf
from curation.domain import ranking_rows, stories
from curation.domain.ranking_rows import GradedResponse
from curation.domain.stories import Story
from tests.curation.file_releases import responses, write_rows

pytestmark = pytest.mark.files

ROWS = (
    ResponseRow("a", "p", "Boats. \U0001f6a4", model="m", length=3, parameters={"n": 1}, line=4),
    Story(id="b", prompt_id="p", text="é" * 9, upvotes=3, posted_at=datetime(2026, 3, 1, tzinfo=UTC)),
    GradedResponse("c", "p", 2, 5, "poem", text=""),
)


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with tempfile.TemporaryFile() as file:
        yield Shelf(file)


def test_a_row_says_the_same_as_before(shelf):
    laid = [shelf.lay(row) for row in ROWS]
    for row, other in zip(ROWS, laid, strict=True):
        assert isinstance(other, type(row))
        assert {field.name: getattr(other, field.name) for field in fields(row)} == {
            field.name: getattr(row, field.name) for field in fields(row)
        }
        assert other == shelf.lay(row)


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_each_row_gets_its_own_text_whatever_was_laid_away_or_taken_meanwhile(texts):
    with tempfile.TemporaryFile() as file:
        shelf = Shelf(file)
        laid = []
        for text in texts:
            laid.append(shelf.lay(ResponseRow("a", "p", text)))
            assert laid[len(laid) // 2].text == texts[len(laid) // 2]
        assert [row.text for row in reversed(laid)] == texts[::-1]


# --- as files are read --------------------------------------------------------------------------------------


def test_a_file_gives_the_same_rows_with_texts_laid_away(tmp_path, shelf):
    path = write_rows(tmp_path / "R.jsonl", [*responses(), responses()[0]])
    laid = material.read_responses(path, lay=shelf.lay)
    expected = material.read_responses(path)
    assert [(row.id, row.text, row.line) for row in laid] == [(r.id, r.text, r.line) for r in expected]


@pytest.mark.parametrize("change", [{"text": "Another."}, {"model": "m"}, {"parameters": {"n": True}}])
def test_a_row_that_contradicts_one_laid_away_is_refused_in_the_same_words(tmp_path, shelf, change):
    first = {**responses()[0], "parameters": {"n": 1}}
    path = write_rows(tmp_path / "R.jsonl", [first, *responses()[1:], {**first, **change}])
    with pytest.raises(InputError) as expected:
        material.read_responses(path)
    with pytest.raises(InputError) as found:
        material.read_responses(path, lay=shelf.lay)
    assert str(found.value) == str(expected.value)
    assert "line 13" in str(found.value)


def test_graded_responses_are_compared_with_those_laid_away(tmp_path, shelf):
    row = {"id": "a", "prompt_id": "p", "kept_requirements": 2, "prompt": "Write.", "text": "Boats."}
    other = {**row, "id": "b", "text": "Harbours."}
    path = write_rows(tmp_path / "R.jsonl", [row, other, row])
    assert [(r.id, r.text, r.line) for r in ranking_rows.read_graded(path, lay=shelf.lay)] == [
        ("a", "Boats.", 1),
        ("b", "Harbours.", 2),
    ]
    path = write_rows(tmp_path / "R.jsonl", [row, other, {**row, "text": "Boats"}])
    with pytest.raises(InputError, match=r"line 3.*stands on line 1 with other values"):
        ranking_rows.read_graded(path, lay=shelf.lay)


def test_stories_are_laid_away_too(tmp_path, shelf):
    row = {"id": "s", "prompt_id": "p", "text": "Once.", "upvotes": 3, "posted_at": "2026-03-01T10:00:00Z"}
    path = write_rows(tmp_path / "R.jsonl", [row, row])
    (story,) = stories.read_stories(path, lay=shelf.lay)
    assert (story.text, story.upvotes) == ("Once.", 3)
