"""The arithmetic of the papers, rebuilt from the figures that they print, and where the print contradicts itself.

Cases are those of group 8 of the reference (tests/facts/papers.json), and of its section 10; SD-015 and SD-025 are how
accuracy is counted, and stand in test_evaluation.py. A printed figure follows from others if some value that rounds to
it does; where none does, the test says so: such a figure is no reference value.
"""

import json
import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import count, pairwise
from pathlib import Path
from statistics import fmean

import pytest
from scipy import stats

from curation.domain import rates
from curation.domain.audit import shares

pytestmark = pytest.mark.files

FACTS = Path(__file__).parent.parent / "facts"
PAPERS = json.loads((FACTS / "papers.json").read_text(encoding="utf-8"))
ELSEWHERE = {"SD-015", "SD-025"}
PAIRS_EN, PAIRS_ZH = 1200, 600
LAST_DIGIT = 0.05 + 1e-9  # of a percentage with one decimal: half of what it may be off


def fact(id: str) -> tuple[dict, dict, float]:
    case = next(case for case in PAPERS if case["id"] == id)
    return case["input"], case["expected"], case["tolerance"]


def test_every_case_of_the_group_is_used():
    text = Path(__file__).read_text(encoding="utf-8")
    unused = {case["id"] for case in PAPERS if f'fact("{case["id"]}")' not in text}
    assert unused == ELSEWHERE


def rounds_to(value: float, printed: float) -> bool:
    return abs(value - printed) <= LAST_DIGIT


def weighted(en: float, zh: float) -> float:
    """Over both languages, each pair counting once."""
    return (PAIRS_EN * en + PAIRS_ZH * zh) / (PAIRS_EN + PAIRS_ZH)


def means(accuracies: Iterable[Sequence[float]]) -> tuple[float, float, float, float]:
    """Of all accuracies, of those in English, of those in Chinese, and weighted by pairs."""
    rows = list(accuracies)
    en, zh = fmean(row[0] for row in rows), fmean(row[1] for row in rows)
    return fmean(value for row in rows for value in row), en, zh, weighted(en, zh)


def smallest_denominator(percentages: Sequence[float]) -> int:
    """The least number of pairs of which each percentage, printed with one decimal, is a share."""
    return next(
        n
        for n in count(1)
        if all(rounds_to(100 * round(n * share / 100) / n, share) for share in percentages)
    )


# --- WritingPreferenceBench: the headline ----------------------------------------------------------------


def test_sd_001_the_classifiers_mean_is_that_of_eight_accuracies_and_two_fall_below_half():
    given, expected, tolerance = fact("SD-001")
    rows = given["accuracy_en_zh"].values()
    found = means(rows)
    names = ("mean_of_8", "mean_en", "mean_zh", "pair_weighted")
    assert found == pytest.approx([expected[name] for name in names], abs=tolerance)
    below = sum(min(row) < 50 for row in rows)
    assert below == expected["models_below_50_on_weaker_language"]
    assert below != 3, "the text says three of four"


def test_sd_002_the_generative_mean_follows_from_none_of_its_rows():
    given, expected, tolerance = fact("SD-002")
    found = means(given["accuracy_en_zh"].values())
    assert found[:3] == pytest.approx(
        [expected[name] for name in ("mean_of_6", "mean_en", "mean_zh")], abs=tolerance
    )
    assert (
        any(rounds_to(value, expected["printed"]) for value in found) is expected["printed_is_reproducible"]
    )
    assert max(found[1:3]) < expected["printed"], "no weights for the languages can give it"


def test_sd_003_the_mean_of_all_reward_models_is_printed_too_high():
    given, expected, tolerance = fact("SD-003")
    found = means(given["accuracy_en_zh"].values())
    assert found[0] == pytest.approx(expected["mean_of_14"], abs=tolerance)
    assert not any(rounds_to(value, expected["printed"]) for value in (found[0], found[3]))
    assert found[3] == pytest.approx(58.06, abs=0.005)


def test_the_pooled_means_agree_with_each_other():
    """Seven models are the four classifiers and the three generative ones."""
    classifiers, generative, every = (fact(id)[0]["accuracy_en_zh"] for id in ("SD-001", "SD-002", "SD-003"))
    assert every == {**classifiers, **generative}
    assert not rounds_to((8 * 52.7 + 6 * 69.3) / 14, 58.2), "59.8 would follow from the two printed means"


@pytest.mark.parametrize(
    ("right", "pairs", "p", "differs"),
    [(632, 1200, 0.069, False), (949, 1800, 0.022, True), (3785, 7200, 1.4e-5, True)],
)
def test_not_different_from_chance_depends_on_an_n_that_is_not_told(right, pairs, p, differs):
    assert rounds_to(100 * right / pairs, 52.7) or pairs == 7200  # 52.575, of four models, by pairs
    found = rates.binomial_p(right, pairs)
    assert found == pytest.approx(p, rel=0.03)
    assert (found < 0.05) is differs


def test_the_gap_of_29_points_is_that_of_the_best_generative_model_and_the_classifiers_mean():
    assert math.isclose(81.8 - 52.7, 29.1)
    assert not rounds_to(69.3 - 52.7, 29.1)


# --- WritingPreferenceBench: its size --------------------------------------------------------------------


def test_sd_005_responses_are_one_output_of_each_model_and_queries_no_multiple_of_the_types():
    given, expected, _ = fact("SD-005")
    assert given["en_queries"] * given["en_models"] == expected["en_responses"]
    assert given["zh_queries"] * given["zh_models"] == expected["zh_responses"]
    assert expected["zh_responses"] * 5 == expected["zh_raw_if_5_outputs"], (
        "five outputs are said, none are left"
    )
    assert given["types"] * given["per_type_zh"] == expected["types_x_4"] != given["zh_queries"]
    assert given["types"] * given["per_type_en"] == expected["types_x_7"] != given["en_queries"]
    assert expected["pairs"] == PAIRS_EN + PAIRS_ZH


def test_sd_006_twenty_pairs_a_category_and_language_are_more_than_there_are():
    given, expected, tolerance = fact("SD-006")
    assert given["pairs"] / given["categories"] == pytest.approx(expected["mean_per_category"], abs=tolerance)
    needed = given["categories"] * given["minimum_per_category_and_language"]
    assert needed == expected["needed_for_minimum_per_language"]
    assert needed > PAIRS_ZH
    assert min(11, 13) < given["minimum_per_category_and_language"], "pairs of whole genres in Figure 3"


def test_sd_007_a_mean_gap_of_1_445_is_printed_by_rounding_half_up():
    given, expected, tolerance = fact("SD-007")
    assert given["en"][0] - given["en"][1] == pytest.approx(expected["gap_en"], abs=tolerance)
    assert given["zh"][0] - given["zh"][1] == pytest.approx(expected["gap_zh"], abs=tolerance)
    exact, cent = Decimal("2.560") - Decimal("1.115"), Decimal("0.01")
    assert [str(exact.quantize(cent, how)) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN)] == ["1.45", "1.44"]


def test_sd_008_the_annotations_are_printed_as_two_numbers():
    given, expected, _ = fact("SD-008")
    per_pair = 2 * given["annotators_per_response"]
    assert (per_pair, given["pairs"] * per_pair) == (
        expected["per_pair"],
        expected["total_if_no_response_is_reused"],
    )
    assert given["pairs"] * given["annotators_per_response"] == expected["seed_other_place"]
    responses = fact("SD-005")[1]
    most = given["annotators_per_response"] * (responses["en_responses"] + responses["zh_responses"])
    assert most == 14_052, "each response is scored once, however many pairs it is in"


def test_sd_016_two_english_responses_share_two_annotators_and_two_chinese_ones_perhaps_none():
    given, expected, _ = fact("SD-016")
    assert given["en"] + given["zh"] == expected["total"]
    for language in ("en", "zh"):
        assert max(0, 3 + 3 - given[language]) == expected[f"min_common_annotators_{language}"]
    assert Fraction(given["en"], given["zh"]) < 1 < Fraction(PAIRS_EN, PAIRS_ZH), "4:7 mirrors no 2:1"


def test_sd_017_means_of_three_scores_go_by_thirds():
    given, expected, _ = fact("SD-017")
    assert len(given["scale"]) == expected["levels"]
    sums = sorted({a + b + c for a in given["scale"] for b in given["scale"] for c in given["scale"]})
    steps = {Fraction(other - one, 3) for one, other in pairwise(sums)}
    assert steps == {Fraction(expected["mean_step"])}


@pytest.mark.parametrize(("chosen", "rejected", "ratio"), [(1450.3, 839.9, 1.7268), (1873.5, 1458.3, 1.2847)])
def test_length_matched_pairs_are_not_of_a_length(chosen, rejected, ratio):
    assert chosen / rejected == pytest.approx(ratio, abs=5e-5)


# --- WritingPreferenceBench: genres ----------------------------------------------------------------------


def test_sd_010_percentages_tell_the_least_number_of_pairs_of_a_genre():
    given, expected, _ = fact("SD-010")
    assert smallest_denominator(given["percentages"]) == expected["n"]


@pytest.mark.parametrize(
    ("genre", "percentages", "n"),
    [("Chinese Poetry", [18.2, 81.8], 11), ("English Scriptwriting", [21.7, 34.8, 17.4, 52.2], 23)],
)
def test_printed_cells_fit_the_printed_numbers_of_pairs(genre, percentages, n):
    assert smallest_denominator(percentages) == n, genre


def test_the_widest_swings_lie_within_what_so_few_pairs_tell():
    exact = rates.clopper_pearson(9, 11)
    assert (round(100 * exact.low, 1), round(100 * exact.high, 1)) == (48.2, 97.7), "as printed"
    assert rates.binomial_p(9, 11) == rates.binomial_p(2, 11) == pytest.approx(0.0654, abs=5e-5)


@pytest.mark.parametrize(
    ("most", "least", "printed"),
    [
        (61.5, 18.2, 43.3),
        (80.0, 34.8, 45.2),
        (72.0, 21.7, 50.3),
        (72.0, 17.4, 54.6),
        (62.6, 50.3, 12.3),
        (62.5, 56.8, 5.7),
        (68.7, 62.5, 6.2),
        (48.1, 42.0, 6.1),
        (56.6, 43.5, 13.1),
        (81.8, 68.7, 13.1),
    ],
)
def test_printed_differences_follow_from_printed_accuracies(most, least, printed):
    assert most - least == pytest.approx(printed, abs=1e-9)


def test_an_sd_that_drops_rises():
    before, after = 9.8, 13.2
    assert after > before


def test_thinking_gains_9_6_points_and_the_9_5_that_are_printed_take_rounding_of_both_sides():
    thinking, flash, printed = 58.9, 49.3, 9.5  # Doubao 1.6
    assert not rounds_to(thinking - flash, printed)
    least = (thinking - LAST_DIGIT) - (flash + LAST_DIGIT)
    assert least <= printed


def test_the_correlation_of_14_judges_has_the_p_that_is_said():
    r, n = 0.08, 14
    t = r * math.sqrt((n - 2) / (1 - r * r))
    assert 2 * stats.t.sf(t, n - 2) == pytest.approx(0.786, abs=5e-4)


# --- From Coarse to Fine (WEval) -------------------------------------------------------------------------


def test_sd_018_instructions_are_counted_five_times_each():
    given, expected, _ = fact("SD-018")
    responses = given["queries"] * given["n"]
    assert responses == expected["responses"]
    assert responses * given["requirements_per_query"] == expected["requirements_printed"]
    kept = given["queries"] * sum(range(1, given["n"] + 1))
    assert kept == expected["requirements_left_after_dropout"] < expected["requirements_printed"]


LONGWRITER = {  # Table 3: six dimensions and the total
    "LongWriter-glm4-9B": (95.0, 90.0, 91.7, 88.5, 73.3, 83.5, 87.0),
    "LongWriter-llama3.1-8B": (91.5, 88.3, 86.0, 85.6, 66.7, 76.5, 82.4),
    "Qwen2.5-1.5B": (68.5, 71.0, 65.2, 65.0, 42.1, 55.0, 61.1),
    "Qwen2.5-1.5B-WRL": (76.9, 77.7, 70.2, 70.0, 50.4, 57.5, 67.1),
    "Llama-3.1-8B": (89.8, 81.9, 80.6, 79.2, 53.3, 66.9, 75.3),
    "Llama-3.1-8B-WRL": (92.3, 84.0, 81.9, 79.8, 55.2, 69.8, 77.2),
    "Qwen2.5-7B": (91.7, 89.6, 80.8, 80.6, 67.7, 74.6, 80.8),
    "Qwen2.5-7B-WRL": (92.9, 90.0, 82.7, 82.9, 72.3, 76.5, 82.9),
    "Distill-Qwen-14B": (97.1, 92.9, 94.4, 92.1, 70.0, 84.0, 88.4),
    "Distill-Qwen-14B-WRL": (97.5, 91.9, 92.7, 90.6, 76.3, 85.2, 89.0),
    "Qwen3-8B": (96.2, 93.3, 90.2, 89.6, 79.2, 86.3, 89.1),
    "Qwen3-8B-WRL": (95.6, 93.5, 91.3, 89.8, 81.9, 85.4, 89.6),
}
REWARD_BENCH = {  # Table 8: four subsets and the average
    "Qwen-32B-Base": (93.9, 67.3, 87.0, 84.3, 83.1),
    "Claude-3.5-Sonnet": (96.4, 74.0, 81.6, 84.7, 84.2),
    "Our Trained RM": (97.8, 64.9, 85.1, 93.4, 85.3),
}


@pytest.mark.parametrize(
    "row", [*LONGWRITER.values(), *REWARD_BENCH.values()], ids=[*LONGWRITER, *REWARD_BENCH]
)
def test_totals_are_means_of_their_rows(row):
    assert rounds_to(fmean(row[:-1]), row[-1])


@pytest.mark.parametrize(
    ("after", "before", "printed"), [(64.4, 57.0, 7.4), (50.1, 44.6, 5.5), (66.7, 60.7, 6.0)]
)
def test_gains_on_writingbench_follow_from_its_table(after, before, printed):
    assert after - before == pytest.approx(printed, abs=1e-9)


def test_no_rounding_makes_4_6_points_of_the_gain_on_arena_write():
    most = 26.055 - 21.505  # of 26.05 and 21.51, as printed: 4.54
    assert most == pytest.approx(4.55, abs=1e-9)
    assert round(26.05 - 21.51, 1) == 4.5


def test_the_best_reward_model_does_not_outperform_all_on_pl():
    table = json.loads((FACTS / "weval.json").read_text(encoding="utf-8"))
    rows = next(case for case in table if case["id"] == "WE-023")["input"]["rows"]
    judges = {name: row for name, row in rows.items() if name.startswith("T4") and name != "T4 Human"}
    ours = judges.pop("T4 Our-RM-7B")
    better = [[name for name, row in judges.items() if row[metric] > ours[metric]] for metric in range(3)]
    assert better == [[], [], ["T4 Qwen2.5-72B judge"]]


# --- LitBench --------------------------------------------------------------------------------------------


def test_sd_022_stories_stand_in_more_than_one_pair():
    given, expected, tolerance = fact("SD-022")
    for split in ("test", "train"):
        pairs, stories = given[split]
        assert 2 * pairs / stories == pytest.approx(expected[f"appearances_per_story_{split}"], abs=tolerance)


def test_sd_023_shares_of_the_human_study_leave_two_in_a_hundred_undecided():
    given, expected, tolerance = fact("SD-023")
    least, most = (given["prompts"] * people for people in given["annotators_per_pair"])
    assert (least, most) == (expected["judgements_min"], expected["judgements_max"])
    left = 1 - given["chose_rm_best"] - given["chose_rm_worst"]
    assert left == pytest.approx(expected["share_no_choice"], abs=tolerance)
    assert given["chose_rm_best"] / (1 - left) == pytest.approx(0.582, abs=5e-4)


def test_judgements_of_the_human_study_share_40_pairs_and_tell_less_than_as_many_alone():
    """If all who judge a pair agreed, 57 % would be 23 of 40: no different from chance, where 233 of 408 would be."""
    assert rates.binomial_p(23, 40) > 0.4
    assert rates.binomial_p(233, 408) < 0.01
    few, many = shares.wilson(2 * 23, 40), shares.wilson(2 * 233, 408)
    assert few is not None
    assert many is not None
    assert few.low < 0.5 < many.low
