"""The keyed order of pairs."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import priority
from tests.domain import oracle

pytestmark = pytest.mark.files

FACTS = Path(__file__).parents[1] / "facts" / "symmetry.json"


def priority_of(chosen: str, rejected: str, seed: str = "plumb-1") -> int:
    hashes = priority.hashes(seed, [chosen, rejected])
    return int(priority.priorities(hashes[:1], hashes[1:])[0])


def test_the_worked_values_come_out():
    assert priority.hashes("plumb-1", ["r1", "r2"]).tolist() == [2659000202482372355, 14026979760843369274]
    assert priority_of("r1", "r2") == 7883212074657218267
    assert priority_of("r2", "r1") == 16040629529259073360


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text("a1:é春😀", min_size=1), st.text("a1:é春😀", min_size=1))
def test_it_is_the_second_implementation_modulo_2_to_the_64(chosen, rejected):
    assert priority_of(chosen, rejected) == oracle.priority("plumb-1", chosen, rejected)


def test_another_seed_draws_another_sample():
    names = [f"r{number}" for number in range(100)]
    assert (priority.hashes("plumb-1", names) != priority.hashes("plumb-2", names)).all()


def test_ties_go_by_chosen_and_then_rejected():
    same = np.array([7, 7, 7, 3], dtype=np.uint64)
    chosen, rejected = np.array([2, 1, 1, 9]), np.array([0, 5, 4, 9])
    assert priority.places(same, chosen, rejected).tolist() == [3, 2, 1, 0]


def test_priorities_are_compared_without_a_sign():
    high = np.array([2**64 - 1, 2**63, 2**63 - 1, 0], dtype=np.uint64)
    ranks = np.arange(4)
    assert priority.places(high, ranks, ranks).tolist() == [3, 2, 1, 0]


def test_nothing_has_no_places():
    empty = np.zeros(0, dtype=np.int64)
    assert priority.places(priority.hashes("s", []), empty, empty).tolist() == []


def test_a_keyed_choice_does_not_depend_on_the_order_of_rows():
    (case,) = (c for c in json.loads(FACTS.read_text(encoding="utf-8")) if c["id"] == "LB-029")
    members = case["input"]["bucket_members"]

    def key(name: str) -> str:
        return sha256(f"litbench-v1:{name}".encode()).hexdigest()

    for order in (members, members[::-1]):
        assert sorted(order, key=key) == case["expected"]["order"]
    # The product's own hash has the same property.
    hashes = priority.hashes("litbench-v1", members)
    turned = priority.hashes("litbench-v1", members[::-1])
    assert hashes.tolist() == turned[::-1].tolist()
