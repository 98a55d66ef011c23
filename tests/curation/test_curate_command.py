"""manage.py curate: from two files to a release."""

import csv
import json
from hashlib import sha256
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from curation.services import directory, verification
from curation.services.directory import DirectoryError
from tests.curation.file_releases import (
    PAPERS,
    copies_of,
    manage,
    responses,
    scores,
    tree,
    unmarked,
    write_input,
    write_rows,
)

pytestmark = pytest.mark.files


@pytest.fixture
def given(tmp_path):
    """The two input files in a folder of their own."""
    folder = tmp_path / "input"
    folder.mkdir()
    return write_input(folder)


def curate(given, out: Path, *options: str) -> None:
    call_command(
        "curate",
        "--recipe=writing-preference",
        f"--responses={given[0]}",
        f"--scores={given[1]}",
        f"--out={out}",
        *options,
    )


def refusal(given, out: Path, *options: str) -> str:
    with pytest.raises(CommandError) as caught:
        curate(given, out, *options)
    assert caught.value.returncode == 1
    return str(caught.value)


# --- as a person runs it ---------------------------------------------------------------------------------


def test_it_runs_in_an_empty_environment_and_prints_the_json_alone(given, tmp_path):
    options = ("--recipe", "writing-preference", "--responses", given[0], "--scores", given[1])
    before = tree(tmp_path)
    done = manage(
        "curate", *options, "--out", "D", "--name", "demo", "--version", "1.2.3", "--json", folder=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert list(summary) == ["name", "version", "out", "funnel", "agreement", "files"]
    assert (summary["name"], summary["version"], summary["out"]) == ("demo", "1.2.3", "D")
    written = tree(tmp_path / "D")
    assert {path: sha256(content).hexdigest() for path, content in written.items()} == {
        path: facts["sha256"] for path, facts in summary["files"].items()
    }
    assert summary["funnel"] == json.loads(written["funnel.json"])
    outside = {path: content for path, content in tree(tmp_path).items() if not path.startswith("D/")}
    assert outside == before
    assert manage("verify_release", "D", folder=tmp_path).returncode == 0


def test_a_bad_value_gives_one_sentence_and_exit_code_1(given, tmp_path):
    options = ("--recipe", "writing-preference", "--responses", given[0], "--scores", given[1])
    done = manage("curate", *options, "--out", "D", "--param", "mingap=1", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "did you mean min_gap?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "D").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "litbnch",
            "argument --recipe: there is no recipe 'litbnch'; did you mean litbench? Known: writing-pref",
        ),
        ("mine.jsn", "weval, or a file that ends in .json\n"),
    ],
)
def test_a_usage_error_gives_exit_code_2(tmp_path, name, said):
    done = manage("curate", "--recipe", name, "--out", "D", folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


# --- what it writes --------------------------------------------------------------------------------------


def test_the_folder_is_a_release_with_funnel_and_rejections(given, tmp_path):
    curate(given, tmp_path / "D")
    assert set(tree(tmp_path / "D")) == {
        "data/pairs/test.jsonl",
        "data/judgements/test.jsonl",
        "csv/pairs-test.csv",
        "csv/judgements-test.csv",
        "rejected.jsonl",
        "funnel.json",
        *copies_of("writing-preference"),
        *PAPERS,
    }
    assert verification.verify(tmp_path / "D").ok
    rejected = [json.loads(line) for line in (tmp_path / "D/rejected.jsonl").read_text("utf-8").splitlines()]
    assert {"a": "pb", "b": "pd", "reason": "identical_text"} in rejected


def test_rejections_are_left_out_on_demand(given, tmp_path):
    curate(given, tmp_path / "D", "--rejected=none")
    assert not (tmp_path / "D/rejected.jsonl").exists()
    assert (tmp_path / "D/funnel.json").exists()
    assert verification.verify(tmp_path / "D").ok


def test_the_same_input_gives_the_same_bytes_in_any_folder_and_order(given, tmp_path):
    curate(given, tmp_path / "D")
    other = tmp_path / "other"
    other.mkdir()
    turned = (
        write_rows(other / "responses.jsonl", reversed(responses())),
        write_rows(other / "scores.jsonl", reversed(scores())),
    )
    curate(turned, tmp_path / "deeper" / "E")
    assert tree(tmp_path / "D") == tree(tmp_path / "deeper" / "E")


def test_parameters_reach_the_recipe(given, tmp_path):
    curate(given, tmp_path / "D", "--param=min_gap=3/2", "--param=length_symmetry=off", "--param=seed=a=b")
    stated = orjson.loads((tmp_path / "D/manifest.json").read_bytes())["recipe"]["parameters"]
    assert (stated["min_gap"], stated["length_symmetry"], stated["seed"]) == ("3/2", False, "a=b")


def test_names_become_pseudonyms_and_times_are_kept(given, tmp_path):
    curate(given, tmp_path / "D")
    everything = b"".join(tree(tmp_path / "D").values())
    assert not any(name in everything for name in (b"Zoe", b'"Ann"', b'"Ben"'))
    first = json.loads((tmp_path / "D/data/judgements/test.jsonl").read_text("utf-8").splitlines()[0])
    assert unmarked(first) == {
        "response_id": "pa",
        "prompt_id": "p",
        "annotator": "annotator-01",
        "score": 3,
        "at": "2026-03-01T09:00:00.000000Z",
    }


def test_the_latest_of_an_annotators_scores_counts(given, tmp_path):
    late = {"response_id": "pa", "annotator": "Ann", "score": 0, "at": "2026-03-02T00:00:00Z"}
    write_rows(given[1], [late, *scores()])
    curate(given, tmp_path / "D")
    rows = [
        json.loads(line)
        for line in (tmp_path / "D/data/judgements/test.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == len(scores())
    assert rows[0] == {**rows[0], "score": 0, "at": "2026-03-02T00:00:00.000000Z"}


def test_scores_without_a_row_give_an_empty_release(given, tmp_path, capsys):
    scores_file = given[1].with_suffix(".csv")
    scores_file.write_text("response_id,annotator,score\n")
    curate((given[0], scores_file), tmp_path / "D", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["funnel"]["accepted"] == 0
    assert summary["agreement"]["alpha"]["ordinal"]["reason"] == "empty"
    assert verification.verify(tmp_path / "D").ok


def test_parquet_and_csv_give_the_same_bytes(given, tmp_path):
    curate(given, tmp_path / "D")
    for ending, write in ((".parquet", write_parquet), (".csv", write_csv)):
        files = [path.with_suffix(ending) for path in given]
        for path, rows in zip(files, (responses(), scores()), strict=True):
            write(path, rows)
        curate(files, tmp_path / ending)
        assert tree(tmp_path / "D") == tree(tmp_path / ending)


def write_parquet(path: Path, rows: list[dict]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


def write_csv(path: Path, rows: list[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


# --- what it refuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--param=buckets=7"], "buckets cannot be '7'; use an even whole number"),
        (["--param=buckets"], "write NAME=VALUE"),
        (["--param=buckets=2", "--param=buckets=4"], "given twice"),
        (["--name=a/b"], "letters, digits"),
        (["--version=1"], "MAJOR.MINOR.PATCH"),
        (["--licence=My Own"], "an id such as"),
    ],
)
def test_it_refuses_a_bad_option_and_writes_nothing(given, tmp_path, options, said):
    assert said in refusal(given, tmp_path / "D", *options)
    assert not (tmp_path / "D").exists()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"response_id": "pa", "annotator": "Cy", "score": 4},
            "S.jsonl, line 1, column score: 4 is not a score",
        ),
        ({"response_id": "zz", "annotator": "Cy", "score": 1}, "there is no response"),
    ],
)
def test_it_refuses_a_bad_row_with_its_place(given, tmp_path, row, said):
    write_rows(given[1], [row, *scores()])
    assert said in refusal(given, tmp_path / "D")
    assert not (tmp_path / "D").exists()


def test_it_refuses_a_bad_row_of_parquet_with_its_place(given, tmp_path):
    path = given[0].with_suffix(".parquet")
    first, *rest = responses()
    write_parquet(path, [first, {**rest[0], "text": " "}])
    assert "R.parquet, row 2, column text: the text is empty" in refusal((path, given[1]), tmp_path / "D")
    path.write_bytes(path.read_bytes()[:-9])
    assert "R.parquet: the Parquet file is damaged" in refusal((path, given[1]), tmp_path / "D")


def test_it_names_the_files_that_it_needs(given, tmp_path):
    for options, said in (
        ([f"--responses={given[0]}"], "needs --scores FILE"),
        ([f"--scores={given[1]}"], "needs --responses FILE"),
    ):
        with pytest.raises(CommandError, match=said) as caught:
            call_command("curate", "--recipe=writing-preference", f"--out={tmp_path / 'D'}", *options)
        assert caught.value.returncode == 2


def test_it_refuses_a_prompt_with_and_without_lengths(given, tmp_path):
    first, *rest = responses()
    write_rows(given[0], [{**first, "length": 7}, *rest])
    assert "'pb', 'pc', 'pd'" in refusal(given, tmp_path / "D")


def test_it_refuses_a_missing_input(given, tmp_path):
    assert "cannot be read" in refusal((tmp_path / "none.jsonl", given[1]), tmp_path / "D")


def test_it_refuses_a_folder_that_is_not_empty_without_force(given, tmp_path):
    out = tmp_path / "D"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    assert "is not empty" in refusal(given, out)
    assert tree(out) == {"mine.txt": b"mine"}
    curate(given, out, "--force")
    assert verification.verify(out).ok


def test_with_force_bad_input_leaves_what_was_there(given, tmp_path):
    out = tmp_path / "D"
    curate(given, out)
    before = tree(out)
    write_rows(given[1], [{"response_id": "pa", "annotator": "Ann", "score": 9}])
    refusal(given, out, "--force")
    assert tree(out) == before


def test_force_follows_no_link_out_of_the_folder(given, tmp_path):
    out, precious = tmp_path / "D", tmp_path / "precious"
    precious.mkdir()
    (precious / "mine.txt").write_text("mine")
    out.mkdir()
    (out / "link").symlink_to(precious)
    curate(given, out, "--force")
    assert tree(precious) == {"mine.txt": b"mine"}
    assert verification.verify(out).ok


def test_force_refuses_a_folder_that_holds_an_input(given, tmp_path):
    assert "contains the input" in refusal(given, given[0].parent, "--force")
    inside = tmp_path / "links"
    inside.mkdir()
    (inside / "R.jsonl").symlink_to(given[0])
    assert "contains the input" in refusal((inside / "R.jsonl", given[1]), inside, "--force")
    assert given[0].exists()


@pytest.mark.parametrize("place", ["home", "current", "above", "program", "root"])
def test_force_refuses_a_folder_that_nobody_means(given, tmp_path, monkeypatch, place):
    inner = tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    (inner / "mine.txt").write_text("mine")
    monkeypatch.setenv("HOME", str(inner if place == "home" else tmp_path))
    monkeypatch.chdir(inner if place in ("current", "above") else tmp_path)
    program = Path(directory.__file__).parents[1]
    out = {"home": inner, "current": inner, "above": inner.parent, "program": program, "root": Path("/")}[
        place
    ]
    assert "--force would delete it" in refusal(given, out, "--force")
    assert (inner / "mine.txt").exists()


def test_it_refuses_a_file_in_place_of_the_folder(given, tmp_path):
    (tmp_path / "D").write_text("mine")
    assert "is a file" in refusal(given, tmp_path / "D")
    assert "cannot be written" in refusal(given, tmp_path / "D" / "E")


# --- a write that fails ----------------------------------------------------------------------------------


def test_a_full_disk_gives_a_sentence_and_leaves_nothing(given, tmp_path, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(directory.os, "fsync", full)
    assert "cannot be written: No space left on device" in refusal(given, tmp_path / "new" / "D")
    assert not (tmp_path / "new").exists()


def test_a_full_disk_leaves_the_release_that_force_was_to_replace(given, tmp_path, monkeypatch):
    curate(given, tmp_path / "D")
    before = tree(tmp_path / "D")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(directory.os, "fsync", full)
    refusal(given, tmp_path / "D", "--force", "--version=0.2.0")
    assert tree(tmp_path / "D") == before


def test_a_crash_between_two_moves_leaves_no_valid_release(tmp_path, monkeypatch):
    """The process dies after any number of moves; nothing cleans up after it."""
    files = {"data/a.txt": [b"a"], "manifest.json": [b"{}\n"], "SHA256SUMS": [b"x\n"]}
    rename, left = Path.rename, 2

    def dying(self: Path, target: Path) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", dying)
    monkeypatch.setattr(directory, "_remove", lambda entries: None)
    with pytest.raises(KeyboardInterrupt):
        directory.write(tmp_path / "D", files)
    assert (tmp_path / "D/manifest.json").exists()
    assert not (tmp_path / "D/SHA256SUMS").exists()
    assert not verification.verify(tmp_path / "D").ok


def test_a_path_out_of_the_folder_is_never_written(tmp_path):
    for path in ("../x", "/x", "a//b", "a/../b", ".x", "a\nb"):
        with pytest.raises(DirectoryError, match="cannot be the path"):
            directory.write(tmp_path / "D", {path: [b"x"]})
    assert list(tmp_path.iterdir()) == []
