"""Scores of 20 models' Chinese texts from WritingPreferenceBench, as its authors published them.

Skipped where the data do not lie beside the repository. One annotator a response, so no pair can be accepted by the
shipped rules; what is tested is that real exports of this kind are read, counted and released whole, and curated by a
recipe of fewer rules.
"""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from curation.services import verification
from tests.curation.file_releases import write_rows

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "wpb_zh"
HISTOGRAM = {0: 166, 1: 1291, 2: 1653, 3: 969}

pytestmark = [
    pytest.mark.files,
    pytest.mark.skipif(not DATA.exists(), reason=f"the data of WritingPreferenceBench are not at {DATA}"),
]


@pytest.fixture
def exported() -> list[dict]:
    """One row a score; the model stands in the file's name alone."""
    rows = []
    for path in sorted((DATA / "scores").glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            prompt = row["question_id"]
            rows.append({"id": f"{prompt}/{path.stem}", "prompt_id": prompt, "score": row["score"]})
    return rows


def test_the_scores_of_20_models_are_all_read_and_released(exported, tmp_path, capsys):
    responses = write_rows(
        tmp_path / "R.jsonl",
        (
            {"id": row["id"], "prompt_id": row["prompt_id"], "text": f"文本 {row['id']}", "language": "zh"}
            for row in exported
        ),
    )
    scores = write_rows(
        tmp_path / "S.jsonl",
        ({"response_id": row["id"], "annotator": "first pass", "score": row["score"]} for row in exported),
    )
    options = ["--recipe=writing-preference", f"--responses={responses}", f"--scores={scores}"]
    call_command("curate", *options, f"--out={tmp_path / 'D'}", "--json")
    summary = json.loads(capsys.readouterr().out)
    released = (tmp_path / "D/data/judgements/test.jsonl").read_text(encoding="utf-8").splitlines()
    assert Counter(json.loads(line)["score"] for line in released) == HISTOGRAM
    funnel = summary["funnel"]
    assert funnel["rejected"]["insufficient_overlap"] == funnel["candidates"] > 0
    assert summary["agreement"]["alpha"]["ordinal"]["reason"] == "no_pairable_values"
    assert verification.verify(tmp_path / "D").ok


def test_single_scores_are_curated_by_a_recipe_of_three_rules(tmp_path, capsys):
    """Of 19 models, without the three prompts that are a '/' alone. Figures by independent programs."""
    prompts = map(json.loads, (DATA / "prompts_204.jsonl").read_text(encoding="utf-8").splitlines())
    empty = {row["prompt_id"] for row in prompts if row["prompt"].strip() == "/"}
    with (DATA / "responses_meta_all.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["prompt_id"] not in empty]
    names = [f"{row['prompt_id']}/{row['model']}" for row in rows]
    texts = [
        {
            "id": name,
            "prompt_id": row["prompt_id"],
            "text": f"文本 {name}",
            "language": "zh",
            "length": int(row["nonspace_chars"]),
        }
        for name, row in zip(names, rows, strict=True)
    ]
    given = [
        {"response_id": name, "annotator": "upstream", "score": int(row["score"])}
        for name, row in zip(names, rows, strict=True)
    ]
    call_command(
        "curate",
        "--recipe=writing-preference",
        f"--responses={write_rows(tmp_path / 'R.jsonl', texts)}",
        f"--scores={write_rows(tmp_path / 'S.jsonl', given)}",
        f"--out={tmp_path / 'D'}",
        "--param=rules=identical_text,gap,length_symmetry",
        "--json",
    )
    assert json.loads(capsys.readouterr().out)["funnel"] == {
        "candidates": 34_353,
        "removed": 0,
        "rejected": {"identical_text": 0, "gap": 12_305, "length_symmetry": 2_698},
        "accepted": 19_350,
    }
    manifest = json.loads((tmp_path / "D/manifest.json").read_text(encoding="utf-8"))
    assert manifest["recipe"]["parameters"]["rules"] == ["identical_text", "gap", "length_symmetry"]
    (symmetry,) = manifest["symmetry"]
    assert (symmetry["longest"], symmetry["before"]["equal"]) == (16_374, 24)
    assert symmetry["kept"] == {"longer": 9_663, "shorter": 9_663, "equal": 24}
    assert verification.verify(tmp_path / "D").ok
