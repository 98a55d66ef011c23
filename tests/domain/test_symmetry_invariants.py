"""The nine invariants of any correct pruning by length symmetry, each as a property of bare columns.

As the reference tables of this project number them: mirrored buckets are equal, half of what stays is longer, how many
stay, how many can at most, order plays no part, pruning again changes nothing, what is symmetric stays whole, turning
every pair round keeps as many, and finer buckets never keep more.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import length_symmetry

pytestmark = pytest.mark.files

steady = settings(max_examples=200, deadline=None, derandomize=True)
some = st.lists(st.integers(-60, 60), max_size=80).map(lambda found: np.array(found, dtype=np.int64))
bucket_counts = st.sampled_from([2, 4, 6, 10, 100])


def placed(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).permutation(count)


def stays(differences: np.ndarray, width: Fraction, place: np.ndarray | None = None) -> np.ndarray:
    place = placed(len(differences)) if place is None else place
    return length_symmetry.kept(length_symmetry.buckets_of(differences, width), place)


def sides(differences: np.ndarray, width: Fraction) -> dict[int, tuple[int, int]]:
    """How many are longer and shorter in each bucket of magnitude, by fractions."""
    found: dict[int, tuple[int, int]] = {}
    for difference in differences[differences != 0].tolist():
        magnitude = -(-abs(difference) // width)
        longer, shorter = found.get(magnitude, (0, 0))
        found[magnitude] = (longer + (difference > 0), shorter + (difference < 0))
    return found


def width_of(differences: np.ndarray, buckets: int) -> Fraction:
    return length_symmetry.bucket_width(differences, buckets)


@steady
@given(some, bucket_counts)
def test_1_mirrored_buckets_have_equal_counts(differences, buckets):
    width = width_of(differences, buckets)
    kept = differences[stays(differences, width)]
    assert all(longer == shorter for longer, shorter in sides(kept, width).values())


@steady
@given(some, bucket_counts)
def test_2_among_pairs_of_different_lengths_exactly_half_are_longer(differences, buckets):
    kept = differences[stays(differences, width_of(differences, buckets))]
    assert 2 * (kept > 0).sum() == (kept != 0).sum()
    if len(kept):
        share = Fraction(int((kept > 0).sum()), len(kept))
        assert share == Fraction(1, 2) - Fraction(int((kept == 0).sum()), len(kept)) / 2


@steady
@given(some, bucket_counts)
def test_3_what_stays_is_twice_the_smaller_sides_and_all_of_equal_length(differences, buckets):
    width = width_of(differences, buckets)
    equal = int((differences == 0).sum())
    kept = int(stays(differences, width).sum())
    assert kept == 2 * sum(map(min, sides(differences, width).values())) + equal
    assert kept % 2 == equal % 2


@steady
@given(some, bucket_counts)
def test_4_no_more_can_stay_than_twice_the_smaller_side(differences, buckets):
    kept = int(stays(differences, width_of(differences, buckets)).sum())
    longer, shorter = int((differences > 0).sum()), int((differences < 0).sum())
    assert kept <= 2 * min(longer, shorter) + len(differences) - longer - shorter


@steady
@given(some, bucket_counts, st.integers(0, 5))
def test_5_the_order_of_rows_plays_no_part(differences, buckets, seed):
    width, place = width_of(differences, buckets), placed(len(differences))
    order = placed(len(differences), seed)
    kept = stays(differences, width, place)
    again = stays(differences[order], width, place[order])
    assert set(place[kept].tolist()) == set(place[order][again].tolist()) <= set(place.tolist())


@steady
@given(some, bucket_counts)
def test_6_pruning_again_with_the_width_that_was_kept_changes_nothing(differences, buckets):
    width, place = width_of(differences, buckets), placed(len(differences))
    kept = stays(differences, width, place)
    assert stays(differences[kept], width, place[kept]).all()


@steady
@given(some, bucket_counts, st.integers(0, 3))
def test_7_what_is_symmetric_stays_whole(differences, buckets, equal):
    mirrored = np.concatenate((differences, -differences, np.zeros(equal, dtype=np.int64)))
    assert stays(mirrored, width_of(mirrored, buckets)).all()


@steady
@given(some, bucket_counts)
def test_8_exchanging_chosen_and_rejected_keeps_as_many_of_each_bucket(differences, buckets):
    width, place = width_of(differences, buckets), placed(len(differences))
    kept, turned = stays(differences, width, place), stays(-differences, width, place)
    found = sides(differences[kept], width)
    assert sides(-differences[turned], width) == found
    # The same pairs, even: priorities of bare columns do not change with the direction.
    assert np.array_equal(kept, turned)


@steady
@given(some, bucket_counts, st.integers(2, 7))
def test_9_a_width_that_divides_another_never_keeps_more(differences, buckets, times):
    width = width_of(differences, buckets)
    assert stays(differences, width / times).sum() <= stays(differences, width).sum()
