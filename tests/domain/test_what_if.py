"""A what-if says what a run would give, and which candidates stand behind each number."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain import behind, candidates, priority
from curation.domain.pairing import curate
from curation.domain.recipes import WritingPreference
from curation.domain.what_if import ALL, GIVEN, what_if
from tests.domain.material_strategies import material, recipes

pytestmark = pytest.mark.files
thorough = settings(max_examples=60, deadline=None)


def rows(lengths: dict[str, int], **values) -> list[ResponseRow]:
    return [
        ResponseRow(id=name, prompt_id=name[0], text=f"text of {name}", length=length, **values)
        for name, length in lengths.items()
    ]


def scored(scores: dict[str, tuple[int, ...]]) -> list[CurrentScore]:
    return [
        CurrentScore(name, f"a{number}", score)
        for name, given in scores.items()
        for number, score in enumerate(given, start=1)
    ]


def outcome_of(found: behind.Behind) -> list[tuple[str, str, str]]:
    return [(each.chosen, each.rejected, each.reason) for each in found.candidates]


# --- against a run of the same recipe --------------------------------------------------------------------


@thorough
@given(material(), recipes)
def test_it_counts_what_a_run_of_the_same_recipe_counts(sample, recipe):
    responses, scores = sample
    run, found = curate(responses, scores, recipe, removed=3), what_if(responses, scores, recipe, removed=3)
    assert found.funnel == run.funnel
    assert (found.symmetry, found.lengths) == (run.symmetry, run.lengths)
    assert found.funnel.accepted + sum(found.funnel.rejected.values()) == found.funnel.candidates
    assert sum(cell.candidates for cell in found.cells) == found.funnel.candidates
    assert sum(cell.accepted for cell in found.cells) == found.funnel.accepted
    assert found.after.sides == run.pairs.totals().sides


@thorough
@given(material(), recipes)
def test_behind_the_rules_stand_all_candidates_of_a_run_each_once(sample, recipe):
    responses, scores = sample
    run, found = curate(responses, scores, recipe), what_if(responses, scores, recipe)
    of_rules = [bar for key, bar in found.behind.items() if key.startswith("rule-")]
    assert sorted(
        (*sorted((each.chosen, each.rejected)), each.reason) for bar in of_rules for each in bar.candidates
    ) == sorted(
        [(row.a, row.b, row.reason) for row in run.rejected]
        + [(*sorted((pair.chosen, pair.rejected)), "") for pair in run.pairs]
    )
    accepted = found.behind.get(behind.rule(behind.ACCEPTED))
    by_sides = {(each.chosen, each.rejected): each for each in accepted.candidates} if accepted else {}
    for pair in run.pairs:
        each = by_sides[pair.chosen, pair.rejected]
        tally = each.tally
        assert (tally.k, tally.votes_for, tally.votes_against) == (pair.k, pair.votes_for, pair.votes_against)
        assert (each.length_chosen, each.length_rejected) == (pair.length_chosen, pair.length_rejected)
        assert tally.sum_chosen / tally.k == pair.mean_chosen


@thorough
@given(material(), recipes)
def test_each_bar_has_as_many_behind_it_as_its_number_says(sample, recipe):
    found = what_if(*sample, recipe)
    totals = {key: bar.total for key, bar in found.behind.items()}
    numbers = {behind.rule(behind.ACCEPTED): found.funnel.accepted}
    numbers |= {behind.rule(reason): number for reason, number in found.funnel.rejected.items()}
    numbers |= {behind.cell(place): cell.accepted for place, cell in enumerate(found.cells)}
    half = len(found.groups) // 2
    for place, group in enumerate(found.groups):
        at = (group.side, abs(place - half))
        numbers |= {behind.lengths(*at): group.before, behind.lengths_kept(*at): group.after}
    assert totals == {key: number for key, number in numbers.items() if number}


@thorough
@given(material(), recipes)
def test_length_differences_mirror_exactly_after_pruning(sample, recipe):
    found = what_if(*sample, replace(recipe, length_symmetry=True))
    assert [group.after for group in found.groups] == [group.after for group in found.groups][::-1]
    assert found.after.sides.longer == found.after.sides.shorter
    assert found.after.share.rate in (None, 0.5)
    assert sum(group.before for group in found.groups) >= sum(group.after for group in found.groups)


@thorough
@given(material(), recipes)
def test_candidates_stand_in_ascending_priority(sample, recipe):
    responses, _ = sample
    found = what_if(*sample, recipe)
    hashes = dict(
        zip(
            (row.id for row in responses),
            priority.hashes(recipe.seed, [row.id for row in responses]),
            strict=True,
        )
    )
    for key, bar in found.behind.items():
        for each in bar.candidates:
            sides = (hashes[each.chosen], hashes[each.rejected])
            assert each.priority == int(priority.priorities(*(side.reshape(1) for side in sides))[0])
        if key.startswith(("cell", "lengths")):
            assert [each.priority for each in bar.candidates] == sorted(
                each.priority for each in bar.candidates
            )


SHORTER = {"rules": ["gap", "identical_text", "quota"], "min_gap": "1/2", "quota": 2}


@thorough
@given(material())
def test_a_recipe_with_rules_left_out_and_in_another_order_is_no_exception(sample):
    responses, scores = sample
    recipe = WritingPreference.from_parameters(SHORTER)
    run, found = curate(responses, scores, recipe), what_if(responses, scores, recipe)
    assert found.funnel == run.funnel
    reasons = {
        key.removeprefix("rule-"): bar.total for key, bar in found.behind.items() if key.startswith("rule-")
    }
    accepted = reasons.pop(behind.ACCEPTED, 0)
    assert accepted == len(run.pairs)
    assert reasons == {reason: number for reason, number in run.funnel.rejected.items() if number}


# --- what it says ----------------------------------------------------------------------------------------

LENGTHS = {"p1": 10, "p2": 30, "q1": 50, "q2": 20, "s1": 40, "s2": 40}
SCORES = {"p1": (3, 3), "p2": (1, 1), "q1": (3, 2), "q2": (1, 1), "s1": (3, 3), "s2": (0, 0)}


def test_means_and_the_share_of_longer_stand_before_and_after():
    found = what_if(rows(LENGTHS), scored(SCORES), WritingPreference(buckets=2))
    assert found.before.sides.as_dict() == {"longer": 1, "shorter": 1, "equal": 1}
    assert (found.before.share.rate, found.after.share.rate) == (0.5, 0.5)
    assert found.before.share.low is not None
    every = found.means_after[0]
    assert (every.language, every.n, every.units) == (ALL, 3, (GIVEN,))
    assert every.length_chosen.mean == pytest.approx((10 + 50 + 40) / 3)
    assert every.score_chosen.mean == pytest.approx((3 + 2.5 + 3) / 3)
    assert every.score_rejected.sd == pytest.approx(0.5773502691896257)


def test_of_one_pair_there_is_a_mean_and_no_deviation_and_of_none_neither():
    one = what_if(rows({"p1": 3, "p2": 3}), scored({"p1": (3, 3), "p2": (1, 1)}), WritingPreference())
    assert (one.means_after[0].score_chosen.mean, one.means_after[0].score_chosen.sd) == (3.0, None)
    none = what_if([], [], WritingPreference())
    assert (none.funnel.candidates, none.behind, none.cells) == (0, {}, ())
    assert none.after.share.reason == "empty"
    assert none.means_after[0].length_chosen.mean is None


def test_cells_are_genres_in_languages_and_say_what_quota_holds_for_them():
    responses = rows({"p1": 3, "p2": 3}, genre="poetry", language="en")
    responses += rows({"q1": 3, "q2": 3}, genre="fiction", language="zh")
    scores = scored({"p1": (3, 3), "p2": (1, 1), "q1": (2, 2), "q2": (2, 2)})
    cells = what_if(responses, scores, WritingPreference(quota=5, strata="language+genre")).cells
    assert [(each.genre, each.language, each.candidates, each.standing, each.accepted) for each in cells] == [
        ("fiction", "zh", 1, 0, 0),
        ("poetry", "en", 1, 1, 1),
    ]
    assert [each.quota for each in cells] == [5, 5]
    by_language = what_if(responses, scores, WritingPreference(quota=5, strata="language"))
    assert [each.quota for each in by_language.cells] == [None, None]
    assert by_language.quotas == (({"language": "en"}, 1), ({"language": "zh"}, 0))


def test_lengths_are_said_in_their_unit_by_language():
    responses = [
        ResponseRow(id=f"{tag}{side}", prompt_id=tag, text=text * (side + 1), language=tag)
        for tag, text in (("en", "two words "), ("zh", "两个字"))
        for side in (0, 1)
    ]
    scores = scored({"en0": (0, 0), "en1": (3, 3), "zh0": (3, 3), "zh1": (0, 0)})
    means = what_if(responses, scores, WritingPreference(length_symmetry=False)).means_after
    assert [(each.language, each.units) for each in means] == [
        (ALL, ("characters", "words")),
        ("en", ("words",)),
        ("zh", ("characters",)),
    ]
    assert [each.length_chosen.mean for each in means[1:]] == [4.0, 3.0]


def test_groups_of_buckets_have_edges_where_all_pairs_share_a_width():
    scores = scored(SCORES)
    groups = what_if(rows(LENGTHS), scores, WritingPreference(buckets=4)).groups
    assert [(group.side, group.low, group.high, group.before) for group in groups] == [
        (-1, 15.0, 30.0, 1),
        (-1, 0.0, 15.0, 0),
        (0, 0.0, 0.0, 1),
        (1, 0.0, 15.0, 0),
        (1, 15.0, 30.0, 1),
    ]
    many = what_if(rows(LENGTHS), scores, WritingPreference(buckets=100)).groups
    assert [(group.first, group.last) for group in many[11:]] == [
        (first, first + 4) for first in range(1, 50, 5)
    ]
    apart = [replace(row, language="zh" if row.prompt_id == "p" else "en") for row in rows(LENGTHS)]
    by_language = what_if(apart, scores, WritingPreference(buckets=4, strata="language")).groups
    assert {group.high for group in by_language} == {None}


def test_a_pruned_pair_knows_its_turn_in_the_bucket_and_how_many_the_mirror_image_has():
    lengths = {f"{name}{side}": 10 + 5 * side for name in "pqs" for side in (0, 1)} | {"t0": 15, "t1": 10}
    scores = scored({name: (3, 3) if name[1] == "1" else (0, 0) for name in lengths})
    found = what_if(rows(lengths), scores, WritingPreference(buckets=2))
    pruned = found.behind[behind.rule("length_symmetry")].candidates
    assert sorted(each.symmetry for each in pruned) == [(2, 3, 1), (3, 3, 1)]
    (shorter,) = found.behind[behind.lengths(-1, 1)].candidates
    assert (shorter.bucket, shorter.symmetry, shorter.reason) == (-1, (1, 1, 3), "")
    assert found.behind[behind.lengths(1, 1)].total == 3


def test_sides_of_a_rejected_candidate_are_as_the_scores_have_them():
    found = what_if(
        rows({"p1": 3, "p2": 3}),
        [*scored({"p1": (1, 1)}), *scored({"p2": (1, 2)}), CurrentScore("p1", "zed", 3, 2)],
        WritingPreference(),
    )
    (each,) = found.behind[behind.rule("direction")].candidates
    assert (each.chosen, each.rejected) == ("p2", "p1")
    assert each.scores == (("a1", 1, 1, False), ("a2", 2, 1, False), ("zed", None, 3, True))
    assert each.bucket is None


def test_of_more_than_it_keeps_the_first_stay_and_the_number_is_of_all(monkeypatch):
    lengths = {f"p{number}": number for number in range(6)}
    scores = scored({name: (3, 3) if name == "p0" else (1, 1) for name in lengths})
    recipe = WritingPreference(length_symmetry=False)
    whole = what_if(rows(lengths), scores, recipe)
    monkeypatch.setattr(behind, "MOST", 2)
    some = what_if(rows(lengths), scores, recipe)
    for key, bar in some.behind.items():
        assert bar.total == whole.behind[key].total
        assert bar.candidates == whole.behind[key].candidates[:2]


def test_it_is_plain_json_and_candidates_come_back_from_their_bytes():
    found = what_if(rows(LENGTHS), scored(SCORES), WritingPreference(buckets=4, quota=2, strata="language"))
    kept = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert kept["funnel"]["candidates"] == 3
    for bar in found.behind.values():
        assert candidates.from_bytes(candidates.to_bytes(bar.candidates)) == list(bar.candidates)
