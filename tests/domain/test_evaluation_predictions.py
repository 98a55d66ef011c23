"""Files of predictions: their forms, what is wrong with a row, and what is refused with its line."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.records import InputError
from curation.domain.audit.rows import PairRow
from curation.domain.evaluation import answers, lines, predictions
from curation.domain.evaluation.benchmark import Pairs
from curation.domain.evaluation.predictions import Given
from curation.domain.evaluation.problems import MOST_LISTED, Problem, Problems

pytestmark = pytest.mark.files

PAIRS = Pairs.of(
    [
        PairRow("p:a:b", "p", "a", "b", "", ""),
        PairRow("p:c:b", "p", "c", "b", "", ""),
        PairRow("q:d:e", "q", "d", "e", "", ""),
    ]
)
NONE, WRONG, TIE, RIGHT = answers.NONE, answers.WRONG, answers.TIE, answers.RIGHT


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "P.jsonl"


def write(path: Path, *rows: object) -> Path:
    written = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{row}\n" for row in written), encoding="utf-8")
    return path


def score(name: str, value: object) -> dict:
    return {"response_id": name, "score": value}


def choice(pair: str, first: str, value: object) -> dict:
    return {"pair_id": pair, "first": first, "choice": value}


def verdicts(path: Path, *rows: object, held: tuple[str, ...] = ()) -> tuple[list[list[int]], set[tuple]]:
    """The verdicts, and the problems as (kind, id, line)."""
    found = answers.of(predictions.read(write(path, *rows)), PAIRS, held)
    return found.verdicts.tolist(), {(each.kind, each.id, each.line) for each in found.problems.every}


SCORES = [score("a", 0.9), score("b", 0.5), score("c", 0.5), score("d", 0.1), score("e", 2)]


# --- forms -----------------------------------------------------------------------------------------------


def test_scores_of_responses_decide_each_pair_they_stand_in(file):
    assert verdicts(file, *SCORES) == ([[RIGHT], [TIE], [WRONG]], set())


def test_scores_of_pairs_as_rewardbench_writes_them(file):
    rows = [
        {"id": "p:a:b", "results": 1, "scores_chosen": 0.9, "scores_rejected": 0.5},
        {"pair_id": "p:c:b", "scores_chosen": 1, "scores_rejected": 1.0},
        {"id": "q:d:e", "scores_chosen": -2, "scores_rejected": 0},
    ]
    assert verdicts(file, *rows) == ([[RIGHT], [TIE], [WRONG]], set())


def test_choices_tell_by_the_text_shown_first_which_one_they_mean(file):
    rows = [
        choice("p:a:b", "a", "A"),
        choice("p:a:b", "b", "B"),
        choice("p:c:b", "c", "tie"),
        choice("p:c:b", "b", "A"),
        choice("q:d:e", "d", "B"),
        choice("q:d:e", "e", "A"),
    ]
    assert verdicts(file, *rows) == ([[RIGHT, RIGHT], [TIE, WRONG], [WRONG, WRONG]], set())


def test_a_file_has_the_form_of_its_first_line(file):
    reason = "line 2, column score: the column is missing"
    with pytest.raises(InputError, match=reason):
        predictions.read(write(file, score("a", 1), {"response_id": "b", "choice": "A"}))


def test_a_byte_order_mark_and_blank_lines_do_no_harm(file):
    file.write_bytes(b'\xef\xbb\xbf{"response_id": "a", "score": 1}\r\n\r\n{"response_id": "b", "score": 0}')
    assert predictions.read(file).given.values == {("a", ""): 1, ("b", ""): 0}


# --- what is reported and counts as wrong ----------------------------------------------------------------


def test_a_missing_response_makes_its_pairs_wrong(file):
    told, problems = verdicts(file, *(row for row in SCORES if row["response_id"] != "b"))
    assert (told, problems) == ([[NONE], [NONE], [WRONG]], {("missing", "b", None)})


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "null"])
def test_no_number_is_reported_with_its_line_and_makes_its_pairs_wrong(file, value):
    told, problems = verdicts(file, f'{{"response_id": "a", "score": {value}}}', *SCORES[1:])
    assert (told[0], problems) == ([NONE], {("non_finite", "a", 1)})


def test_an_extra_response_is_reported_and_counts_nowhere(file):
    assert verdicts(file, *SCORES, score("z", 9)) == (
        [[RIGHT], [TIE], [WRONG]],
        {("extra", "z", 6)},
    )


def test_a_response_that_the_release_holds_in_no_pair_is_unused(file):
    _, problems = verdicts(file, *SCORES, score("y", 9), score("z", 9), held=("y",))
    assert problems == {("unused", "y", 6), ("extra", "z", 7)}


def test_what_is_said_twice_alike_counts_once(file):
    assert verdicts(file, *SCORES, score("a", 0.90)) == ([[RIGHT], [TIE], [WRONG]], {("duplicate", "a", 6)})


def test_what_is_said_twice_otherwise_counts_as_nothing(file):
    told, problems = verdicts(file, *SCORES, score("a", 0.8), score("a", 0.9))
    assert told[0] == [NONE]
    assert problems == {("contradictory", "a", 6), ("contradictory", "a", 7)}


def test_a_choice_that_was_asked_for_once_alone_lacks_the_other_order(file):
    told, problems = verdicts(file, choice("p:a:b", "a", "A"))
    assert told == [[RIGHT, NONE], [NONE, NONE], [NONE, NONE]]
    assert ("missing", "p:a:b", None) in problems
    assert len(problems) == 3  # of two pairs both orders are missing, under one id each


def test_no_verdict_and_texts_of_another_pair_are_no_answers(file):
    told, problems = verdicts(
        file, choice("p:a:b", "a", None), choice("p:a:b", "d", "A"), choice("x", "a", "A")
    )
    assert told[0] == [NONE, NONE]
    assert {("no_verdict", "p:a:b", 1), ("wrong_texts", "p:a:b", 2), ("extra", "x", 3)} <= problems


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, None])), min_size=1), st.randoms())
@settings(deadline=None)
def test_the_order_of_lines_decides_nothing(rows, random):
    """Whether a value counts depends on all that was said, not on which was said first."""

    def values(said: list) -> dict:
        given_: Given[int] = Given("scores")
        for line, (name, value) in enumerate(said, start=1):
            given_.add((name, ""), value, line, "non_finite")
        return given_.values

    shuffled = list(rows)
    random.shuffle(shuffled)
    assert values(rows) == values(shuffled)


def test_counts_are_of_all_problems_and_the_list_of_the_first_of_each_kind():
    many = [Problem("extra", str(n), n) for n in range(MOST_LISTED + 5)]
    found = Problems.of([*many, Problem("missing", "a")]).as_dict()
    assert found["counts"]["extra"] == MOST_LISTED + 5
    assert (len(found["listed"]), found["unlisted"]) == (MOST_LISTED + 1, 5)


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "place", "remedy"),
    [
        (score("a", "0.9"), "column score", "write one without quotes"),
        (score("a", True), "column score", "write one without quotes"),
        (score("a", [1]), "column score", "write one without quotes"),
        ({"response_id": "a"}, "column score", "give a number, or null"),
        (score("", 1), "column response_id", ""),
        ("[1]", "column 1", "write one JSON object a line"),
        ("{", "column 2", "write one JSON object a line"),
        ('{"response_id": "a", "score": NaN, "score": 1}', "column ", ""),
        ('{"response_id": "a\\ud83d", "score": NaN}', "column ", ""),
        ('{"response_id": "a\\u0000", "score": 1}', "column response_id", "delete it"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line_and_remedy(file, row, place, remedy):
    with pytest.raises(InputError) as caught:
        predictions.read(write(file, SCORES[1], row))
    assert str(caught.value).startswith(f"P.jsonl, line 2, {place}")
    assert remedy in str(caught.value)


@pytest.mark.parametrize("value", ["C", "a better", 1, True, ["A"]])
def test_a_choice_is_a_b_tie_or_null(file, value):
    with pytest.raises(InputError, match=r'line 1, column choice: .*write "A", "B", "tie" or null'):
        predictions.read(write(file, choice("p:a:b", "a", value)))


@pytest.mark.parametrize("value", ["abc", {"a": 1}, [[None]], [[""]], [[1.5]]])
def test_a_ranking_is_a_list_of_tiers_of_ids(file, value):
    with pytest.raises(InputError, match="line 1, column ranking: "):
        predictions.read(write(file, {"prompt_id": "p", "ranking": value}))


def test_a_line_of_a_ranking_has_one_of_ranking_and_scores(file):
    for row, found in (({}, "neither"), ({"ranking": [["a"]], "scores": {"a": 1}}, "both")):
        with pytest.raises(InputError, match=found):
            predictions.read(write(file, {"prompt_id": "p", **row}))


def test_columns_of_no_form_are_refused_with_the_forms_there_are(file):
    with pytest.raises(InputError, match="response_id and score, or pair_id"):
        predictions.read(write(file, {"uuid": 1, "reward": 2}))


def test_predictions_for_another_release_are_refused(file):
    with pytest.raises(InputError, match="no id of the file occurs in the release"):
        verdicts(file, score("x", 1), score("y", 2))


def test_an_empty_file_and_one_that_is_not_there_are_refused(file, tmp_path):
    with pytest.raises(InputError, match="the file is empty"):
        predictions.read(write(file))
    with pytest.raises(InputError, match="cannot be read"):
        predictions.read(tmp_path / "nothing.jsonl")


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)
)
@settings(deadline=None, max_examples=100)
def test_whatever_python_writes_is_read_back_or_refused(value):
    text = json.dumps({"value": value})
    try:
        found = lines.decoded(text)
    except ValueError:
        return
    assert json.dumps(found) == text
