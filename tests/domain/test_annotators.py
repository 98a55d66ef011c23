"""What is said of every annotator at once: against the oracle that takes them one by one, and by hand."""

import json
from dataclasses import astuple
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given as given_by
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curation.domain import against_rest
from curation.domain.against_rest import Severity
from curation.domain.agreement import Alpha
from curation.domain.annotators import Ground, Match, Thresholds, match, proposals, tables, use
from curation.domain.annotators import against_rest as all_against_rest
from curation.domain.severity import Leaning, shared
from tests.domain.score_samples import Sample, sample
from tests.domain.test_severity import judgements

pytestmark = pytest.mark.files

NO_REPEATS = Match(0, 0, 0, None, reason="empty")
STEADY = Leaning(100, 20, Severity(0.1, -0.1, 0.3))


def rest(given: Sample, annotators: int = 8, **options: object) -> list[Alpha]:
    found = shared(given.unit, given.score)
    return all_against_rest(found, given.annotator, given.prompt[given.unit], annotators, **options)


@pytest.mark.parametrize(("each", "a_prompt"), [(2, 4), (3, 4), (6, 4), (3, 1)])
def test_alpha_against_the_rest_is_what_the_close_of_a_calibration_says(each: int, a_prompt: int) -> None:
    given = sample(units=60, each=each, a_prompt=a_prompt)
    expected = against_rest.standings(judgements(given), replicates=60)
    for number, found in enumerate(rest(given, replicates=60)):
        theirs = expected[f"a{number:03}"].alpha
        assert found.reason == theirs.reason
        assert astuple(found)[:4] == pytest.approx(astuple(theirs)[:4], abs=1e-12)


def test_who_shares_nothing_or_never_differs_has_a_reason() -> None:
    columns = ([0, 1, 1, 2, 2], [0, 1, 2, 1, 2], [3, 1, 1, 1, 1], [0, 1, 2], [0, 0, 0])
    given = Sample(*(np.array(column) for column in columns))
    assert [each.reason for each in rest(given, 3)] == ["nothing_shared", "no_variation", "no_variation"]


def test_use_counts_every_score_also_those_that_nobody_shares() -> None:
    found = use(np.array([0, 0, 2]), np.array([3, 3, 0], dtype=np.uint8), 4, 4)
    assert found.tolist() == [[0, 0, 0, 2], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_a_table_has_gold_in_rows_and_what_was_given_in_columns() -> None:
    gold, own = np.array([3, 3, 0], dtype=np.uint8), np.array([2, 3, 1], dtype=np.uint8)
    found = tables(np.array([1, 1, 0]), gold, own, 2, 4)
    assert found[1, 3].tolist() == [0, 0, 1, 1]
    assert found[0].sum() == found[0, 0, 1] == 1


@settings(max_examples=40, deadline=None)
@given_by(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_a_match_is_that_of_the_package_over_the_declared_scale(pairs: list[tuple[int, int]]) -> None:
    one, other = np.array(pairs, dtype=np.uint8).T
    found = match(tables(np.zeros(len(one), dtype=np.int32), one, other, 1, 4)[0])
    assert found.n == len(pairs)
    assert found.exact == sum(a == b for a, b in pairs)
    assert found.within_one == sum(abs(a - b) <= 1 for a, b in pairs)
    if found.kappa is None:
        assert len({*one, *other}) == 1
        assert found.reason == "no_variation"
    else:
        theirs = cohen_kappa_score(one, other, weights="quadratic", labels=[0, 1, 2, 3])
        assert found.kappa == pytest.approx(theirs, abs=1e-9)
        assert found.low <= found.high <= 1


def test_no_pairs_have_a_reason_and_no_numbers() -> None:
    assert match(np.zeros((4, 4), dtype=np.int64)) == NO_REPEATS


# --- proposals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("severity", "n", "proposed"),
    [
        (Severity(0.3, 0.1, 0.5), 30, True),
        (Severity(-0.3, -0.5, -0.1), 30, True),
        (Severity(0.1 + 0.2, 0.1, 0.5), 30, True),  # 0.30000000000000004
        (Severity(0.29, 0.1, 0.5), 30, False),
        (Severity(0.4, -0.1, 0.9), 30, False),
        (Severity(0.9, 0.8, 1.0), 29, False),
        (Severity(0.9), 30, False),
        (Severity(None, reason="nothing_before"), 30, False),
    ],
)
def test_a_shift_is_a_ground_where_it_is_large_and_beyond_chance(
    severity: Severity, n: int, proposed: bool
) -> None:
    found = proposals([STEADY, Leaning(n, 9, severity)], [NO_REPEATS, NO_REPEATS], Thresholds())
    assert found == ({1: (Ground("drift", "0.3", severity.value, n),)} if proposed else {})


@pytest.mark.parametrize(
    ("n", "exact", "proposed"), [(10, 4, True), (10, 5, False), (9, 0, False), (0, 0, False), (200, 99, True)]
)
def test_contradicting_oneself_is_a_ground_where_it_is_seen_often_enough(
    n: int, exact: int, proposed: bool
) -> None:
    repeats = Match(n, exact, n, 0.2)
    found = proposals([STEADY], [repeats], Thresholds())
    assert found == ({0: (Ground("self_consistency", "0.5", exact / n, n),)} if proposed else {})


def test_thresholds_are_the_leads_and_grounds_add_up() -> None:
    shifted, repeats = Leaning(40, 9, Severity(0.2, 0.1, 0.3)), Match(10, 8, 10, 0.7)
    assert proposals([shifted], [repeats], Thresholds()) == {}
    strict = Thresholds(shift=Decimal("0.2"), same_again=Decimal("0.9"))
    grounds = proposals([shifted], [repeats], strict)[0]
    assert [each.statistic for each in grounds] == ["drift", "self_consistency"]
    assert json.loads(json.dumps(grounds[0].as_dict())) == {
        "statistic": "drift",
        "threshold": "0.2",
        "value": 0.2,
        "n": 40,
    }
