"""Three experts on synopses by a novelist and a model (Pron vs Prompt): scores that nobody here gave.

Skipped where the data do not lie beside the repository. The texts are in part not published; stand-ins serve,
because scores alone decide here.
"""

import csv
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from curation.services import verification
from tests.curation.file_releases import write_rows

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "pron_vs_prompt" / "expert_assessment.csv"
COLUMN = "4_creativity_synopsis"

pytestmark = [
    pytest.mark.files,
    pytest.mark.skipif(not DATA.exists(), reason=f"the data of Pron vs Prompt are not at {DATA}"),
]


def write_input(folder: Path, experiment: str) -> tuple[Path, Path]:
    """The responses and scores of one language as the command reads them."""
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["experiment"] == experiment]
    responses, scores = {}, []
    for row in rows:
        prompt = f"{row['experiment']}/{row['title_id']}"
        response = f"{prompt}/{row['synopsis_writer']}"
        responses[response] = {"id": response, "prompt_id": prompt, "text": f"Synopsis {response}"}
        scores.append({"response_id": response, "annotator": row["username"], "score": int(row[COLUMN])})
    return write_rows(folder / "R.jsonl", responses.values()), write_rows(folder / "S.jsonl", scores)


@pytest.mark.parametrize(("experiment", "accepted"), [("SPANISH", 48), ("ENGLISH", 30)])
def test_the_experts_scores_make_as_many_pairs_as_found_independently(tmp_path, capsys, experiment, accepted):
    responses, scores = write_input(tmp_path, experiment)
    call_command(
        "curate",
        "--recipe=writing-preference",
        f"--responses={responses}",
        f"--scores={scores}",
        f"--out={tmp_path / 'D'}",
        "--param=length_symmetry=off",
        "--json",
    )
    funnel = json.loads(capsys.readouterr().out)["funnel"]
    assert funnel["accepted"] == accepted
    assert funnel["accepted"] + sum(funnel["rejected"].values()) == funnel["candidates"]
    assert verification.verify(tmp_path / "D").ok
