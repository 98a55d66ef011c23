"""Alpha against the package krippendorff on random tables with gaps, and the properties that it must have."""

import random
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curation.domain.agreement import Report, report

pytestmark = pytest.mark.files

LEVELS = ("ordinal", "interval", "nominal", "ratio")

Table = list[list[float | None]]  # rows are units, columns annotators


def tables(values: st.SearchStrategy[float]) -> st.SearchStrategy[Table]:
    cells = st.one_of(st.none(), values, values)
    return st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=12)
    )


scores = tables(st.integers(0, 3))
measures = tables(st.integers(0, 10_000).map(lambda n: n / 64))
few = settings(max_examples=60, deadline=None)


def report_of(table: Table, *, clustered: bool = False, replicates: int = 0) -> Report:
    cells = [(u, a, v) for u, row in enumerate(table) for a, v in enumerate(row) if v is not None]
    return report(
        [f"u{u:02d}" for u, _, _ in cells],
        [f"a{a}" for _, a, _ in cells],
        [v for _, _, v in cells],
        clusters=[f"p{u // 3}" for u, _, _ in cells] if clustered else None,
        levels=LEVELS,
        replicates=replicates,
    )


def values_of(table: Table) -> dict[str, float | None]:
    return {level: alpha.value for level, alpha in report_of(table).alpha.items()}


def same(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else one == pytest.approx(other, abs=1e-9)


def pairable(table: Table) -> set[float]:
    rows = [[value for value in row if value is not None] for row in table]
    return {value for row in rows if len(row) > 1 for value in row}


@pytest.mark.parametrize("kind", [scores, measures], ids=["scores", "measures"])
def test_alpha_is_that_of_the_package(kind: st.SearchStrategy[Table]) -> None:
    @few
    @given(kind)
    def check(table: Table) -> None:
        assume(len(pairable(table)) > 1)
        matrix = np.array(table, dtype=np.float64).T
        found = values_of(table)
        for level in LEVELS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # 0/0, the ratio of two zeros
                theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
            if not np.isnan(theirs):
                assert found[level] == pytest.approx(theirs, abs=1e-9), level

    check()


@few
@given(scores)
def test_alpha_is_undefined_exactly_where_the_pairable_values_do_not_vary(table: Table) -> None:
    assert all((value is None) == (len(pairable(table)) < 2) for value in values_of(table).values())


@few
@given(measures, st.randoms(use_true_random=False))
def test_neither_the_order_of_units_nor_that_of_annotators_matters(
    table: Table, chance: random.Random
) -> None:
    annotators = list(range(len(table[0])))
    chance.shuffle(annotators)
    moved = [[row[a] for a in annotators] for row in table]
    chance.shuffle(moved)
    found, after = values_of(table), values_of(moved)
    assert all(same(found[level], after[level]) for level in LEVELS)


@few
@given(scores, st.permutations([0, 1, 2, 3]))
def test_nominal_alpha_does_not_depend_on_the_names_of_values(table: Table, names: list[int]) -> None:
    renamed = [[None if value is None else names[int(value)] for value in row] for row in table]
    assert same(values_of(table)["nominal"], values_of(renamed)["nominal"])


@few
@given(measures, st.sampled_from([-3.0, 0.1, 7.0, 1e6]), st.sampled_from([-1000.0, 0.0, 0.3]))
def test_interval_alpha_does_not_depend_on_the_origin_and_unit(
    table: Table, unit: float, origin: float
) -> None:
    moved = [[None if value is None else unit * value + origin for value in row] for row in table]
    assert same(values_of(table)["interval"], values_of(moved)["interval"])


@few
@given(measures)
def test_ordinal_alpha_depends_on_the_order_alone(table: Table) -> None:
    stretched = [[None if value is None else value**3 for value in row] for row in table]
    assert values_of(table)["ordinal"] == values_of(stretched)["ordinal"]


@few
@given(measures, st.sampled_from([0.5, 8.0]))
def test_ratio_alpha_does_not_depend_on_the_unit(table: Table, unit: float) -> None:
    scaled = [[None if value is None else unit * value for value in row] for row in table]
    assert same(values_of(table)["ratio"], values_of(scaled)["ratio"])


@few
@given(st.integers(2, 10), st.integers(2, 4), st.integers(0, 3), st.integers(1, 3))
def test_one_deviating_value_among_constants_gives_0(
    units: int, annotators: int, constant: int, difference: int
) -> None:
    table: Table = [[constant] * annotators for _ in range(units)]
    table[0][0] = constant + difference
    assert list(values_of(table).values()) == pytest.approx([0] * len(LEVELS), abs=1e-12)


@few
@given(scores, st.booleans())
def test_single_ratings_change_neither_alpha_nor_its_interval(table: Table, clustered: bool) -> None:
    with_pairs = [row if sum(v is not None for v in row) > 1 else [None] * len(row) for row in table]
    before = report_of(table, clustered=clustered, replicates=60)
    after = report_of(with_pairs, clustered=clustered, replicates=60)
    assert before.n_pairable == after.n_pairable
    assert [a for a in before.alpha.values() if a.reason is None] == [
        a for a in after.alpha.values() if a.reason is None
    ]


@few
@given(measures, st.booleans())
def test_the_interval_stays_within_what_alpha_can_be(table: Table, clustered: bool) -> None:
    for alpha in report_of(table, clustered=clustered, replicates=60).alpha.values():
        assert (alpha.value is None) == (alpha.reason is not None)
        assert (alpha.low is None) == (alpha.high is None)
        if alpha.low is not None and alpha.high is not None:
            assert alpha.low <= alpha.high <= 1
            assert 0 <= alpha.undefined < 60
