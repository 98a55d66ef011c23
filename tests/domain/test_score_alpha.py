"""Alpha of scores as codes is alpha of the same rows by name: of all, by group, without each annotator, of a panel."""

import json
from dataclasses import astuple
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curation.domain import agreement, patterns, score_table
from curation.domain.agreement import Alpha, Report
from curation.domain.score_alpha import Tally, by_group, report, tally, without_each
from curation.domain.score_table import Long, Panel
from tests.domain.score_samples import Sample, rows_of, sample, tables

pytestmark = pytest.mark.files

LEVELS = ("ordinal", "interval", "nominal", "ratio")
FACTS = json.loads((Path(__file__).parent.parent / "facts" / "alpha.json").read_text(encoding="utf-8"))
CODES = range(score_table.MISSING)
few = settings(max_examples=60, deadline=None)


def by_name(given: Sample, *, clustered: bool = True, **options: object) -> Report:
    units, annotators, values, prompts = given.named(clustered=clustered)
    return agreement.report(units, annotators, values, clusters=prompts, **options)


def counted(given: Sample, *, clustered: bool = True) -> Tally:
    return tally(given.scores, given.prompt if clustered else None)


def same(one: Alpha, other: Alpha) -> bool:
    return one.reason == other.reason and astuple(one)[:4] == pytest.approx(astuple(other)[:4], abs=1e-12)


def assert_same(one: Report, other: Report) -> None:
    assert (one.n_units, one.n_raters, one.n_pairable) == (other.n_units, other.n_raters, other.n_pairable)
    assert list(one.alpha) == list(other.alpha)
    for level, alpha in one.alpha.items():
        assert same(alpha, other.alpha[level]), (level, alpha, other.alpha[level])


@pytest.fixture(params=["few values", "many values"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "many values":
        monkeypatch.setattr(agreement, "FEATURES", 0)


def coded_facts() -> list[object]:
    """Published cases whose values are codes already."""
    cases = [
        case
        for case in FACTS
        if case["statistic"] == "krippendorff_alpha"
        and case["input"]["level"] in LEVELS
        and all(
            value is None or value in CODES for row in case["input"].get("ratings", [[-1]]) for value in row
        )
    ]
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.mark.parametrize("case", coded_facts())
def test_alpha_has_the_published_value(case: dict) -> None:
    given, expected = case["input"], case["expected"]
    rows = [
        [score_table.MISSING if value is None else int(value) for value in row] for row in given["ratings"]
    ]
    panel = Panel(np.array(rows, dtype=np.uint8).reshape(len(rows), -1))
    found = report(tally(panel), levels=(given["level"],), replicates=0).alpha[given["level"]]
    assert found.reason == expected.get("reason")
    if expected["alpha"] is None:
        assert found.value is None
    else:
        assert found.value == pytest.approx(expected["alpha"], abs=case["tolerance"])


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("clustered", [True, False], ids=["by prompt", "by unit"])
@pytest.mark.parametrize("each", [2, 3, 7])
def test_codes_and_names_give_the_same_numbers_and_intervals(each: int, clustered: bool) -> None:
    given = sample(each=each)
    found = report(counted(given, clustered=clustered), levels=LEVELS, replicates=200)
    assert_same(found, by_name(given, clustered=clustered, levels=LEVELS, replicates=200))


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("clustered", [True, False], ids=["by prompt", "by unit"])
def test_a_group_is_what_its_rows_alone_would_be(clustered: bool) -> None:
    given = sample()
    found = by_group(counted(given, clustered=clustered), given.genre, 3, replicates=100)
    for genre, of_group in enumerate(found):
        rows = given.where(given.genre[given.unit] == genre)
        assert_same(of_group, by_name(rows, clustered=clustered, replicates=100))


def test_a_group_does_not_depend_on_which_others_there_are() -> None:
    given = sample()
    all_three = by_group(counted(given), given.genre, 3, replicates=100)
    alone = by_group(counted(given), np.where(given.genre == 1, 0, -1), 1, replicates=100)
    assert alone == [all_three[1]]


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("clustered", [True, False], ids=["by prompt", "by unit"])
@pytest.mark.parametrize(("annotators", "each"), [(3, 2), (4, 3), (8, 3)])
def test_without_an_annotator_alpha_is_that_of_the_others_rows(
    annotators: int, each: int, clustered: bool
) -> None:
    given = sample(units=120, annotators=annotators, each=each)
    found = without_each(counted(given, clustered=clustered), levels=LEVELS, replicates=60)
    assert len(found) == annotators
    for out, alphas in enumerate(found):
        others = given.where(given.annotator != out)
        expected = by_name(others, clustered=clustered, levels=LEVELS, replicates=60).alpha
        assert all(same(alphas[level], expected[level]) for level in LEVELS)


def test_without_replicates_there_is_no_interval_and_the_same_number() -> None:
    given = sample()
    with_interval = without_each(counted(given), replicates=20)
    for one, other in zip(without_each(counted(given)), with_interval, strict=True):
        assert one["ordinal"].low is None
        assert one["ordinal"].value == pytest.approx(other["ordinal"].value, abs=1e-12)


@few
@given(tables(), st.booleans())
def test_a_panel_is_what_its_rows_are(table: np.ndarray, clustered: bool) -> None:
    cluster = np.arange(len(table)) // 3 if clustered else None
    rows = tally(Long(*rows_of(table), units=len(table)), cluster)
    panel = tally(Panel(table), cluster)
    assert report(panel, replicates=30) == report(rows, replicates=30)
    group = np.arange(len(table)) % 3 - 1
    assert by_group(panel, group, 2, replicates=30) == by_group(rows, group, 2, replicates=30)
    found, expected = without_each(panel), without_each(rows)
    assert found[: len(expected)] == expected


@few
@given(tables())
def test_a_wide_panel_is_counted_as_a_narrow_one_is(table: np.ndarray) -> None:
    wide = np.hstack([table, np.full((len(table), 9), 255, dtype=np.uint8)])
    assert report(tally(Panel(wide)), replicates=30) == report(tally(Panel(table)), replicates=30)


@few
@given(tables())
def test_alpha_of_a_panel_is_that_of_the_package(table: np.ndarray) -> None:
    pairable = table[(table != 255).sum(axis=1) > 1]
    assume(len(np.unique(pairable[pairable != 255])) > 1)
    matrix = np.where(table == 255, np.nan, table).T
    found = report(tally(Panel(table)), replicates=0).alpha
    for level in agreement.LEVELS:
        theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
        assert found[level].value == pytest.approx(theirs, abs=1e-9)


def test_eight_annotators_with_three_a_response_are_as_the_package_has_them() -> None:
    given = sample(annotators=8, each=3)
    matrix = np.full((8, len(given.prompt)), np.nan)
    matrix[given.annotator, given.unit] = given.score
    found = report(counted(given), replicates=0).alpha
    for level in agreement.LEVELS:
        theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
        assert found[level].value == pytest.approx(theirs, abs=1e-9)


def test_neither_the_order_of_rows_nor_pieces_nor_the_way_of_counting_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = sample()
    before = report(counted(given), replicates=50), without_each(counted(given), replicates=50)
    shuffled = given.where(np.random.default_rng(3).permutation(len(given.unit)))
    monkeypatch.setattr(patterns, "ROWS", 17)
    monkeypatch.setattr(score_table, "ROWS", 17)
    monkeypatch.setattr(patterns, "NUMBERS", 0)
    after = report(counted(shuffled), replicates=50), without_each(counted(shuffled), replicates=50)
    assert after == before


def test_values_too_many_to_count_by_are_taken_one_by_one() -> None:
    chance = np.random.default_rng(2)
    score = chance.integers(0, 250, (40, 3)).astype(np.uint8)
    given = Sample(*rows_of(score), np.arange(40) // 4, np.arange(40) % 2)
    assert counted(given).patterns is None
    assert_same(report(counted(given), replicates=20), by_name(given, replicates=20))
    for genre, found in enumerate(by_group(counted(given), given.genre, 2, replicates=20)):
        rows = given.where(given.genre[given.unit] == genre)
        assert_same(found, by_name(rows, replicates=20))
    for out, alphas in enumerate(without_each(tally(Panel(score), given.prompt), replicates=20)):
        expected = by_name(given.where(given.annotator != out), replicates=20).alpha
        assert same(alphas["ordinal"], expected["ordinal"])


@pytest.mark.parametrize(("seats", "top"), [(1, 250), (2, 250), (2, 30), (3, 35), (5, 8), (6, 5)])
def test_a_panel_of_any_scale_is_what_its_rows_are(seats: int, top: int) -> None:
    table = np.random.default_rng(2).integers(0, top + 1, (40, seats)).astype(np.uint8)
    table[np.random.default_rng(3).random(table.shape) < 0.2] = score_table.MISSING
    rows = tally(Long(*rows_of(table), units=len(table)))
    assert report(tally(Panel(table)), replicates=20) == report(rows, replicates=20)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([], "empty"),
        ([[255, 255]], "empty"),
        ([[1, 255], [255, 2]], "no_pairable_values"),
        ([[1, 1], [1, 1], [2, 255]], "no_variation"),
    ],
)
def test_it_gives_the_reason_instead_of_a_number(table: list, reason: str) -> None:
    panel = tally(Panel(np.array(table, dtype=np.uint8).reshape(-1, 2)))
    assert report(panel).alpha == dict.fromkeys(agreement.LEVELS, Alpha(None, reason=reason))


def test_without_one_of_two_nothing_is_pairable_and_without_the_only_one_there_is_nothing() -> None:
    two = tally(Panel(np.array([[1, 2], [2, 3]], dtype=np.uint8)))
    assert [each["ordinal"].reason for each in without_each(two)] == ["no_pairable_values"] * 2
    one = tally(Panel(np.array([[1], [2]], dtype=np.uint8)))
    assert [each["ordinal"].reason for each in without_each(one)] == ["empty"]


def test_a_group_without_units_has_a_reason_too() -> None:
    given = sample()
    assert by_group(counted(given), given.genre, 5)[4] == Report(
        dict.fromkeys(agreement.LEVELS, Alpha(None, reason="empty")), 0, 0, 0
    )


def test_nothing_in_groups_is_a_reason_for_each_of_them() -> None:
    nothing = tally(Panel(np.empty((0, 3), dtype=np.uint8)))
    empty = Report(dict.fromkeys(agreement.LEVELS, Alpha(None, reason="empty")), 0, 0, 0)
    assert by_group(nothing, np.empty(0, dtype=np.int64), 2) == [empty, empty]


@pytest.mark.parametrize("room", [0, 200, 2000])
def test_with_little_room_groups_and_annotators_are_counted_one_by_one(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = sample(units=60)
    before = by_group(counted(given, clustered=False), given.genre, 3, replicates=20)
    without = without_each(counted(given, clustered=False), replicates=20)
    monkeypatch.setattr(agreement, "FEATURES", room)
    after = by_group(counted(given, clustered=False), given.genre, 3, replicates=20)
    assert [each.n_pairable for each in after] == [each.n_pairable for each in before]
    for one, other in zip(after, before, strict=True):
        assert one.alpha["ordinal"].value == pytest.approx(other.alpha["ordinal"].value, abs=1e-12)
    for one, other in zip(without_each(counted(given, clustered=False), replicates=20), without, strict=True):
        assert one["ordinal"].value == pytest.approx(other["ordinal"].value, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g: Long(g.unit, g.annotator[1:], g.score), "differ in length"),
        (lambda g: Long(g.unit * 0, g.annotator, g.score), "unit 0 has two values of 0"),
        (lambda g: tally(g.scores, g.prompt[1:]), "differ in number"),
        (lambda g: by_group(counted(g), g.genre[1:], 3), "differ in number"),
        (lambda g: report(counted(g), levels=("custom",)), "'custom' is not a level of scores"),
    ],
)
def test_it_refuses(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(sample())
