"""How often a guess is right, and the guesses by one thing alone."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import rates
from curation.domain.audit import baselines, shares
from curation.domain.audit.found import BASELINES, Share
from curation.domain.audit.shares import NO_CASE, RIGHT, TIE, WRONG
from curation.domain.audit.table import gathered
from tests.domain.audit_samples import pair

pytestmark = pytest.mark.files

GUESSES = st.lists(st.tuples(st.sampled_from([NO_CASE, WRONG, TIE, RIGHT]), st.integers(0, 5)), max_size=40)


def share_of(guesses, prompts, **options) -> Share:
    given_ = {"seed": "plumb-1", "key": "test", "replicates": 200} | options
    (found,) = shares.shares(np.array(guesses, dtype=np.int64)[:, None], np.array(prompts), **given_)
    return found


# --- shares ----------------------------------------------------------------------------------------------


def test_a_tie_is_half_and_stands_apart():
    found = share_of([RIGHT, RIGHT, TIE, WRONG, NO_CASE], [0, 1, 2, 3, 4])
    assert (found.k, found.ties, found.n, found.rate) == (2, 1, 4, 2.5 / 4)


def test_no_case_has_no_rate_with_a_reason():
    for found in (share_of([], np.zeros(0, dtype=np.int64)), share_of([NO_CASE], [0])):
        assert (found.n, found.rate, found.interval, found.reason) == (0, None, None, "empty")


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None)
def test_without_ties_the_interval_is_wilsons(case):
    k, n = case
    found, peer = shares.wilson(2 * k, n), rates.wilson(k, n)
    assert (found.low, found.high) == (peer.low, peer.high)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, 2 * n), st.just(n))))
@settings(deadline=None)
def test_wilsons_interval_holds_the_rate_and_mirrors(case):
    halves, n = case
    found, mirrored = shares.wilson(halves, n), shares.wilson(2 * n - halves, n)
    assert -1e-12 <= found.low <= halves / (2 * n) + 1e-12
    assert found.high >= halves / (2 * n) - 1e-12
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


def test_the_interval_is_that_of_drawing_prompts():
    chance = np.random.default_rng(3)
    hits, prompts = chance.integers(0, 2, 400), chance.integers(0, 50, 400)
    found = share_of(2 * hits, prompts, key="rate", replicates=2000)
    peer = rates.by_prompt(hits, prompts)
    assert (found.rate, found.low, found.high) == pytest.approx((peer.value, peer.low, peer.high))


def test_pairs_of_one_prompt_alone_have_wilsons_interval():
    found = share_of([RIGHT, WRONG, RIGHT, NO_CASE], [7, 7, 7, 8])
    assert (found.low, found.high) == (None, None)
    assert (found.interval.low, found.interval.high) == (found.wilson_low, found.wilson_high)


@given(GUESSES)
@settings(max_examples=50, deadline=None)
def test_turning_all_guesses_around_turns_the_share(rows):
    guesses = np.array([guess for guess, _ in rows], dtype=np.int64)
    prompts = np.array([prompt for _, prompt in rows], dtype=np.int64)
    there = share_of(guesses, prompts)
    back = share_of(np.where(guesses < 0, guesses, RIGHT - guesses), prompts)
    assert (back.k, back.ties, back.n) == (there.n - there.k - there.ties, there.ties, there.n)
    if there.rate is not None:
        assert back.rate == pytest.approx(1 - there.rate)
        assert (back.interval.low, back.interval.high) == pytest.approx(
            (1 - there.interval.high, 1 - there.interval.low)
        )


@given(GUESSES, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_rows_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    found = [
        share_of([guess for guess, _ in each], np.array([prompt for _, prompt in each], dtype=np.int64))
        for each in (rows, shuffled)
    ]
    assert found[0] == found[1]


def test_a_share_hangs_on_seed_and_key():
    chance = np.random.default_rng(4)
    guesses, prompts = chance.integers(0, 3, 300), chance.integers(0, 60, 300)
    assert share_of(guesses, prompts) == share_of(guesses, prompts)
    assert share_of(guesses, prompts) != share_of(guesses, prompts, seed="other")
    assert share_of(guesses, prompts) != share_of(guesses, prompts, key="other")


# --- baselines -------------------------------------------------------------------------------------------


def guesses_of(*rows) -> dict[str, list[int]]:
    table = gathered(rows)
    found = baselines.guesses(table, np.arange(len(table)))
    return dict(zip(BASELINES, found.T.tolist(), strict=True))


def test_each_baseline_guesses_the_side_with_more():
    found = guesses_of(pair("q1", 'One "two" **three**\n\nfour', "one one"))
    assert {name: guess for name, (guess,) in found.items() if name != "source_model"} == {
        "longer": RIGHT,
        "paragraphs": RIGHT,
        "markdown": RIGHT,
        "quotation_marks": RIGHT,
        "type_token_ratio": RIGHT,
    }


def test_what_is_equal_is_a_tie():
    found = guesses_of(pair("q1", "one two", "two one"))
    assert {guess for name, (guess,) in found.items() if name != "source_model"} == {TIE}


def test_ratios_are_compared_exactly():
    third = guesses_of(pair("q1", "a a a", "b b b c c c"))  # 1/3 and 2/6
    assert third["type_token_ratio"] == [TIE]


def test_a_text_without_words_has_the_least_variety():
    assert guesses_of(pair("q1", "a", "…"))["type_token_ratio"] == [RIGHT]
    assert guesses_of(pair("q1", "!", "…"))["type_token_ratio"] == [TIE]


@pytest.mark.parametrize(
    ("values", "guess"),
    [
        ({"language": "en"}, WRONG),  # 1 word against 2
        ({"language": "zh"}, RIGHT),  # 6 characters against 4
        ({"language": "", "prompt": "写一首诗"}, RIGHT),
        ({"language": "", "prompt": "Write a poem"}, WRONG),
        ({"language": ""}, RIGHT),  # the letters of both texts
    ],
)
def test_longer_is_meant_in_the_unit_of_the_pair(values, guess):
    assert guesses_of(pair("q1", "潮水来了又走", "潮 水水水", **values))["longer"] == [guess]


# --- the source model ------------------------------------------------------------------------------------

X, Y, Z = 0, 1, 2


def by_source(*rows: tuple[int, int, int]) -> list[int]:
    """Of (chosen model, rejected model, prompt)."""
    chosen, rejected, prompt = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return baselines.by_source(chosen, rejected, prompt, 3).tolist()


def test_the_prompt_at_hand_is_left_out():
    # Of all pairs y wins two of three; without the own prompt each guess is what the other prompt says.
    assert by_source((X, Y, 0), (Y, X, 1), (Y, X, 1)) == [WRONG, WRONG, WRONG]


def test_the_model_that_wins_elsewhere_is_guessed():
    assert by_source((X, Y, 0), (X, Y, 1), (X, Y, 2)) == [RIGHT, RIGHT, RIGHT]


def test_a_model_that_stands_nowhere_else_is_a_tie():
    assert by_source((X, Y, 0), (X, Z, 1)) == [TIE, TIE]
    assert by_source((X, Y, 0)) == [TIE]


def test_a_model_against_itself_is_a_tie_and_tells_nothing():
    assert by_source((X, X, 0), (X, Y, 1), (X, Y, 2)) == [TIE, RIGHT, RIGHT]
    assert by_source((X, X, 0), (X, Y, 1)) == [TIE, TIE]


def test_an_unknown_model_is_no_case():
    assert by_source((X, -1, 0), (-1, -1, 0), (X, Y, 1)) == [NO_CASE, NO_CASE, TIE]


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2), st.integers(0, 4)), min_size=1, max_size=30)
)
@settings(deadline=None)
def test_it_is_the_mean_over_other_prompts_pair_by_pair(rows):
    expected = []
    for chosen, rejected, prompt in rows:
        if min(chosen, rejected) < 0:
            expected.append(NO_CASE)
            continue
        elsewhere = [(c, r) for c, r, p in rows if p != prompt and min(c, r) >= 0 and c != r]
        means = []
        for model in (chosen, rejected):
            results = [c == model for c, r in elsewhere if model in (c, r)]
            means.append(Fraction(sum(results), len(results)) if results else None)
        tie = chosen == rejected or None in means or means[0] == means[1]
        expected.append(TIE if tie else RIGHT if means[0] > means[1] else WRONG)
    assert by_source(*rows) == expected
