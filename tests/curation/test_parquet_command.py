"""manage.py parquet: a copy of a release for those who load columns, with a card of its own."""

import json
from io import StringIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from django.core.management import CommandError, call_command

from curation.domain.recipes import LitBench, Weval, WritingPreference
from curation.services import from_files
from curation.services.from_files import Label
from tests.curation.file_releases import manage, responses, scores, tree, write_rows

pytestmark = pytest.mark.files

STORIES = [
    {
        "id": f"s{n}{side}",
        "prompt_id": f"s{n}",
        "text": "word " * 60 + side,
        "upvotes": votes,
        "posted_at": f"2023-01-01T0{hour}:00:00Z",
    }
    for n in range(3)
    for side, votes, hour in (("a", 40, 2), ("b", 10, 1))
]
GRADED = [
    {
        "id": f"g{n}{side}",
        "prompt_id": f"g{n}",
        "text": side,
        "kept_requirements": 3 - kept,
        "requirements": 3,
    }
    for n in range(2)
    for kept, side in enumerate("abc")
]


def made(folder: Path, kind: str) -> Path:
    label = Label("bench", "1.0.0")
    if kind == "litbench":
        files, recipe = (
            {"responses": write_rows(folder / "R.jsonl", STORIES)},
            LitBench(length_symmetry=False),
        )
    elif kind == "weval":
        files, recipe = {"responses": write_rows(folder / "R.jsonl", GRADED)}, Weval(pairs="all")
    else:
        files = {
            "responses": write_rows(folder / "R.jsonl", responses()),
            "scores": write_rows(folder / "S.jsonl", scores()),
        }
        recipe = WritingPreference.from_parameters({"length_symmetry": False})
    from_files.release(files, folder / "D", recipe=recipe, label=label)
    return folder / "D"


@pytest.mark.parametrize("kind", ["writing-preference", "litbench", "weval"])
def test_every_row_of_every_configuration_is_there_under_the_declared_columns(kind, tmp_path):
    release = made(tmp_path, kind)
    done = manage("parquet", release, f"--out={tmp_path / 'P'}", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    manifest = json.loads((release / "manifest.json").read_bytes())
    _, matter, body = (tmp_path / "P/README.md").read_text("utf-8").split("---\n", 2)
    front = yaml.safe_load(matter)
    configs = {config["config_name"]: config["data_files"] for config in front["configs"]}
    declared = yaml.safe_load((release / "README.md").read_text("utf-8").split("---\n", 2)[1])
    assert set(configs) == {config["config_name"] for config in declared["configs"]}
    for name, files in configs.items():
        for file in files:
            rows = pq.read_table(tmp_path / "P" / file["path"]).to_pylist()
            source = file["path"].removesuffix("parquet") + "jsonl"
            assert len(rows) == manifest["files"][source]["rows"] > 0
            assert rows == [json.loads(line) for line in (release / source).open(encoding="utf-8")], name
    features = {info["config_name"]: info["features"] for info in front["dataset_info"]}
    assert features == {info["config_name"]: info["features"] for info in declared["dataset_info"]}
    assert "What counts is the release" in body


def test_a_release_that_was_changed_is_refused_and_nothing_written(tmp_path):
    release = made(tmp_path, "litbench")
    (release / "README.md").write_text("x")
    with pytest.raises(CommandError, match=r"README\.md"):
        call_command("parquet", release, out=tmp_path / "P", stdout=StringIO())
    assert not (tmp_path / "P").exists()


def test_a_folder_within_the_release_is_refused(tmp_path):
    release = made(tmp_path, "litbench")
    before = tree(release)
    with pytest.raises(CommandError):
        call_command("parquet", release, out=release, stdout=StringIO())
    assert tree(release) == before
