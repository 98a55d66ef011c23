"""manage.py curate --rejected: all rejected candidates, a sample of them, or none; for every recipe."""

import json
import random
from pathlib import Path

import pytest
from django.core.management import call_command

from curation.domain import rejected
from curation.services import verification
from tests.curation.file_releases import responses, scores, tree, write_rows
from tests.curation.test_curate_litbench import stories
from tests.curation.test_curate_weval import rankings
from tests.curation.test_curate_weval import responses as graded
from tests.curation.test_verify_release_command import reseal

pytestmark = pytest.mark.files

INPUT = {
    "writing-preference": {"responses": responses, "scores": scores},
    "litbench": {"responses": stories},
    "weval": {"responses": graded, "rankings": rankings},
}
PARAMETERS = {"weval": ("--param=pairs=adjacent",)}
REJECTED = "rejected.jsonl"


@pytest.fixture
def small(monkeypatch):
    """Limits of a size at which these files exceed them."""
    monkeypatch.setattr(rejected, "SAMPLE", 4)
    monkeypatch.setattr(rejected, "HELD", 6)
    monkeypatch.setattr(rejected, "MOST", 8)


def curate(recipe: str, folder: Path, *options: str, shuffled: int | None = None) -> Path:
    """The folder of a release of the recipe's files, their rows in another order where one is asked for."""
    folder.mkdir()
    files = []
    for option, rows_of in INPUT[recipe].items():
        rows = list(rows_of())
        if shuffled is not None:
            random.Random(shuffled).shuffle(rows)
        files.append(f"--{option}={write_rows(folder / f'{option}.jsonl', rows)}")
    call_command(
        "curate", f"--recipe={recipe}", f"--out={folder / 'D'}", *files, *PARAMETERS.get(recipe, ()), *options
    )
    return folder / "D"


def rows_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / REJECTED).read_text("utf-8").splitlines()]


def stated(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_bytes())


@pytest.mark.parametrize("recipe", INPUT)
def test_all_are_written_where_they_are_few(tmp_path, recipe):
    by_default, on_demand = curate(recipe, tmp_path / "a"), curate(recipe, tmp_path / "b", "--rejected=all")
    assert tree(by_default) == tree(on_demand)
    assert len(rows_of(by_default)) == sum(stated(by_default)["funnel"]["rejected"].values())
    assert "rejected_sample" not in stated(by_default)


@pytest.mark.parametrize("recipe", INPUT)
@pytest.mark.parametrize("option", [(), ("--rejected=sample",)])
def test_of_many_a_sample_is_written_and_manifest_and_card_say_so(small, tmp_path, recipe, option):
    whole = curate(recipe, tmp_path / "a", "--rejected=all")
    found = curate(recipe, tmp_path / "b", *option)
    of = len(rows_of(whole))
    assert of > 8
    assert stated(found)["rejected_sample"] == {"rows": 4, "of": of, "seed": "plumb-1"}
    assert stated(found)["funnel"] == stated(whole)["funnel"]
    assert f"a sample: 4 of the {of} rejected candidates" in (found / "README.md").read_text("utf-8")
    assert len(rows_of(found)) == 4
    assert all(row in rows_of(whole) for row in rows_of(found))
    assert (found / "data/pairs/test.jsonl").read_bytes() == (whole / "data/pairs/test.jsonl").read_bytes()
    assert verification.verify(found).ok


@pytest.mark.parametrize("recipe", INPUT)
def test_the_sample_does_not_hang_on_the_order_of_rows(small, tmp_path, recipe):
    one = curate(recipe, tmp_path / "a", "--rejected=sample")
    assert tree(one) == tree(curate(recipe, tmp_path / "b", "--rejected=sample", shuffled=1))


@pytest.mark.parametrize("recipe", INPUT)
def test_none_is_written_and_all_are_counted(tmp_path, recipe):
    whole, found = curate(recipe, tmp_path / "a"), curate(recipe, tmp_path / "b", "--rejected=none")
    assert not (found / REJECTED).exists()
    assert stated(found)["funnel"] == stated(whole)["funnel"]
    assert verification.verify(found).ok


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[:-1], "it is not the sample"),
        (lambda rows: [{**row, "reason": "quota"} for row in rows], "a reason occurs more often"),
    ],
)
def test_another_sample_than_is_said_is_found(small, tmp_path, change, said):
    found = curate("writing-preference", tmp_path / "a", "--rejected=sample")
    write_compactly(found / REJECTED, change(rows_of(found)))
    reseal(found)
    verdict = verification.verify(found)
    assert (verdict.outcome, verdict.path) == ("differs", REJECTED)
    assert said in verdict.reason


def write_compactly(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows), "utf-8")
