"""Published judgements curated by recipes with fewer rules: PandaLM's votes, WritingPreferenceBench's single scores.

Skipped where the data do not lie beside the repository. The figures were computed with independent programs.
"""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain.pairing import Curation, curate
from curation.domain.recipes import WritingPreference

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PANDALM = DATA / "pandalm_testset" / "testset-v1.json"
WPB = DATA / "wpb_zh"

pytestmark = pytest.mark.files


@pytest.mark.skipif(not PANDALM.exists(), reason=f"the data of PandaLM are not at {PANDALM}")
def test_of_pandalms_999_pairs_894_have_a_side_that_two_of_three_prefer():
    responses, scores = [], []
    for row in json.loads(PANDALM.read_text(encoding="utf-8")):
        pair = f"{row['idx']:04}"
        for side in (1, 2):
            name = f"{pair}/{side}"
            responses.append(ResponseRow(id=name, prompt_id=pair, text=f"text {name}"))
            # A vote, 1, 2 or 0 for a tie, as the scores that say the same: 1 for the preferred side, else 0.
            scores += [
                CurrentScore(name, annotator, int(row[annotator] == side))
                for annotator in ("annotator1", "annotator2", "annotator3")
            ]
    recipe = WritingPreference.from_parameters({"rules": "insufficient_overlap,no_gap,direction"})
    funnel = curate(responses, scores, recipe).funnel
    assert (funnel.candidates, funnel.accepted) == (999, 894)
    assert list(funnel.rejected) == ["insufficient_overlap", "no_gap", "direction"]
    assert funnel.rejected["insufficient_overlap"] == 0


# --- single scores ---------------------------------------------------------------------------------------


def rows_of_wpb() -> list[dict[str, str]]:
    """The scored texts of 19 models, without those to the three prompts that are a '/' and nothing else."""
    with (WPB / "prompts_204.jsonl").open(encoding="utf-8") as lines:
        prompts = [json.loads(line) for line in lines]
    empty = {row["prompt_id"] for row in prompts if row["prompt"].strip() == "/"}
    assert len(empty) == 3
    with (WPB / "responses_meta_all.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["prompt_id"] not in empty]


def curated(*names: str) -> Curation:
    """By a recipe of these rules. One annotator for all; texts that stand in for the unpublished ones."""
    rows = rows_of_wpb()
    assert len({row["model"] for row in rows}) == 19
    responses = [
        ResponseRow(
            id=f"{row['prompt_id']}/{row['model']}",
            prompt_id=row["prompt_id"],
            text=f"文本 {row['prompt_id']} {row['model']}",
            language="zh",
            length=int(row["nonspace_chars"]),
        )
        for row in rows
    ]
    scores = [
        CurrentScore(f"{row['prompt_id']}/{row['model']}", "upstream", int(row["score"])) for row in rows
    ]
    recipe = WritingPreference.from_parameters({"rules": ",".join(names), "strata": "none"})
    return curate(responses, scores, recipe)


@pytest.mark.skipif(not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}")
def test_writing_preference_bench_as_single_scores():
    found = curated("identical_text", "gap", "length_symmetry")
    funnel, (symmetry,) = found.funnel, found.symmetry
    assert funnel.candidates == 34_353
    assert funnel.rejected == {
        "identical_text": 0,
        "gap": 34_353 - 22_048,
        "length_symmetry": 22_048 - 19_350,
    }
    before, kept = symmetry.before, symmetry.kept
    assert before.longer + before.shorter + before.equal == 22_048
    assert (before.equal, symmetry.longest) == (24, 16_374)
    assert round(100 * before.longer / 22_048, 1) == 56.0
    assert (funnel.accepted, kept.longer, kept.shorter, kept.equal) == (19_350, 9_663, 9_663, 24)
    assert Counter(pair.k for pair in found.pairs) == {1: 19_350}


@pytest.mark.skipif(not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}")
def test_without_length_symmetry_all_pairs_with_a_gap_stay():
    found = curated("identical_text", "gap")
    assert (found.funnel.accepted, found.symmetry) == (22_048, ())
