"""How long reading takes: lengths divided by the project's pace, and nothing else."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.workload import (
    Pace,
    PromptReading,
    Reading,
    cost,
    in_panel,
    in_pool,
    of_prompt,
    of_response,
    share_with_common,
)

pytestmark = pytest.mark.files

PACE = Pace(words=238, characters=300)
READINGS = st.builds(Reading, *[st.integers(0, 5000)] * 4)


def test_words_and_characters_are_read_each_at_their_own_pace():
    assert Reading(words=476).minutes(PACE) == 2
    assert Reading(characters=450).minutes(PACE) == Fraction(3, 2)
    assert Reading(words=119, characters=150).minutes(PACE) == 1


def test_a_text_is_measured_in_its_unit():
    assert of_prompt("Write about a bridge.", "words") == Reading(prompts=1, words=4)
    assert of_response("写一座桥。", "characters") == Reading(responses=1, characters=5)


@given(READINGS, READINGS)
def test_time_adds_up(one, other):
    assert (one + other).minutes(PACE) == one.minutes(PACE) + other.minutes(PACE)


@given(READINGS, st.integers(0, 9))
def test_so_many_people_take_so_many_times_as_long(reading, people):
    assert sum([reading] * people, Reading()) == reading.times(people)


BRIDGE = PromptReading(Reading(prompts=1, words=10), Reading(responses=4, words=400))


def test_on_a_panel_everybody_reads_the_prompt_once_and_every_response():
    assert in_panel(BRIDGE, seats=3) == Reading(prompts=3, responses=12, words=1230)


@pytest.mark.parametrize(
    ("annotators", "readers"),
    [
        (0, 3),  # nobody has joined yet: as many as are needed
        (2, 3),
        (3, 3),
        (9, 9),
        (40, 12),  # there are not more slots
    ],
)
def test_in_a_pool_the_prompt_is_read_by_all_who_may_get_a_response(annotators, readers):
    expected = Reading(prompts=readers, responses=12, words=1200 + 10 * readers)
    assert in_pool(BRIDGE, seats=3, annotators=annotators) == expected


def test_paid_time_is_said_to_the_cent():
    assert cost(Fraction(90), Decimal("18.50")) == Decimal("27.75")
    assert cost(Fraction(1, 3), Decimal("20")) == Decimal("0.11")
    assert cost(Fraction(0), Decimal("20")) == 0


@pytest.mark.parametrize(("annotators", "seats"), [(3, 3), (4, 2), (6, 3), (9, 3), (7, 4)])
def test_the_share_of_pairs_in_common_is_that_of_all_possible_draws(annotators, seats):
    one = set(range(seats))
    draws = list(combinations(range(annotators), seats))
    meeting = sum(len(one & set(other)) >= 2 for other in draws)
    assert share_with_common(annotators, seats=seats, common=2) == Fraction(meeting, len(draws))


def test_where_there_are_fewer_annotators_than_seats_no_pair_has_its_judges():
    assert share_with_common(2, seats=3, common=2) == 0
    assert share_with_common(0, seats=3, common=2) == 0
