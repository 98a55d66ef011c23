"""`manage.py agreement --coefficients all`: the same numbers as elsewhere, of the scale that is meant, or why not."""

import json
import unicodedata
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from curation.domain import chance, icc_tables, value_patterns
from curation.domain.chance import COEFFICIENTS, PERCENTAGES, PLAIN, WEIGHTED
from curation.domain.icc import FORMS
from curation.management.agreement_of_files import intraclass
from curation.management.agreement_of_files.rows import Bootstrap, Rows
from tests.curation.score_files import printed, refusal, run
from tests.domain import many_raters

pytestmark = pytest.mark.files

PEOPLE = ("ann", "ben", "cho", "dai")
HEADER = "unit,annotator,value,prompt,genre\n"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


def panel(units: int = 60, people: int = 3, seed: int = 1) -> np.ndarray:
    """A filled table of values 0 to 3."""
    random = np.random.default_rng(seed)
    return np.clip(random.integers(0, 4, (units, 1)) + random.integers(-1, 2, (units, people)), 0, 3)


def file_of(table: np.ndarray, scale: object = "0123", left_out: object = ()) -> str:
    """Two units a prompt and two genres; `left_out` are cells without a row."""
    return HEADER + "".join(
        f"u{i:03},{PEOPLE[j]},{scale[value]},p{i // 2:02},{'poem' if i < 40 else 'drama'}\n"
        for (i, j), value in np.ndenumerate(table)
        if (i, j) not in left_out
    )


def all_of(path: Path, content: str, **options: object) -> dict:
    return printed(path, content, coefficients="all", **options)


GAPS = {(i, i % 3) for i in range(0, 60, 2)} | {(1, 0), (1, 1)}


# --- the same as elsewhere -------------------------------------------------------------------------------


def test_chance_corrected_coefficients_are_those_of_the_domain_with_their_intervals(scores: Path) -> None:
    table = panel()
    rows = [(i, table[i, j]) for i, j in np.ndindex(table.shape) if (i, j) not in GAPS]
    unit, code = (np.array(column) for column in zip(*rows, strict=True))
    expected = chance.report(
        value_patterns.of_codes(unit, code, n_values=4), cluster=np.arange(60) // 2
    ).as_dict()["coefficients"]
    assert all_of(scores, file_of(table, left_out=GAPS))["coefficients"]["chance"] == expected


def test_fleiss_and_the_kappas_of_pairs_are_those_of_other_libraries(scores: Path) -> None:
    table = panel()
    found = all_of(scores, file_of(table))["coefficients"]
    counts = np.stack([(table == value).sum(axis=1) for value in range(4)], axis=1)
    assert found["chance"]["fleiss"]["value"] == pytest.approx(fleiss_kappa(counts), abs=1e-12)
    pairs = {tuple(pair["annotators"]): pair for pair in found["pairs"]}
    assert list(pairs) == list(combinations(PEOPLE[:3], 2))
    for one, other in combinations(range(3), 2):
        pair = pairs[PEOPLE[one], PEOPLE[other]]
        assert pair["n"] == 60
        for kind, weights in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
            expected = cohen_kappa_score(table[:, one], table[:, other], weights=weights, labels=[0, 1, 2, 3])
            assert pair[kind] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_filled_table_has_all_six_forms(scores: Path) -> None:
    table = panel(people=4)
    found = all_of(scores, file_of(table))["coefficients"]["icc"]
    text, who = np.indices(table.shape)
    frame = pd.DataFrame({"text": text.ravel(), "who": who.ravel(), "score": table.ravel().astype(float)})
    expected = pingouin.intraclass_corr(frame, targets="text", raters="who", ratings="score")
    assert (found["design"], found["ratings"]) == ("filled", 4)
    values = [found["forms"][form]["value"] for form in FORMS]
    assert values == pytest.approx(expected["ICC"].tolist(), abs=1e-9)


def test_where_annotators_differ_there_are_the_one_way_forms_alone(scores: Path) -> None:
    found = all_of(scores, file_of(panel(), left_out=GAPS))["coefficients"]["icc"]
    assert found["design"] == "one_way"
    assert 2 < found["ratings"] < 3
    undefined = {form: each["reason"] for form, each in found["forms"].items() if each["value"] is None}
    assert undefined == dict.fromkeys(["ICC2", "ICC3", "ICC2k", "ICC3k"], "missing_values")


@pytest.mark.parametrize("left_out", [set(), GAPS])
def test_without_an_annotator_is_the_file_without_the_rows(scores: Path, left_out: set) -> None:
    table = panel()
    without = all_of(scores, file_of(table, left_out=left_out))["coefficients"]["without"]
    assert list(without) == list(PEOPLE[:3])
    for place, name in enumerate(PEOPLE[:3]):
        gone = {(i, place) for i in range(60)}
        others = printed(scores, file_of(table, left_out=left_out | gone))["alpha"]
        assert without[name] == {
            level: {"value": alpha["value"], "reason": alpha["reason"]} for level, alpha in others.items()
        }


def test_scott_is_for_two_annotators(scores: Path) -> None:
    two = all_of(scores, file_of(panel(people=2)))["coefficients"]["chance"]["scott_pi"]
    three = all_of(scores, file_of(panel()))["coefficients"]["chance"]["scott_pi"]
    assert two["value"] is not None
    assert (three["value"], three["reason"]) == (None, "more_than_two_values")


def test_the_order_of_rows_does_not_matter(scores: Path) -> None:
    content = file_of(panel(), left_out=GAPS)
    header, *rows = content.splitlines(keepends=True)
    moved = header + "".join(np.random.default_rng(1).permutation(rows))
    assert all_of(scores, moved, by="genre") == all_of(scores, content, by="genre")


def test_a_group_has_the_coefficients_of_its_units_alone(scores: Path) -> None:
    content = file_of(panel(), left_out=GAPS)
    groups = all_of(scores, content, by="genre", scale="0,1,2,3")["by"]["groups"]
    for genre, group in groups.items():
        alone = HEADER + "".join(row for row in content.splitlines(True)[1:] if row.endswith(f"{genre}\n"))
        expected = all_of(scores, alone, scale="0,1,2,3")
        assert group["coefficients"] == expected["coefficients"]
        assert group["n_pairable_units"] == expected["n_pairable_units"]


def test_nothing_else_changes_what_is_said_of_alpha(scores: Path) -> None:
    content = file_of(panel())
    found = all_of(scores, content)
    assert set(found) - set(printed(scores, content)) == {"n_pairable_units", "coefficients", "scale"}
    assert {key: found[key] for key in printed(scores, content)} == printed(scores, content)


# --- the scale -------------------------------------------------------------------------------------------


def test_the_scale_is_taken_from_the_values_and_said(scores: Path) -> None:
    out, err = run(scores, file_of(panel(), scale="1245"), coefficients="all", json=True)
    assert json.loads(out)["scale"] == {"levels": [1, 2, 3, 4, 5], "source": "values", "reason": None}
    assert err.startswith("Scale taken: 1, 2, 3, 4, 5, whole numbers from the least to the most that occurs")


def test_a_declared_scale_counts_levels_that_nobody_gave(scores: Path) -> None:
    table = np.minimum(panel(), 2)
    taken = all_of(scores, file_of(table))
    out, err = run(scores, file_of(table), coefficients="all", json=True, scale="3,2,1, 0")
    declared = json.loads(out)
    assert not err
    assert declared["scale"] == {"levels": [0, 1, 2, 3], "source": "declared", "reason": None}
    by_chance = [each["coefficients"]["chance"]["brennan_prediger"]["chance"] for each in (taken, declared)]
    assert by_chance == pytest.approx([1 / 3, 1 / 4])
    assert declared["coefficients"]["icc"] == taken["coefficients"]["icc"]


@pytest.mark.parametrize("seed", range(2))
def test_levels_lie_as_far_apart_as_they_are_declared(scores: Path, seed: int) -> None:
    table = panel(seed=seed)
    found = all_of(scores, file_of(table, scale=["-10", "0", "5", "100"]), scale="-10,0,5,100")
    values = np.array([-10, 0, 5, 100])[table]
    expected = cohen_kappa_score(table[:, 0], table[:, 1], weights=None)
    pair = found["coefficients"]["pairs"][0]
    assert pair["plain"] == pytest.approx(expected, abs=1e-12)
    one, other = values[:, 0], values[:, 1]
    by_chance = ((one[:, None] - other[None, :]) ** 2).mean()
    assert pair["quadratic"] == pytest.approx(1 - ((one - other) ** 2).mean() / by_chance, abs=1e-12)


@pytest.mark.parametrize(
    ("scale", "reason", "said"),
    [
        (["0.0", "12.5", "50.0", "100.0"], "values_not_whole", "has 12.5"),
        (["0", "-1", "1", "2"], "values_outside_0_to_255", "has -1; where the scale has few levels, declare"),
        (["0", "256", "1", "2"], "values_outside_0_to_255", "has 256; where the scale has few levels"),
        (["0", "10", "20", "90"], "too_many_levels", "up to 50 levels, and here would be more"),
    ],
)
def test_of_other_scales_alpha_and_icc_stay(scores: Path, scale: list[str], reason: str, said: str) -> None:
    content = file_of(panel(), scale=scale, left_out=GAPS)
    out, err = run(scores, content, coefficients="all", json=True)
    found = json.loads(out)
    assert found["scale"] == {"levels": None, "source": "values", "reason": reason}
    of_chance = found["coefficients"]["chance"]
    assert {each["reason"] for name, each in of_chance.items() if name not in PERCENTAGES} == {reason}
    assert {pair["reason"] for pair in found["coefficients"]["pairs"]} == {reason}
    assert all(pair["n"] and pair["plain"] is None for pair in found["coefficients"]["pairs"])
    assert found["alpha"]["interval"]["value"] is not None
    assert found["coefficients"]["icc"]["forms"]["ICC1"]["drawn_low"] is not None
    assert err.startswith("No chance-corrected coefficients and no kappas: ")
    assert err.endswith("Alpha, ICC and percent agreement stay.\n")
    lines = [line.split(",")[2] for line in content.splitlines()]
    place = "" if reason == "too_many_levels" else f"line {lines.index(scale[1]) + 1} "
    assert place + said in err
    assert "Beyond chance: not defined, " in run(scores, content, coefficients="all")[0]


@pytest.mark.parametrize("scale", [["0.0", "12.5", "50.0", "100.0"], ["0", "10", "20", "90"]])
def test_how_often_people_gave_the_same_takes_no_scale(scores: Path, scale: list[str]) -> None:
    content = file_of(panel(), scale=scale, left_out=GAPS)
    found = all_of(scores, content)["coefficients"]["chance"]
    same = all_of(scores, file_of(panel(), left_out=GAPS))["coefficients"]["chance"]
    for name in PERCENTAGES:
        assert found[name] == same[name]
        assert found[name]["value"] is not None
    assert "all annotators equal (share of units)" in run(scores, content, coefficients="all")[0]


def test_a_file_of_one_annotator_speaks_of_one(scores: Path) -> None:
    out = run(scores, file_of(np.zeros((1, 1), dtype=int)), coefficients="all")[0]
    assert out.startswith("Krippendorff's alpha: 1 unit, 1 annotator, 0 values in units")


def test_one_value_alone_tells_no_scale_but_a_declared_one_does(scores: Path) -> None:
    content = file_of(np.zeros((40, 3), dtype=int))
    out, err = run(scores, content, coefficients="all", json=True)
    assert json.loads(out)["scale"]["reason"] == "one_level"
    assert "declare it: --scale 0,1,2,3" in err
    found = all_of(scores, content, scale="0,1,2,3")["coefficients"]["chance"]
    assert found["all_equal"]["value"] == found["ac1"]["value"] == 1
    assert (found["fleiss"]["value"], found["fleiss"]["reason"]) == (None, "no_variation")


def test_labels_have_what_compares_equal_with_different(scores: Path) -> None:
    table = panel()
    out, err = run(
        scores, file_of(table, scale=["bad", "fair", "good", "fine"]), coefficients="all", json=True
    )
    found, numbers = json.loads(out), all_of(scores, file_of(table))["coefficients"]
    assert found["scale"] == {"levels": ["bad", "fair", "fine", "good"], "source": "labels", "reason": None}
    of_chance = found["coefficients"]["chance"]
    for name in PLAIN:
        assert of_chance[name]["value"] == pytest.approx(numbers["chance"][name]["value"], abs=1e-12)
    assert {of_chance[name]["reason"] for name in WEIGHTED} == {"needs_numbers"}
    assert {each["reason"] for each in found["coefficients"]["icc"]["forms"].values()} == {"needs_numbers"}
    for pair, same in zip(found["coefficients"]["pairs"], numbers["pairs"], strict=True):
        assert pair["plain"] == pytest.approx(same["plain"], abs=1e-12)
        assert (pair["linear"], pair["quadratic"], pair["reason"]) == (None, None, "needs_numbers")
    assert "Labels taken for all that could be given: bad, fair, fine, good." in err
    assert "weighted coefficients and ICC need numbers" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scale": "0,1,2,3"}, "--scale serves --coefficients all alone"),
        ({"scale": "0,x", "coefficients": "all"}, '--scale: "x" is no level; write whole numbers up to 255'),
        ({"scale": "0,256", "coefficients": "all"}, '--scale: "256" is no level'),
        ({"scale": "0,1,01", "coefficients": "all"}, "--scale: a level stands there twice"),
        ({"scale": "0", "coefficients": "all"}, "--scale: a scale has 2 to 50 levels, and here is 1"),
        ({"scale": "", "coefficients": "all"}, '--scale: "" is no level'),
        (
            {"scale": "0,1,2", "coefficients": "all"},
            "scores.csv, line 9, column value: 3 is not on the scale 0, 1, 2",
        ),
    ],
)
def test_it_refuses_scales_that_are_none_or_not_those_of_the_file(
    scores: Path, options: dict, said: str
) -> None:
    table = panel()
    table[:3] = [[0, 1, 2], [0, 1, 2], [1, 3, 3]]
    content = file_of(table)
    assert all_of(scores, content, scale="0,1,2,3")
    assert refusal(scores, content, **options).startswith(said)


def test_it_refuses_labels_where_a_scale_of_numbers_is_declared(scores: Path) -> None:
    found = refusal(scores, HEADER + "u,ann,1,,\nu,ben,good,,\n", coefficients="all", scale="0,1")
    assert found.startswith('scores.csv, line 3, column value: "good" is not on the scale 0, 1; correct')


# --- intraclass correlation of any values ----------------------------------------------------------------


@pytest.mark.parametrize("left_out", [set(), GAPS])
@pytest.mark.parametrize("scale", [["0", "0.1", "0.2", "0.3"], ["-3e5", "-2e5", "-1e5", "0"]])
def test_only_distances_count(scores: Path, scale: list[str], left_out: set) -> None:
    table = panel()
    found = all_of(scores, file_of(table, scale=scale, left_out=left_out))["coefficients"]["icc"]
    same = all_of(scores, file_of(table, left_out=left_out))["coefficients"]["icc"]
    assert (found["design"], found["ratings"]) == (same["design"], same["ratings"])
    for form in FORMS:
        assert found["forms"][form] == pytest.approx(same["forms"][form], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_many_different_values_are_met_without_a_cell_for_each(seed: int) -> None:
    unit, annotator, code = many_raters.scores(80, seed)
    kept = np.unique(unit, return_inverse=True)[1]
    values = code * 29 + np.random.default_rng(seed).integers(0, 20, len(code))
    rows = Rows(kept, annotator, [f"{i}" for i in range(8)], None)
    found = intraclass.of_codes(rows, values, range(120), Bootstrap(200, "s"))
    patterns = value_patterns.of_codes(kept, values, n_values=120)
    expected = icc_tables.one_way(patterns, scale=range(120), replicates=0)
    assert found.ratings == expected.ratings
    for form in ("ICC1", "ICC1k"):
        assert found.forms[form].value == pytest.approx(expected.forms[form].value, abs=1e-12)
        assert found.forms[form].drawn_low < found.forms[form].value < found.forms[form].drawn_high


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
@example([0.0, 5e-324])
@example([-1.7e308, 1.7e308, 0.1])
def test_steps_keep_the_order_of_values_and_begin_at_nothing(values: list[float]) -> None:
    steps = intraclass.steps(np.array(values))
    assert steps.min() == 0
    assert steps.max() <= 2 * intraclass.FINE
    assert (np.diff(steps[np.argsort(values)]) >= 0).all()
    assert (len(set(values)) > 1) == bool(steps.max())


# --- how it is shown -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["0123", "abcd", ["0", "0.5", "1", "1.5"], "0000"])
def test_its_keys_are_the_same_whatever_the_file_holds(scores: Path, scale: object) -> None:
    found = all_of(scores, file_of(panel(), scale=scale))["coefficients"]
    empty = all_of(scores, HEADER)["coefficients"]
    assert list(found) == list(empty) == ["weights", "chance", "icc", "pairs", "without"]
    assert list(found["chance"]) == list(empty["chance"]) == list(COEFFICIENTS)
    assert list(found["icc"]["forms"]) == list(empty["icc"]["forms"]) == list(FORMS)
    keys = ["annotators", "n", "plain", "linear", "quadratic", "reason"]
    assert all(list(pair) == keys for pair in found["pairs"])
    undefined = [each for each in found["chance"].values() if each["value"] is None]
    assert all(each["reason"] for each in undefined)


def test_pairs_that_share_no_unit_are_there_without_kappa(scores: Path) -> None:
    content = HEADER + "u,ann,1,,\nu,ben,2,,\nv,cho,0,,\nv,dai,2,,\n"
    pairs = {tuple(p["annotators"]): p for p in all_of(scores, content)["coefficients"]["pairs"]}
    assert len(pairs) == 6
    assert pairs["ann", "cho"] == {
        "annotators": ["ann", "cho"],
        "n": 0,
        "plain": None,
        "linear": None,
        "quadratic": None,
        "reason": "nothing_shared",
    }
    assert "Pairs who share no unit: 4." in run(scores, content, coefficients="all")[0]


def test_all_tables_fit_into_100_columns(scores: Path) -> None:
    random = np.random.default_rng(5)
    names = ["非常长的评分员名字" * 5, "an annotator with a very long name indeed, of an agency", "c", "d"]
    rows = [
        f"u{i},{j},{random.integers(0, 4) if i % 3 else 1},{'小说与散文' * (i % 4) * 4}\n"
        for i in range(60)
        for j in ('"' + name + '"' for name in random.permutation(names)[:3])
    ]
    content = "unit,annotator,value,体裁\n" + "".join(rows)
    for level in ("all", "ordinal"):
        out, _err = run(scores, content, coefficients="all", by="体裁", level=level)
        wide = [line for line in out.splitlines() if columns(line) > 100]
        assert wide == []
        assert "=== 体裁: (none)  (too few)" in out


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def test_of_very_many_annotators_the_worst_are_shown_and_the_rest_counted(scores: Path) -> None:
    random = np.random.default_rng(6)
    rows = [f"u{i},a{j:02},{random.integers(0, 4)},,\n" for i in range(20) for j in range(50)]
    out, _err = run(scores, HEADER + "".join(rows), coefficients="all", replicates=0, level="nominal")
    assert "Shown: 45 of 1,225; the others by --json." in out
    assert "Shown: 45 of 50; the others by --json." in out
    kappas = out.split("Kappa of every two")[1].split("Shown")[0].splitlines()[2:]
    quadratic = [float(line.split()[-1]) for line in kappas]
    assert len(quadratic) == 45
    assert quadratic == sorted(quadratic)
