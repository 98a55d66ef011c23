"""Files of stories: what a row may say, in three formats alike."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.domain.records import InputError
from curation.domain.stories import OPTIONAL, REQUIRED, Story, read_stories

pytestmark = pytest.mark.files

POSTED = datetime(2023, 1, 2, 3, 4, 5, tzinfo=UTC)


def row(**columns: object) -> dict[str, object]:
    return {
        "id": "s1",
        "prompt_id": "p1",
        "text": "Once.",
        "upvotes": 12,
        "posted_at": "2023-01-02T03:04:05Z",
        **columns,
    }


def written(folder: Path, *rows: dict[str, object], name: str = "S.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_stories(path)
    return caught.value


FULL = row(tokens=7, prompt="Write.", language="en", genre="fable", length=1)
READ = Story(
    id="s1",
    prompt_id="p1",
    text="Once.",
    upvotes=12,
    posted_at=POSTED,
    tokens=7,
    prompt="Write.",
    language="en",
    genre="fable",
    length=1,
)


def test_five_columns_are_enough(tmp_path):
    (story,) = read_stories(written(tmp_path, row()))
    assert story == Story(id="s1", prompt_id="p1", text="Once.", upvotes=12, posted_at=POSTED)
    assert (story.tokens, story.length) == (None, None)


def test_every_column_is_read_and_others_are_ignored(tmp_path):
    assert read_stories(written(tmp_path, {**FULL, "mood": "sad"})) == [READ]
    assert set(FULL) == {*REQUIRED, *OPTIONAL}


def test_a_csv_says_the_same(tmp_path):
    path = tmp_path / "S.CSV"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*FULL, "mood"])
        writer.writeheader()
        writer.writerow({**FULL, "upvotes": "12.0", "mood": "sad"})
        writer.writerow(
            {**row(id="s2"), "tokens": "", "prompt": "Write.", "language": "en", "genre": "fable"}
        )
    first, second = read_stories(path)
    assert first == READ
    assert (second.tokens, second.length) == (None, None)


def test_a_parquet_file_says_the_same_with_its_own_types(tmp_path):
    path = tmp_path / "S.parquet"
    columns = {name: [value, value] for name, value in FULL.items()}
    columns |= {"id": ["s1", "s2"], "tokens": pa.array([7, None], pa.int16())}
    columns["posted_at"] = pa.array([POSTED, POSTED], pa.timestamp("ns", "Europe/Oslo"))
    columns["mood"] = [["sad"], None]
    pq.write_table(pa.table(columns), path)
    first, second = read_stories(path)
    assert first == READ
    assert (second.id, second.tokens) == ("s2", None)


@pytest.mark.parametrize(("given_votes", "upvotes"), [(0, 0), (-3, -3), (12.0, 12), (2**31 - 1, 2**31 - 1)])
def test_votes_may_be_negative(tmp_path, given_votes, upvotes):
    assert read_stories(written(tmp_path, row(upvotes=given_votes)))[0].upvotes == upvotes


def test_moments_are_those_of_utc(tmp_path):
    rows = [row(id="a", posted_at="2023-01-02T04:04:05+01:00"), row(id="b", posted_at="2023-01-02T03:04:05")]
    assert [story.posted_at for story in read_stories(written(tmp_path, *rows))] == [POSTED, POSTED]


@pytest.mark.parametrize(
    ("columns", "column", "said"),
    [
        ({"upvotes": 1.5}, "upvotes", "is no number of votes; use a whole number"),
        ({"upvotes": "many"}, "upvotes", "is not a finite number"),
        ({"upvotes": True}, "upvotes", "is not a finite number"),
        ({"upvotes": None}, "upvotes", "the value is missing; fill it in or leave the row out"),
        ({"upvotes": 2**31}, "upvotes", "is too large; the most is 2147483647"),
        ({"upvotes": -(2**31)}, "upvotes", "is too large"),
        ({"posted_at": None}, "posted_at", "the value is missing; fill it in or leave the row out"),
        ({"posted_at": ""}, "posted_at", "the value is missing"),
        ({"posted_at": "yesterday"}, "posted_at", "is not a time; write ISO 8601"),
        ({"posted_at": 1672628645}, "posted_at", "is not a time; write ISO 8601"),
        ({"tokens": -1}, "tokens", "is not a count"),
        ({"tokens": "7"}, "tokens", "is not a count"),
        ({"text": " "}, "text", "the text is empty"),
        ({"id": " s"}, "id", "white space"),
        ({"prompt_id": None}, "prompt_id", "null"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_line_and_column(tmp_path, columns, column, said):
    error = refusal(written(tmp_path, row(id="fine"), row(**columns)))
    assert (error.source, error.line, error.column) == ("S.jsonl", 2, column)
    assert said in error.reason


@pytest.mark.parametrize("column", REQUIRED)
def test_a_missing_column_is_named_with_the_ones_there_are(tmp_path, column):
    columns = row()
    del columns[column]
    assert (refusal(written(tmp_path, columns)).column) == column
    parquet = tmp_path / "S.parquet"
    pq.write_table(pa.table({name: [value] for name, value in columns.items()}), parquet)
    error = refusal(parquet)
    assert (error.line, error.column) == (None, column)
    assert "the column is missing; found: " in error.reason


def test_a_row_of_a_parquet_file_is_named_by_its_number(tmp_path):
    path = tmp_path / "S.parquet"
    pq.write_table(pa.table({name: [value, value] for name, value in row(upvotes=1.5).items()}), path)
    assert str(refusal(path)).startswith("S.parquet, row 1, column upvotes: ")


def test_a_file_that_is_not_there_or_empty_or_no_parquet_is_refused(tmp_path):
    for name in ("none.jsonl", "none.parquet"):
        assert "cannot be read" in refusal(tmp_path / name).reason
    for name in ("empty.jsonl", "empty.parquet"):
        (tmp_path / name).touch()
        assert "the file is empty" in refusal(tmp_path / name).reason
    (tmp_path / "text.parquet").write_text("id,prompt_id\n")
    assert "damaged" in refusal(tmp_path / "text.parquet").reason


def test_a_row_repeated_word_for_word_counts_once(tmp_path):
    assert len(read_stories(written(tmp_path, row(), row(), row(id="s2")))) == 2


@pytest.mark.parametrize(
    "columns",
    [
        {"upvotes": 13},
        {"tokens": 8},
        {"posted_at": "2023-01-02T03:04:06Z"},
        {"text": "Twice."},
        {"length": 4},
    ],
)
def test_a_story_with_two_accounts_of_it_is_refused(tmp_path, columns):
    error = refusal(written(tmp_path, FULL, {**FULL, **columns}))
    assert (error.line, error.column) == (2, *columns)
    assert "stands on line 1 with another value here" in error.reason


def test_a_prompt_is_the_same_on_every_row(tmp_path):
    error = refusal(written(tmp_path, FULL, {**FULL, "id": "s2", "genre": "poem"}))
    assert (error.line, error.column) == (2, "genre")
