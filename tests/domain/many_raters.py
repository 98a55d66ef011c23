"""Ratings by many annotators for tests: published cases however they are written down, and random ones with gaps."""

import json
from pathlib import Path

import numpy as np
import pytest

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "chance.json").read_text(encoding="utf-8"))


def cases(*statistics: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] in statistics]


def units_of(given: dict) -> list[list]:
    """The values of each unit, whichever way a case is written down."""
    if "ratings" in given:
        return [[value for value in row if value is not None] for row in given["ratings"]]
    if "counts" in given:
        return [[value for value, n in enumerate(row) for _ in range(n)] for row in given["counts"]]
    if "table" in given:
        table = given["table"]
        return [[i, j] for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [list(row) for row, times in given["rows_with_counts"] for _ in range(times)]


def scale_of(given: dict) -> list:
    if "categories" in given and isinstance(given["categories"], list):
        return given["categories"]
    if "counts" in given or "table" in given:
        return list(range(len(given.get("counts", given.get("table"))[0])))
    return sorted({value for row in units_of(given) for value in row})


def scores(units: int, seed: int, annotators: int = 8, each: int = 3) -> tuple[np.ndarray, ...]:
    """Units, annotators and codes: three of eight annotators a unit, who agree more than by chance; with gaps."""
    random = np.random.default_rng(seed)
    who = random.random((units, annotators)).argsort(axis=1)[:, :each].ravel()
    unit = np.repeat(np.arange(units), each)
    merit = np.repeat(random.integers(0, 4, units), each)
    code = np.clip(merit + random.integers(-1, 2, units * each), 0, 3)
    kept = random.random(units * each) < 0.9
    return unit[kept], who[kept], code[kept]
