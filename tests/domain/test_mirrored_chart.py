"""Piles on both sides of 0: laid out alike, with the numbers beneath."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain.charts import Heading, marks, mirrored
from curation.domain.charts.mirrored import Pile

pytestmark = pytest.mark.files
HEADING = Heading("lengths", "Lengths", "Pairs by difference.", "Most are near 0.")


def chart(*piles: Pile):
    return mirrored.piles(piles, HEADING, axis="shorter ← → longer", before="before", after="after")


def boxes(spec: dict, fill: str) -> list[dict]:
    return [
        row for layer in spec["layer"] if layer["mark"].get("fill") == fill for row in layer["data"]["values"]
    ]


@st.composite
def mirrored_piles(draw: st.DrawFn) -> list[Pile]:
    half = draw(st.integers(1, 10))
    edges = [draw(st.integers(1, 10**6)) for _ in range(half)]
    counts = st.integers(0, 10**5)
    sides = [(-1, -edge) for edge in reversed(edges)] + [(0, 0)] + [(1, edge) for edge in edges]
    return [Pile(side, edge, before := draw(counts), draw(st.integers(0, before))) for side, edge in sides]


@settings(max_examples=40, deadline=None)
@given(mirrored_piles())
def test_it_fits_both_widths_and_is_plain_json(piles):
    made = chart(*piles)
    for size, spec in made.specs.items():
        padding = spec["padding"]
        assert spec["width"] + padding["left"] + padding["right"] == marks.WIDTHS[size]
        assert json.loads(json.dumps(spec, allow_nan=False)).keys() == spec.keys()
    assert [[cell.raw for cell in row] for row in made.table.rows] == [
        [pile.edge, pile.before, pile.after] for pile in piles
    ]


def test_a_pile_and_its_mirror_image_stand_equally_far_from_the_middle():
    made = chart(Pile(-1, -20, 4, 2), Pile(0, 0, 1, 1), Pile(1, 20, 8, 2))
    for spec in made.specs.values():
        left, _, right = (row for row in boxes(spec, mirrored.PALE) if row["y2"] == mirrored.HEIGHT)
        assert left["x"] + right["x2"] == pytest.approx(spec["width"])
        assert (mirrored.HEIGHT - left["y"]) * 2 == pytest.approx(mirrored.HEIGHT - right["y"])


def test_without_any_pair_the_axes_are_there_all_the_same():
    for spec in chart(Pile(-1, -20, 0, 0), Pile(0, 0, 0, 0), Pile(1, 20, 0, 0)).specs.values():
        assert len(spec["layer"]) > 3
        assert [row for row in boxes(spec, mirrored.PALE) if row["y2"] == mirrored.HEIGHT] == []
