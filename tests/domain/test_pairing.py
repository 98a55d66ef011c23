"""Pairs from scores, rule by rule, against the published cases and against a second implementation."""

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore, ScoreRow, current
from curation.domain import verdicts
from curation.domain.funnel import REASONS
from curation.domain.pairing import Curation, CurationError, Pair, curate
from curation.domain.recipes import WritingPreference
from tests.domain import oracle
from tests.domain.material_strategies import material, recipes

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "wpb.json").read_text(encoding="utf-8"))
SCORES_ALONE = WritingPreference(length_symmetry=False)
thorough = settings(max_examples=200, deadline=None, derandomize=True)


def facts(statistic: str) -> list:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def fact(case_id: str) -> dict:
    return next(case for case in FACTS if case["id"] == case_id)


def response(name: str, text: str = "", **values) -> ResponseRow:
    return ResponseRow(id=name, prompt_id="p", text=text or f"text of {name}", prompt="Write.", **values)


def scores_of(name: str, scores: dict[str, int] | list[int], largest_revision: int = 0) -> list[CurrentScore]:
    if isinstance(scores, list):
        scores = {f"a{number}": score for number, score in enumerate(scores, start=1)}
    return [CurrentScore(name, annotator, score, largest_revision) for annotator, score in scores.items()]


def two(a, b, recipe: WritingPreference = SCORES_ALONE, **values) -> Curation:
    """The curation of two responses A and B with these scores."""
    responses = [response("A", **values), response("B", **values)]
    return curate(responses, [*scores_of("A", a), *scores_of("B", b)], recipe)


def outcome(curation: Curation) -> str:
    """Of a single candidate: accepted, or its reason."""
    assert curation.funnel.candidates == 1
    return curation.rejected[0].reason if curation.rejected else "accepted"


# --- published cases -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", facts("wpb_pair_decision"))
def test_a_published_case_is_decided_as_published(case):
    expected = case["expected"]
    curation = two(case["input"]["scores_A"], case["input"]["scores_B"])
    if not expected["accept"]:
        assert outcome(curation) == expected["reason"].partition("+")[0]
        return
    (pair,) = curation.pairs
    assert pair.chosen == expected["chosen"]
    assert Fraction(*pair.gap) == Fraction(expected["gap"])
    assert (pair.votes_for, pair.votes_against, pair.ties, pair.k) == tuple(
        expected[name] for name in ("votes_for", "votes_against", "ties", "overlap")
    )


@pytest.fixture(scope="module")
def constellations() -> Curation:
    """All two rows of three scores of 0-3: one prompt with a response for each of the 64 rows.

    A candidate stands for two of the 4,096 ordered constellations, and 64 have the same row twice.
    """
    rows = ["".join(row) for row in product("0123", repeat=3)]
    scores = [score for row in rows for score in scores_of(row, [int(digit) for digit in row])]
    return curate([response(row) for row in rows], scores, SCORES_ALONE)


def differences(a: str, b: str) -> list[int]:
    return [int(one) - int(other) for one, other in zip(a, b, strict=True)]


def test_all_4096_constellations_of_three_annotators_are_decided_as_enumerated(constellations):
    expected = fact("WP-048")["expected"]
    pairs, rejected = constellations.pairs, constellations.rejected
    assert 2 * constellations.funnel.candidates + 64 == expected["total"]
    assert len(pairs) == expected["accepted"]
    assert sum(pair.votes_against == 1 for pair in pairs) == expected["accepted_with_one_against"]
    assert sum(pair.votes_for == 3 for pair in pairs) == expected["accepted_unanimous"]
    assert (
        sum((pair.votes_for, pair.ties) == (2, 1) for pair in pairs) == expected["accepted_two_for_one_tie"]
    )
    failed = [
        (row.reason, differences(a, b)) for row in rejected for a, b in ((row.a, row.b), (row.b, row.a))
    ]
    without_votes = [reason for reason, by in failed if sum(by) >= 3]
    assert without_votes == ["direction"] * expected["gap_ok_votes_fail"]
    without_gap = [(reason, by) for reason, by in failed if sum(d > 0 for d in by) >= 2]
    assert len(without_gap) == expected["votes_ok_gap_fail"]
    assert all(reason == "gap" for reason, by in without_gap if sum(by) > 0)
    assert sum(min(by) > 0 for _, by in without_gap) == expected["unanimous_but_gap_below_1"]


@pytest.mark.parametrize("case", facts("wpb_floating_point_traps"))
def test_a_gap_of_exactly_1_is_kept_where_doubles_fall_short_of_it(case):
    k = case["input"]["annotators"]
    for chosen, rejected in case["expected"]["sums_where_doubles_fail"]:
        assert chosen / k - rejected / k < 1
        a = spread(chosen, k)
        b = [score - 1 for score in a]
        assert sum(b) == rejected
        assert two(a, b).pairs[0].gap == (1, 1)


def spread(total: int, k: int) -> list[int]:
    """k scores of 1 to 3 with this sum."""
    extra = total - k
    return [1 + min(2, max(0, extra - 2 * place)) for place in range(k)]


def test_no_acceptance_is_lost_to_doubles(constellations):
    expected = fact("WP-049")["expected"]

    def doubles_fail(a: str, b: str) -> bool:
        one, other = (sum(map(int, row)) for row in (a, b))
        return one - other == 3 and one / 3 - other / 3 < 1

    kept = sum(doubles_fail(pair.chosen, pair.rejected) for pair in constellations.pairs)
    lost = sum(
        doubles_fail(a, b) for row in constellations.rejected for a, b in ((row.a, row.b), (row.b, row.a))
    )
    assert kept == expected["wrongly_rejected_acceptances"]
    assert kept + lost == expected["constellations_where_doubles_err"]


def test_a_pair_is_an_unordered_set_of_two_responses():
    case = fact("WP-040")
    names = {name for pair in case["input"]["pairs"] for name in pair}
    curation = curate([response(name) for name in names], [], SCORES_ALONE)
    assert curation.funnel.candidates == case["expected"]["unique_pairs"]


def test_identical_texts_make_no_pair_and_still_count_as_a_candidate():
    case = fact("WP-041")
    responses = [response("A", case["input"]["text_A"]), response("B", case["input"]["text_B"])]
    scores = [*scores_of("A", case["input"]["scores_A"]), *scores_of("B", case["input"]["scores_B"])]
    assert outcome(curate(responses, scores, SCORES_ALONE)) == case["expected"]["reason"]


def test_identical_text_comes_before_every_other_reason():
    responses = [response("A", "caf\u00e9"), response("B", " cafe\u0301\n")]
    assert outcome(curate(responses, [], SCORES_ALONE)) == "identical_text"


def test_the_latest_score_counts_and_a_change_of_2_is_flagged():
    case = fact("WP-042")
    first, last = case["input"]["scores_for_A_in_time_order"]
    acts = [
        ScoreRow("A", "a1", last, datetime(2026, 1, 2, tzinfo=UTC)),
        ScoreRow("A", "a1", first, datetime(2026, 1, 1, tzinfo=UTC)),
    ]
    (score,) = current(acts)
    assert score.score == case["expected"]["score_used"]
    rest = [*scores_of("A", {"a2": 3}), *scores_of("B", {"a1": 1, "a2": 1})]
    (pair,) = curate([response("A"), response("B")], [score, *rest], SCORES_ALONE).pairs
    assert "self_disagreement" in pair.flags


def test_the_published_means_exceed_a_length_ratio_below_theirs():
    case = fact("WP-045")
    chosen, rejected = (round(10 * case["input"][name]) for name in ("len_chosen", "len_rejected"))
    assert round(chosen / rejected, 4) == case["expected"]["length_ratio"]
    for ratio, expected in ((Fraction("1.7268"), "accepted"), (Fraction("1.7267"), "length_ratio")):
        recipe = replace(SCORES_ALONE, max_length_ratio=ratio)
        responses = [response("A", length=chosen), response("B", length=rejected)]
        scores = [*scores_of("A", [3, 3, 3]), *scores_of("B", [1, 1, 1])]
        assert outcome(curate(responses, scores, recipe)) == expected


@pytest.mark.parametrize(("longer", "expected"), [(900, "accepted"), (901, "length_ratio")])
def test_the_length_ratio_is_inclusive(longer, expected):
    case = fact("WP-046")["input"]
    recipe = replace(SCORES_ALONE, max_length_ratio=Fraction(case["max_length_ratio"]))
    responses = [response("A", length=case["len_shorter"]), response("B", length=longer)]
    scores = [*scores_of("A", [3, 3, 3]), *scores_of("B", [1, 1, 1])]
    assert outcome(curate(responses, scores, recipe)) == expected


# --- single rules ----------------------------------------------------------------------------------------


def test_two_common_annotators_must_agree():
    assert outcome(two([3, 2], [1, 2])) == "direction"
    assert two([3, 3], [1, 2]).pairs[0].flags == ("k2",)


def test_min_common_3_refuses_two():
    assert outcome(two([3, 3], [1, 1], replace(SCORES_ALONE, min_common=3))) == "insufficient_overlap"


def test_unanimous_refuses_a_tie_and_a_contrary_vote():
    unanimous = replace(SCORES_ALONE, unanimous=True)
    assert outcome(two([3, 3, 1], [1, 1, 1], unanimous)) == "unanimity"
    assert outcome(two([3, 3, 1], [1, 1, 2], unanimous)) == "unanimity"
    assert outcome(two([3, 3, 2], [1, 1, 1], unanimous)) == "accepted"


def test_direction_is_reported_before_unanimity_and_gap():
    assert outcome(two([3, 1, 1], [2, 1, 1], replace(SCORES_ALONE, unanimous=True))) == "direction"


def test_a_gap_may_be_a_fraction_and_is_inclusive():
    exact = replace(SCORES_ALONE, min_gap=Fraction(4, 3))
    assert outcome(two([3, 3, 3], [2, 2, 1], exact)) == "accepted"
    assert outcome(two([3, 3, 3], [2, 2, 1], replace(exact, min_gap=Fraction(134, 100)))) == "gap"


def test_a_pair_keeps_its_votes_gap_and_means():
    (pair,) = two([1, 1, 2], [3, 2, 3]).pairs
    assert (pair.id, pair.prompt_id, pair.chosen, pair.rejected) == ("p:B:A", "p", "B", "A")
    assert (pair.votes_for, pair.votes_against, pair.ties, pair.k, pair.gap) == (3, 0, 0, 3, (4, 3))
    assert (pair.mean_chosen, pair.mean_rejected) == (8 / 3, 4 / 3)
    assert (pair.prompt, pair.chosen_text, pair.rejected_text) == ("Write.", "text of B", "text of A")


@pytest.mark.parametrize(
    ("a", "b", "flags"),
    [
        ([3, 3, 3], [1, 1, 1], ()),
        ([3, 3, 1], [1, 1, 2], ("contrary",)),
        ([3, 3, 0], [0, 0, 3], ("contrary", "polarised", "zero_score")),
        ([2, 2, 1], [1, 1, 0], ("low_chosen",)),
        ([2, 2], [0, 0], ("k2",)),
        ([3, 3, 0], [0, 0, 0], ("zero_score",)),
    ],
)
def test_flags_are_raised_in_their_order(a, b, flags):
    assert two(a, b).pairs[0].flags == flags
    assert two(b, a).pairs[0].flags == flags


def test_a_revision_of_a_score_that_is_not_compared_raises_no_flag():
    scores = [*scores_of("A", [3, 3]), *scores_of("B", [1, 1]), CurrentScore("A", "a9", 3, 3)]
    (pair,) = curate([response("A"), response("B")], scores, SCORES_ALONE).pairs
    assert "self_disagreement" not in pair.flags
    revised = [replace(score, largest_revision=2) if score.response_id == "B" else score for score in scores]
    (pair,) = curate([response("A"), response("B")], revised, SCORES_ALONE).pairs
    assert "self_disagreement" in pair.flags


def test_responses_of_different_prompts_make_no_candidate():
    responses = [response("A"), replace(response("B"), prompt_id="q")]
    assert curate(responses, [], SCORES_ALONE).funnel.candidates == 0


def test_nothing_gives_an_empty_funnel_with_every_reason():
    funnel = curate([], [], WritingPreference(), removed=7).funnel
    assert funnel.as_dict() == {
        "candidates": 0,
        "removed": 7,
        "rejected": dict.fromkeys(REASONS, 0),
        "accepted": 0,
    }
    assert list(funnel.as_dict()["rejected"]) == list(REASONS)


def test_lengths_are_given_for_all_responses_of_a_prompt_or_for_none():
    responses = [response("A", length=3), response("B"), response("C")]
    with pytest.raises(CurationError, match=r"'p' some .* \('B', 'C'\)"):
        curate(responses, [], SCORES_ALONE)
    other_prompt = [replace(row, id=row.id + "2", prompt_id="q", length=None) for row in responses]
    curation = curate([replace(row, length=5) for row in responses] + other_prompt, [], SCORES_ALONE)
    assert curation.lengths.as_dict() == {"counted": {"words": 3}, "given": 3}


def test_lengths_are_counted_in_the_unit_of_the_language():
    responses = [response("A", "春天来了", language="zh"), response("B", "他 走 了 吗？", language="zh")]
    scores = [*scores_of("A", [3, 3, 3]), *scores_of("B", [1, 1, 1])]
    curation = curate(responses, scores, SCORES_ALONE)
    assert (curation.pairs[0].length_chosen, curation.pairs[0].length_rejected) == (4, 5)
    assert curation.lengths.as_dict() == {"counted": {"characters": 2}, "given": 0}


def test_two_pairs_with_one_id_are_refused():
    names = ("x:y", "z", "x", "y:z")
    scores = [s for name in names for s in scores_of(name, [3, 3] if name in ("x:y", "x") else [0, 0])]
    with pytest.raises(CurationError, match="two pairs would have the id 'p:x:y:z'"):
        curate([response(name) for name in names], scores, SCORES_ALONE)


@pytest.mark.parametrize(
    ("responses", "scores", "message"),
    [
        ([response("A"), response("A", "other")], [], "'A' occurs twice"),
        ([response("A")], scores_of("B", [1]), "'B', which is not among these"),
        ([response("A")], scores_of("A", [4]), "use 0, 1, 2 or 3"),
        ([response("A")], scores_of("A", [1]) * 2, "scores 'A' twice"),
        ([response("A", length=-1)], [], "has the length -1"),
    ],
)
def test_material_that_contradicts_itself_is_refused(responses, scores, message):
    with pytest.raises(CurationError, match=message):
        curate(responses, scores, SCORES_ALONE)


@pytest.mark.parametrize("more", [(), ("p:1", "p")])
def test_pairs_and_rejections_are_sorted_as_bytes(more):
    names = ("p1", "p10", "P2", "p-1", "é", "z", *more)
    responses = [
        ResponseRow(id=f"{prompt}/{side}", prompt_id=prompt, text=side) for prompt in names for side in "abc"
    ]
    scores = [s for row in responses for s in scores_of(row.id, [3, 3] if row.text == "a" else [0, 0])]
    curation = curate(responses, scores, SCORES_ALONE)
    ids = [pair.id.encode() for pair in curation.pairs]
    assert ids == sorted(ids)
    rejected = [(row.a.encode(), row.b.encode()) for row in curation.rejected]
    assert rejected == sorted(rejected)
    assert all(a < b for a, b in rejected)


# --- against the second implementation -------------------------------------------------------------------


def described(pair: Pair) -> tuple:
    return (
        pair.votes_for,
        pair.votes_against,
        pair.ties,
        pair.k,
        pair.gap,
        pair.mean_chosen,
        pair.mean_rejected,
        pair.length_chosen,
        pair.length_rejected,
        pair.flags,
    )


@thorough
@given(material(), recipes)
def test_every_candidate_ends_as_in_the_second_implementation(rows, recipe):
    responses, scores = rows
    curation = curate(responses, scores, recipe)
    expected = oracle.curate(responses, scores, recipe)
    assert {(c.chosen, c.rejected): c.facts for c in expected if not c.reason} == {
        (pair.chosen, pair.rejected): described(pair) for pair in curation.pairs
    }
    assert {(c.a, c.b): c.reason for c in expected if c.reason} == {
        (row.a, row.b): row.reason for row in curation.rejected
    }


@thorough
@given(material(), recipes)
def test_each_candidate_has_one_outcome_and_the_funnel_adds_up(rows, recipe):
    responses, scores = rows
    curation = curate(responses, scores, recipe)
    per_prompt = Counter(row.prompt_id for row in responses).values()
    assert curation.funnel.candidates == sum(n * (n - 1) // 2 for n in per_prompt)
    assert curation.funnel.accepted == len(curation.pairs)
    assert curation.funnel.accepted + sum(curation.funnel.rejected.values()) == curation.funnel.candidates
    outcomes = [frozenset((pair.chosen, pair.rejected)) for pair in curation.pairs]
    outcomes += [frozenset((row.a, row.b)) for row in curation.rejected]
    assert len(set(outcomes)) == len(outcomes) == curation.funnel.candidates
    reasons = Counter(row.reason for row in curation.rejected)
    assert {reason: reasons[reason] for reason in recipe.reasons} == curation.funnel.rejected
    assert list(curation.funnel.rejected) == list(recipe.reasons)


@thorough
@given(material(), recipes, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, recipe, rng):
    responses, scores = rows
    first = curate(responses, scores, recipe)
    again = curate(rng.sample(responses, len(responses)), rng.sample(scores, len(scores)), recipe)
    assert list(first.pairs) == list(again.pairs)
    assert list(first.rejected) == list(again.rejected)
    assert (first.funnel, first.symmetry, first.lengths) == (again.funnel, again.symmetry, again.lengths)


@thorough
@given(material(), recipes)
def test_prompts_may_be_curated_apart_up_to_pruning(rows, recipe):
    responses, scores = rows
    recipe = replace(recipe, length_symmetry=False, quota=None)
    whole = curate(responses, scores, recipe)
    parts = []
    for prompt in {row.prompt_id for row in responses}:
        members = [row for row in responses if row.prompt_id == prompt]
        ids = {row.id for row in members}
        parts += curate(members, [s for s in scores if s.response_id in ids], recipe).pairs
    assert sorted(parts, key=lambda pair: pair.id) == list(whole.pairs)


def test_a_large_prompt_is_judged_in_chunks_that_do_not_show(monkeypatch):
    rng = random.Random(5)
    responses = [response(f"r{number:03}", length=rng.randint(1, 50)) for number in range(60)]
    scores = [
        CurrentScore(row.id, name, rng.randint(0, 3))
        for row in responses
        for name in rng.sample(["ann", "ben", "cyd", "dan"], 3)
    ]
    whole = curate(responses, scores, WritingPreference(buckets=10))
    monkeypatch.setattr(verdicts, "CHUNK", 130)
    chunked = curate(responses, scores, WritingPreference(buckets=10))
    assert list(whole.pairs) == list(chunked.pairs)
    assert list(whole.rejected) == list(chunked.rejected)


def test_pairs_and_rejections_are_sequences_made_when_asked_for():
    curation = curate(
        [response(name) for name in "ABCD"],
        [s for name in "ABCD" for s in scores_of(name, [3, 3] if name == "A" else [0, 0])],
        SCORES_ALONE,
    )
    for rows in (curation.pairs, curation.rejected):
        assert len(rows) == 3
        assert [rows[0], rows[1], rows[-1]] == list(rows) == list(rows[:])
        assert rows[2] in rows
        with pytest.raises(IndexError):
            rows[3]


def test_totals_are_those_of_the_pairs():
    responses = [response("A", length=5), response("B", length=7), response("C", length=5)]
    scores = [*scores_of("A", [3, 3, 0]), *scores_of("B", [1, 1, 0]), *scores_of("C", [0, 0, 0])]
    pairs = curate(responses, scores, SCORES_ALONE).pairs
    totals = pairs.totals()
    assert totals.prompts == 1
    assert totals.length_chosen == sum(pair.length_chosen for pair in pairs)
    assert totals.length_rejected == sum(pair.length_rejected for pair in pairs)
    assert totals.sides.as_dict() == {"longer": 0, "shorter": 1, "equal": 1}
    assert totals.flagged == {**dict.fromkeys(verdicts.FLAGS, 0), "zero_score": 2}
