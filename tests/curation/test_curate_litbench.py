"""manage.py curate --recipe litbench: from a file of stories to a release."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from django.core.management import CommandError, call_command

from curation.services import verification
from tests.curation.file_releases import PAPERS, copies_of, manage, tree, write_rows

pytestmark = pytest.mark.files

LONG = "word " * 60


def stories() -> list[dict[str, object]]:
    """Of each prompt: pairs both ways by length, one of each reason, one story for each filter."""
    rows = []
    for prompt in ("p", "q", "é"):
        for name, upvotes, hour, words in (
            ("low", 10, 0, 60),
            ("long", 40, 1, 70),
            ("short", 90, 2, 50),
            ("close", 11, 3, 61),
            ("early", 200, -1, 65),
            ("unliked", 9, 4, 60),
            ("brief", 50, 4, 49),
            ("endless", 50, 4, 2049),
        ):
            day, clock = divmod(24 + hour, 24)
            rows.append(
                {
                    "id": f"{prompt}-{name}",
                    "prompt_id": prompt,
                    "text": f"{name} " * words,
                    "upvotes": upvotes,
                    "posted_at": f"{'2022-12-31' if not day else '2023-01-01'}T{clock:02}:00:00Z",
                    "prompt": f"Prompt {prompt}",
                    "language": "en",
                    "genre": "fable",
                }
            )
    return rows


def curate(path: Path, out: Path, *options: str, recipe: str = "litbench") -> None:
    call_command("curate", f"--recipe={recipe}", f"--responses={path}", f"--out={out}", *options)


def refusal(path: Path, out: Path, *options: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        curate(path, out, *options)
    return caught.value


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def stated(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_bytes())


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "input"
    folder.mkdir()
    return write_rows(folder / "S.jsonl", stories())


# --- what it writes --------------------------------------------------------------------------------------


def test_it_runs_in_an_empty_environment_and_its_release_verifies(path, tmp_path):
    options = ("--recipe", "litbench", "--responses", path, "--out", "D", "--json")
    done = manage("curate", *options, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert list(summary) == ["name", "version", "out", "funnel", "agreement", "files"]
    assert summary["name"] == "litbench"
    assert summary["agreement"]["alpha"]["ordinal"]["reason"] == "empty"
    assert summary["funnel"] == json.loads((tmp_path / "D/funnel.json").read_bytes())
    done = manage("verify_release", "D", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_release_has_the_files_of_every_release(path, tmp_path):
    curate(path, tmp_path / "D")
    assert set(tree(tmp_path / "D")) == {
        "data/pairs/test.jsonl",
        "data/judgements/test.jsonl",
        "csv/pairs-test.csv",
        "rejected.jsonl",
        "funnel.json",
        *copies_of("litbench"),
        *PAPERS,
    }
    assert (tmp_path / "D/data/judgements/test.jsonl").read_bytes() == b""


def test_a_pair_has_votes_and_moments_in_place_of_scores(path, tmp_path):
    curate(path, tmp_path / "D", "--param=buckets=2")
    first = rows_of(tmp_path / "D/data/pairs/test.jsonl")[0]
    assert list(first) == [
        "id",
        "prompt_id",
        "chosen",
        "rejected",
        "upvotes_chosen",
        "upvotes_rejected",
        "posted_at_chosen",
        "posted_at_rejected",
        "length_chosen",
        "length_rejected",
        "flags",
        "genre",
        "language",
        "chosen_model",
        "rejected_model",
        "prompt",
        "chosen_text",
        "rejected_text",
        "canary",
    ]
    texts = ("prompt", "chosen_text", "rejected_text", "canary")
    assert {name: value for name, value in first.items() if name not in texts} == {
        "id": "p:p-long:p-low",
        "prompt_id": "p",
        "chosen": "p-long",
        "rejected": "p-low",
        "upvotes_chosen": 40,
        "upvotes_rejected": 10,
        "posted_at_chosen": "2023-01-01T01:00:00.000000Z",
        "posted_at_rejected": "2023-01-01T00:00:00.000000Z",
        "length_chosen": 70,
        "length_rejected": 60,
        "genre": "fable",
        "language": "en",
        "chosen_model": "",
        "rejected_model": "",
        "flags": [],
    }
    assert (first["prompt"], first["chosen_text"][:9]) == ("Prompt p", "long long")


def test_the_funnel_names_filters_and_reasons(path, tmp_path):
    curate(path, tmp_path / "D", "--param=length_symmetry=off")
    assert stated(tmp_path / "D")["funnel"] == {
        "candidates": 30,
        "removed": {"min_upvotes": 3, "min_words": 3, "max_tokens": 3},
        "rejected": {"identical_text": 0, "upvote_gap": 3, "time": 18, "split": 0, "length_symmetry": 0},
        "accepted": 9,
    }
    reasons = [row["reason"] for row in rows_of(tmp_path / "D/rejected.jsonl")]
    assert sorted(set(reasons)) == ["time", "upvote_gap"]
    assert len(reasons) == 21


def test_the_manifest_says_all_that_made_the_pairs(path, tmp_path):
    curate(path, tmp_path / "D", "--param=min_difference=0.25", "--param=strata=language+genre")
    facts = stated(tmp_path / "D")
    assert facts["recipe"]["name"] == "litbench"
    assert facts["recipe"]["parameters"]["min_difference"] == "1/4"
    assert facts["tokens"] == {"counted": {"words": 24}, "given": 0}
    assert facts["length_unit"] == {"setting": "auto", "counted": {"words": 15}, "given": 0}
    assert facts["counts"] == {
        "prompts": 3,
        "responses": 15,
        "annotators": 0,
        "judgements": 0,
        "pairs": facts["funnel"]["accepted"],
    }
    (stratum,) = facts["symmetry"]
    assert stratum["stratum"] == {"language": "en", "genre": "fable"}
    assert stratum["kept"]["longer"] == stratum["kept"]["shorter"]
    assert facts["rubric_version"] is None


def test_the_column_of_tokens_counts_before_words(path, tmp_path):
    rows = [{**row, "tokens": 100} if row["id"].endswith("endless") else row for row in stories()]
    curate(write_rows(path, rows), tmp_path / "D")
    facts = stated(tmp_path / "D")
    assert facts["tokens"] == {"counted": {"words": 21}, "given": 3}
    assert facts["funnel"]["removed"]["max_tokens"] == 0


def test_a_date_divides_the_pairs_into_two_files(path, tmp_path, capsys):
    curate(path, tmp_path / "D", "--param=split_at=2023-01-01", "--param=time_rule=off", "--param=buckets=2")
    assert {"data/pairs/train.jsonl", "data/pairs/test.jsonl"} <= set(tree(tmp_path / "D"))
    facts = stated(tmp_path / "D")
    counts = {split: facts["files"][f"data/pairs/{split}.jsonl"]["rows"] for split in ("train", "test")}
    assert counts["test"] > 0
    assert sum(counts.values()) == facts["counts"]["pairs"] == facts["funnel"]["accepted"]
    assert facts["funnel"]["rejected"]["split"] > 0
    assert [stratum["stratum"] for stratum in facts["symmetry"]] == [{"split": "test"}]
    assert facts["recipe"]["parameters"]["split_at"] == "2023-01-01T00:00:00+00:00"
    assert verification.verify(tmp_path / "D").ok
    assert f"(0 in train, {counts['test']} in test)" in capsys.readouterr().out


def test_a_changed_training_file_is_found(path, tmp_path):
    out = tmp_path / "D"
    curate(path, out, "--param=split_at=2024-01-01", "--param=length_symmetry=off")
    assert verification.verify(out).ok
    train = out / "data/pairs/train.jsonl"
    train.write_bytes(b"".join(train.read_bytes().splitlines(keepends=True)[1:]))
    verdict = verification.verify(out)
    assert (verdict.outcome, verdict.path) == ("differs", "data/pairs/train.jsonl")


def test_the_card_speaks_of_upvotes_and_declares_every_column(path, tmp_path):
    curate(path, tmp_path / "D", "--param=split_at=2023-01-01", "--param=length_symmetry=off")
    text = (tmp_path / "D/README.md").read_text("utf-8")
    _, matter, body = text.split("---\n", 2)
    front = yaml.safe_load(matter)
    assert [config["config_name"] for config in front["configs"]] == ["pairs", "preference", "judge"]
    for config, info in zip(front["configs"], front["dataset_info"], strict=True):
        assert [file["split"] for file in config["data_files"]] == ["train", "test"]
        first = rows_of(tmp_path / "D" / config["data_files"][1]["path"])[0]
        assert [feature["name"] for feature in info["features"]] == list(first)
    assert "annotators preferred" not in body
    assert "## Agreement" not in body
    assert "| `min_words` | too few words | 3 |" in body
    assert "at least 10 upvotes, at least 50 words and at most 2048 tokens" in body
    assert "Tokens, of all stories read: 24 responses in words." in body


def test_the_ablations_run_by_name(path, tmp_path):
    curate(path, tmp_path / "D", recipe="litbench-without-time-rule")
    facts = stated(tmp_path / "D")
    assert (facts["name"], facts["recipe"]["name"]) == ("litbench-without-time-rule",) * 2
    assert facts["funnel"]["rejected"]["time"] == 0
    curate(path, tmp_path / "E", recipe="litbench-without-length-filter")
    assert stated(tmp_path / "E")["symmetry"] == []
    assert verification.verify(tmp_path / "E").ok


def test_rejections_are_left_out_on_demand_and_change_no_other_file(path, tmp_path):
    curate(path, tmp_path / "D")
    curate(path, tmp_path / "E", "--rejected=none")
    assert verification.verify(tmp_path / "E").ok
    with_them, without = tree(tmp_path / "D"), tree(tmp_path / "E")
    assert set(with_them) - set(without) == {"rejected.jsonl"}
    same = set(without) - {"manifest.json", "SHA256SUMS"}
    assert {name: with_them[name] for name in same} == {name: without[name] for name in same}


# --- the same bytes --------------------------------------------------------------------------------------


def as_csv(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_parquet(path: Path, rows: Iterable[dict[str, object]]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


@pytest.mark.parametrize(
    ("write", "name"), [(write_rows, "S.jsonl"), (as_csv, "S.csv"), (as_parquet, "S.parquet")]
)
def test_the_same_stories_give_the_same_bytes_in_any_format_and_order(path, tmp_path, write, name):
    curate(path, tmp_path / "D", "--param=buckets=2")
    other = write(tmp_path / name, list(reversed(stories())))
    curate(other, tmp_path / "E", "--param=buckets=2")
    assert tree(tmp_path / "D") == tree(tmp_path / "E")


# --- what it refuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--param=min_gap=1"], "there is no parameter 'min_gap'"),
        (["--param=split_at=soon"], "off, or a date or time in ISO 8601"),
        (["--param=min_difference=25%"], "a number from 0 to 1"),
    ],
)
def test_it_refuses_a_bad_parameter_and_writes_nothing(path, tmp_path, options, said):
    assert said in str(refusal(path, tmp_path / "D", *options))
    assert not (tmp_path / "D").exists()


def test_it_takes_no_scores(path, tmp_path):
    error = refusal(path, tmp_path / "D", f"--scores={path}")
    assert str(error) == "The recipe litbench takes no --scores, but --responses alone; leave it out."
    assert error.returncode == 2
    assert not (tmp_path / "D").exists()


def test_writing_preference_needs_scores(path, tmp_path):
    with pytest.raises(CommandError, match="The recipe writing-preference needs --scores FILE") as caught:
        curate(path, tmp_path / "D", recipe="writing-preference")
    assert caught.value.returncode == 2


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"upvotes": "12"}, "S.jsonl, line 1, column upvotes: "),
        ({"posted_at": "1 January"}, 'S.jsonl, line 1, column posted_at: "1 January" is not a time'),
        ({"tokens": 1.5}, "S.jsonl, line 1, column tokens: 1.5 is not a count"),
    ],
)
def test_it_refuses_a_bad_row_with_its_place(path, tmp_path, columns, said):
    first, *rest = stories()
    write_rows(path, [{**first, **columns}, *rest])
    assert said in str(refusal(path, tmp_path / "D"))
    assert not (tmp_path / "D").exists()


def test_it_refuses_a_file_without_stories(path, tmp_path):
    empty = as_csv(path.with_suffix(".csv"), stories())
    header = empty.read_text("utf-8").splitlines()[0]
    empty.write_text(header + "\n", "utf-8")
    assert "there is no story below the header" in str(refusal(empty, tmp_path / "D"))


def test_it_does_not_replace_the_folder_of_its_input(path, tmp_path):
    assert "contains the input" in str(refusal(path, path.parent, "--force"))
