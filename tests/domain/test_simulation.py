"""Simulated annotators: the same arguments, the same scores, whatever the order."""

from collections import Counter
from statistics import mean

import pytest

from annotation.domain.scoring import SCALE, ScoreRow
from annotation.domain.simulation import MAX_DEVIATION, Annotator, simulate

pytestmark = pytest.mark.files

PHRASES = {score: tuple(f"{score}: reason {n}" for n in range(10)) for score in SCALE}
QUALITY = {f"r-{n:03}": 3 * n / 299 for n in range(300)}
MILD, STERN = Annotator("mild", -0.4, 0.6), Annotator("stern", 0.4, 0.6)


def scores_of(
    quality: dict[str, float] | None = None, *annotators: Annotator, seed: str = "seed"
) -> list[ScoreRow]:
    material = QUALITY if quality is None else quality
    return simulate(
        material, annotators or (MILD, STERN), seed=seed, phrases=dict.fromkeys(material, PHRASES)
    )


def test_it_gives_the_same_scores_for_the_same_arguments() -> None:
    assert scores_of() == scores_of()


def test_it_gives_other_scores_for_another_seed() -> None:
    assert scores_of() != scores_of(seed="another")


def test_the_order_of_rows_and_annotators_does_not_matter() -> None:
    backwards = dict(reversed(QUALITY.items()))
    assert scores_of(backwards, STERN, MILD) == scores_of(QUALITY, MILD, STERN)


def test_a_score_does_not_depend_on_who_and_what_else_is_there() -> None:
    alone = scores_of({"r-100": QUALITY["r-100"]}, STERN)
    assert alone[0] in scores_of()


def test_every_annotator_scores_every_response_once() -> None:
    counts = Counter((score.response_id, score.annotator) for score in scores_of())
    assert set(counts) == {(response, name) for response in QUALITY for name in ("mild", "stern")}
    assert set(counts.values()) == {1}


def test_scores_are_on_the_scale_and_justified_by_a_phrase_of_their_own_level() -> None:
    for score in scores_of():
        assert score.score in SCALE
        assert score.justification in PHRASES[score.score]


def test_every_phrase_comes_into_use() -> None:
    assert {score.justification for score in scores_of()} == {p for bank in PHRASES.values() for p in bank}


def test_the_stern_one_scores_lower() -> None:
    by_name = {name: [s.score for s in scores_of() if s.annotator == name] for name in ("mild", "stern")}
    assert mean(by_name["mild"]) - mean(by_name["stern"]) > 0.4


def test_without_noise_the_score_is_the_quality_rounded() -> None:
    exact = scores_of({"a": 0.4, "b": 0.6, "c": 2.4, "d": 3.0}, Annotator("exact", 0, 0))
    assert [score.score for score in exact] == [0, 1, 2, 3]


def test_noise_makes_annotators_differ_but_not_without_bound() -> None:
    wild = scores_of(QUALITY, Annotator("wild", 0, 5))
    deviations = [abs(score.score - QUALITY[score.response_id]) for score in wild]
    assert mean(deviations) > 0.5
    assert max(deviations) <= MAX_DEVIATION + 0.5


def test_nobody_finds_gibberish_competent() -> None:
    gibberish = dict.fromkeys(QUALITY, 0.0)
    assert max(score.score for score in scores_of(gibberish, Annotator("one", 0, 0.9))) <= 1


@pytest.mark.parametrize(("severity", "noise"), [(0, -0.1), (0, float("inf")), (float("nan"), 1)])
def test_it_refuses_an_annotator_with_an_impossible_character(severity: float, noise: float) -> None:
    with pytest.raises(ValueError, match="odd: severity must be a finite number"):
        Annotator("odd", severity, noise)
