"""The 24 alphas of Pron vs Prompt: three experts a text, 12 questions, two languages.

Skipped where the data are not beside the repository.
"""

import csv
from pathlib import Path

import krippendorff
import numpy as np
import pytest

from curation.domain.agreement import LEVELS, report

PRON = Path(__file__).resolve().parents[3] / "shared" / "data" / "pron_vs_prompt" / "expert_assessment.csv"

pytestmark = [
    pytest.mark.files,
    pytest.mark.skipif(not PRON.exists(), reason=f"the data of Pron vs Prompt are not at {PRON}"),
]

QUESTIONS = (
    "1_attractive_title",
    "1_attractive_style",
    "1_attractive_theme",
    "2_originality_title",
    "2_originality_style",
    "2_originality_theme",
    "4_creativity_title",
    "4_creativity_synopsis",
    "6_anthology",
    "6_readers_opinion",
    "6_critics_opinion",
    "6_own_voice",
)

PUBLISHED = {
    ("SPANISH", "4_creativity_synopsis"): 0.31993,
    ("ENGLISH", "4_creativity_synopsis"): 0.338152,
    ("SPANISH", "1_attractive_style"): 0.457166,
}


def rows_in(language: str) -> list[dict[str, str]]:
    with PRON.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["experiment"] == language]


def unit_of(row: dict[str, str]) -> str:
    return f"{row['title_id']} {row['synopsis_writer']}"


def matrix_of(rows: list[dict[str, str]], question: str) -> np.ndarray:
    """Annotators by units, as the package wants it."""
    units = sorted({unit_of(row) for row in rows})
    annotators = sorted({row["username"] for row in rows})
    matrix = np.full((len(annotators), len(units)), np.nan)
    for row in rows:
        matrix[annotators.index(row["username"]), units.index(unit_of(row))] = float(row[question])
    return matrix


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("language", ["SPANISH", "ENGLISH"])
def test_every_alpha_is_that_of_the_package_and_the_published_one(language: str, question: str) -> None:
    rows = rows_in(language)
    found = report(
        [unit_of(row) for row in rows],
        [row["username"] for row in rows],
        [float(row[question]) for row in rows],
        clusters=[row["title_id"] for row in rows],
    )
    assert (found.n_units, found.n_raters, found.n_pairable) == (120, 3, 360)
    matrix = matrix_of(rows, question)
    for level in LEVELS:
        theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
        alpha = found.alpha[level]
        assert alpha.value == pytest.approx(theirs, abs=1e-6)
        assert alpha.low < alpha.value < alpha.high
        assert alpha.undefined == 0
    if (language, question) in PUBLISHED:
        assert found.alpha["ordinal"].value == pytest.approx(PUBLISHED[language, question], abs=1e-6)
