"""The files of other tools, as people really have them. Skipped where they are not beside the repository."""

import json
from pathlib import Path

import pytest

from annotation.domain.sources import Shape, detect
from tests.domain.source_files import rows_of

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "format_samples"
pytestmark = [
    pytest.mark.files,
    pytest.mark.skipif(not SAMPLES.exists(), reason=f"the samples of formats are not at {SAMPLES}"),
]

COMMAS = Shape("delimited", "utf-8", ",")
LIST = Shape("json", "utf-8")
LINES = Shape("jsonl", "utf-8")
FOUND = {
    "argilla.flat.json": (LIST, 8),
    "argilla.records.json": (LIST, 8),
    "doccano_individual/expert1.jsonl": (LINES, 8),
    "doccano_individual/expert2.jsonl": (LINES, 8),
    "doccano_individual/expert3.jsonl": (LINES, 8),
    "label_studio.csv": (COMMAS, 24),
    "label_studio.full.json": (LIST, 8),
    "label_studio.min.json": (LIST, 24),
    "mtbench_human_votes.jsonl": (LINES, 60),
    "mturk_batch_results.csv": (COMMAS, 24),
    "openai_batch_output.jsonl": (LINES, 12),
    "potato.annotations.csv": (COMMAS, 24),
    "wide_scores.semicolon.csv": (Shape("delimited", "cp1252", ";"), 8),
    "wide_scores.utf8bom.csv": (Shape("delimited", "utf-8-sig", ","), 8),
    "zh_scores.gb18030.csv": (Shape("delimited", "gb18030", ","), 12),
    "zh_scores.utf16.tsv": (Shape("delimited", "utf-16-le", "\t"), 12),
}


@pytest.mark.parametrize(("name", "expected"), FOUND.items(), ids=FOUND)
def test_each_sample_reads_with_its_encoding_separator_and_rows(name, expected):
    path = SAMPLES / name
    assert (detect(path, name=name), len(rows_of(path))) == expected


def test_no_sample_is_forgotten():
    files = {str(path.relative_to(SAMPLES)) for path in SAMPLES.rglob("*") if path.is_file()}
    assert files == {*FOUND, "SOURCE.txt", "label_studio.config.xml"}


def test_the_same_scores_in_two_encodings_read_the_same():
    spanish = [rows_of(SAMPLES / f"wide_scores.{kind}.csv") for kind in ("semicolon", "utf8bom")]
    chinese = [rows_of(SAMPLES / f"zh_scores.{kind}") for kind in ("gb18030.csv", "utf16.tsv")]
    for one, other in (spanish, chinese):
        assert [row.values for row in one] == [row.values for row in other]
    assert spanish[0][0].values["item"] == "Después de todo lo que casi hice por ti_gpt4_en"
    assert list(chinese[0][0].values) == ["提示编号", "模型", "得分", "评语"]


def test_texts_over_many_lines_are_whole_and_nested_values_stay_nested():
    texts = {row.values["id"]: row.values["text"] for row in rows_of(SAMPLES / "label_studio.csv")}
    tasks = json.loads((SAMPLES / "label_studio.full.json").read_text(encoding="utf-8"))
    assert [row.values for row in rows_of(SAMPLES / "label_studio.full.json")] == tasks
    assert {str(task["id"]): task["data"]["text"] for task in tasks} == texts
