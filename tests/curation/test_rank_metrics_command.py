"""`manage.py rank_metrics`: what it prints, and what it refuses with its line."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.curation.file_releases import manage

pytestmark = pytest.mark.files

GOLD = [["a"], ["b"], ["c"], ["d"], ["e"]]
SCORES = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}
RIGHT = {"prompt_id": "p1", "gold": GOLD, "scores": SCORES}
NAMES = ["n", "correlation", "il_exact", "il_graded", "pl", "tie_rate"]


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    return tmp_path / "predictions.jsonl"


def run(path: Path, *rows: object, **options: object) -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    out = StringIO()
    call_command("rank_metrics", predictions=path, stdout=out, **options)
    return out.getvalue()


def printed(path: Path, *rows: object) -> dict:
    return json.loads(run(path, *rows, json=True))


def refusal(path: Path, *rows: object) -> str:
    with pytest.raises(CommandError) as caught:
        run(path, *rows, json=True)
    assert caught.value.returncode == 1
    return str(caught.value)


def with_scores(**scores: object) -> dict:
    return {**RIGHT, "prompt_id": "p2", "scores": {**SCORES, **scores}}


# --- what it prints --------------------------------------------------------------------------------------


def test_it_runs_without_a_database_and_prints_the_json_alone(predictions, tmp_path):
    predictions.write_text(json.dumps(RIGHT) + "\n", encoding="utf-8")
    done = manage("rank_metrics", "--predictions", predictions, "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == NAMES
    assert found == {
        "n": 1,
        "correlation": 100,
        "il_exact": 100,
        "il_graded": 100,
        "pl": 100,
        "tie_rate": 0,
    }


def test_it_averages_over_prompts_times_100(predictions):
    swapped = {**RIGHT, "prompt_id": "p2", "scores": {**SCORES, "a": 4, "b": 5}}
    expected = {"correlation": 90, "il_exact": 80, "il_graded": 95, "pl": 50, "tie_rate": 0}
    assert printed(predictions, RIGHT, swapped) == pytest.approx({"n": 2, **expected})


def test_who_finds_all_texts_equal_gains_nothing_by_it(predictions):
    found = printed(predictions, {**RIGHT, "scores": dict.fromkeys(SCORES, 0.5)})
    expected = {"correlation": 0, "il_exact": 20, "il_graded": 70, "pl": 0, "tie_rate": 100}
    assert found == pytest.approx({"n": 1, **expected})


def test_a_ranking_serves_as_scores_do(predictions):
    ranked = [{**RIGHT, "scores": None, "ranking": [["b"], ["a", "c"], ["d"], ["e"]]}]
    scored = [{**RIGHT, "scores": {"a": 3, "b": 4, "c": 3, "d": 0.5, "e": -1}}]
    assert printed(predictions, *ranked) == printed(predictions, *scored)


def test_a_tier_of_one_may_be_the_id_alone_and_ids_may_be_numbers(predictions):
    numbered = {"prompt_id": 1, "gold": [3, [1, 2]], "ranking": ["3", [2, 1]]}
    assert printed(predictions, numbered) == pytest.approx(
        {"n": 1, "correlation": 200 / 3, "il_exact": 200 / 3, "il_graded": 100, "pl": 0, "tie_rate": 100 / 3}
    )


def test_whole_numbers_of_any_length_are_told_apart(predictions):
    large = {"prompt_id": "p", "gold": [["a"], ["b"]], "scores": {"a": 2**53 + 1, "b": 2**53}}
    assert printed(predictions, large)["pl"] == 100
    same = {"prompt_id": "p", "gold": [["a"], ["b"]], "scores": {"a": 1, "b": 1.0}}
    assert printed(predictions, same)["tie_rate"] == 100


def test_prompts_may_have_different_numbers_of_texts_and_any_order(predictions):
    small = {"prompt_id": "p2", "gold": [["x"], ["y"]], "scores": {"y": 1, "x": 0}}
    found = printed(predictions, RIGHT, small)
    assert found == printed(predictions, small, RIGHT)
    assert (found["n"], found["correlation"], found["pl"]) == (2, 0, 50)


def test_people_get_a_table(predictions):
    text = run(predictions, RIGHT)
    assert text.startswith("Prompts: 1. Times 100; by chance il_graded is 60.00.\n")
    assert [line.split()[0] for line in text.splitlines()[2:]] == NAMES[1:]
    assert "correlation   100.00  " in text
    assert all(len(line) <= 100 for line in text.splitlines())


# --- what it refuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "column", "fault"),
    [
        (
            {**RIGHT, "prompt_id": "p2", "scores": {"a": 1, "b": 2, "c": 3, "d": 4}},
            "scores",
            'no score for "e"',
        ),
        (with_scores(f=1), "scores", 'a score for "f"'),
        (with_scores(c=None), "scores", "null"),
        (with_scores(c="3"), "scores", '"3"'),
        (with_scores(c=True), "scores", "true"),
        (json.dumps(with_scores()).replace("5,", "NaN,"), "scores", "NaN"),
        (json.dumps(with_scores()).replace("5,", "-Infinity,"), "scores", "Infinity"),
        (json.dumps(with_scores()).replace("5,", "1e999,"), "scores", "Infinity"),
        ({**RIGHT, "prompt_id": "p2", "scores": [5, 4, 3, 2, 1]}, "scores", "JSON object"),
        ({"prompt_id": "p2", "gold": GOLD}, "scores", "neither is given"),
        ({**with_scores(), "ranking": GOLD}, "scores", "both are given"),
        ({"prompt_id": "p2", "gold": GOLD, "ranking": GOLD[1:]}, "ranking", 'no place for "a"'),
        ({"prompt_id": "p2", "gold": GOLD, "ranking": [*GOLD, ["f"]]}, "ranking", 'a place for "f"'),
        ({"prompt_id": "p2", "gold": GOLD, "ranking": [*GOLD, ["a"]]}, "ranking", 'two places for "a"'),
        ({"prompt_id": "p2", "gold": GOLD, "ranking": [*GOLD, []]}, "ranking", "a tier is empty"),
        ({"prompt_id": "p2", "gold": GOLD, "ranking": "abcde"}, "ranking", "no list of tiers"),
        ({**with_scores(), "gold": [["a"], ["a"]]}, "gold", 'two places for "a"'),
        ({**with_scores(), "gold": [["a"]]}, "gold", "at least two"),
        ({**with_scores(), "gold": []}, "gold", "no list of tiers"),
        ({**with_scores(), "gold": [["a"], [None]]}, "gold", "null is no id"),
        ({**with_scores(), "gold": [["a"], [""]]}, "gold", "no id"),
        ({"prompt_id": "p2", "scores": SCORES}, "gold", "the column is missing"),
        ({"gold": GOLD, "scores": SCORES}, "prompt_id", "the column is missing"),
        (RIGHT, "prompt_id", '"p1" stands on line 1'),
    ],
)
def test_what_cannot_be_compared_is_refused_with_its_line(predictions, row, column, fault):
    found = refusal(predictions, RIGHT, row)
    assert found.startswith(f"predictions.jsonl, line 2, column {column}: ")
    assert fault in found


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_what_is_no_number_is_refused_with_advice_that_works(predictions, tmp_path, number):
    """Null is refused as well, so nobody is told to write it."""
    line = json.dumps(with_scores()).replace("5,", f"{number},")
    said = "NaN and Infinity are no numbers in JSON; write a finite number"
    assert refusal(predictions, RIGHT, line) == f"predictions.jsonl, line 2, column scores: {said}"
    table = tmp_path / "predictions.csv"
    cell = f'"{{""a"": 1, ""b"": {number}}}"'
    found = refusal(table, "prompt_id,gold,scores", f'p1,"[""a"", ""b""]",{cell}')
    assert found == f"predictions.csv, line 2, column scores: {said}"


def test_a_line_that_is_no_json_is_refused(predictions):
    assert refusal(predictions, RIGHT, "{").startswith("predictions.jsonl, line 2, column ")


def test_a_file_without_prompts_is_refused(predictions, tmp_path):
    assert "the file is empty" in refusal(predictions)
    table = tmp_path / "predictions.csv"
    assert "no prompt" in refusal(table, "prompt_id,gold,scores")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CommandError, match=r"nothing\.jsonl: the file cannot be read"):
        call_command("rank_metrics", predictions=tmp_path / "nothing.jsonl")
