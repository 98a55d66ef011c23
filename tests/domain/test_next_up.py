"""What comes next: short blocks, a prompt's responses apart, and rates that hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import next_up, order
from annotation.domain.next_up import APART, LONGEST_BLOCK, SHORTEST_BLOCK, Given, Stratum

pytestmark = pytest.mark.files
EN, ZH = Stratum("en", 1), Stratum("zh", 1)


def handed(*strata, first=1):
    """Newest first, as it is read."""
    return [Given(first + n, prompt=100 + n, stratum=each) for n, each in enumerate(strata)][::-1]


def test_nothing_given_yet_leaves_the_choice_open():
    assert next_up.block(1, 1, []) is None
    assert next_up.too_near([]) == ()


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**4))
def test_a_block_goes_on_for_five_to_eight_hand_outs(work, annotator, first):
    lengths = [
        n for n in range(1, 12) if next_up.block(work, annotator, handed(*[EN] * n, first=first)) is None
    ]
    assert SHORTEST_BLOCK <= min(lengths) <= LONGEST_BLOCK
    assert lengths == list(range(min(lengths), 12))  # once it is over, it stays over


def test_a_block_begins_anew_where_the_stratum_changed():
    assert next_up.block(1, 1, handed(*[EN] * 9, ZH)) == ZH


def test_blocks_of_different_annotators_differ_in_length():
    def length(annotator):
        return next(n for n in range(1, 12) if next_up.block(7, annotator, handed(*[EN] * n)) is None)

    assert {length(annotator) for annotator in range(60)} == {5, 6, 7, 8}


@given(st.lists(st.integers(1, 6), max_size=20))
def test_what_was_among_the_last_four_is_too_near(prompts):
    given_before = [Given(n, prompt, EN) for n, prompt in reversed(list(enumerate(prompts, 1)))]
    near = next_up.too_near(given_before)
    assert set(near) == set(prompts[-(APART - 1) :])
    assert len(near) == len(set(near))


def test_of_what_is_too_near_the_one_of_longest_ago_comes_first():
    recent = [Given(n, prompt, EN) for n, prompt in ((5, 3), (4, 1), (3, 3), (2, 2))]
    assert next_up.too_near(recent) == (2, 1, 3)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 10**6))
def test_what_is_mixed_in_follows_from_ids_alone(gold, repeat, position):
    once = next_up.mixture(3, 4, position, gold=gold, repeat=repeat)
    assert once == next_up.mixture(3, 4, position, gold=gold, repeat=repeat)
    if not gold:
        assert once != next_up.GOLD
    if not repeat:
        assert once != next_up.REPEAT


def test_rates_are_met_in_the_long_run():
    drawn = [next_up.mixture(3, 4, position, gold=10, repeat=5) for position in range(1, 20_001)]
    # Four standard deviations of a binomial share on either side.
    assert abs(drawn.count("gold") / 20_000 - 0.10) < 4 * (0.1 * 0.9 / 20_000) ** 0.5
    assert abs(drawn.count("repeat") / 20_000 - 0.05) < 4 * (0.05 * 0.95 / 20_000) ** 0.5


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**6))
def test_places_and_starts_lie_on_the_circle(work, annotator, position):
    assert 0 <= next_up.start(work, annotator, position) < next_up.CIRCLE
    assert 0 <= order.place(str(work), str(position)) < next_up.CIRCLE
