"""Units that are alike, counted: from long tables, from counts and from filled tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import value_patterns
from curation.domain.value_patterns import of_codes, of_counts, of_table, resampled_sums

pytestmark = pytest.mark.files

COUNTS = st.integers(1, 5).flatmap(
    lambda q: st.lists(st.lists(st.integers(0, 3), min_size=q, max_size=q), min_size=1, max_size=12)
)


@settings(deadline=None)
@given(COUNTS, st.randoms(use_true_random=False))
def test_a_long_table_and_its_counts_have_the_same_patterns(counts, random):
    table = np.array(counts)
    rows = [(u, k) for u, row in enumerate(counts) for k, n in enumerate(row) for _ in range(n)]
    random.shuffle(rows)
    unit, code = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    for found in (of_codes(unit, code, n_values=table.shape[1]), of_counts(table)):
        assert (found.rows[found.of_unit] == table[found.kept]).all()
        assert found.kept.tolist() == [u for u, row in enumerate(counts) if any(row)]
        assert found.units.tolist() == np.bincount(found.of_unit, minlength=len(found.rows)).tolist()
        assert len({tuple(row) for row in found.rows.tolist()}) == len(found.rows)


@pytest.mark.parametrize("bound", ["FEW", "EXACT"])
def test_it_does_not_matter_how_patterns_are_found(bound, monkeypatch):
    random = np.random.default_rng(3)
    unit, code = random.integers(0, 50, 400), random.integers(0, 4, 400)
    table = random.integers(0, 4, (300, 3))
    usual = of_codes(unit, code, n_values=4), of_table(table, n_values=4)
    monkeypatch.setattr(value_patterns, bound, 0)
    for before, after in zip(
        usual, (of_codes(unit, code, n_values=4), of_table(table, n_values=4)), strict=True
    ):
        assert (before.rows[before.of_unit] == after.rows[after.of_unit]).all()
        assert sorted(before.units.tolist()) == sorted(after.units.tolist())


def test_many_values_and_large_units_are_counted_too():
    random = np.random.default_rng(4)
    unit, code = random.integers(0, 20, 2000), random.integers(0, 40, 2000)
    found = of_codes(unit, code, n_values=40)
    assert (found.rows[found.of_unit] == np.bincount(unit * 40 + code, minlength=800).reshape(20, 40)).all()


def test_a_filled_table_keeps_who_gave_what():
    table = np.array([[0, 3], [3, 0], [0, 3]], dtype=np.uint8)
    found = of_table(table, n_values=4)
    assert found.rows.tolist() == [[0, 3], [3, 0]]
    assert found.units.tolist() == [2, 1]
    assert (found.rows[found.of_unit] == table).all()


def test_what_is_no_code_of_the_scale_is_refused():
    for wrong in (4, -1):
        with pytest.raises(ValueError, match="not one of the 4 values"):
            of_codes(np.array([0]), np.array([wrong]), n_values=4)
    with pytest.raises(ValueError, match="not one of the 4 values"):
        of_table(np.array([[0, 255]], dtype=np.uint8), n_values=4)
    with pytest.raises(ValueError, match="length"):
        of_codes(np.array([0, 1]), np.array([1]), n_values=4)


def test_replicates_draw_as_many_units_as_there_are():
    patterns = of_counts(np.array([[2, 0], [2, 0], [1, 1], [0, 0]]))
    one = np.ones((len(patterns.rows), 1))
    whole, drawn = resampled_sums(patterns, one, cluster=None, replicates=50, seed="s", key="k")
    assert whole.tolist() == [[3]]
    assert (drawn == 3).all()
    assert drawn.shape == (50, 1)


def test_clusters_are_drawn_with_all_their_units_and_those_without_ratings_never():
    patterns = of_counts(np.array([[2, 0], [2, 0], [1, 1], [0, 0]]))
    one = np.ones((len(patterns.rows), 1))
    cluster = np.array([7, 7, 2, 5])
    whole, drawn = resampled_sums(patterns, one, cluster=cluster, replicates=200, seed="s", key="k")
    assert whole.tolist() == [[3]]
    assert set(drawn[:, 0].tolist()) == {2, 3, 4}


def test_nothing_is_drawn_from_a_single_unit():
    patterns = of_counts(np.array([[2, 1]]))
    _whole, drawn = resampled_sums(patterns, np.ones((1, 2)), cluster=None, replicates=50, seed="s", key="k")
    assert drawn.shape == (0, 2)
