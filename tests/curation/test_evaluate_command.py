"""`manage.py evaluate`: a release and predictions in, figures out, and what it refuses."""

import json
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import CommandError, call_command

from curation.domain.recipes import LitBench, Weval, WritingPreference
from curation.services import from_files
from curation.services.from_files import Label
from tests.curation.file_releases import manage, tree, write_rows

pytestmark = pytest.mark.files

GENRES = ("poetry", "fiction")
LABEL = Label("bench", "1.0.0")
FEW = {"replicates": 100}


def responses(prompts: int = 12) -> list[dict[str, object]]:
    """Two to a prompt; of each the response `a` is better, and longer in every other prompt."""
    return [
        {
            "id": f"p{n:02}{side}",
            "prompt_id": f"p{n:02}",
            "prompt": "Write about a harbour.",
            "text": "The harbour wakes. " * (3 if (side == "a") == bool(n % 2) else 1) + f"{n} {side}",
            "language": "en" if n % 3 else "de",
            "genre": GENRES[n % 2],
            "model": f"model-{side}",
        }
        for n in range(prompts)
        for side in "ab"
    ]


def scores(rows: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    given = {"a": (3, 3, 2), "b": (1, 1, 1)}
    return [
        {"response_id": row["id"], "annotator": person, "score": score}
        for row in rows
        for person, score in zip("xyz", given[str(row["id"])[-1]], strict=True)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A release of pairs, with the responses that it was made of beside it."""
    place = tmp_path_factory.mktemp("pairs")
    rows = responses()
    files = {
        "responses": write_rows(place / "R.jsonl", rows),
        "scores": write_rows(place / "S.jsonl", scores(rows)),
    }
    recipe = WritingPreference.from_parameters({"length_symmetry": False})
    from_files.release(files, place / "D", recipe=recipe, label=LABEL)
    return place


@pytest.fixture(scope="module")
def orders(tmp_path_factory) -> Path:
    """A release of gold rankings with pairs."""
    place = tmp_path_factory.mktemp("orders")
    rows = [
        {
            "id": f"p{n}{side}",
            "prompt_id": f"p{n}",
            "text": f"Text {n} {side}",
            "language": "en",
            "genre": ("letter", "story")[n % 2],
            "kept_requirements": 3 - kept,
            "requirements": 3,
        }
        for n in range(6)
        for kept, side in enumerate("abc")
    ]
    given = [
        {"prompt_id": f"p{n}", "annotator": person, "tiers": [[f"p{n}{side}"] for side in order]}
        for n in range(6)
        for person, order in (("x", "abc"), ("y", "bac"))
    ]
    files = {
        "responses": write_rows(place / "R.jsonl", rows),
        "rankings": write_rows(place / "K.jsonl", given),
    }
    from_files.release(files, place / "D", recipe=Weval(pairs="adjacent"), label=LABEL)
    return place


def predicted(place: Path, rows: Iterable[Mapping[str, object]], name: str = "P.jsonl") -> Path:
    return write_rows(place / name, rows)


def perfect(prompts: int = 12) -> list[dict[str, object]]:
    return [
        {"response_id": f"p{n:02}{side}", "score": float(side == "a")}
        for n in range(prompts)
        for side in "ab"
    ]


def run(release: Path, predictions: Path, **options: object) -> str:
    out = StringIO()
    call_command("evaluate", release, predictions, stdout=out, **{**FEW, **options})
    return out.getvalue()


def printed(release: Path, predictions: Path, **options: object) -> dict:
    return json.loads(run(release, predictions, json=True, **options))


def refusal(release: Path, predictions: Path, **options: object) -> tuple[str, int]:
    with pytest.raises(CommandError) as caught:
        run(release, predictions, json=True, **options)
    return str(caught.value), caught.value.returncode


# --- what it prints --------------------------------------------------------------------------------------


def test_it_runs_without_a_database_writes_nothing_and_prints_the_json_alone(folder, tmp_path):
    path, before = predicted(tmp_path, perfect()), tree(folder)
    done = manage("evaluate", folder / "D", path, "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == [
        "release",
        "predictions",
        "seed",
        "replicates",
        "pairs",
        "pairs_reason",
        "rankings",
        "rankings_reason",
        "against",
    ]
    assert found["release"] == {"name": "bench", "version": "1.0.0", "verified": True}
    assert found["pairs"]["overall"]["accuracy"]["value"] == 1
    assert (tree(folder), sorted(tree(tmp_path))) == (before, ["P.jsonl"])
    again = manage("evaluate", folder / "D", path, "--json", folder=tmp_path, PYTHONHASHSEED="7")
    assert again.stdout == done.stdout


def test_a_part_has_the_same_names_whatever_it_is_of(folder, tmp_path):
    found = printed(folder / "D", predicted(tmp_path, perfect()), responses=folder / "R.jsonl")["pairs"]
    parts = [found["overall"], *found["genres"], *found["languages"], *found["strata"]]
    assert {tuple(name for name in part if name != "key") for part in parts} == {
        (
            "pairs",
            "prompts",
            "few",
            "verdicts",
            "right",
            "ties",
            "unanswered",
            "accuracy",
            "accuracy_ties_half",
            "p",
            "as_if_independent",
            "position",
            "p_holm",
            "ceiling",
            "baselines",
        )
    }


def test_genres_and_languages_come_from_a_file_of_responses_where_the_release_says_nothing(folder, tmp_path):
    path = predicted(tmp_path, perfect())
    facts = ("language", "genre", "model")
    bare = [{name: value for name, value in row.items() if name not in facts} for row in responses()]
    files = {"responses": write_rows(tmp_path / "R.jsonl", bare), "scores": folder / "S.jsonl"}
    recipe = WritingPreference.from_parameters({"length_symmetry": False})
    from_files.release(files, tmp_path / "bare", recipe=recipe, label=LABEL)
    alone = printed(tmp_path / "bare", path)["pairs"]
    assert (alone["genres"], alone["unknown_genre"], alone["spread"]["reason"]) == ([], 12, "one_genre")
    found = printed(tmp_path / "bare", path, responses=folder / "R.jsonl")["pairs"]
    assert found == printed(folder / "D", path)["pairs"]  # which says it of each pair
    assert [(row["key"], row["pairs"]) for row in found["genres"]] == [("fiction", 6), ("poetry", 6)]
    assert [(row["key"], row["pairs"]) for row in found["languages"]] == [("de", 4), ("en", 8)]
    assert [(row["key"], row["pairs"]) for row in found["strata"]] == [
        ("de+fiction", 2),
        ("de+poetry", 2),
        ("en+fiction", 4),
        ("en+poetry", 4),
    ]
    assert [(row["key"], row["genres"]) for row in found["spread_by_language"]] == [("de", 2), ("en", 2)]
    assert (found["unknown_genre"], found["unknown_language"]) == (0, 0)
    assert found["overall"]["accuracy"] == alone["overall"]["accuracy"]


def test_the_ceiling_and_the_baselines_stand_beside(folder, tmp_path):
    found = printed(folder / "D", predicted(tmp_path, perfect()), responses=folder / "R.jsonl")["pairs"]
    assert found["overall"]["ceiling"]["value"] == 1
    assert found["overall"]["baselines"]["longer"]["rate"] == 0.5
    assert found["overall"]["baselines"]["source_model"]["rate"] == 1
    assert {row["key"]: row["baselines"]["longer"]["rate"] for row in found["genres"]} == {
        "fiction": 1,
        "poetry": 0,
    }


def test_the_ceiling_is_of_two_others_though_the_recipe_asks_for_three(tmp_path):
    rows = responses()
    files = {
        "responses": write_rows(tmp_path / "R.jsonl", rows),
        "scores": write_rows(tmp_path / "S.jsonl", scores(rows)),
    }
    recipe = WritingPreference.from_parameters({"length_symmetry": False, "min_common": 3})
    from_files.release(files, tmp_path / "D", recipe=recipe, label=LABEL)
    found = printed(tmp_path / "D", predicted(tmp_path, perfect()))["pairs"]["overall"]["ceiling"]
    assert (found["value"], found["annotators"], found["pairs"]) == (1, 3, 36)


def test_a_constant_scorer_gets_nothing_and_its_ties_are_counted(folder, tmp_path):
    rows = [{**row, "score": 1} for row in perfect()]
    found = printed(folder / "D", predicted(tmp_path, rows))["pairs"]["overall"]
    assert (found["accuracy"]["value"], found["ties"], found["accuracy_ties_half"]["value"]) == (0, 12, 0.5)


def test_what_is_missing_extra_repeated_or_no_number_is_listed_with_its_line(folder, tmp_path):
    rows = [*perfect()[:-2], {"response_id": "p00a", "score": 1.0}, {"response_id": "zz", "score": 1}]
    path = predicted(tmp_path, rows)
    path.write_text(path.read_text().replace('"p03a", "score": 1.0', '"p03a", "score": NaN'))
    found = printed(folder / "D", path)
    problems = found["predictions"]["problems"]
    assert [(each["kind"], each["id"], each["line"]) for each in problems["listed"]] == [
        ("missing", "p11a", None),
        ("missing", "p11b", None),
        ("extra", "zz", 24),
        ("duplicate", "p00a", 23),
        ("non_finite", "p03a", 7),
    ]
    overall = found["pairs"]["overall"]
    assert (overall["pairs"], overall["right"], overall["unanswered"]) == (12, 10, 2)


def test_choices_in_both_orders_have_a_consistency(folder, tmp_path):
    pairs = [json.loads(line) for line in (folder / "D/data/pairs/test.jsonl").read_text().splitlines()]
    rows = [
        {"pair_id": row["id"], "first": row[side], "choice": "A" if place < 6 or side == "chosen" else "B"}
        for place, row in enumerate(pairs)
        for side in ("chosen", "rejected")
    ]
    found = printed(folder / "D", predicted(tmp_path, rows))["pairs"]["overall"]
    assert found["accuracy"]["value"] == 0.75
    position = found["position"]
    assert (position["consistent"]["value"], position["right_in_both"]["value"]) == (0.5, 0.5)
    assert position["first_preferred"]["value"] == 0.75
    assert "Position: the same in both orders 50.0" in run(folder / "D", predicted(tmp_path, rows))


def test_two_models_are_compared_on_the_same_pairs(folder, tmp_path):
    other = predicted(tmp_path, [{**row, "score": -row["score"]} for row in perfect()[:12]], "Q.jsonl")
    one = predicted(tmp_path, perfect())
    found = printed(folder / "D", one, against=other, responses=folder / "R.jsonl")["against"]
    overall = found["pairs"]["overall"]
    assert (overall["difference"]["value"], overall["p"]["p"]) == (1, 2 / 2**12)
    assert overall["as_if_independent"]["only_first"] == 12
    assert [row["p_holm"] for row in found["pairs"]["genres"]] == [2 * 2 / 2**6] * 2
    assert found["predictions"]["problems"]["counts"]["missing"] == 12
    assert found["rankings"] is None
    text = run(folder / "D", one, against=other)
    assert "Difference of accuracy, the first less the second, times 100:" in text


def test_rankings_are_held_against_the_gold_ones(orders, tmp_path):
    rows = [{"prompt_id": f"p{n}", "ranking": [f"p{n}{side}" for side in "abc"]} for n in range(5)]
    found = printed(orders / "D", predicted(tmp_path, rows))
    overall = found["rankings"]["overall"]
    assert (overall["prompts"], overall["unanswered"]) == (6, 1)
    assert overall["correlation"]["value"] == pytest.approx(100 * (5 - 1) / 6)
    assert overall["pl"]["value"] == pytest.approx(100 * 5 / 6)
    assert overall["human"]["correlation"] == pytest.approx(200 / 3)
    assert [(row["key"], row["human"]["n"]) for row in found["rankings"]["genres"]] == [
        ("letter", 3),
        ("story", 3),
    ]
    assert (found["pairs"], found["pairs_reason"]) == (None, "rankings_given")
    text = run(orders / "D", predicted(tmp_path, rows))
    assert "Gold rankings: 6 prompts." in text
    assert "People against gold, as the release has it: correlation 66.67" in text


def test_scores_of_responses_serve_pairs_and_rankings_of_one_release(orders, tmp_path):
    rows = [
        {"response_id": f"p{n}{side}", "score": -place} for n in range(6) for place, side in enumerate("abc")
    ]
    found = printed(orders / "D", predicted(tmp_path, rows))
    assert (found["pairs"]["overall"]["accuracy"]["value"], found["rankings"]["overall"]["pl"]["value"]) == (
        1,
        100,
    )
    assert [row["key"] for row in found["pairs"]["genres"]] == ["letter", "story"]
    assert sum(found["predictions"]["problems"]["counts"].values()) == 0


def test_a_release_without_scores_of_people_has_no_ceiling(tmp_path):
    rows = [
        {
            "id": f"{n}{side}",
            "prompt_id": str(n),
            "text": "word " * 60,
            "upvotes": votes,
            "posted_at": f"2024-0{day}-01",
        }
        for n in range(4)
        for side, votes, day in (("a", 40, 2), ("b", 12, 1))
    ]
    for number, row in enumerate(rows):
        row["text"] += str(number)
    files = {"responses": write_rows(tmp_path / "R.jsonl", rows)}
    from_files.release(files, tmp_path / "D", recipe=LitBench(), label=LABEL)
    path = predicted(tmp_path, [{"response_id": row["id"], "score": row["upvotes"]} for row in rows])
    overall = printed(tmp_path / "D", path)["pairs"]["overall"]
    assert (overall["accuracy"]["value"], overall["ceiling"]["reason"]) == (1, "no_scores")


def test_people_get_a_table_of_at_most_100_columns(folder, tmp_path):
    random = Random(1)
    rows = [{**row, "score": random.random()} for row in perfect()]
    path = predicted(tmp_path, rows)
    text = run(
        folder / "D", path, responses=folder / "R.jsonl", against=predicted(tmp_path, perfect(), "Q.jsonl")
    )
    assert text.startswith("bench 1.0.0, verified.\nP.jsonl: 24 rows of scores. Problems: none.\n")
    heads = re.findall(r"^  (\S+)(?: \(few\))? +\d+ +[\d.]+ +[\d.]+ to", text, re.M)
    strata = ["de+fiction", "de+poetry", "en+fiction", "en+poetry"]
    assert heads == ["all", "fiction", "poetry", "de", "en", *strata]
    assert "SD of accuracy over 2 genres: " in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_replicates_of_0_leave_the_intervals_out(folder, tmp_path):
    found = printed(folder / "D", predicted(tmp_path, perfect()), replicates=0)["pairs"]["overall"]
    assert (found["accuracy"]["low"], found["accuracy"]["value"]) == (None, 1)


def test_the_order_of_lines_shows_in_no_figure(folder, tmp_path):
    random = Random(2)
    rows = [{**row, "score": random.random()} for row in perfect()]
    one = printed(folder / "D", predicted(tmp_path, rows))
    random.shuffle(rows)
    assert printed(folder / "D", predicted(tmp_path, rows)) == one


# --- what it refuses -------------------------------------------------------------------------------------


@pytest.fixture
def damaged(folder, tmp_path) -> Path:
    for path, content in tree(folder / "D").items():
        (tmp_path / "E" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "E" / path).write_bytes(content)
    with (tmp_path / "E/data/pairs/test.jsonl").open("a") as file:
        file.write("\n")
    return tmp_path / "E"


def test_a_damaged_release_is_refused_unless_it_is_not_to_be_verified(damaged, tmp_path):
    path = predicted(tmp_path, perfect())
    said, code = refusal(damaged, path)
    assert "data/pairs/test.jsonl: its SHA-256 is not the one in SHA256SUMS" in said
    assert said.endswith("take it anew, or go on as it is with --no-verify.")
    assert code == 1
    found = printed(damaged, path, no_verify=True)
    assert (found["release"]["verified"], found["pairs"]["overall"]["accuracy"]["value"]) == (False, 1)
    assert "bench 1.0.0, not verified." in run(damaged, path, no_verify=True)


def test_what_is_no_release_is_refused_verified_or_not(tmp_path):
    path = predicted(tmp_path, perfect())
    (tmp_path / "E").mkdir()
    said, code = refusal(tmp_path / "E", path)
    assert ("it is no release" in said, code) == (True, 3)
    said, code = refusal(tmp_path / "E", path, no_verify=True)
    assert (said, code) == (
        "manifest.json cannot be read (No such file or directory); name the folder of a release",
        1,
    )


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("manifest.json", "{", "manifest.json is not JSON"),
        ("manifest.json", "[]", "manifest.json is no JSON object"),
        ("data/pairs/test.jsonl", '{"id": "x"}\n', "data/pairs/test.jsonl, line 1, column prompt_id"),
        (
            "data/pairs/test.jsonl",
            2 * '{"id": "x", "prompt_id": "p", "chosen": "a", "rejected": "b"}\n',
            "two pairs have the same id",
        ),
        (
            "data/judgements/test.jsonl",
            '{"response_id": "x", "prompt_id": "p", "annotator": "x", "score": 999}\n',
            "data/judgements/test.jsonl, line 1, column score",
        ),
        (
            "data/judgements/test.jsonl",
            2 * '{"response_id": "p00a", "prompt_id": "p00", "annotator": "x", "score": 1}\n',
            "two scores for one response",
        ),
        ("data/rankings/test.jsonl", '{"prompt_id": "p", "gold": [["a"]]}\n', "column gold"),
        ("agreement.json", "[", "agreement.json is not JSON"),
    ],
)
def test_what_a_release_has_wrong_is_said_with_its_place(damaged, tmp_path, path, content, reason):
    (damaged / path).parent.mkdir(parents=True, exist_ok=True)
    (damaged / path).write_text(content)
    said, code = refusal(damaged, predicted(tmp_path, perfect()), no_verify=True)
    assert (reason in said, code) == (True, 1), said


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "P.jsonl, line 25, column 2: not valid JSON"),
        (
            '{"response_id": "p00a", "score": "high"}',
            'P.jsonl, line 25, column score: "high" is no number; write one',
        ),
        ('{"pair_id": "p"}', "P.jsonl, line 25, column response_id: "),
    ],
)
def test_predictions_that_cannot_be_read_are_refused_with_their_line(folder, tmp_path, line, reason):
    path = predicted(tmp_path, perfect())
    path.write_text(path.read_text() + line + "\n")
    said, code = refusal(folder / "D", path)
    assert (said.startswith(reason), code) == (True, 1), said


def test_the_exit_code_of_a_refusal_is_not_0_and_no_trace_is_printed(folder, tmp_path):
    path = predicted(tmp_path, [{"response_id": "another", "score": 1}])
    done = manage("evaluate", folder / "D", path, "--json", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no id of the file occurs in the release" in done.stderr
    assert "Traceback" not in done.stderr


def test_rankings_for_a_release_of_pairs_alone_are_refused(folder, tmp_path):
    said, _ = refusal(folder / "D", predicted(tmp_path, [{"prompt_id": "p00", "ranking": ["p00a", "p00b"]}]))
    assert "the release has no gold rankings" in said


def test_replicates_beyond_reason_are_refused(folder, tmp_path):
    said, _ = refusal(folder / "D", predicted(tmp_path, perfect()), replicates=-1)
    assert "--replicates is -1" in said


# --- judges ----------------------------------------------------------------------------------------------


def test_a_judge_is_asked_by_the_release_and_its_answers_are_read_as_they_are(folder, tmp_path):
    """It prefers the longer response; of the pairs half have a longer chosen one."""
    asked = [json.loads(line) for line in (folder / "D/data/judge/test.jsonl").open(encoding="utf-8")]
    assert len(asked) == 24
    texts = {row["id"]: row["text"] for row in responses()}
    rows = []
    for row in asked:
        longer = "A" if len(texts[row["first"]]) > len(texts[row["second"]]) else "B"
        said = f"I weighed both. **Verdict: {longer}**"
        rows.append({"pair_id": row["pair_id"], "first": row["first"], "answer": said})
    rows[0]["answer"] = "I cannot decide."
    found = printed(folder / "D", predicted(tmp_path, rows))
    overall = found["pairs"]["overall"]
    assert overall["accuracy"]["n"] == 12
    # In both orders alike: right where the chosen response is longer. One of the 24 answers counts as wrong.
    assert overall["accuracy"]["value"] in (6 / 12, 5.5 / 12)
    assert overall["unanswered"] == 1
