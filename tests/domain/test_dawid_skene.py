"""A second opinion on consensus: another program's results, where there is none, and what must not matter."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import dawid_skene
from curation.domain.dawid_skene import Opinion, Undefined, opinion

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "dawid_skene.json").read_text(encoding="utf-8"))
TABLES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)),
    min_size=2,
    max_size=24,
    unique_by=lambda row: row[:2],
).filter(lambda rows: len({row[0] for row in rows}) < len(rows))


def columns(rows) -> np.ndarray:
    return np.array(rows, dtype=np.int64).T


def scored(
    texts: int = 300, annotators: int = 8, each: int = 3, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Scores by three of eight annotators a text, of whom annotator 0 is turned upside down; and the true ones."""
    chance = np.random.default_rng(seed)
    truth = chance.integers(0, 4, texts)
    rows = []
    for text, true in enumerate(truth):
        for annotator in chance.permutation(annotators)[:each]:
            score = true if chance.random() < 0.8 else chance.integers(0, 4)
            rows.append((text, annotator, 3 - score if annotator == 0 else score))
    return columns(rows), truth


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in FACTS])
def test_the_posteriors_of_another_program(case):
    given_, expected = case["input"], case["expected"]
    found = opinion(
        *columns(given_["scores"]), levels=given_["levels"], iterations=given_["iterations"], tolerance=0
    )
    assert isinstance(found, Opinion)
    assert found.posterior == pytest.approx(np.array(expected["posterior"]), abs=case["tolerance"])
    assert found.posterior.mean(axis=0) == pytest.approx(np.array(expected["shares"]), abs=case["tolerance"])


def test_it_finds_truth_and_habits_better_than_votes_do():
    table, truth = scored()
    found = opinion(*table, levels=4)
    units, _annotators, scores = table
    votes = np.bincount(units * 4 + scores, minlength=1200).reshape(300, 4)
    assert found.converged
    assert np.mean(found.likeliest == truth) > np.mean(votes.argmax(axis=1) == truth) + 0.02
    assert np.trace(found.confusion[0][:, ::-1]) > 2.4
    assert all(np.trace(each) > 2.4 for each in found.confusion[1:])


@given(TABLES)
@settings(deadline=None)
def test_the_likelihood_never_falls(rows):
    likely = [
        opinion(*columns(rows), levels=4, iterations=n, tolerance=-1).log_likelihood for n in range(1, 8)
    ]
    assert all(later >= earlier - 1e-7 for earlier, later in pairwise(likely))


@given(TABLES)
@settings(deadline=None)
def test_everything_that_is_a_probability_adds_up_to_one(rows):
    found = opinion(*columns(rows), levels=4)
    assert found.posterior.sum(axis=1) == pytest.approx(1)
    assert found.shares.sum() == pytest.approx(1, abs=1e-8)
    assert found.confusion.sum(axis=2) == pytest.approx(1)
    assert not np.isnan(found.posterior).any()


def test_the_order_of_rows_does_not_matter():
    table, _truth = scored()
    found = opinion(*table, levels=4)
    again = opinion(*table[:, np.random.default_rng(2).permutation(table.shape[1])], levels=4)
    np.testing.assert_array_equal(again.posterior, found.posterior)
    np.testing.assert_array_equal(again.confusion, found.confusion)
    assert again.log_likelihood == found.log_likelihood


def test_relabelling_scores_relabels_the_opinion():
    table, _truth = scored()
    found = opinion(*table, levels=4)
    names = np.array([2, 0, 3, 1])
    renamed = opinion(table[0], table[1], names[table[2]], levels=4)
    assert renamed.posterior[:, names] == pytest.approx(found.posterior, abs=1e-6)
    assert renamed.confusion[:, names][:, :, names] == pytest.approx(found.confusion, abs=1e-6)


def test_codes_need_not_be_dense_and_a_score_may_be_unused():
    table = columns([(40, 9, 3), (40, 2, 3), (7, 9, 0), (7, 2, 0), (7, 5, 1)])
    found = opinion(*table, levels=4)
    assert found.units.tolist() == [7, 40]
    assert found.annotators.tolist() == [2, 5, 9]
    assert found.likeliest.tolist() == [0, 3]
    assert found.shares[2] == pytest.approx(0, abs=1e-9)


def test_the_lower_of_two_equally_probable_scores_is_given():
    found = opinion(*columns([(0, 0, 1), (0, 1, 2)]), levels=4)
    assert found.posterior[0] == pytest.approx([0, 0.5, 0.5, 0], abs=1e-9)
    assert found.likeliest.tolist() == [1]


def test_it_says_when_it_did_not_come_to_rest():
    table, _truth = scored()
    found = opinion(*table, levels=4, iterations=2)
    assert (found.converged, found.iterations) == (False, 2)


@pytest.mark.parametrize(
    ("rows", "reason"), [([], "empty"), ([(0, 0, 1), (1, 0, 2), (2, 1, 0)], "no_pairable_values")]
)
def test_there_is_no_opinion_but_a_reason(rows, reason):
    nothing = np.zeros((3, 0), dtype=np.int64)
    assert opinion(*(columns(rows) if rows else nothing), levels=4) == Undefined(reason)


@pytest.mark.parametrize(
    ("rows", "message"), [([(0, 0, 4), (0, 1, 1)], "not one of 0 to 3"), ([(0, 0, 1), (0, 0, 2)], "twice")]
)
def test_scores_that_cannot_be_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        opinion(*columns(rows), levels=4)


def test_a_probability_of_0_rules_nothing_out_altogether():
    found = opinion(*scored()[0], levels=4)
    assert found.confusion.min() >= dawid_skene.LEAST / 1000
    assert np.isfinite(found.log_likelihood)
