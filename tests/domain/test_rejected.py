"""Which rejected candidates are kept: all, none, or the same sample whatever the order in which they come."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import priority, rejected
from curation.domain.rejected import outcomes
from curation.domain.standing import JOINED, LARGE, Outcomes, Sample, append

pytestmark = pytest.mark.files

REASONS = ("identical_text", "time")
N_IDS = 40
IDS = [f"r{number:02}" for number in range(N_IDS)]
EVERY = [(a, b, 1 + (a + b) % 2) for a in range(N_IDS) for b in range(a + 1, N_IDS)]  # 780 candidates


@pytest.fixture
def small(monkeypatch):
    """Limits of a size at which a test is quick."""
    monkeypatch.setattr(rejected, "SAMPLE", 50)
    monkeypatch.setattr(rejected, "HELD", 120)
    monkeypatch.setattr(rejected, "MOST", 500)


def filled(keep, rows, *, seed="plumb-1", chunk=7) -> Outcomes:
    found = outcomes(REASONS, keep, ids=IDS, seed=seed)
    for start in range(0, len(rows), chunk):
        one, other, codes = np.array(rows[start : start + chunk]).T
        found.add(one, other, codes.astype(np.uint8))
    return found


def kept(found: Outcomes) -> list[tuple[int, int, int]]:
    return list(zip(*(column.tolist() for column in found.in_order()), strict=True))


def lowest(number: int, rows=EVERY, seed="plumb-1") -> list[tuple[int, int, int]]:
    """In plain Python: the rows of lowest priority, the lower id being the first side."""
    hashes = priority.hashes(seed, IDS)
    by_priority = sorted(rows, key=lambda row: (int(priority.priorities(*hashes[[row[:2]]].T)[0]), row))
    return sorted(by_priority[:number])


def test_all_are_kept_on_demand_however_many(small):
    found = filled("all", EVERY)
    assert kept(found) == EVERY
    assert found.sample() is None


def test_none_is_kept_on_demand_and_all_are_counted(small):
    found = filled("none", EVERY)
    assert kept(found) == []
    assert found.by_reason() == {"identical_text": 380, "time": 400}
    assert found.sample() is None


@pytest.mark.parametrize("keep", ["sample", None])
def test_a_sample_are_those_of_lowest_priority(small, keep):
    found = filled(keep, EVERY)
    assert kept(found) == lowest(50)
    assert found.sample() == Sample(50, of=780, seed="plumb-1")
    assert found.by_reason() == filled("all", EVERY).by_reason()


def test_by_default_all_are_kept_up_to_the_most(small):
    found = filled(None, EVERY[:500])
    assert kept(found) == EVERY[:500]
    assert found.sample() is None
    assert filled(None, EVERY[:501]).sample() == Sample(50, of=501, seed="plumb-1")


def test_a_sample_of_no_more_than_its_size_is_all(small):
    found = filled("sample", EVERY[:50])
    assert kept(found) == EVERY[:50]
    assert found.sample() is None


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), chunk=st.integers(1, 300))
def test_neither_the_order_nor_the_pieces_change_a_sample(seed, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rejected, "SAMPLE", 50)
        patch.setattr(rejected, "HELD", 120)
        rows = [row if (seed + place) % 2 else (row[1], row[0], row[2]) for place, row in enumerate(EVERY)]
        random.Random(seed).shuffle(rows)
        assert kept(filled("sample", rows, chunk=chunk)) == lowest(50)


def test_another_seed_draws_another_sample(small):
    assert kept(filled("sample", EVERY, seed="other")) == lowest(50, seed="other") != lowest(50)


def test_candidates_that_share_the_last_priority_go_by_id(small, monkeypatch):
    monkeypatch.setattr(priority, "priorities", lambda a, b: np.zeros(len(a), dtype=np.uint64))
    shuffled = random.Random(1).sample(EVERY, len(EVERY))
    assert kept(filled("sample", shuffled)) == EVERY[:50]


def test_what_is_held_stays_bounded(small):
    found = outcomes(REASONS, "sample", ids=IDS, seed="plumb-1")
    most = 0
    for row in EVERY:
        found.add(*(np.array([value]) for value in row[:2]), np.array([row[2]], dtype=np.uint8))
        most = max(most, sum(map(len, found.codes)))
    assert most <= 121


def test_a_sample_holds_each_reason_about_as_often_as_there_are_of_it(small):
    reasons = Counter(code for *_, code in kept(filled("sample", EVERY)))
    assert 10 <= reasons[1] <= 40
    assert reasons.total() == 50


def test_many_small_pieces_are_joined_and_large_ones_left():
    pieces = []
    for number in range(10 * JOINED):
        append(pieces, np.array([number]))
    assert len(pieces) < 2 * JOINED
    assert np.concatenate(pieces).tolist() == list(range(10 * JOINED))
    large = [np.zeros(LARGE, dtype=np.uint8) for _ in range(JOINED - 1)]
    append(large, np.zeros(1, dtype=np.uint8))
    assert len(large) == JOINED
