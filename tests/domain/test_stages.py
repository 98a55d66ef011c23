"""What each stage allows, in which languages and genres, and what the screening makes of its answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import stages
from annotation.domain.reach import ANYTHING, covers, genres_within, is_barred
from annotation.domain.screening import LEVELS, outcome

pytestmark = pytest.mark.files

PURPOSES = sorted(stages.WORK | stages.PREPARATORY)
STAGES = [*stages.WAY, stages.PAUSED, stages.DECLINED]
USES = st.sets(st.sampled_from(stages.PREPARING))


@pytest.mark.parametrize("purpose", PURPOSES)
def test_who_is_invited_screened_paused_or_declined_is_given_nothing(purpose):
    for stage in (stages.INVITED, stages.SCREENING, stages.PAUSED, stages.DECLINED):
        assert not stages.may(stage, purpose)


@pytest.mark.parametrize("stage", STAGES)
def test_only_the_active_are_given_the_work_itself(stage):
    for purpose in stages.WORK:
        assert stages.may(stage, purpose) is (stage == stages.ACTIVE)


def test_each_stage_of_preparation_gives_its_own_texts_and_no_others():
    for stage, purpose in (("exam", "exam"), ("training", "training"), ("calibration", "calibration")):
        assert [each for each in PURPOSES if stages.may(stage, each)] == [purpose]


def test_who_works_can_be_calibrated_again():
    assert stages.may(stages.ACTIVE, "calibration")
    assert stages.stages_for("calibration") == {stages.CALIBRATION, stages.ACTIVE}


@given(USES)
def test_the_way_leads_through_the_stages_in_use_to_the_work(uses):
    walked, stage = [], stages.INVITED
    while stage != stages.ACTIVE:
        stage = stages.following(stage, uses)
        walked.append(stage)
    assert walked == [*(each for each in stages.PREPARING if each in uses), stages.ACTIVE]


def test_what_lies_behind_somebody_is_passed_and_what_lies_ahead_is_not():
    assert stages.has_passed("training", "exam")
    assert not stages.has_passed("training", "training")
    assert not stages.has_passed("exam", "training")
    assert not stages.has_passed("paused", "exam")


def test_a_text_is_within_reach_by_language_and_genre():
    reach = {"en": frozenset({1, 2}), "zh": frozenset()}
    assert covers(reach, "en-GB", 1)
    assert not covers(reach, "en", 3)
    assert covers(reach, "zh-Hans", 3)
    assert not covers(reach, "fr", 1)
    assert covers(reach, "en", None)


def test_an_unknown_language_is_within_reach_of_whoever_has_any():
    assert covers({"en": frozenset({1})}, "", 1)
    assert not covers({"en": frozenset({1})}, "", 2)
    assert not covers({}, "", None)


def test_any_language_is_every_language():
    assert covers(ANYTHING, "sw", 9)
    assert genres_within({"": frozenset({1})}, "en") == {1}


def test_an_entry_of_a_language_decides_there_whatever_any_other_says():
    reach = {"": frozenset(), "en": frozenset({2}), "zh": None}
    assert genres_within(reach, "en") == {2}
    assert genres_within(reach, "zh") is None
    assert genres_within(reach, "fr") == frozenset()
    assert covers(reach, "")
    assert is_barred(reach, "zh-Hans")
    assert not is_barred(reach, "en")
    assert not is_barred({"zh": None}, "")


def test_a_language_without_an_entry_is_out_of_reach():
    assert genres_within({"zh": frozenset()}, "en") is None


@given(st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.integers(0, 3))
def test_the_screening_asks_for_the_level_and_one_genre(level, least, familiar):
    known = {"fiction": 3, "poetry": 1, "funny": 0}
    found = outcome(level, known, level_minimum=least, familiarity_minimum=familiar)
    assert found.language_will_do is (LEVELS.index(level) >= LEVELS.index(least))
    assert found.genres == tuple(key for key, value in known.items() if value >= familiar)
    assert found.passed is (found.language_will_do and bool(found.genres))


def test_who_knows_no_genre_does_not_pass():
    assert not outcome("native", {"fiction": 0}, level_minimum="B1", familiarity_minimum=1).passed
