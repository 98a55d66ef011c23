"""Requirement dropout: which requirements each round keeps, and what its model reads."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.dropout import asked, order_of_leaving, variants

IDS = st.text(max_size=12)
COUNTS = st.integers(1, 9)


@given(IDS, COUNTS, st.text(max_size=8))
def test_round_k_keeps_all_but_k_less_one_and_only_what_the_round_before_kept(prompt, n, seed):
    rounds = variants(prompt, n, seed)
    assert [len(kept) for kept in rounds] == list(range(n, 0, -1))
    assert rounds[0] == tuple(range(1, n + 1))
    for before, after in pairwise(rounds):
        assert set(after) < set(before)
    assert all(list(kept) == sorted(kept) for kept in rounds)


@given(IDS, COUNTS, st.text(max_size=8))
def test_the_seed_and_the_id_alone_decide(prompt, n, seed):
    assert variants(prompt, n, seed) == variants(prompt, n, seed)
    assert sorted(order_of_leaving(prompt, n, seed)) == list(range(1, n + 1))


def test_what_is_drawn_stays_the_same_from_version_to_version():
    assert order_of_leaving("p0", 5, "seed") == (3, 2, 5, 1, 4)


def test_every_order_is_drawn_about_as_often_as_any_other():
    """4 sigma around 6,000 draws of 6 orders."""
    drawn = Counter(order_of_leaving(f"p{number}", 3, "seed") for number in range(6_000))
    assert len(drawn) == 6
    assert all(abs(times - 1_000) < 4 * (6_000 * (1 / 6) * (5 / 6)) ** 0.5 for times in drawn.values())


def test_another_seed_draws_anew():
    orders = {order_of_leaving("p0", 7, f"seed {number}") for number in range(50)}
    assert len(orders) > 45


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Requirements:"),
        ("zh", "要求："),
        ("zh-Hans", "要求："),
        ("de", "Requirements:"),
        ("", "Requirements:"),
    ],
)
def test_a_model_reads_the_prompt_and_the_requirements_that_are_kept(language, heading):
    assert (
        asked("Write.\n", ["Be brief. ", "Rhyme."], language)
        == f"Write.\n\n{heading}\n1. Be brief.\n2. Rhyme."
    )
