"""Pairs from votes, rule by rule, against the published cases and against a second implementation."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from curation.domain import length_symmetry, vote_pairs
from curation.domain.outcome import Curation
from curation.domain.ranked import CurationError
from curation.domain.recipes import LitBench
from curation.domain.stories import Story
from curation.domain.vote_pairs import curate
from curation.domain.voted_pairs import VotedPair
from tests.domain import vote_oracle
from tests.domain.story_strategies import recipes, stories

pytestmark = pytest.mark.files

FACTS = [
    case
    for name in ("litbench.json", "symmetry.json")
    for case in json.loads((Path(__file__).parents[1] / "facts" / name).read_text(encoding="utf-8"))
]
NEW_YEAR = datetime(2023, 1, 1, tzinfo=UTC)
VOTES_ALONE = LitBench(min_words=0, length_symmetry=False)
thorough = settings(max_examples=200, deadline=None, derandomize=True)


def facts(statistic: str) -> list:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def fact(case_id: str) -> dict:
    return next(case for case in FACTS if case["id"] == case_id)


def story(name: str, upvotes: int = 20, hour: int = 0, **values) -> Story:
    """A story of New Year's Day, posted in that hour after midnight."""
    columns = {"prompt_id": "p", "text": f"text of {name}", "prompt": "Write.", **values}
    return Story(id=name, upvotes=upvotes, posted_at=NEW_YEAR + timedelta(hours=hour), **columns)


def two(chosen: Story, rejected: Story, recipe: LitBench = VOTES_ALONE) -> str:
    """What becomes of two stories: accepted, or the reason."""
    curation = curate([chosen, rejected], recipe)
    assert curation.funnel.candidates == 1
    if curation.rejected:
        return curation.rejected[0].reason
    assert curation.pairs[0].chosen == chosen.id
    return "accepted"


# --- published cases -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", facts("litbench_upvote_rule"))
def test_a_published_difference_of_votes_is_enough_or_not(case):
    chosen = story("chosen", case["input"]["upvotes_chosen"], hour=1)
    rejected = story("rejected", case["input"]["upvotes_rejected"])
    recipe = replace(VOTES_ALONE, min_upvotes=case["input"]["min_upvotes"])
    assert two(chosen, rejected, recipe) == ("accepted" if case["expected"]["accept"] else "upvote_gap")


def test_the_least_chosen_count_is_the_published_one():
    case = fact("LB-011")
    low = story("low", case["input"]["rejected"])
    accepted = [n for n in range(10, 20) if two(story("high", n, hour=1), low) == "accepted"]
    assert min(accepted) == case["expected"]["base_chosen"]


@pytest.mark.parametrize("case", facts("litbench_time_rule"))
def test_a_better_story_that_is_not_later_makes_no_pair(case):
    chosen = story("chosen", 40, hour=case["input"]["time_chosen"])
    rejected = story("rejected", 10, hour=case["input"]["time_rejected"])
    assert case["expected"]["accept"] is False
    assert two(chosen, rejected) == "time"
    assert two(chosen, rejected, replace(VOTES_ALONE, time_rule=False)) == "accepted"


def test_a_published_length_is_filtered():
    case = fact("LB-017")
    given_story = story("s", text="word " * case["input"]["words"], tokens=case["input"]["tokens"])
    curation = curate([given_story], LitBench())
    assert case["expected"]["keep"] is False
    assert curation.funnel.removed == {"min_upvotes": 0, "min_words": 0, "max_tokens": 1}


@pytest.mark.parametrize("case_id", ["LB-020", "LB-021", "LB-024", "LB-027"])
def test_a_published_set_of_lengths_is_pruned_as_published(case_id):
    case = fact(case_id)
    differences = case["input"]["length_differences"]
    longest = max(map(abs, differences))
    buckets = case["input"].get("buckets") or 2 * longest // case["input"]["bucket_width"] or 2
    rows = [
        one
        for number, difference in enumerate(differences)
        for one in (
            story(f"high{number}", 40, hour=1, prompt_id=f"p{number}", length=100 + difference),
            story(f"low{number}", 10, prompt_id=f"p{number}", length=100),
        )
    ]
    curation = curate(rows, LitBench(min_words=0, buckets=buckets))
    expected = case["expected"]
    assert len(curation.pairs) == expected.get("kept", expected.get("first_pass_kept"))
    if "zero_kept" in expected:
        assert curation.pairs.totals().sides.as_dict() == {
            "longer": expected["kept_chosen_longer"],
            "shorter": expected["kept_chosen_shorter"],
            "equal": expected["zero_kept"],
        }


# --- filters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "removed_by"),
    [
        ({"upvotes": 10}, ""),
        ({"upvotes": 9}, "min_upvotes"),
        ({"text": "word " * 50}, ""),
        ({"text": "word " * 49}, "min_words"),
        ({"text": "word " * 2048}, ""),
        ({"text": "word " * 2049}, "max_tokens"),
        ({"text": "word " * 2049, "tokens": 2048}, ""),
        ({"tokens": 2048}, ""),
        ({"tokens": 2049}, "max_tokens"),
        ({"upvotes": 9, "text": "word", "tokens": 9999}, "min_upvotes"),
        ({"text": "word", "tokens": 9999}, "min_words"),
    ],
)
def test_a_story_is_counted_under_the_first_filter_that_it_fails(values, removed_by):
    upvotes = values.pop("upvotes", 20)
    curation = curate([story("s", upvotes, **{"text": "word " * 60, **values})], LitBench())
    expected = dict.fromkeys(("min_upvotes", "min_words", "max_tokens"), 0)
    assert curation.funnel.removed == expected | ({removed_by: 1} if removed_by else {})


def test_it_says_how_the_numbers_of_tokens_came_about():
    rows = [story("a", tokens=3), story("b"), story("c", upvotes=1)]
    assert curate(rows, VOTES_ALONE).tokens.as_dict() == {"counted": {"words": 2}, "given": 1}
    assert curate(rows[:1], VOTES_ALONE).tokens.as_dict() == {"counted": {}, "given": 1}


# --- one outcome a candidate -----------------------------------------------------------------------------


def test_the_reasons_come_in_their_order():
    recipe = LitBench(min_words=0, split_at=NEW_YEAR, buckets=2)
    same = {"text": "the  same\n"}
    assert two(story("a", 10, text="the same"), story("b", 10, **same), recipe) == "identical_text"
    assert two(story("a", 13, hour=-1), story("b", 10), recipe) == "upvote_gap"
    assert two(story("a", 40, hour=-1), story("b", 10), recipe) == "time"
    assert two(story("a", 40), story("b", 10, hour=-1), recipe) == "split"
    assert two(story("a", 40, hour=1, length=2), story("b", 10, length=1), recipe) == "length_symmetry"
    assert two(story("a", 40, hour=1, length=1), story("b", 10, length=1), recipe) == "accepted"


def test_equal_votes_prefer_no_side_even_where_no_difference_is_asked_for():
    recipe = replace(VOTES_ALONE, min_difference=Fraction(0), min_upvotes=0, time_rule=False)
    assert two(story("a", 10, hour=1), story("b", 10), recipe) == "upvote_gap"
    assert two(story("a", 0, hour=1), story("b", 0), recipe) == "upvote_gap"
    assert two(story("a", 11), story("b", 10), recipe) == "accepted"


def test_stories_of_different_prompts_are_no_candidate():
    rows = [story("a", 40, hour=1, prompt_id="p"), story("b", 10, prompt_id="q")]
    assert curate(rows, VOTES_ALONE).funnel.candidates == 0


def test_votes_are_compared_exactly_however_many_they_are():
    most = 2**31 - 1
    recipe = replace(VOTES_ALONE, min_difference=Fraction(1, 999_999_999))
    enough = -(-most // 999_999_999)
    assert two(story("a", most, hour=1), story("b", most - enough), recipe) == "accepted"
    assert two(story("a", most, hour=1), story("b", most - enough + 1), recipe) == "upvote_gap"


def test_a_pair_says_where_it_comes_from():
    (pair,) = curate([story("a", 40, hour=1), story("b", 10)], VOTES_ALONE).pairs
    assert pair == VotedPair(
        id="p:a:b",
        prompt_id="p",
        chosen="a",
        rejected="b",
        upvotes_chosen=40,
        upvotes_rejected=10,
        posted_at_chosen="2023-01-01T01:00:00.000000Z",
        posted_at_rejected="2023-01-01T00:00:00.000000Z",
        length_chosen=3,
        length_rejected=3,
        flags=(),
        genre="",
        language="",
        chosen_model="",
        rejected_model="",
        prompt="Write.",
        chosen_text="text of a",
        rejected_text="text of b",
    )


# --- splits ----------------------------------------------------------------------------------------------


def test_pairs_before_the_date_train_and_later_ones_test():
    rows = [story(f"s{hour}", 20 + 10 * hour, hour) for hour in (-2, -1, 0, 1)]
    curation = curate(rows, replace(VOTES_ALONE, split_at=NEW_YEAR, min_upvotes=0))
    assert {name: [pair.id for pair in pairs] for name, pairs in curation.splits.items()} == {
        "train": ["p:s-1:s-2"],
        "test": ["p:s1:s0"],
    }
    assert curation.funnel.rejected["split"] == 4
    assert curate(rows, VOTES_ALONE).splits == {}


def test_each_split_is_pruned_for_itself():
    lengths = {-4: 5, -3: 6, -2: 6, -1: 5, 0: 5, 1: 6}  # in pairs of two: longer, shorter | longer
    rows = [
        story(f"s{hour}", 40 if hour % 2 else 10, hour, prompt_id=f"p{hour // 2}", length=length)
        for hour, length in lengths.items()
    ]
    curation = curate(rows, LitBench(min_words=0, split_at=NEW_YEAR, buckets=2))
    assert [len(curation.splits[name]) for name in ("train", "test")] == [2, 0]
    assert [dict(stratum.stratum) for stratum in curation.symmetry] == [{"split": "train"}, {"split": "test"}]


# --- properties ------------------------------------------------------------------------------------------


def outcomes(curation: Curation) -> dict[tuple[str, str], str]:
    accepted = {tuple(sorted((pair.chosen, pair.rejected), key=str.encode)): "" for pair in curation.pairs}
    return accepted | {(row.a, row.b): row.reason for row in curation.rejected}


@thorough
@given(stories(), recipes)
def test_it_decides_as_the_slow_rules_do(rows, recipe):
    curation = curate(rows, recipe)
    candidates, removed = vote_oracle.curate(rows, recipe)
    assert outcomes(curation) == {(c.a, c.b): c.reason for c in candidates}
    assert {(pair.chosen, pair.rejected) for pair in curation.pairs} == {
        (c.chosen, c.rejected) for c in candidates if not c.reason
    }
    assert {name: count for name, count in curation.funnel.removed.items() if count} == removed
    for name, pairs in curation.splits.items():
        of_split = {c.chosen for c in candidates if not c.reason and c.stratum[-1] == name}
        assert {pair.chosen for pair in pairs} == of_split


@thorough
@given(stories(), recipes)
def test_every_candidate_has_one_outcome_and_the_funnel_adds_up(rows, recipe):
    curation = curate(rows, recipe)
    funnel = curation.funnel
    passing = [row for row in rows if not vote_oracle.fault(row, recipe)]
    assert funnel.candidates == sum(a.prompt_id == b.prompt_id for a, b in combinations(passing, 2))
    assert funnel.candidates == funnel.accepted + sum(funnel.rejected.values()) == len(outcomes(curation))
    assert len(rows) == len(passing) + sum(funnel.removed.values())
    assert (tuple(funnel.rejected), tuple(funnel.removed)) == (recipe.reasons, recipe.filters)
    assert sum(len(pairs) for pairs in curation.splits.values()) in (0, funnel.accepted)


@thorough
@given(stories(), recipes)
def test_the_longer_side_wins_as_often_as_the_shorter_in_every_bucket(rows, recipe):
    recipe = replace(recipe, length_symmetry=True, strata="none")
    curation = curate(rows, recipe)
    parts = [
        curation.splits[dict(s.stratum)["split"]] if s.stratum else curation.pairs for s in curation.symmetry
    ]
    for stratum, pairs in zip(curation.symmetry, parts, strict=True):
        differences = np.array([p.length_chosen - p.length_rejected for p in pairs], dtype=np.int64)
        buckets = length_symmetry.buckets_of(differences, stratum.width)
        assert sorted(buckets) == sorted(-buckets)
        assert stratum.kept == length_symmetry.sides(differences)


@thorough
@given(stories(), recipes)
def test_neither_order_of_rows_nor_chunks_show(rows, recipe):
    shuffled = random.Random(3).sample(rows, len(rows))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vote_pairs, "CHUNK", 3)
        again = curate(shuffled, recipe)
    first = curate(rows, recipe)
    assert list(first.pairs) == list(again.pairs)
    assert list(first.rejected) == list(again.rejected)
    assert (first.funnel, first.symmetry, first.lengths) == (again.funnel, again.symmetry, again.lengths)


@thorough
@given(stories(), recipes)
def test_rejected_candidates_may_be_counted_and_not_kept(rows, recipe):
    kept, counted = curate(rows, recipe), curate(rows, recipe, keep="none")
    assert list(kept.pairs) == list(counted.pairs)
    assert kept.funnel == counted.funnel
    if counted.rejected:
        with pytest.raises(LookupError, match="only counted"):
            list(counted.rejected)


# --- refusals --------------------------------------------------------------------------------------------


def test_an_id_that_occurs_twice_is_refused():
    with pytest.raises(CurationError, match="occurs twice"):
        curate([story("a"), story("a", 10)], VOTES_ALONE)


def test_lengths_of_two_kinds_within_a_prompt_are_refused():
    with pytest.raises(CurationError, match="some responses have a length"):
        curate([story("a", length=3), story("b")], VOTES_ALONE)


def test_no_story_gives_no_pair():
    curation = curate([], LitBench(split_at=NEW_YEAR))
    assert (len(curation.pairs), curation.funnel.candidates, curation.symmetry) == (0, 0, ())
