"""Coefficients of many annotators: published cases, other programs, what is not defined, what must not matter."""

import json
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from annotation.domain import kappa
from curation.domain import chance, value_patterns
from curation.domain.chance import COEFFICIENTS, PLAIN, WEIGHTED, report
from curation.domain.value_patterns import of_codes, of_counts
from tests.domain.many_raters import cases, scale_of, scores, units_of

pytestmark = pytest.mark.files

IRRCAC = json.loads((Path(__file__).parent.parent / "facts" / "irrcac.json").read_text(encoding="utf-8"))

# What the cases call a coefficient: without weights and with them.
NAMES = {
    "pa": ("mean_pairwise", "mean_pairwise_weighted"),
    "fleiss": ("fleiss", "fleiss_weighted"),
    "kappa": ("fleiss", "fleiss_weighted"),
    "randolph": ("brennan_prediger", "brennan_prediger_weighted"),
    "bp": ("brennan_prediger", "brennan_prediger_weighted"),
    "ac": ("ac1", "ac2"),
    "ac1": ("ac1", "ac1"),
    "ac2": ("ac2", "ac2"),
    "scott_pi": ("scott_pi", "scott_pi"),
}

# Units of up to five ratings, None for a gap.
TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=k, max_size=k), min_size=1, max_size=9
    )
)


def patterns_of(units: list[list], scale: list) -> value_patterns.Patterns:
    rows = [(number, scale.index(value)) for number, values in enumerate(units) for value in values]
    unit, code = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return of_codes(unit, code, n_values=len(scale))


def found_of(units: list[list], scale: list | None = None, **options: object) -> chance.Report:
    scale = scale or [0, 1, 2, 3]
    return report(patterns_of(units, scale), scale=range(len(scale)), **{"replicates": 0} | options)


def values_of(found: chance.Report) -> dict[str, float | None]:
    return {name: each.value for name, each in found.coefficients.items()}


# --- published values, and other programs ----------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    cases("fleiss_kappa", "pa_fleiss_ac_bp", "gwet_ac1", "gwet_ac1_with_single_ratings", "many_rater_kappas"),
)
def test_it_has_the_published_value(case):
    given, scale = case["input"], scale_of(case["input"])
    weighted = given.get("weights", "unweighted") != "unweighted"
    found = found_of(units_of(given), scale, weights=given["weights"] if weighted else "quadratic")
    for name in case["expected"].keys() & NAMES.keys():
        each = found.coefficients[NAMES[name][weighted]]
        assert each.value == pytest.approx(case["expected"][name], abs=case["tolerance"]), name
    assert found.coefficients["fleiss"].reason == case["expected"].get("reason")
    if "pe" in case["expected"]:
        assert found.coefficients["fleiss"].chance == pytest.approx(case["expected"]["pe"], abs=1e-6)


@pytest.mark.parametrize("case", cases("gwet_ac1_ac2"))
def test_gwets_coefficients_of_two_raters(case):
    found = values_of(
        found_of(units_of(case["input"]), scale_of(case["input"]), weights=case["input"]["ac2_weights"])
    )
    assert {name: found[name] for name in ("ac1", "ac2")} == pytest.approx(
        case["expected"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("fleiss_kappa_by_category"))
def test_one_category_against_the_others_is_fleiss_of_two_categories(case):
    counts = np.array(case["input"]["counts"])
    found = [
        report(of_counts(np.column_stack([own, counts.sum(axis=1) - own])), scale=(0, 1), replicates=0)
        for own in counts.T
    ]
    assert [each.coefficients["fleiss"].value for each in found] == pytest.approx(
        case["expected"]["kappa_by_category"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("fleiss_kappa_randolph"))
def test_a_constant_score_leaves_defined_what_knows_the_declared_scale(case):
    found = found_of(units_of(case["input"]), [0, 1])
    assert found.coefficients["brennan_prediger"].value == case["expected"]["kappa"]
    assert found.coefficients["ac1"].value == 1
    assert (
        found.coefficients["fleiss"].reason == found.coefficients["fleiss_weighted"].reason == "no_variation"
    )


@pytest.mark.parametrize(
    ("case", "name", "published", "unit"),
    [
        (*cases("percent_agreement_all_raters_equal")[0].values, "all_equal", "pct", 100),
        (*cases("mean_pairwise_agreement")[0].values, "mean_pairwise", "pa", 1),
    ],
)
def test_percent_agreement_goes_by_two_names(case, name, published, unit):
    found = values_of(found_of(units_of(case["input"]), [1, 2, 3, 4, 5]))
    assert found[name] * unit == pytest.approx(case["expected"][published], abs=case["tolerance"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in IRRCAC])
def test_it_agrees_with_irrcac_where_ratings_are_missing(case):
    found = found_of(units_of(case["input"]), case["input"]["scale"])
    for name, value in case["expected"].items():
        of = name.removesuffix("_chance")
        each = found.coefficients[of]
        assert (each.value if of == name else each.chance) == pytest.approx(value, abs=case["tolerance"])


@pytest.mark.parametrize(("seed", "k"), [(1, 3), (2, 5), (3, 8)])
def test_it_agrees_with_statsmodels_where_none_is_missing(seed, k):
    counts = np.random.default_rng(seed).multinomial(k, [0.1, 0.2, 0.3, 0.4], size=40)
    found = values_of(report(of_counts(counts), replicates=0))
    assert found["fleiss"] == pytest.approx(fleiss_kappa(counts), abs=1e-12)
    assert found["brennan_prediger"] == pytest.approx(fleiss_kappa(counts, method="randolph"), abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=20))
def test_two_raters_have_what_their_exact_table_gives(cells):
    pairs = [divmod(cell, 4) for cell in cells]
    table = kappa.tabulate(*(dict(enumerate(column)) for column in zip(*pairs, strict=True)))
    found = values_of(found_of([list(pair) for pair in pairs]))
    for names, weights in (
        (("scott_pi", "brennan_prediger", "ac1"), "none"),
        (("fleiss_weighted", "brennan_prediger_weighted", "ac2"), "quadratic"),
    ):
        exact = kappa.coefficients(table, weights=weights)
        for name, value in zip(names, (exact.scott_pi, exact.brennan_prediger, exact.ac), strict=True):
            assert (found[name] is None) == (value is None)
            assert value is None or found[name] == pytest.approx(float(value), abs=1e-12)


@settings(deadline=None)
@given(TABLES)
def test_agreement_is_what_its_definition_says(rows):
    units = [[value for value in row if value is not None] for row in rows]
    pairable = [values for values in units if len(values) > 1]
    found = values_of(found_of(units))
    if not pairable:
        assert set(found.values()) == {None}
        return
    met = [[(a, b) for a, b in permutations(values, 2)] for values in pairable]
    alike = [sum(a == b for a, b in each) / len(each) for each in met]
    near = [sum(1 - (a - b) ** 2 / 9 for a, b in each) / len(each) for each in met]
    assert found["all_equal"] == sum(len(set(values)) == 1 for values in pairable) / len(pairable)
    assert found["mean_pairwise"] == pytest.approx(sum(alike) / len(pairable), abs=1e-12)
    assert found["mean_pairwise_weighted"] == pytest.approx(sum(near) / len(pairable), abs=1e-12)
    given = [values for values in units if values]
    shares = [sum(values.count(k) / len(values) for values in given) / len(given) for k in range(4)]
    by_chance = sum(share**2 for share in shares)
    if found["fleiss"] is not None:
        expected = (found["mean_pairwise"] - by_chance) / (1 - by_chance)
        assert found["fleiss"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


# --- where they are not defined --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "reason"),
    [([], "empty"), ([[]], "empty"), ([[1], [2]], "no_pairable_values"), ([[1]], "no_pairable_values")],
)
def test_a_coefficient_that_is_not_defined_says_why(units, reason):
    found = found_of(units)
    assert {(each.value, each.low, each.reason) for each in found.coefficients.values()} == {
        (None, None, reason)
    }


def test_scott_knows_no_more_than_two_ratings_of_a_unit():
    assert found_of([[1, 2], [2, 2]]).coefficients["scott_pi"].value == pytest.approx(-1 / 3)
    found = found_of([[1, 2, 2], [2, 2]]).coefficients["scott_pi"]
    assert (found.value, found.reason) == (None, "more_than_two_values")


def test_scott_leaves_single_ratings_out_and_fleiss_does_not():
    pairs = [[1, 2], [2, 2], [1, 1]]
    alone, beside = (found_of(units).coefficients for units in (pairs, [*pairs, [3], [3]]))
    assert alone["scott_pi"].value == alone["fleiss"].value == beside["scott_pi"].value
    assert beside["fleiss"].value > alone["fleiss"].value
    assert beside["mean_pairwise"] == alone["mean_pairwise"]


def test_the_declared_scale_counts_and_not_the_values_that_occur():
    units = [[0, 1], [1, 1], [0, 0]]
    narrow, wide = (values_of(found_of(units, list(range(q)))) for q in (2, 4))
    assert narrow["brennan_prediger"] < wide["brennan_prediger"]
    assert narrow["ac1"] < wide["ac1"]
    assert narrow["mean_pairwise_weighted"] < wide["mean_pairwise_weighted"]
    assert narrow["fleiss"] == wide["fleiss"] == narrow["fleiss_weighted"]


def test_weights_that_are_none_are_refused():
    with pytest.raises(ValueError, match="symmetrical"):
        chance.disagreements([[0, 1], [2, 0]], (0, 1))
    with pytest.raises(ValueError, match="two scores"):
        report(of_counts(np.array([[2]])), scale=(0,))
    with pytest.raises(ValueError, match="count 2 values"):
        report(of_counts(np.array([[2, 1]])))


def test_ordinal_weights_are_those_of_gwet():
    assert chance.disagreements("ordinal") == [[0, 1, 3, 6], [1, 0, 1, 3], [3, 1, 0, 1], [6, 3, 1, 0]]


# --- what must not matter --------------------------------------------------------------------------------


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_neither_the_order_of_units_nor_of_annotators_matters(rows, random):
    units = [[value for value in row if value is not None] for row in rows]
    turned = [random.sample(values, len(values)) for values in units]
    random.shuffle(turned)
    assert found_of(turned, replicates=20) == found_of(units, replicates=20)


@settings(deadline=None)
@given(TABLES, st.permutations(range(4)))
def test_names_of_categories_do_not_matter_without_weights(rows, names):
    units = [[value for value in row if value is not None] for row in rows]
    found, renamed = (
        values_of(found_of(each))
        for each in (units, [[names[value] for value in values] for values in units])
    )
    for name in PLAIN:
        assert renamed[name] == (
            found[name] if found[name] is None else pytest.approx(found[name], abs=1e-12)
        )


@settings(deadline=None)
@given(TABLES)
def test_no_coefficient_is_above_one_and_chance_is_none(rows):
    found = found_of([[value for value in row if value is not None] for row in rows])
    for each in found.coefficients.values():
        assert (each.value is None) == (each.reason is not None)
        assert each.value is None or each.value <= 1
        assert each.chance is None or 0 <= each.chance <= 1


def test_a_scale_turned_round_keeps_all_weighted_coefficients():
    unit, _who, code = scores(200, seed=5)
    one, other = (
        values_of(report(of_codes(unit, each, n_values=4), replicates=0)) for each in (code, 3 - code)
    )
    assert [one[name] for name in WEIGHTED] == pytest.approx([other[name] for name in WEIGHTED], abs=1e-12)


# --- intervals -------------------------------------------------------------------------------------------


def test_an_interval_holds_its_point_and_follows_from_data_and_seed_alone():
    unit, _who, code = scores(300, seed=6)
    found = report(of_codes(unit, code, n_values=4))
    assert found == report(of_codes(unit, code.astype(np.uint8), n_values=4))
    assert found != report(of_codes(unit, code, n_values=4), seed="other")
    for name in COEFFICIENTS:
        each = found.coefficients[name]
        assert name == "scott_pi" or each.low < each.value < each.high


def test_all_samples_of_a_small_table_are_drawn_as_often_as_they_should():
    counts = np.array([[2, 0], [1, 1], [0, 2]])
    found = report(of_counts(counts), scale=(0, 1), replicates=20_000)
    undefined = sum(len(set(draw)) == 1 and draw[0] != 1 for draw in product(range(3), repeat=3)) / 27
    assert found.coefficients["fleiss"].undefined / 20_000 == pytest.approx(undefined, abs=0.005)
    assert found.coefficients["ac1"].undefined == 0
    assert (found.coefficients["mean_pairwise"].low, found.coefficients["mean_pairwise"].high) == (0, 1)


def test_units_that_are_clusters_of_their_own_have_nearly_the_interval_of_units():
    unit, _who, code = scores(400, seed=7)
    patterns = of_codes(unit, code, n_values=4)
    own = report(patterns, cluster=np.arange(400))
    units = report(patterns)
    for name in set(COEFFICIENTS) - {"scott_pi"}:
        one, other = own.coefficients[name], units.coefficients[name]
        assert one.value == other.value
        assert (one.low, one.high) == (
            pytest.approx(other.low, abs=0.02),
            pytest.approx(other.high, abs=0.02),
        )


def test_prompts_of_like_texts_widen_an_interval():
    counts = np.repeat(np.random.default_rng(8).multinomial(3, [0.25] * 4, size=20), 10, axis=0)
    patterns = of_counts(counts)
    narrow, wide = (
        report(patterns, cluster=cluster).coefficients["ac1"]
        for cluster in (None, np.repeat(np.arange(20), 10))
    )
    assert wide.value == narrow.value
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_one_prompt_has_a_point_and_no_interval():
    found = report(of_counts(np.array([[2, 1], [3, 0]])), scale=(0, 1), cluster=np.zeros(2, dtype=np.int64))
    each = found.coefficients["fleiss"]
    assert each.value is not None
    assert (each.low, each.high, each.undefined) == (None, None, 0)


def test_counts_of_units_and_ratings_are_reported():
    found = found_of([[1, 2], [3], [], [0, 0, 0]])
    assert (found.n_units, found.n_pairable_units, found.n_ratings) == (3, 2, 6)
    assert json.dumps(found.as_dict())
