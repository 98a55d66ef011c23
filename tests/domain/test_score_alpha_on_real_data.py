"""Alphas of published data, from codes and by name: Pron vs Prompt, PandaLM, WritingPreferenceBench's second passes.

Each is skipped where the data are not beside the repository.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from curation.domain import agreement, score_alpha
from curation.domain.agreement import Report
from curation.domain.score_table import Long
from tests.domain.test_agreement_on_real_data import PUBLISHED, QUESTIONS, unit_of

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PRON = DATA / "pron_vs_prompt" / "expert_assessment.csv"
PANDALM = DATA / "pandalm_testset" / "testset-v1.json"
WPB = DATA / "wpb_zh"

SECOND_PASSES = {
    "o4-mini-high": 0.2632,
    "gpt-4.1-mini": 0.3881,
    "gemini-2.5-flash-nothinking": 0.4182,
    "doubao-1.5-pro": 0.4771,
    "gemini-2.0-flash": 0.8795,
}
POOLED = 0.4626

pytestmark = pytest.mark.files

Row = tuple[str, str, int, str]  # unit, annotator, score, prompt


def both_ways(rows: list[Row], **options: object) -> Report:
    """From codes; the same rows by name must say the same."""
    units, annotators, scores, prompts = (list(column) for column in zip(*rows, strict=True))
    unit, annotator, prompt = (
        np.unique(column, return_inverse=True)[1] for column in (units, annotators, prompts)
    )
    of_unit = np.zeros(unit.max() + 1, dtype=np.int64)
    of_unit[unit] = prompt
    counted = score_alpha.tally(Long(unit, annotator, np.array(scores, dtype=np.uint8)), of_unit)
    found = score_alpha.report(counted, **options)
    by_name = agreement.report(units, annotators, scores, clusters=prompts, **options)
    for level, alpha in found.alpha.items():
        theirs = by_name.alpha[level]
        assert (alpha.value, alpha.low, alpha.high) == pytest.approx(
            (theirs.value, theirs.low, theirs.high), abs=1e-12
        )
    assert (found.n_units, found.n_raters, found.n_pairable) == (
        by_name.n_units,
        by_name.n_raters,
        by_name.n_pairable,
    )
    return found


@pytest.mark.skipif(not PRON.exists(), reason=f"the data of Pron vs Prompt are not at {PRON}")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("language", ["SPANISH", "ENGLISH"])
def test_pron_vs_prompt(language: str, question: str) -> None:
    with PRON.open(encoding="utf-8", newline="") as file:
        rows = [
            (unit_of(row), row["username"], int(float(row[question])), row["title_id"])
            for row in csv.DictReader(file)
            if row["experiment"] == language
        ]
    found = both_ways(rows, replicates=500)
    assert (found.n_units, found.n_raters, found.n_pairable) == (120, 3, 360)
    if (language, question) in PUBLISHED:
        assert found.alpha["ordinal"].value == pytest.approx(PUBLISHED[language, question], abs=1e-6)


@pytest.mark.skipif(not PANDALM.exists(), reason=f"the data of PandaLM are not at {PANDALM}")
def test_pandalm() -> None:
    pairs = json.loads(PANDALM.read_text(encoding="utf-8"))
    names = ("annotator1", "annotator2", "annotator3")
    rows = [(str(pair["idx"]), name, pair[name], str(pair["idx"])) for pair in pairs for name in names]
    found = both_ways(rows, replicates=500)
    assert (found.n_units, found.n_pairable) == (999, 2997)
    assert found.alpha["nominal"].value == pytest.approx(0.8642, abs=5e-5)


def passes_of(model: str) -> list[Row]:
    """A text is a model's answer to a question, and each of the two passes an annotator."""
    rows = []
    for folder in ("scores", "scores_second_pass"):
        scores = json.loads((WPB / folder / f"{model}.json").read_text(encoding="utf-8"))
        rows += [
            (f"{model} {row['question_id']}", folder, row["score"], row["question_id"]) for row in scores
        ]
    return rows


@pytest.mark.skipif(not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}")
@pytest.mark.parametrize("model", SECOND_PASSES)
def test_a_second_pass_of_writing_preference_bench(model: str) -> None:
    found = both_ways(passes_of(model), replicates=500)
    assert (found.n_units, found.n_pairable) == (204, 408)
    assert found.alpha["ordinal"].value == pytest.approx(SECOND_PASSES[model], abs=5e-5)


@pytest.mark.skipif(not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}")
def test_all_second_passes_of_writing_preference_bench_together() -> None:
    rows = [row for model in SECOND_PASSES for row in passes_of(model)]
    found = both_ways(rows)
    assert (found.n_units, found.n_pairable) == (1020, 2040)
    assert found.alpha["ordinal"].value == pytest.approx(POOLED, abs=5e-5)
