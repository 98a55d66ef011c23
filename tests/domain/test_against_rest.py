"""Each annotator against the others: hand-made cases, reasons, and what must not matter."""

import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import agreement
from curation.domain.against_rest import Judgement, Standing, gate, group, standings

pytestmark = pytest.mark.files


def judged(table: dict[str, list[int | None]], prompts: int = 2) -> list[Judgement]:
    """By annotator: a score of each text, None for none; texts in turn belong to so many prompts."""
    return [
        Judgement(f"r{place}", f"p{place % prompts}", name, score)
        for name, scores in table.items()
        for place, score in enumerate(scores)
        if score is not None
    ]


def noisy(texts: int = 24, severe: int = 0) -> list[Judgement]:
    chance = random.Random(3)
    rows = []
    for place in range(texts):
        merit = chance.randrange(4)
        for name in "abcd":
            score = merit + chance.choice((-1, 0, 0, 1)) - (severe if name == "a" else 0)
            rows.append(Judgement(f"r{place}", f"p{place // 3}", name, min(max(score, 0), 3)))
    return rows


def of(name: str, judgements: list[Judgement], **options: object) -> Standing:
    return standings(judgements, **options)[name]


# --- severity --------------------------------------------------------------------------------------------


def test_severity_is_measured_from_the_mean_of_the_others_not_of_all():
    found = of("a", judged({"a": [0, 1, 0, 1], "b": [1, 2, 1, 2], "c": [2, 3, 2, 3]}))
    assert found.severity.value == -1.5  # from the mean of all it would be -1


def test_severity_of_a_constant_difference_has_no_width():
    found = of("a", judged({"a": [1, 2, 3, 2], "b": [0, 1, 2, 1]}))
    assert (found.severity.value, found.severity.low, found.severity.high) == (1, 1, 1)


def test_severity_weighs_texts_that_others_scored_and_no_others():
    found = of("a", judged({"a": [0, 3, 3], "b": [1, None, None]}))
    assert (found.n, found.severity.value) == (1, -1)


def test_severity_within_one_prompt_has_no_interval():
    found = of("a", judged({"a": [0, 1, 2], "b": [1, 1, 1]}, prompts=1))
    assert found.severity.low is None
    assert found.severity.high is None


def test_the_interval_of_severity_holds_its_value():
    found = of("a", noisy(severe=1)).severity
    assert found.low < found.value < found.high < 0


# --- alpha against the rest ------------------------------------------------------------------------------


def test_with_two_annotators_alpha_against_the_rest_is_that_of_the_group():
    rows = judged({"a": [0, 1, 2, 3, 1, 2], "b": [0, 2, 2, 3, 0, 2]})
    found = standings(rows)
    assert found["a"].alpha == found["b"].alpha == group(rows).alpha["ordinal"]


def test_alpha_against_the_rest_is_that_of_two_raters_one_of_them_the_mean():
    rows = judged({"a": [0, 1, 2, 3, 1], "b": [0, 2, 2, 3, 0], "c": [1, 1, 3, 3, 0]}, prompts=3)
    own, rest = [0, 1, 2, 3, 1], [0.5, 1.5, 2.5, 3, 0]
    texts = [f"r{place}" for place in range(5)]
    expected = agreement.report(
        texts * 2,
        ["x"] * 5 + ["y"] * 5,
        own + rest,
        clusters=[f"p{place % 3}" for place in range(5)] * 2,
        levels=("ordinal",),
    )
    assert of("a", rows).alpha == expected.alpha["ordinal"]


def test_equal_means_of_different_numbers_of_others_are_one_value():
    """1 / 3 and 2 / 6 are the same rank, or alpha would take noise for a difference."""
    names = {f"b{place}": [score, None] for place, score in enumerate([0, 0, 1])}
    names |= {f"c{place}": [None, score] for place, score in enumerate([0, 0, 1, 0, 0, 1])}
    found = of("a", judged({"a": [2, 2], **names}))
    assert found.alpha.value == pytest.approx(1 - 3 * 4 / 8)  # two texts alike, each 2 against 1/3


def test_leaving_an_annotator_out_is_the_alpha_of_the_others():
    rows = noisy()
    expected = group([each for each in rows if each.annotator != "b"]).alpha["ordinal"]
    assert of("b", rows).without == expected


def test_whoever_scores_at_random_is_better_left_out():
    chance = random.Random(8)
    rows = [each if each.annotator != "d" else each._replace(score=chance.randrange(4)) for each in noisy()]
    found = standings(rows)
    assert found["d"].without.value > group(rows).alpha["ordinal"].value
    assert min(found, key=lambda name: found[name].alpha.value) == "d"


# --- kappa and use of the scale --------------------------------------------------------------------------


def test_kappa_is_against_the_median_of_the_others():
    rows = judged({"a": [0, 2, 2], "b": [0, 2, 2], "c": [0, 2, 2], "d": [3, 0, 3]})
    assert of("a", rows).kappa == 1


def test_of_an_even_number_of_others_both_scores_in_the_middle_count():
    rows = judged({"a": [0, 2, 2], "b": [0, 1, 2], "c": [1, 2, 3]})
    twice = judged({"a": [0, 0, 2, 2, 2, 2], "b": [0, 1, 1, 2, 2, 3]})
    assert of("a", rows).kappa == of("a", twice).kappa == pytest.approx(8 / 11)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=8))
def test_kappa_favours_neither_end_of_the_scale(texts):
    names = {name: [text[place] for text in texts] for place, name in enumerate("abc")}
    turned = {name: [3 - score for score in scores] for name, scores in names.items()}
    assert of("a", judged(turned), replicates=2).kappa == of("a", judged(names), replicates=2).kappa


def test_the_use_of_the_scale_counts_all_that_the_annotator_gave():
    found = of("a", judged({"a": [0, 0, 3, 1], "b": [1, None, 1, 1]}))
    assert found.use == (2, 1, 0, 1)
    assert found.n == 3


# --- reasons ---------------------------------------------------------------------------------------------


def test_somebody_who_shares_no_text_has_reasons_instead_of_numbers():
    found = of("a", judged({"a": [1, 2, None], "b": [None, None, 1]}))
    assert (found.n, found.use) == (0, (0, 1, 1, 0))
    assert found.alpha.value is None
    assert found.alpha.reason == found.kappa_reason == found.severity.reason == "nothing_shared"
    assert found.without.reason == "no_pairable_values"


def test_no_variation_is_a_reason_and_not_full_agreement():
    found = of("a", judged({"a": [2, 2, 2], "b": [2, 2, 2]}))
    assert (found.alpha.value, found.alpha.reason) == (None, "no_variation")
    assert (found.kappa, found.kappa_reason) == (None, "no_variation")
    assert found.severity.value == 0


def test_nobody_is_no_error():
    assert standings([]) == {}
    assert group([]).alpha["ordinal"].reason == "empty"


# --- the gate --------------------------------------------------------------------------------------------


def test_the_gate_takes_the_statistic_that_the_lead_chose():
    found = of("a", noisy())
    values = {name: gate(found, statistic=name, threshold=Decimal("0.40")).value for name in STATISTICS}
    assert values == {
        "alpha_rest": found.alpha.value,
        "alpha_rest_low": found.alpha.low,
        "kappa_rest": found.kappa,
    }


STATISTICS = ("alpha_rest", "alpha_rest_low", "kappa_rest")


def test_a_number_on_the_threshold_meets_it():
    rows = judged({"a": [2, 2], "b": [0, 1], "c": [0, 0], "d": [1, 0]})
    value = of("a", rows).alpha.value
    threshold = Decimal(str(round(value, 2)))
    assert value == pytest.approx(float(threshold))
    assert gate(of("a", rows), statistic="alpha_rest", threshold=threshold).met
    assert not gate(of("a", rows), statistic="alpha_rest", threshold=threshold + Decimal("0.01")).met


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_number_that_is_not_defined_never_meets_the_gate(statistic):
    found = of("a", judged({"a": [2, 2, 2], "b": [2, 2, 2]}))
    assert gate(found, statistic=statistic, threshold=Decimal("-1.00")).met is False


# --- what must not matter --------------------------------------------------------------------------------


def test_the_order_of_the_judgements_does_not_matter():
    rows = noisy()
    turned = random.Random(5).sample(rows, len(rows))
    assert standings(turned) == standings(rows)


def test_what_is_not_shared_changes_nothing_but_the_use_of_the_scale():
    rows = noisy()
    alone = [Judgement("alone", "p0", "a", 3)]
    before, after = of("a", rows), of("a", rows + alone)
    assert (before.alpha, before.severity, before.without) == (after.alpha, after.severity, after.without)
    assert sum(after.use) == sum(before.use) + 1


SCORES = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 3))] * 3), min_size=1, max_size=8)


@settings(deadline=None)
@given(SCORES)
def test_severities_of_complete_tables_add_up_to_nothing(texts):
    whole = [text for text in texts if None not in text]
    rows = judged({name: [text[place] for text in whole] for place, name in enumerate("abc")})
    total = sum(
        Fraction(each.severity.value).limit_denominator(1000)
        for each in standings(rows, replicates=0).values()
    )
    assert total == 0


@settings(deadline=None)
@given(SCORES)
def test_a_number_or_a_reason_and_never_both(texts):
    rows = judged({name: [text[place] for text in texts] for place, name in enumerate("abc")})
    for each in standings(rows, replicates=50).values():
        assert (each.alpha.value is None) == (each.alpha.reason is not None)
        assert (each.kappa is None) == (each.kappa_reason is not None)
        assert (each.severity.value is None) == (each.severity.reason is not None)
        assert each.severity.value is None or -3 <= each.severity.value <= 3
