"""Length-symmetry pruning, caps and quota on bare columns."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import caps, length_symmetry
from curation.domain.length_symmetry import Sides

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "symmetry.json").read_text(encoding="utf-8"))
WIDTH_10 = Fraction(10)
steady = settings(max_examples=150, deadline=None, derandomize=True)
differences = st.lists(st.integers(-40, 40), max_size=60)


def fact(case_id: str) -> dict:
    return next(case for case in FACTS if case["id"] == case_id)


def shuffled(count: int) -> np.ndarray:
    return np.random.default_rng(count).permutation(count)


def pruned(given_differences: list[int], width: Fraction, place: np.ndarray | None = None) -> list[int]:
    """The differences that stay."""
    by = np.array(given_differences, dtype=np.int64)
    place = np.arange(len(by)) if place is None else place
    return by[length_symmetry.kept(length_symmetry.buckets_of(by, width), place)].tolist()


def width_of(given_differences: list[int], buckets: int = 100) -> Fraction:
    return length_symmetry.bucket_width(np.array(given_differences, dtype=np.int64), buckets)


@pytest.mark.parametrize("case_id", ["LB-020", "LB-021", "LB-024", "LB-025"])
def test_a_published_case_keeps_what_it_should(case_id):
    case = fact(case_id)
    width = Fraction(case["input"]["bucket_width"])
    stays = np.array(pruned(case["input"]["length_differences"], width), dtype=np.int64)
    expected = case["expected"]
    assert len(stays) == expected["kept"]
    assert length_symmetry.sides(stays) == Sides(
        expected["kept_chosen_longer"], expected["kept_chosen_shorter"], expected["zero_kept"]
    )
    buckets = length_symmetry.buckets_of(stays, width)
    for number, count in expected["per_magnitude_bucket"].items():
        assert (buckets == int(number)).sum() == (buckets == -int(number)).sum() == count


def test_differences_on_the_edges_are_mirrored_and_half_open_bins_are_not():
    case = fact("LB-026")
    given_differences = case["input"]["length_differences"]
    assert sorted(pruned(given_differences, WIDTH_10)) == sorted(given_differences)
    bins, _ = np.histogram(given_differences, bins=np.arange(-50, 60, 10))
    assert 2 * np.minimum(bins, bins[::-1])[: len(bins) // 2].sum() == case["expected"]["kept"]


def test_pruning_again_changes_nothing_with_the_width_that_was_kept():
    case = fact("LB-027")
    given_differences, expected = case["input"]["length_differences"], case["expected"]
    width = width_of(given_differences)
    assert width == 2
    first = pruned(given_differences, width)
    assert len(first) == expected["first_pass_kept"]
    assert len(pruned(first, width)) == expected["second_pass_kept_fixed_edges"]
    assert len(pruned(first, width_of(first))) == expected["second_pass_kept_range_recomputed"]


def test_the_published_counts_satisfy_the_invariants():
    case = fact("LB-028")
    reported, expected = case["input"]["reported"], case["expected"]
    share = 2 * (1 - Fraction(str(reported["share_longer_before"])))
    assert share == Fraction(str(expected["max_kept_share"]))
    for name in ("test", "train"):
        kept = reported[f"pairs_{name}"]
        assert -(-kept // share) == expected[f"min_pairs_before_{name}"]
        assert ("odd" if kept % 2 else "even") == expected[f"parity_zero_bucket_{name}"]


@pytest.mark.parametrize(
    ("difference", "longest", "buckets", "bucket"),
    [
        (100, 100, 100, 50),
        (3, 100, 100, 2),
        (-4, 100, 100, -2),
        (2, 100, 100, 1),
        (1, 3, 2, 1),
        (-7, 7, 6, -3),
    ],
)
def test_a_bucket_is_computed_exactly(difference, longest, buckets, bucket):
    width = Fraction(2 * longest, buckets)
    assert length_symmetry.buckets_of(np.array([difference]), width).tolist() == [bucket]


@steady
@given(st.integers(1, 2**31 - 1), st.integers(1, 500_000), st.data())
def test_a_bucket_is_the_ceiling_at_any_size(longest, half, data):
    difference = data.draw(st.integers(-longest, longest))
    buckets = length_symmetry.buckets_of(np.array([difference]), Fraction(longest, half))
    expected = -(-half * abs(difference) // longest)
    assert buckets.tolist() == [expected if difference > 0 else -expected]
    assert expected <= half


def test_equal_lengths_alone_all_stay():
    assert width_of([0, 0, 0]) == 0
    assert pruned([0, 0, 0], width_of([0, 0, 0])) == [0, 0, 0]
    assert pruned([], width_of([])) == []


def test_in_an_over_full_bucket_the_lowest_places_stay():
    place = np.array([3, 0, 2, 1])
    buckets = length_symmetry.buckets_of(np.array([5, 6, 7, -5]), WIDTH_10)
    assert length_symmetry.kept(buckets, place).tolist() == [False, True, False, True]


@steady
@given(differences, st.sampled_from([2, 4, 10, 100]))
def test_what_stays_is_balanced_in_every_bucket_and_pruning_is_idempotent(given_differences, buckets):
    width = width_of(given_differences, buckets)
    by = np.array(given_differences, dtype=np.int64)
    numbers = length_symmetry.buckets_of(by, width)
    place = shuffled(len(by))
    stays = length_symmetry.kept(numbers, place)
    for number in np.unique(np.abs(numbers[stays])):
        assert (numbers[stays] == number).sum() == (numbers[stays] == -number).sum()
    assert np.array_equal(by[stays & (by == 0)], by[by == 0])
    again = length_symmetry.kept(length_symmetry.buckets_of(by[stays], width), place[stays])
    assert again.all()
    # As many as could stay: one side of every bucket and its mirror image is whole.
    for number in np.unique(np.abs(numbers)):
        sides = [(numbers == number) & ~stays, (numbers == -number) & ~stays]
        assert not (sides[0].any() and sides[1].any())


@steady
@given(differences)
def test_exchanging_chosen_and_rejected_keeps_as_many_in_each_bucket(given_differences):
    width = width_of(given_differences, 10)
    turned = pruned([-difference for difference in given_differences], width)
    assert len(turned) == len(pruned(given_differences, width))


@steady
@given(differences)
def test_a_finer_width_never_keeps_more_when_it_divides_the_coarser_one(given_differences):
    coarse = width_of(given_differences, 10)
    assert len(pruned(given_differences, coarse / 2)) <= len(pruned(given_differences, coarse))


# --- caps and quota --------------------------------------------------------------------------------------


def test_a_response_stands_in_no_more_pairs_than_its_cap():
    chosen, rejected = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 2])
    stays = caps.within_response_cap(chosen, rejected, np.array([0, 1, 2, 3]), cap=2)
    assert stays.tolist() == [True, True, False, True]


def test_a_pair_that_was_not_taken_uses_up_nothing():
    chosen, rejected = np.array([0, 0, 2]), np.array([1, 2, 3])
    assert caps.within_response_cap(chosen, rejected, np.arange(3), cap=1).tolist() == [True, False, True]


def test_the_cap_of_a_prompt_takes_the_lowest_places_of_each():
    stays = caps.within_prompt_cap(np.array([0, 1, 0, 1, 0]), np.array([4, 3, 2, 1, 0]), cap=2)
    assert stays.tolist() == [False, True, True, True, True]


def test_without_symmetry_the_quota_takes_single_pairs_from_the_end():
    assert caps.within_quota(np.array([9, 4, 7, 1]), quota=2).tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("buckets", "quota", "stays"),
    [
        ([1, -1, 2, -2, 0], 5, [True] * 5),
        ([1, -1, 2, -2, 0], 3, [True, True, False, False, True]),  # the later couple
        ([1, -1, 2, -2, 0], 4, [True, True, True, True, False]),  # an odd one from D = 0
        ([1, -1, 2, -2], 3, [True, True, False, False]),  # without one: a couple, one below the quota
        ([1, -1, 0, 0, 0], 1, [False, False, True, False, False]),  # without couples: D = 0 from the end
        ([0, 0, 0], 2, [True, True, False]),
    ],
)
def test_with_symmetry_the_quota_takes_mirrored_couples(buckets, quota, stays):
    places = np.arange(len(buckets))
    assert caps.within_mirrored_quota(np.array(buckets), places, quota).tolist() == stays


def test_a_couple_goes_by_the_later_of_its_two():
    buckets, places = np.array([1, -1, 1, -1, 2, -2]), np.array([0, 5, 1, 6, 2, 3])
    # Couples: (0, 5), (1, 6), (2, 3). The first to go is (1, 6), then (0, 5).
    assert caps.within_mirrored_quota(buckets, places, 4).tolist() == [True, True, False, False, True, True]
    assert caps.within_mirrored_quota(buckets, places, 2).tolist() == [False, False, False, False, True, True]


@steady
@given(differences, st.integers(1, 20))
def test_the_quota_is_met_and_the_symmetry_stays_exact(given_differences, quota):
    by = np.array(given_differences, dtype=np.int64)
    buckets = length_symmetry.buckets_of(by, width_of(given_differences, 10))
    place = shuffled(len(by))
    stays = length_symmetry.kept(buckets, place)
    buckets, place = buckets[stays], place[stays]
    left = buckets[caps.within_mirrored_quota(buckets, place, quota)]
    assert min(quota, len(buckets)) - 1 <= len(left) <= quota
    assert sorted(left[left > 0]) == sorted(-left[left < 0])
