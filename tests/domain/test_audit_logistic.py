"""The logistic model against scikit-learn, and that it sees no prompt before it guesses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from curation.domain.audit import logistic, shares
from curation.domain.audit.shares import NO_CASE, RIGHT, TIE, WRONG

pytestmark = pytest.mark.files


def sample(pairs: int = 500, seed: int = 1) -> np.ndarray:
    """Differences, chosen less rejected, of which the first two features tell something."""
    chance = np.random.default_rng(seed)
    found = chance.normal(size=(pairs, 4)) * [1, 10, 0.1, 3]
    odds = found[:, 0] - 0.05 * found[:, 1]
    chosen_first = chance.random(pairs) < 1 / (1 + np.exp(-odds))
    return np.where(chosen_first[:, None], found, -found)


def peer(differences: np.ndarray, ridge: float) -> tuple[LogisticRegression, np.ndarray]:
    """The same model as a library fits it: every second pair turned around, for it wants two classes."""
    scale = np.sqrt((differences**2).mean(axis=0))
    sign = np.where(np.arange(len(differences)) % 2, 1, -1)
    model = LogisticRegression(C=1 / ridge, fit_intercept=False, solver="newton-cholesky", tol=1e-10)
    return model.fit(differences / scale * sign[:, None], sign), scale


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_weights_are_those_of_scikit_learn(ridge):
    differences = sample()
    model, _scale = peer(differences, ridge)
    assert logistic.weights(differences, ridge=ridge) == pytest.approx(model.coef_[0], abs=1e-5)


def test_guesses_are_those_of_scikit_learn_on_the_same_folds():
    differences = sample()
    fold = np.arange(len(differences)) % 5
    expected = np.empty(len(differences), dtype=np.int64)
    for number in range(5):
        held = fold == number
        model, scale = peer(differences[~held], logistic.RIDGE)
        expected[held] = 1 + model.predict(differences[held] / scale)
    found = logistic.guesses(differences, fold)
    assert found.tolist() == expected.tolist()
    assert 0.6 < (found == RIGHT).mean() < 0.8


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=30, deadline=None)
def test_at_the_weights_the_slope_is_0(seed, ridge):
    differences = sample(60, seed=seed)
    weights = logistic.weights(differences, ridge=ridge)
    scaled = differences / np.sqrt((differences**2).mean(axis=0))
    slope = scaled.T @ (1 / (1 + np.exp(scaled @ weights))) - ridge * weights
    assert slope == pytest.approx(np.zeros(4), abs=1e-7)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_turning_all_pairs_around_turns_the_weights_and_leaves_the_guesses(seed):
    differences = sample(60, seed=seed)
    fold = np.arange(60) % 3
    assert logistic.weights(-differences) == pytest.approx(-logistic.weights(differences), abs=1e-9)
    assert logistic.guesses(-differences, fold).tolist() == logistic.guesses(differences, fold).tolist()


def test_the_unit_of_a_feature_does_not_matter():
    differences = sample()
    assert logistic.weights(differences * [1000, 1, 0.001, 1]) == pytest.approx(logistic.weights(differences))


def test_a_feature_that_tells_all_has_a_finite_weight():
    weights = logistic.weights(np.abs(sample()[:, :1]))
    assert np.isfinite(weights).all()
    assert weights[0] > 1


def test_a_feature_that_never_differs_has_none():
    differences = sample()
    differences[:, 2] = 0
    assert logistic.weights(differences)[2] == 0


def test_pairs_that_differ_in_nothing_are_ties():
    differences = sample(20)
    differences[3] = 0
    found = logistic.guesses(differences, np.arange(20) % 2)
    assert np.flatnonzero(found == TIE).tolist() == [3]
    assert logistic.guesses(np.zeros((4, 2)), np.arange(4) % 2).tolist() == [TIE] * 4


def test_one_fold_alone_teaches_nothing():
    assert set(logistic.guesses(sample(20), np.zeros(20, dtype=np.int64)).tolist()) == {NO_CASE}


def test_no_fold_is_guessed_by_what_it_says_itself():
    # The folds contradict each other, so each is guessed wrong; a model that had seen its own would be right.
    differences, fold = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 1, 1])
    assert logistic.guesses(differences, fold).tolist() == [WRONG] * 4


def test_a_ridge_must_be_positive():
    with pytest.raises(ValueError, match="use a positive number"):
        logistic.weights(sample(), ridge=0)


def test_newtons_method_that_does_not_rest_says_so(monkeypatch):
    monkeypatch.setattr(logistic, "STEPS", 1)
    with pytest.raises(ArithmeticError, match="did not come to rest"):
        logistic.weights(sample())


# --- folds -----------------------------------------------------------------------------------------------


def test_folds_are_even_and_hang_on_ids_and_seed_alone():
    names = [f"q{number}" for number in range(97)]
    found = logistic.folds(names, seed="plumb-1")
    assert sorted(np.bincount(found).tolist()) == [9] * 3 + [10] * 7
    backwards = logistic.folds(names[::-1], seed="plumb-1")
    assert backwards[::-1].tolist() == found.tolist()
    assert logistic.folds(names, seed="other").tolist() != found.tolist()


@pytest.mark.parametrize("prompts", [0, 1, 2, 9])
def test_there_are_no_more_folds_than_prompts(prompts):
    found = logistic.folds([str(number) for number in range(prompts)], seed="s")
    assert sorted(found.tolist()) == list(range(prompts))


def test_noise_is_guessed_as_often_as_by_a_coin():
    chance = np.random.default_rng(5)
    differences = chance.normal(size=(4000, 4))
    found = logistic.guesses(differences, np.arange(4000) % 10)
    (share,) = shares.shares(found[:, None], np.arange(4000), seed="s", key="k", replicates=400)
    assert share.low < 0.5 < share.high
