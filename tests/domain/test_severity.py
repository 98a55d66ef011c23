"""Severity of all annotators at once is what against_rest.py says of each; by week, and whether it shifted."""

from datetime import UTC, datetime

import numpy as np
import pytest

from curation.domain import against_rest
from curation.domain.against_rest import Judgement
from curation.domain.severity import (
    Leaning,
    by_week,
    latest,
    name_of,
    severities,
    shared,
    shifts,
    weeks_of,
)
from tests.domain.score_samples import Sample, sample

pytestmark = pytest.mark.files


def judgements(given: Sample) -> list[Judgement]:
    return [
        Judgement(f"r{u:05}", f"p{given.prompt[u]:05}", f"a{a:03}", int(s))
        for u, a, s in zip(given.unit, given.annotator, given.score, strict=True)
    ]


def leanings(given: Sample, annotators: int = 8, **options: object) -> list[Leaning]:
    found = shared(given.unit, given.score)
    return severities(found, given.annotator, given.prompt[given.unit], annotators, **options)


@pytest.mark.parametrize("each", [2, 3, 6])
def test_it_is_what_the_close_of_a_calibration_says_of_each(each: int) -> None:
    given = sample(units=60, each=each, a_prompt=4)
    expected = against_rest.standings(judgements(given), replicates=100)
    for number, found in enumerate(leanings(given, replicates=100)):
        theirs = expected[f"a{number:03}"]
        assert found.n == theirs.n
        assert found.severity.value == pytest.approx(theirs.severity.value, abs=1e-12)
        assert (found.severity.low, found.severity.high) == pytest.approx(
            (theirs.severity.low, theirs.severity.high), abs=1e-12
        )


def test_severities_weighted_by_texts_cancel_between_two() -> None:
    given = sample(units=50, annotators=2, each=2)
    one, other = leanings(given, annotators=2)
    assert one.severity.value == -other.severity.value
    assert one.n == other.n


def test_who_shares_no_text_has_a_reason() -> None:
    alone = leanings(
        Sample(*(np.array(column) for column in ([0, 1, 1], [0, 1, 2], [3, 1, 2], [0, 0], [0, 0]))), 3
    )
    assert alone[0] == Leaning(0, 0, against_rest.Severity(None, reason="nothing_shared"))
    assert alone[1].severity == against_rest.Severity(-1.0)  # one prompt: no interval


def test_neither_the_order_of_rows_nor_who_else_there_is_matters() -> None:
    given = sample()
    shuffled = given.where(np.random.default_rng(5).permutation(len(given.unit)))
    assert leanings(shuffled, replicates=50) == leanings(given, replicates=50)
    assert leanings(given, annotators=9, replicates=50)[:8] == leanings(given, replicates=50)


def test_a_week_holds_what_its_scores_alone_would_say() -> None:
    given = sample()
    found = shared(given.unit, given.score)
    week = np.where(given.unit % 5 == 0, -1, 2900 + given.unit % 3)
    prompt = given.prompt[given.unit]
    weeks, by_annotator = by_week(found, given.annotator, prompt, week, 8, replicates=50)
    assert weeks == [2900, 2901, 2902]
    for place, number in enumerate(weeks):
        alone = leanings(given.where(week == number), replicates=50)
        assert [each[place] for each in by_annotator] == alone


def test_a_shift_is_the_severity_since_less_that_before() -> None:
    given = sample(units=400)
    late = given.prompt[given.unit] % 2
    harsher = np.where((given.annotator == 0) & (late == 1), np.maximum(given.score, 1) - 1, given.score)
    given = Sample(given.unit, given.annotator, harsher.astype(np.uint8), given.prompt, given.genre)
    found, prompt = shared(given.unit, given.score), given.prompt[given.unit]
    moved = shifts(found, given.annotator, prompt, late, 8)
    before, since = leanings(given.where(late == 0)), leanings(given.where(late == 1))
    for one, earlier, later in zip(moved, before, since, strict=True):
        assert one.severity.value == pytest.approx(later.severity.value - earlier.severity.value, abs=1e-12)
        assert one.severity.low < one.severity.value < one.severity.high
        assert (one.n, one.prompts) == (later.n, later.prompts)
    assert moved[0].severity.high < 0
    assert sum(each.severity.low < 0 < each.severity.high for each in moved[1:]) >= 6


@pytest.mark.parametrize(
    ("side", "reason"), [(1, "nothing_before"), (0, "nothing_since"), (-1, "nothing_shared")]
)
def test_a_shift_needs_both_sides(side: int, reason: str) -> None:
    given = sample()
    found = shared(given.unit, given.score)
    sides = np.full(len(given.unit), side)
    moved = shifts(found, given.annotator, given.prompt[given.unit], sides, 8)
    assert {each.severity.reason for each in moved} == {reason}


@pytest.mark.parametrize(
    ("moment", "name"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), "1970-W01"),
        (datetime(2026, 2, 22, 23, 59, 59, tzinfo=UTC), "2026-W08"),
        (datetime(2026, 2, 23, tzinfo=UTC), "2026-W09"),
        (datetime(2021, 1, 3, tzinfo=UTC), "2020-W53"),
    ],
)
def test_weeks_are_those_of_iso_8601(moment: datetime, name: str) -> None:
    week = int(weeks_of(np.array([int(moment.timestamp())]))[0])
    assert name_of(week) == name


def test_the_week_of_an_unknown_moment_is_unknown_and_a_text_has_that_of_its_last_score() -> None:
    assert weeks_of(np.array([-1])).tolist() == [-1]
    assert latest(np.array([0, 0, 2]), np.array([5, 7, -1]), 3).tolist() == [7, -1, -1]
