"""Importing what other people really published. Skipped where the data are not beside the repository."""

import csv
import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotation.domain.scoring import read_scores
from annotation.models import Assignment, Genre, Membership, Project, Rubric, Score
from annotation.services.intake_files import Report, import_material, import_scores

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PRON = DATA / "pron_vs_prompt" / "expert_assessment.csv"
WPB = DATA / "wpb_zh"

needs_pron = pytest.mark.skipif(not PRON.exists(), reason=f"the data of Pron vs Prompt are not at {PRON}")
needs_wpb = pytest.mark.skipif(
    not WPB.exists(), reason=f"the raw data of WritingPreferenceBench are not at {WPB}"
)


@pytest.fixture
def project(db: None) -> Project:
    made = Project.objects.create(slug="real", name="Real", created_at=NOW)
    Rubric.objects.create(project=made, version=1, created_at=NOW)
    return made


def written(path: Path, rows: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def take(importer, project: Project, path: Path) -> Report:
    return importer(project, path, by=None, now=NOW)


# --- three experts on the synopses of a novelist and of a model --------------------------------------------


def assessments() -> list[dict[str, str]]:
    with PRON.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def response_of(row: dict[str, str]) -> str:
    return f"{prompt_of(row)}/{row['synopsis_writer']}"


def prompt_of(row: dict[str, str]) -> str:
    return f"{row['experiment']}/{row['title_id']}"


@needs_pron
def test_the_experts_of_pron_vs_prompt(project, tmp_path):
    rows = assessments()
    material = written(
        tmp_path / "r.jsonl",
        (
            {
                "id": response_of(row),
                "prompt_id": prompt_of(row),
                "prompt": row["title_id"],
                "language": "en" if row["experiment"] == "ENGLISH" else "es",
                "model": row["synopsis_writer"],
                # The novelist's texts are his own, so the data come without them.
                "text": f"The synopsis {response_of(row)}.",
            }
            for row in rows
        ),
    )
    scores = written(
        tmp_path / "s.jsonl",
        (
            {
                "response_id": response_of(row),
                "annotator": row["username"],
                "score": int(row["4_creativity_synopsis"]),
                "justification": row["4_creativity_comment"],
            }
            for row in rows
        ),
    )
    assert take(import_material, project, material) == Report(
        rows=720, unchanged=480, created_prompts=120, created_responses=240
    )
    assert take(import_scores, project, scores) == Report(
        rows=720, unchanged=0, created_annotators=6, created_scores=720
    )
    assert Counter(Score.objects.values_list("value", flat=True)) == {0: 143, 1: 249, 2: 229, 3: 99}
    assert Counter(Assignment.objects.values_list("slot", flat=True)) == {1: 240, 2: 240, 3: 240}
    names = Membership.objects.order_by("pseudonym").values_list("external_id", flat=True)
    assert list(names) == [f"Expert{number}" for number in range(1, 7)]
    assert take(import_material, project, material).unchanged == 720
    assert take(import_scores, project, scores).unchanged == 720


@needs_pron
def test_the_experts_scores_as_a_long_csv_are_the_same(project, tmp_path):
    path = tmp_path / "s.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["response_id", "annotator", "score", "timestamp"])
        for row in assessments():
            writer.writerow(
                [response_of(row), row["username"], row["4_creativity_synopsis"], row["timestamp"]]
            )
    assert Counter(row.score for row in read_scores(path, None)) == {0: 143, 1: 249, 2: 229, 3: 99}


# --- the Chinese half of WritingPreferenceBench ------------------------------------------------------------


def responses_of(model: str) -> list[dict[str, object]]:
    answers = json.loads((WPB / "responses_raw" / f"{model}.json").read_text(encoding="utf-8"))
    return [
        {
            "id": f"{answer['question_id']}/{model}",
            "prompt_id": answer["question_id"],
            "prompt": answer["prompt"],
            "language": "zh",
            "genre": answer["__internal_tags__"][0],
            "model": model,
            "text": answer["predict0"],
            "length": answer["response_metadata_list"][0][0]["word_len"],
            "parameters": {"finish_reason": answer["response_metadata_list"][0][0]["finish_reason"]},
        }
        for answer in answers
    ]


def scores_of(model: str, folder: str = "scores") -> list[dict[str, object]]:
    judged = json.loads((WPB / folder / f"{model}.json").read_text(encoding="utf-8"))
    return [
        {
            "response_id": f"{one['question_id']}/{model}",
            "annotator": folder,
            "score": one["score"],
            "justification": one["comment"],
        }
        for one in judged
    ]


def models_in(folder: str) -> list[str]:
    return sorted(path.stem for path in (WPB / folder).glob("*.json"))


@needs_wpb
def test_the_scores_of_all_twenty_models_have_the_published_histogram(tmp_path):
    models = models_in("scores")
    path = written(tmp_path / "s.jsonl", (row for model in models for row in scores_of(model)))
    assert len(models) == 20
    assert Counter(row.score for row in read_scores(path, None)) == {0: 166, 1: 1291, 2: 1653, 3: 969}


@needs_wpb
def test_the_models_whose_texts_are_there(project, tmp_path):
    models = models_in("responses_raw")
    material = [row for model in models for row in responses_of(model)]
    for position, tag in enumerate(sorted({row["genre"] for row in material})):
        Genre.objects.create(
            project=project, key=f"tag-{position}", name_en=f"Tag {position}", name_zh=tag, position=position
        )
    judged = [row for model in models for row in scores_of(model)]
    again = [
        row
        for model in models
        if model in models_in("scores_second_pass")
        for row in scores_of(model, "scores_second_pass")
    ]
    report = take(import_material, project, written(tmp_path / "r.jsonl", material))
    assert (report.created_prompts, report.created_responses) == (204, 204 * len(models))
    assert project.genres.filter(prompts__isnull=False).distinct().count() == 51
    texts = dict(project.responses.values_list("external_id", "text"))
    assert texts == {row["id"]: row["text"] for row in material}
    report = take(import_scores, project, written(tmp_path / "s.jsonl", judged + again))
    assert report.created_scores == len(judged) + len(again)
    stored = Score.objects.filter(annotator__external_id="scores")
    assert Counter(stored.values_list("value", flat=True)) == Counter(row["score"] for row in judged)
