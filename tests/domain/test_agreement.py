"""Krippendorff's alpha and its interval: published cases, where it is not defined, and what must not matter."""

import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from curation.domain import agreement, bootstrap
from curation.domain.agreement import Alpha, Report, report
from tests.domain import gwet

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "alpha.json").read_text(encoding="utf-8"))

Row = tuple[str, str, float | str]


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def rows_of(given: dict) -> Iterator[Row]:
    """The rows of a case, whichever way it is written down."""
    for unit, values in enumerate(units_of(given)):
        for annotator, value in enumerate(values):
            if value is not None:
                yield f"u{unit}", f"a{annotator}", value


def units_of(given: dict) -> Iterator[list]:
    if "ratings" in given:
        yield from given["ratings"]
    elif "pairs_with_counts" in given:
        for one, other, times in given["pairs_with_counts"]:
            yield from [[one, other]] * times
    else:
        for counts in given.get("counts_per_unit") or given["counts"]:
            named = counts if isinstance(counts, dict) else {f"c{i}": n for i, n in enumerate(counts)}
            yield [value for value, times in named.items() for _ in range(times)]


def report_of(rows: list[Row], **options: object) -> Report:
    units, annotators, values = ([row[column] for row in rows] for column in range(3))
    return report(units, annotators, values, **options)


def table(units: int, annotators: int, seed: int = 1, values: tuple = (0, 1, 2, 3)) -> list[Row]:
    """Scores with gaps, on which people agree more than by chance."""
    chance = random.Random(seed)
    rows = []
    for unit in range(units):
        merit = chance.randrange(len(values))
        for annotator in range(annotators):
            place = min(max(merit + chance.choice((-1, 0, 0, 1)), 0), len(values) - 1)
            if chance.random() < 0.8:
                rows.append((f"u{unit}", f"a{annotator}", values[place]))
    return rows


def clusters_of(rows: list[Row], size: int = 3) -> list[str]:
    return [f"p{int(unit[1:]) // size}" for unit, _, _ in rows]


@pytest.fixture(params=["few values", "many values"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as for a rubric and once as for continuous scores: different arithmetic, the same results."""
    if request.param == "many values":
        monkeypatch.setattr(agreement, "FEATURES", 0)


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("krippendorff_alpha"))
def test_alpha_has_the_published_value(case: dict) -> None:
    given, expected = case["input"], case["expected"]
    level = "custom" if given["level"] == "custom distance" else given["level"]
    options = {"order": given.get("order"), "distance": given.get("distance")}
    found = report_of(list(rows_of(given)), levels=(level,), replicates=0, **options)
    alpha = found.alpha[level]
    assert alpha.reason == expected.get("reason")
    if expected["alpha"] is None:
        assert alpha.value is None
    else:
        assert alpha.value == pytest.approx(expected["alpha"], abs=case["tolerance"])
    if "n_pairable" in expected:
        assert found.n_pairable == expected["n_pairable"]


@pytest.mark.parametrize("case", cases("krippendorff_alpha_gwet_se"))
def test_the_analytic_standard_error_has_the_published_value(case: dict) -> None:
    rows = list(rows_of(case["input"]))
    found = gwet.nominal_standard_error([row[0] for row in rows], [row[2] for row in rows])
    assert found == pytest.approx(case["expected"]["se"], abs=case["tolerance"])


def test_the_analytic_standard_error_is_close_to_that_of_the_bootstrap() -> None:
    rows = table(400, 4)
    alpha = report_of(rows, levels=("nominal",)).alpha["nominal"]
    error = gwet.nominal_standard_error([row[0] for row in rows], [row[2] for row in rows])
    assert error == pytest.approx((alpha.high - alpha.low) / (2 * 1.96), rel=0.1)


def test_the_analytic_standard_error_is_undefined_with_alpha_and_0_where_all_agree() -> None:
    assert gwet.nominal_standard_error([], []) is None
    assert gwet.nominal_standard_error(["u", "u"], [1, 2]) is None
    assert gwet.nominal_standard_error(["u", "u", "v", "v"], [1, 1, 2, 2]) == 0


# --- the bootstrap ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("alpha_unit_bootstrap_exact_distribution"))
def test_the_bootstrap_has_the_exact_distribution(case: dict) -> None:
    rows, expected, runs = list(rows_of(case["input"])), case["expected"], 400
    single = [
        report_of(rows, levels=("nominal",), replicates=1, seed=str(seed)).alpha["nominal"]
        for seed in range(runs)
    ]
    assert single[0].value == pytest.approx(expected["point"], abs=case["tolerance"])
    assert all((alpha.low is None) == (alpha.undefined == 1) for alpha in single)
    found = [round(alpha.low, 8) for alpha in single if alpha.low is not None]
    assert within_chance(runs - len(found), runs, expected["n_undefined"] / expected["n_resamples"])
    for value, times in zip(expected["support"], expected["multiplicity"], strict=True):
        hits = [one for one in found if abs(one - value) < 1e-7]
        assert within_chance(len(hits), runs, times / expected["n_resamples"])
        found = [one for one in found if one not in hits]
    assert not found, "values outside the support"


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("alpha_unit_bootstrap_exact_distribution"))
def test_the_ends_of_the_interval_are_quantiles_of_the_exact_distribution(case: dict) -> None:
    alpha = report_of(list(rows_of(case["input"])), levels=("nominal",), replicates=4000).alpha["nominal"]
    expected = case["expected"]
    assert within_chance(alpha.undefined, 4000, expected["n_undefined"] / expected["n_resamples"])
    assert (alpha.low, alpha.high) == pytest.approx(exact_ends(expected), abs=1e-8)


def within_chance(hits: int, draws: int, share: float) -> bool:
    return abs(hits - draws * share) < 4 * math.sqrt(draws * share * (1 - share))


def exact_ends(expected: dict) -> tuple[float, float]:
    values = np.repeat(expected["support"], expected["multiplicity"])
    return float(np.quantile(values, 0.025, method="lower")), float(
        np.quantile(values, 0.975, method="higher")
    )


def test_whole_clusters_are_drawn() -> None:
    """Two prompts can be drawn in three ways, and each gives one value."""
    rows = table(12, 3)
    clusters = clusters_of(rows, size=6)
    halves = [
        [row for row, cluster in zip(rows, clusters, strict=True) if cluster == p] for p in ("p0", "p1")
    ]
    possible = []
    for one, other in product(halves, halves):
        twice = [(f"{unit}-1", a, v) for unit, a, v in one] + [(f"{unit}-2", a, v) for unit, a, v in other]
        possible.append(report_of(twice, replicates=0).alpha["ordinal"].value)
    found = {
        report_of(rows, clusters=clusters, replicates=1, seed=str(seed)).alpha["ordinal"].low
        for seed in range(40)
    }
    assert {round(value, 9) for value in found} == {round(value, 9) for value in possible}


def test_clusters_of_one_unit_are_units() -> None:
    rows = table(30, 3)
    assert report_of(rows, clusters=[f"prompt of {row[0]}" for row in rows]) == report_of(rows)


def test_units_that_resemble_each_other_in_a_cluster_widen_the_interval() -> None:
    rows = [
        (f"u{i}", a, (i // 20) % 4 if a != "c" or i % 3 else 3 - (i // 20) % 4)
        for i in range(400)
        for a in "abc"
    ]
    rows = [(u, a, v if int(u[1:]) // 20 % 3 else (v + len(a) + ord(a)) % 4) for u, a, v in rows]
    by_unit = report_of(rows).alpha["ordinal"]
    by_prompt = report_of(rows, clusters=clusters_of(rows, size=20)).alpha["ordinal"]
    assert by_prompt.value == by_unit.value
    assert by_prompt.high - by_prompt.low > 1.5 * (by_unit.high - by_unit.low)


def test_few_and_many_values_give_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(60, 5)
    levels = ("ordinal", "interval", "nominal", "ratio")
    few = report_of(rows, clusters=clusters_of(rows), levels=levels)
    monkeypatch.setattr(agreement, "FEATURES", 0)
    many = report_of(rows, clusters=clusters_of(rows), levels=levels)
    for level in levels:
        one, other = few.alpha[level], many.alpha[level]
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-12
        )
        assert one.undefined == other.undefined


def test_the_interval_does_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(60, 3)
    whole = [report_of(rows), report_of(rows, clusters=clusters_of(rows))]
    monkeypatch.setattr(bootstrap, "CELLS", 77)
    monkeypatch.setattr(bootstrap, "PRODUCTS", 100)
    assert [report_of(rows), report_of(rows, clusters=clusters_of(rows))] == whole


@pytest.mark.parametrize("values", [(0, 1, 2, 3), (0.1, 0.7, 1.9, 3.3), tuple(i / 7 for i in range(40))])
def test_the_order_of_rows_does_not_matter(values: tuple) -> None:
    rows = table(40, 4, values=values)
    clusters = clusters_of(rows)
    both = list(zip(rows, clusters, strict=True))
    random.Random(5).shuffle(both)
    shuffled, theirs = [row for row, _ in both], [cluster for _, cluster in both]
    options = {"replicates": 200}
    assert report_of(shuffled, **options) == report_of(rows, **options)
    assert report_of(shuffled, clusters=theirs, **options) == report_of(rows, clusters=clusters, **options)


def test_a_level_does_not_depend_on_the_others() -> None:
    rows = table(40, 3)
    together = report_of(rows, levels=("ordinal", "interval", "nominal", "ratio")).alpha
    for level, alpha in together.items():
        assert report_of(rows, levels=(level,)).alpha == {level: alpha}


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    rows = table(40, 3)
    assert report_of(rows, seed="x") == report_of(rows, seed="x")
    assert report_of(rows, seed="x").alpha["ordinal"].low != report_of(rows, seed="y").alpha["ordinal"].low


def test_the_draws_of_clusters_are_the_same_with_every_version_of_numpy() -> None:
    """A release that is made again must have the same bytes; worked out from the definition of PCG64."""
    chance = bootstrap.generator("plumb-1", "krippendorff_alpha")
    draws = next(bootstrap.resamples(chance, rows=7, multiplicity=None, replicates=2))
    assert draws.tolist() == [[2, 2, 1, 1, 0, 1, 0], [1, 0, 2, 0, 1, 0, 3]]


def test_the_ends_of_the_interval_are_the_50th_replicates_of_2000() -> None:
    shuffled = np.random.default_rng(1).permutation(np.arange(1, 2001)).astype(float)
    assert bootstrap.interval(shuffled) == (50, 1951)
    assert bootstrap.interval(np.array([2.0, 1.0, 3.0])) == (1, 3)
    assert bootstrap.interval(np.array([])) is None


def test_no_replicates_give_no_interval() -> None:
    alpha = report_of(table(20, 3), replicates=0).alpha["ordinal"]
    assert (alpha.low, alpha.high, alpha.undefined, alpha.reason) == (None, None, 0, None)
    assert alpha.value is not None


def test_one_unit_or_one_cluster_gives_a_value_without_interval() -> None:
    assert report_of([("u", "a", 1), ("u", "b", 2)]).alpha["nominal"] == Alpha(0.0)
    rows = table(20, 3)
    one = report_of(rows, clusters=["p"] * len(rows)).alpha["ordinal"]
    assert one == replace(report_of(rows).alpha["ordinal"], low=None, high=None, undefined=0)


def test_a_cluster_without_pairable_values_is_not_drawn() -> None:
    rows = table(20, 3)
    alone = [("u900", "a0", 3), ("u901", "a0", 0)]
    before = report_of(rows, clusters=clusters_of(rows))
    after = report_of(rows + alone, clusters=[*clusters_of(rows), "p0", "a prompt of its own"])
    assert after.alpha == before.alpha
    assert (after.n_units, after.n_pairable) == (before.n_units + 2, before.n_pairable)


# --- where alpha is not defined --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "levels", "reason"),
    [
        ([], ("ordinal", "interval", "nominal", "ratio"), "empty"),
        ([("u", "a", 1)], ("ordinal", "nominal"), "no_pairable_values"),
        ([("u", "a", 1), ("v", "a", 2)], ("ordinal", "nominal"), "no_pairable_values"),
        ([("u", "a", 1), ("u", "b", 1), ("v", "a", 2)], ("ordinal", "interval"), "no_variation"),
        ([("u", "a", "x"), ("u", "b", "y")], ("ordinal", "interval", "ratio"), "level_needs_numbers"),
        ([("u", "a", "x"), ("u", "b", 1)], ("ordinal", "interval", "ratio"), "level_needs_numbers"),
        ([("u", "a", -1), ("u", "b", 1)], ("ratio",), "ratio_needs_non_negative"),
    ],
)
def test_it_gives_the_reason_instead_of_a_number(rows: list[Row], levels: tuple, reason: str) -> None:
    assert report_of(rows, levels=levels).alpha == dict.fromkeys(levels, Alpha(None, reason=reason))


def test_labels_that_are_declared_equal_do_not_vary() -> None:
    distance = {"x": {"x": 0, "y": 0}, "y": {"x": 0, "y": 0}}
    rows = [("u", "a", "x"), ("u", "b", "y")]
    assert report_of(rows, levels=("custom",), distance=distance).alpha["custom"].reason == "no_variation"


def test_a_negative_value_that_is_not_pairable_does_not_trouble_ratio() -> None:
    rows = [("u", "a", 1), ("u", "b", 2), ("v", "a", 2), ("v", "b", 2), ("w", "a", -1)]
    assert report_of(rows, levels=("ratio",)).alpha["ratio"].reason is None


def test_it_counts_units_annotators_and_pairable_values() -> None:
    rows = [("u", "a", 1), ("u", "b", 2), ("v", "a", 2), ("w", "c", 2)]
    found = report_of(rows, replicates=0)
    assert (found.n_units, found.n_raters, found.n_pairable) == (3, 3, 2)


def test_a_report_is_plain_data() -> None:
    found = report_of(table(20, 3), levels=("ordinal",))
    alpha = found.alpha["ordinal"]
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False)) == {
        "alpha": {"ordinal": alpha.as_dict()},
        "n_units": found.n_units,
        "n_raters": 3,
        "n_pairable": found.n_pairable,
    }
    assert list(alpha.as_dict()) == ["value", "low", "high", "undefined", "reason"]


# --- numbers of any size ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    "scale",
    [
        (-1e308, 0.0, 1e308, 1.7e308),
        (5e-324, 1e-323, 1.5e-323, 2e-323),
        (1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3),
        (0.1, 0.2, 0.30000000000000004, 0.4),
    ],
)
def test_extreme_numbers_neither_overflow_nor_vanish(scale: tuple[float, ...]) -> None:
    found = report_of(table(30, 3, values=scale), replicates=200).alpha
    plain = report_of(table(30, 3), replicates=200).alpha
    assert found["ordinal"] == plain["ordinal"]
    assert found["nominal"] == plain["nominal"]
    assert all(math.isfinite(value) for value in (found["interval"].low, found["interval"].high))
    if scale[0] != -1e308:
        assert found["interval"].value == pytest.approx(plain["interval"].value, abs=1e-6)


@pytest.mark.usefixtures("either_way")
def test_constant_replicates_are_undefined_even_where_rounding_says_otherwise() -> None:
    """The mean of three times 0.1 is not 0.1 in doubles; two prompts of one value each must still count."""
    rows = [(f"u{i}", a, 0.1 if i < 3 else 0.7) for i in range(6) for a in "abc"]
    found = report_of(rows, clusters=clusters_of(rows)).alpha
    assert {level: alpha.undefined for level, alpha in found.items()} == dict.fromkeys(
        found, found["nominal"].undefined
    )
    assert found["interval"].undefined == pytest.approx(1000, abs=120)
    assert (found["interval"].low, found["interval"].high) == (1.0, 1.0)


# --- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": ["u", "u", "v"]}, "differ in length"),
        ({"clusters": ["p"]}, "differ in length"),
        ({"annotators": ["a", "a", "b", "c"]}, "unit 'u' has two values of 'a'"),
        ({"clusters": ["p", "q", "p", "p"]}, "unit 'u' stands in two clusters"),
        ({"values": [1, 2, math.nan, 1]}, "value 2 is nan"),
        ({"values": [1, -math.inf, 2, 1]}, "value 1 is -inf"),
        ({"levels": ("ordinal", "cardinal")}, "'cardinal' is not a level"),
        ({"values": ["x", "y", "z", "x"], "order": ["x", "y"]}, "'z' is not in the declared order"),
        ({"values": ["x", "y", "x", "x"], "levels": ("custom",)}, "distance of 'x' and 'x' is not declared"),
        (
            {
                "values": ["x", "y", "x", "x"],
                "levels": ("custom",),
                "distance": {"x": {"x": 0, "y": 1}, "y": {"x": 2, "y": 0}},
            },
            "the same both ways",
        ),
    ],
)
def test_it_refuses(change: dict, message: str) -> None:
    good = {"units": ["u", "u", "v", "v"], "annotators": ["a", "b", "a", "b"], "values": [1, 2, 3, 3]}
    assert report(**good).alpha["ordinal"].value is not None
    with pytest.raises(ValueError, match=message):
        report(**{**good, **change})
