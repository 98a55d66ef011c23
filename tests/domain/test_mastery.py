"""Mastery: the last first attempts of a genre, in integers."""

import pytest

from annotation.domain.mastery import Attempt, Closeness, closeness, standing

pytestmark = pytest.mark.files


def attempts(genre: str, marks: str) -> list[Attempt]:
    """One attempt a sign: '+' is exact, '-' one off."""
    return [Attempt(genre, 2, 2 if mark == "+" else 1) for mark in marks]


def of(found: list[Attempt], *genres: str, window: int = 10, percent: int = 70):
    return standing(found, genres, window=window, percent=percent)


@pytest.mark.parametrize(
    ("value", "consensus", "said"),
    [
        (2, 2, Closeness.EXACT),
        (0, 1, Closeness.ONE_OFF),
        (3, 2, Closeness.ONE_OFF),
        (0, 3, Closeness.FURTHER),
    ],
)
def test_a_score_is_exact_one_off_or_further_off(value, consensus, said):
    assert closeness(value, consensus) == said


def test_nobody_has_mastered_anything_before_the_first_attempt():
    assert not of([], "fiction").is_mastered
    assert of([], "fiction").weak == ()


def test_seven_of_ten_are_mastery_and_six_are_not():
    assert of(attempts("fiction", "+++++++---"), "fiction").is_mastered
    assert not of(attempts("fiction", "++++++----"), "fiction").is_mastered


def test_the_share_is_never_rounded_up():
    assert not of(attempts("fiction", "++-"), "fiction").is_mastered  # 66.7 %
    assert of(attempts("fiction", "++-"), "fiction", percent=66).is_mastered
    assert not of(attempts("fiction", "++-"), "fiction", percent=67).is_mastered


def test_only_the_last_attempts_count():
    assert of(attempts("fiction", "-----" + "+++++++---"), "fiction").is_mastered
    assert not of(attempts("fiction", "+++++++++++++" + "----"), "fiction").is_mastered
    (window,) = of(attempts("fiction", "+" * 13), "fiction").genres
    assert (window.exact, window.counted) == (10, 10)


def test_every_genre_has_to_be_mastered():
    found = attempts("fiction", "+++++") + attempts("poetry", "+----")
    assert of(found, "fiction", "poetry").weak == ("poetry",)
    assert not of(found, "fiction", "poetry").is_mastered
    assert of(found, "fiction").is_mastered


def test_attempts_of_other_genres_do_not_push_a_genre_out_of_its_window():
    found = attempts("poetry", "+++++++---") + attempts("fiction", "+" * 20)
    assert [(window.exact, window.counted) for window in of(found, "poetry").genres] == [(7, 10)]


def test_a_genre_with_few_attempts_is_judged_with_all_others():
    few = attempts("poetry", "--")
    assert of(few + attempts("fiction", "++++++++"), "fiction", "poetry").is_mastered
    assert not of(
        attempts("fiction", "++++") + few + attempts("fiction", "--"), "fiction", "poetry"
    ).is_mastered
    assert of(few, "poetry").weak == ()
    assert not of(few, "poetry").is_mastered


def test_without_genres_all_attempts_are_judged_together():
    assert of(attempts("", "+++++++---")).is_mastered
    assert not of(attempts("", "++++++----")).is_mastered
