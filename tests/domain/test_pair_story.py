"""Why a pair was accepted or rejected, rule by rule."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from curation.domain import pair_story
from curation.domain.candidates import Candidate
from curation.domain.pair_story import DECIDED, NOT_REACHED, OFF, PASSED, explain
from curation.domain.recipes import WritingPreference
from curation.domain.what_if import what_if
from tests.domain.material_strategies import material, recipes

pytestmark = pytest.mark.files


def candidate(*scores: tuple[int | None, int | None], reason: str = "", **facts) -> Candidate:
    named = tuple((f"a{number}", *both, False) for number, both in enumerate(scores, start=1))
    return Candidate("p", "good", "poor", reason, named, **{**LENGTHS, **facts})


LENGTHS = {"length_chosen": 120, "length_rejected": 100, "priority": 7}
STANDS = ((3, 1), (2, 1), (3, 2))  # 8 - 4 over three: 4/3


def said(steps: tuple[pair_story.Step, ...], reason: str) -> str:
    return next(str(step.words) for step in steps if step.reason == reason)


def states(steps: tuple[pair_story.Step, ...]) -> dict[str, str]:
    return {step.reason: step.state for step in steps}


@settings(max_examples=60, deadline=None)
@given(material(), recipes)
def test_one_rule_decides_what_was_rejected_and_none_what_was_accepted(sample, recipe):
    for bar in what_if(*sample, recipe).behind.values():
        for each in bar.candidates:
            steps = explain(each, recipe)
            assert [step.reason for step in steps] == [*recipe.reasons]
            decided = [step.reason for step in steps if step.state == DECIDED]
            assert decided == ([each.reason] if each.reason else [])
            place = recipe.reasons.index(each.reason) if each.reason else len(steps)
            assert all(step.state in (PASSED, OFF) for step in steps[:place])
            assert all(step.state == NOT_REACHED for step in steps[place + 1 :])


def test_an_accepted_pair_passes_every_rule_that_is_on():
    steps = explain(candidate(*STANDS, bucket=2, symmetry=(1, 2, 3)), WritingPreference())
    assert set(states(steps).values()) == {PASSED, OFF}
    assert [reason for reason, state in states(steps).items() if state == OFF] == [
        "unanimity",
        "length_ratio",
        "cap_response",
        "cap_prompt",
        "quota",
    ]
    assert said(steps, "insufficient_overlap") == "Scored by the same people: 3. It takes 2."
    assert said(steps, "direction") == ("Votes for the preferred text: 3, against: 0, ties: 0. It takes 2.")
    assert said(steps, "gap") == "The means are 4/3 apart. It takes 1."
    assert "number 1 of 2" in said(steps, "length_symmetry")


@pytest.mark.parametrize(
    ("scores", "reason", "words"),
    [
        (((1, 1), (2, 2)), "identical_text", "The two texts are the same, but for white space."),
        (((3, None), (3, 1)), "insufficient_overlap", "the same people: 1. That is fewer than the 2"),
        (((3, 2), (2, 3)), "no_gap", "add up to 5 and 5: no side is preferred."),
        (
            ((3, 0), (1, 1), (1, 1)),
            "direction",
            "for the preferred text: 1, against: 0, ties: 2. It takes 2.",
        ),
        (((3, 2), (3, 3), (3, 2)), "gap", "The means are 2/3 apart. It takes 1."),
    ],
)
def test_the_rule_that_decides_says_what_it_saw(scores, reason, words):
    steps = explain(candidate(*scores, reason=reason), WritingPreference())
    assert states(steps)[reason] == DECIDED
    assert words in said(steps, reason)
    assert states(steps)["quota"] == NOT_REACHED


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        ({"unanimous": True}, "unanimity", "3 of 3. The recipe wants all of them."),
        ({"max_length_ratio": Fraction(3, 2)}, "length_ratio", "120 and 100. The longer may be 3/2 times"),
        ({"max_pairs_per_response": 4}, "cap_response", "Neither of the two stood in 4 pairs"),
        ({"max_pairs_per_prompt": 4}, "cap_prompt", "The prompt had fewer than 4 pairs"),
        ({"quota": 9}, "quota", "among the 9 pairs of the quota"),
    ],
)
def test_a_rule_that_is_on_says_what_it_asks_for(change, reason, words):
    recipe = replace(WritingPreference(), **change)
    assert words in said(explain(candidate(*STANDS), recipe), reason)


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        ({"max_pairs_per_response": 4}, "cap_response", "already stood in 4 pairs"),
        ({"max_pairs_per_prompt": 4}, "cap_prompt", "already had 4 pairs"),
        ({"quota": 9}, "quota", "a longer and a shorter one together"),
        ({"quota": 9, "length_symmetry": False}, "quota", "Those of highest priority went."),
    ],
)
def test_rules_on_all_pairs_say_why_this_one_went(change, reason, words):
    recipe = replace(WritingPreference(), **change)
    steps = explain(candidate(*STANDS, reason=reason), recipe)
    assert states(steps)[reason] == DECIDED
    assert words in said(steps, reason)


def test_pruning_says_the_turn_in_the_bucket_and_what_the_mirror_image_has():
    pruned = candidate(*STANDS, reason="length_symmetry", bucket=2, symmetry=(5, 6, 4))
    assert said(explain(pruned, WritingPreference()), "length_symmetry") == (
        "The chosen text is longer by 20: bucket 2. By priority this pair is number 5 of 6 there; the mirror image "
        "has 4. So the first 4 stay on either side."
    )
    shorter = candidate(*STANDS, length_chosen=80, bucket=-2, symmetry=(1, 1, 4))
    assert "The chosen text is shorter by 20: bucket -2." in said(
        explain(shorter, WritingPreference()), "length_symmetry"
    )
    lonely = {1: {}, -1: {"length_chosen": 80}}
    for side, lengths in lonely.items():
        alone = candidate(*STANDS, reason="length_symmetry", bucket=2 * side, symmetry=(1, 1, 0), **lengths)
        words = said(explain(alone, WritingPreference()), "length_symmetry")
        assert words.startswith(f"The chosen text is {'longer' if side > 0 else 'shorter'} by 20")
        assert words.endswith("The mirror image has no pair, so none stays here.")
    equal = candidate(*STANDS, length_chosen=100, bucket=0, symmetry=(1, 1, 1))
    assert "as long as each other" in said(explain(equal, WritingPreference()), "length_symmetry")


def test_a_rule_that_the_recipe_leaves_out_is_not_spoken_of():
    recipe = WritingPreference.from_parameters({"rules": ["gap"], "min_gap": "1"})
    assert [step.reason for step in explain(candidate(*STANDS), recipe)] == ["gap"]


def test_the_gap_of_nobody_in_common_is_none():
    assert pair_story.gap(candidate((3, None), (None, 1))) is None
    assert pair_story.gap(candidate(*STANDS)) == Fraction(4, 3)


@pytest.mark.parametrize(("k", "votes"), [(2, 2), (3, 2), (4, 3), (6, 4), (7, 5)])
def test_two_thirds_are_needed_and_never_fewer_than_two(k, votes):
    assert pair_story.needed(k) == votes
