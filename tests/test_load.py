"""What the load run counts as sound, and that each fault it looks for is found."""

import pytest

from tests.load.check import check

pytestmark = pytest.mark.files
# Two responses, each scored by three; the hand-outs under which it happened.
LEASES = [(f"lease-{response}-{one}", response, one) for response in (1, 2) for one in (1, 2, 3)]
SCORES = [(response, one, (response + one) % 4, "counted", 1) for response in (1, 2) for one in (1, 2, 3)]
SENT = [(f"lease-{response}-{one}", value) for response, one, value, *_ in SCORES]


def verdict(scores=SCORES, sent=SENT):
    return check(sent, scores=scores, leases=LEASES, responses=2)


def test_three_scores_a_response_all_as_they_were_acknowledged_is_sound():
    found = verdict()
    assert found.is_sound
    assert (found.scores, found.incomplete, found.unacknowledged) == (6, 0, 0)


def test_a_score_whose_answer_was_lost_is_allowed_and_counted():
    found = verdict(sent=SENT[:-1])
    assert found.is_sound
    assert found.unacknowledged == 1


def test_an_acknowledged_score_that_is_not_stored_is_lost():
    found = verdict(scores=SCORES[:-1])
    assert not found.is_sound
    assert (found.lost, found.incomplete) == (1, 1)


def test_an_acknowledged_score_that_is_stored_with_another_value_is_lost():
    response, one, value, *rest = SCORES[0]
    assert verdict(scores=[(response, one, (value + 1) % 4, *rest), *SCORES[1:]]).lost == 1


def test_a_fourth_score_of_a_response_is_over_assigned():
    found = verdict(scores=[*SCORES, (1, 4, 0, "counted", 1)])
    assert not found.is_sound
    assert found.over_assigned == 1


def test_a_late_score_kept_as_surplus_is_no_fourth():
    assert verdict(scores=[*SCORES, (1, 4, 0, "surplus", 1)]).over_assigned == 0


def test_two_scores_of_one_annotator_for_one_response_are_found():
    found = verdict(scores=[*SCORES, (1, 1, 0, "surplus", 2)])
    assert not found.is_sound
    assert found.twice == 1
