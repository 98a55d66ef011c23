"""Records for tests of layouts: the samples of real files, read without the code under test, and made by hand."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from annotation.domain import layouts
from annotation.domain.field_map import FieldMap, apply
from annotation.domain.layouts import Layout, Skipped
from annotation.domain.material import ResponseRow, response_row
from annotation.domain.records import InputError, Record
from annotation.domain.scoring import ScoreRow, score_row

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SAMPLES = DATA / "format_samples"
EXPERTS = DATA / "pron_vs_prompt" / "expert_assessment.csv"
WPB = DATA / "wpb_zh"
PANDALM = DATA / "pandalm_testset" / "testset-v1.json"

needs_samples = pytest.mark.skipif(
    not SAMPLES.exists(), reason=f"the samples of real files are not at {SAMPLES}"
)
needs_experts = pytest.mark.skipif(
    not EXPERTS.exists(), reason=f"the data of Pron vs Prompt are not at {EXPERTS}"
)
needs_wpb = pytest.mark.skipif(
    not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}"
)
needs_pandalm = pytest.mark.skipif(
    not PANDALM.exists(), reason=f"the test set of PandaLM is not at {PANDALM}"
)


def of(*values: dict[str, object], source: str = "f.jsonl", unit: str = "line") -> list[Record]:
    """Records with these values, one a line."""
    return [Record(line, dict(one), source, unit=unit) for line, one in enumerate(values, start=1)]


def cells(header: str, *rows: str, source: str = "f.csv") -> list[Record]:
    """Records of a CSV, whose cells are given with "|" between them."""
    names = header.split("|")
    return [
        Record(line, dict(zip(names, row.split("|"), strict=True)), source, cells=True)
        for line, row in enumerate(rows, start=2)
    ]


def sample(path: Path, *, encoding: str = "utf-8", delimiter: str = ",") -> list[Record]:
    """The records of a real file."""
    if path.suffix == ".json":
        return of(*json.loads(path.read_text(encoding=encoding)), source=path.name, unit="item")
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding=encoding).split("\n")
        return of(*(json.loads(line) for line in lines if line), source=path.name)
    with path.open(newline="", encoding=encoding) as file:
        found = enumerate(csv.DictReader(file, delimiter=delimiter), start=2)
        return [Record(line, dict(row), path.name, cells=True) for line, row in found]


def flat(layout: Layout, records: Iterable[Record]) -> list[Record]:
    return [row for row in layout.flatten(records) if isinstance(row, Record)]


def reasons(layout: Layout, records: Iterable[Record]) -> list[str]:
    """Why rows were skipped, in file order."""
    return [row.reason for row in layout.flatten(records) if isinstance(row, Skipped)]


def suggestion(
    records: Sequence[Record], *, languages: Sequence[str] = ("en", "es"), key: str = ""
) -> tuple[Layout, FieldMap]:
    """The layout that is recognised, and the map that it suggests."""
    source = records[0].source
    layout = layouts.recognise(records[:50], name=source)
    if key:
        assert layout.key == key
    return layout, layout.suggest(flat(layout, records[:50]), names=[source], languages=languages)


def columns(field_map: FieldMap) -> dict[str, str]:
    """What each field is taken from, in short."""
    return {
        name: source.constant or ("the file name" if source.file_name else ", ".join(source.columns))
        for name, source in field_map.fields.items()
    }


def taken(
    layout: Layout, field_map: FieldMap, records: Iterable[Record]
) -> tuple[list[ResponseRow], list[ScoreRow], list[InputError]]:
    """The responses, each once, the scores, and what was refused."""
    responses: dict[str, ResponseRow] = {}
    scores: list[ScoreRow] = []
    refused: list[InputError] = []
    for record in (row for row in flat(layout, records) if row.pair is None):
        try:
            mapped = apply(field_map, record)
            if mapped.response:
                row = response_row(mapped.response)
                responses.setdefault(row.id, row)
            scores += [score_row(score) for score in mapped.scores]
        except InputError as error:
            refused.append(error)
    return list(responses.values()), scores, refused


def by_item(scores: Iterable[ScoreRow]) -> dict[tuple[str, str], int]:
    return {(one.response_id, one.annotator): one.score for one in scores}


def experts_said(question: str = "4_creativity_synopsis") -> dict[tuple[str, str], int]:
    """What each expert said of the items in the samples: {(item, Expert1): score}."""
    items = {record.values["item_id"] for record in sample(SAMPLES / "label_studio.csv")}
    with EXPERTS.open(newline="", encoding="utf-8") as file:
        rows = [(f"{row['title_id']}_{row['synopsis_writer']}", row) for row in csv.DictReader(file)]
    return {
        (item, row["username"]): int(row[question])
        for item, row in rows
        if item in items and row["experiment"] == "ENGLISH"
    }


def histogram(scores: Iterable[ScoreRow]) -> Counter[int]:
    return Counter(one.score for one in scores)
