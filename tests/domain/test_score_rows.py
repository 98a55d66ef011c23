"""Files of scores: the scale, and which of several scores by one annotator counts."""

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.records import InputError
from annotation.domain.scoring import CurrentScore, ScoreRow, additions, current, read_scores

pytestmark = pytest.mark.files

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def written(folder: Path, content: str, name: str = "s.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8"))
    return path


def one_score(folder: Path, value: str) -> Path:
    return written(folder, f'{{"response_id": "r", "annotator": "a", "score": {value}}}')


def one_cell(folder: Path, cell: str) -> Path:
    return written(folder, f"response_id,annotator,score\nr,a,{cell}\n", "s.csv")


def act(score: int, hours: float | None = None, line: int = 0, annotator: str = "a") -> ScoreRow:
    at = None if hours is None else NOON + timedelta(hours=hours)
    return ScoreRow("r", annotator, score, at, line=line)


def refusal(action, *arguments, **keywords) -> InputError:
    with pytest.raises(InputError) as caught:
        action(*arguments, **keywords)
    return caught.value


# --- the scale ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "score"), [("0", 0), ("3", 3), ("2.0", 2), ("1e0", 1), ("-0.0", 0)])
def test_a_score_in_json_is_an_integer_from_0_to_3(tmp_path, value, score):
    found = read_scores(one_score(tmp_path, value), None)
    assert found == [ScoreRow("r", "a", score)]
    assert type(found[0].score) is int


@pytest.mark.parametrize(("cell", "score"), [("0", 0), ("3", 3), ("2.0", 2), ("1.00", 1), ('"2"', 2)])
def test_a_score_in_a_cell_is_one_too(tmp_path, cell, score):
    assert read_scores(one_cell(tmp_path, cell), None) == [ScoreRow("r", "a", score)]


@pytest.mark.parametrize(
    "value",
    ["4", "-1", "2.5", "true", "false", '""', '"2"', '"three"', "null", "[2]", "{}", "1e300", "9" * 60],
)
def test_it_refuses_any_other_score_in_json(tmp_path, value):
    error = refusal(read_scores, one_score(tmp_path, value), None)
    assert (error.line, error.column) == (1, "score")
    assert error.reason.endswith("is not a score; use 0, 1, 2 or 3")


@pytest.mark.parametrize("cell", ["4", "-1", "2.5", "true", "", "three", "2.", "+2", " 2", "02", "２", "nan"])
def test_it_refuses_any_other_score_in_a_cell(tmp_path, cell):
    error = refusal(read_scores, one_cell(tmp_path, cell), None)
    assert (error.line, error.column) == (2, "score")
    assert error.reason.endswith("is not a score; use 0, 1, 2 or 3")


def test_the_message_shows_what_the_file_says(tmp_path):
    error = refusal(read_scores, one_score(tmp_path, "4"), None)
    assert str(error) == "s.jsonl, line 1, column score: 4 is not a score; use 0, 1, 2 or 3"


# --- rows --------------------------------------------------------------------------------------------------


def test_time_and_justification_are_optional(tmp_path):
    path = written(
        tmp_path,
        "response_id,annotator,score,at,justification\nr,a,2,2026-03-01T13:00:00+01:00,Vivid.\nr,b,1,,\n",
        "s.csv",
    )
    assert read_scores(path, None) == [ScoreRow("r", "a", 2, NOON, "Vivid."), ScoreRow("r", "b", 1)]


def test_an_unknown_response_is_refused_with_the_nearest_name(tmp_path):
    error = refusal(read_scores, one_score(tmp_path, "2"), {"r1", "x"})
    assert (error.line, error.column) == (1, "response_id")
    assert "there is no response \"r\"; did you mean 'r1'?" in error.reason


def test_known_responses_are_accepted(tmp_path):
    assert len(read_scores(one_score(tmp_path, "2"), {"r"})) == 1


@pytest.mark.parametrize(
    ("cells", "column"),
    [(",a,2,", "response_id"), ("r,,2,", "annotator"), ("r, a,2,", "annotator"), ("r,a,2,soon", "at")],
)
def test_a_bad_value_is_refused_with_its_column(tmp_path, cells, column):
    path = written(tmp_path, f"response_id,annotator,score,at\nr,z,1,\n{cells}\n", "s.csv")
    error = refusal(read_scores, path, None)
    assert (error.line, error.column) == (3, column)


# --- what counts -------------------------------------------------------------------------------------------


def test_the_latest_score_counts_whatever_the_order_of_the_rows():
    acts = [act(1, hours=2), act(3, hours=0), act(2, hours=1)]
    assert current(acts) == [CurrentScore("r", "a", 1, largest_revision=1)]


def test_times_are_compared_as_instants(tmp_path):
    path = written(
        tmp_path,
        "response_id,annotator,score,at\nr,a,1,2026-03-01T12:30:00Z\nr,a,2,2026-03-01T13:00:00+01:00\n",
        "s.csv",
    )
    assert current(read_scores(path, None))[0].score == 1


def test_equal_scores_count_once():
    assert current([act(2), act(2), act(2, hours=1), act(2, hours=1)]) == [CurrentScore("r", "a", 2)]


@pytest.mark.parametrize(
    ("acts", "lines"),
    [
        ([act(2, line=4), act(3, line=9)], (4, 9)),
        ([act(2, hours=1, line=9), act(3, hours=1, line=4)], (4, 9)),
        ([act(2, hours=1, line=4), act(3, line=9)], (4, 9)),
        ([act(2, line=4), act(2, hours=1, line=5), act(3, hours=2, line=9)], (4, 9)),
        ([act(3, hours=0, line=2), act(2, hours=1, line=4), act(3, hours=1, line=9)], (4, 9)),
    ],
)
def test_scores_without_an_order_are_refused_and_both_lines_are_named(acts, lines):
    error = refusal(current, acts, source="s.csv")
    assert (error.source, error.line, error.column) == ("s.csv", lines[1], "score")
    assert f"on line {lines[0]}," in error.reason


@pytest.mark.parametrize(
    ("scores", "largest"),
    [([2], 0), ([2, 2], 0), ([3, 1], 2), ([1, 2, 0], 2), ([0, 1, 1, 2, 3], 1), ([3, 0, 3], 3)],
)
def test_the_largest_revision_is_the_largest_step_between_scores_in_time(scores, largest):
    acts = [act(score, hours=hour) for hour, score in enumerate(scores)]
    Random(1).shuffle(acts)
    assert current(acts)[0].largest_revision == largest


def test_judgements_come_sorted_by_response_and_annotator():
    acts = [ScoreRow("r2", "a", 1), ScoreRow("r1", "b", 1), ScoreRow("r1", "a", 1)]
    assert [(one.response_id, one.annotator) for one in current(acts)] == [
        ("r1", "a"),
        ("r1", "b"),
        ("r2", "a"),
    ]


# --- what a file adds to what is stored, words and all -------------------------------------------------------


def words(justification: str, hours: float | None = None, line: int = 0, score: int = 2) -> ScoreRow:
    return replace(act(score, hours, line), justification=justification)


def added(stored: list[ScoreRow], *acts: ScoreRow) -> list[tuple[int, str]]:
    return [(row.line, row.justification) for row in additions(stored, acts, source="s.csv")]


def test_the_same_score_later_in_other_words_is_added():
    assert added([words("Dull.", 1)], words("Flat.", 2, 7)) == [(7, "Flat.")]
    assert added([], words("Flat.", 2, 7), words("Dull.", 1, 8)) == [(8, "Dull."), (7, "Flat.")]


@pytest.mark.parametrize(
    "later", [words("", 2, 7), words("Dull.", 2, 7), words("Dull.", line=7), words("", line=7)]
)
def test_the_same_score_without_other_words_adds_nothing(later):
    assert added([words("Dull.", 1)], later) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (words("Dull.", line=4), words("Flat.", line=9)),
        (words("Dull.", 1, 9), words("Flat.", 1, 4)),
        (words("Dull.", 1, 4), words("Flat.", line=9)),
    ],
)
def test_other_words_that_no_time_orders_are_refused_and_both_lines_are_named(one, other):
    error = refusal(additions, [], [words("", line=2), one, other], source="s.csv")
    assert (error.source, error.line, error.column) == ("s.csv", 9, "justification")
    assert "the score 2 for 'r' here and in other words on line 4, and the times do not say" in error.reason
    assert error.reason.endswith("keep one or give each its time (at)")


@pytest.mark.parametrize(
    ("stored", "given"), [(None, None), (None, 2), (2, None), (2, 2)]
)  # fmt: skip
def test_other_words_than_the_stored_ones_are_refused_where_no_time_orders_them(stored, given):
    error = refusal(additions, [words("Dull.", stored)], [words("Flat.", given, 9)])
    assert (error.line, error.column) == (9, "justification")
    assert "in other words as stored" in error.reason


def test_words_before_a_later_score_that_is_stored_are_refused():
    error = refusal(additions, [words("", 2)], [words("Flat.", 1, 9)])
    assert (error.line, error.column) == (9, "at")


@pytest.mark.parametrize("hours", [None, 1])
def test_of_acts_that_nothing_orders_the_one_with_words_is_kept(hours):
    acts = [words("", hours, 3), words("Dull.", hours, 5), words("", hours, 7)]
    assert added([], *acts) == [(5, "Dull.")]


def test_words_without_a_time_go_before_silent_acts_that_have_one():
    assert added([], words("", 1, 3), words("Dull.", line=5)) == [(5, "Dull.")]
    assert added([], words("Dull.", 1, 3), words("Dull.", line=5)) == [(3, "Dull.")]


@pytest.mark.parametrize(
    ("stored", "given"), [(None, None), (None, 1), (1, None), (1, 1), (1, 2)]
)  # fmt: skip
def test_words_for_a_stored_score_that_has_none_are_added(stored, given):
    assert added([words("", stored)], words("Dull.", given, 9)) == [(9, "Dull.")]


def test_words_change_nothing_about_what_counts():
    spoken = [words("Dull.", 1, 3), words("Flat.", 2, 4), words("Grey.", 2, 5), words("Thin.", line=6)]
    assert current(spoken) == [CurrentScore("r", "a", 2, largest_revision=0)]


acts_with_words = st.lists(
    st.builds(
        words, st.sampled_from(["", "Dull.", "Flat."]), st.none() | st.integers(0, 3), score=st.integers(1, 2)
    ),
    max_size=5,
).map(lambda acts: [replace(one, line=line) for line, one in enumerate(acts, start=1)])


def stored_after(stored: list[ScoreRow], acts: list[ScoreRow]) -> list[ScoreRow] | None:
    """The revisions after another file; None where it is refused."""
    try:
        return stored + [replace(row, line=0) for row in additions(stored, acts)]
    except InputError:
        return None


@settings(deadline=None, max_examples=300)
@given(files=st.lists(acts_with_words, min_size=1, max_size=3))
def test_every_justification_is_stored_or_its_file_is_refused(files):
    stored: list[ScoreRow] = []
    for acts in files:
        after = stored_after(stored, acts)
        if after is None:
            continue
        said = {(row.score, row.justification) for row in after}
        assert {(row.score, row.justification) for row in acts if row.justification} <= said
        assert {row.score for row in acts} <= {score for score, _ in said}
        assert stored_after(after, acts) == after, "the same file again adds nothing"
        stored = after


@settings(deadline=None, max_examples=300)
@given(acts=acts_with_words.filter(bool))
def test_what_is_stored_of_a_file_counts_as_the_file_does(acts):
    after = stored_after([], acts)
    if after is not None:
        assert current(after) == current(acts)


@settings(deadline=None, max_examples=100)
@given(acts=acts_with_words)
def test_what_is_added_does_not_depend_on_the_order_of_the_rows(acts):
    def outcome(rows: list[ScoreRow]) -> list[ScoreRow] | None:
        return stored_after([], [replace(row, line=line) for line, row in enumerate(rows, start=1)])

    shuffled = Random(len(acts)).sample(acts, len(acts))
    assert outcome(shuffled) == outcome(acts)


# --- any valid row survives a file -------------------------------------------------------------------------

names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12).filter(
    lambda name: name == name.strip()
)
ZONES = [UTC, timezone(timedelta(hours=8)), timezone(-timedelta(hours=3, minutes=30))]
moments = st.builds(
    lambda microseconds, zone: (NOON + timedelta(microseconds=microseconds)).astimezone(zone),
    st.integers(-(10**15), 10**15),
    st.sampled_from(ZONES),
)
rows = st.builds(
    ScoreRow,
    response_id=names,
    annotator=names,
    score=st.sampled_from([0, 1, 2, 3]),
    at=st.none() | moments,
    justification=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40),
)
COLUMNS = ["response_id", "annotator", "score", "at", "justification"]


def as_columns(one: ScoreRow) -> dict[str, object]:
    columns = {name: getattr(one, name) for name in COLUMNS}
    return {**columns, "at": one.at.isoformat() if one.at else None}


@settings(deadline=None, max_examples=50)
@given(expected=st.lists(rows, min_size=1, max_size=5))
def test_valid_rows_written_as_jsonl_read_back_the_same(tmp_path_factory, expected):
    path = tmp_path_factory.mktemp("jsonl") / "s.jsonl"
    path.write_text("".join(json.dumps(as_columns(one)) + "\n" for one in expected))
    assert read_scores(path, None) == expected


@settings(deadline=None, max_examples=50)
@given(expected=st.lists(rows, max_size=5))
def test_valid_rows_written_as_csv_read_back_the_same(tmp_path_factory, expected):
    path = tmp_path_factory.mktemp("csv") / "s.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(as_columns(one) for one in expected)
    assert read_scores(path, None) == expected


@settings(deadline=None, max_examples=50)
@given(
    acts=st.lists(st.builds(act, st.sampled_from([0, 1, 2, 3]), st.none() | st.integers(0, 4)), max_size=6)
)
def test_what_counts_does_not_depend_on_the_order_of_the_rows(acts):
    def outcome(rows: list[ScoreRow]) -> list[CurrentScore] | None:
        try:
            return current(rows)
        except InputError:
            return None

    shuffled = Random(len(acts)).sample(acts, len(acts))
    assert outcome(shuffled) == outcome(acts)
