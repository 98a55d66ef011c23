"""The recipe `weval`: which prompts count, people against gold, categories, pairs, and what must not matter."""

import random
from dataclasses import replace

import pytest

from curation.domain import rank_metrics
from curation.domain.funnel import REASONS_OF_RANKINGS
from curation.domain.outcome import Rejected
from curation.domain.ranked import CurationError
from curation.domain.recipes import RecipeError, Weval
from curation.domain.weval import curate
from tests.domain.weval_samples import given, order, prompt

pytestmark = pytest.mark.files

RESPONSES = [*prompt("p", category="plan"), *prompt("q", category="story"), *prompt("s", 3, category="plan")]
RANKINGS = [
    *given("p", ["a>b>c>d>e", "b>a>c>d>e", "a=b>c>d>e"]),
    *given("q", ["e>d>c>b>a", "a>b>c>d>e"]),
    *given("s", ["a>b>c"]),
]


def figures(averages: rank_metrics.Averages) -> dict:
    return averages.as_dict()


# --- which prompts count ---------------------------------------------------------------------------------


def test_a_gold_order_is_that_of_the_requirements_kept():
    found = curate(RESPONSES, [], Weval())
    assert [row.prompt_id for row in found.prompts] == ["p", "q", "s"]
    assert [row.gold for row in found.prompts] == [
        order("p", "a>b>c>d>e"),
        order("q", "a>b>c>d>e"),
        order("s", "a>b>c"),
    ]
    assert found.left_out == {"one_response": 0, "incomplete": 0}


@pytest.mark.parametrize(
    ("responses", "reason"),
    [
        (prompt("p")[:1], "one_response"),
        (prompt("p")[:4], "incomplete"),  # the one that kept 1 is missing
        (prompt("p")[1:], "incomplete"),  # the one that kept all
        ([replace(row, kept=max(row.kept, 2)) for row in prompt("p")], "incomplete"),  # two kept as many
    ],
)
def test_a_prompt_without_the_whole_order_is_left_out_and_counted(responses, reason):
    found = curate([*responses, *prompt("q")], list(given("q", ["a>b>c>d>e"])), Weval())
    assert [row.prompt_id for row in found.prompts] == ["q"]
    assert {name for name, number in found.left_out.items() if number} == {reason}
    assert found.funnel.removed == len(responses)


def test_incomplete_orders_count_where_the_recipe_says_so_and_equal_numbers_tie():
    responses = [replace(row, kept=max(row.kept, 3)) for row in prompt("p")[1:]]
    (found,) = curate(responses, [], Weval(complete=False)).prompts
    assert found.gold == order("p", "b>c=d=e")
    assert found.requirements == 5


def test_where_nothing_says_how_many_requirements_there_are_it_is_the_most_that_was_kept():
    responses = [replace(row, requirements=None) for row in prompt("p", 4)]
    (found,) = curate(responses, [], Weval()).prompts
    assert found.requirements == 4


# --- people against gold ---------------------------------------------------------------------------------


def test_each_annotator_is_compared_and_averaged_within_the_prompt_and_then_over_prompts():
    agreement = curate(RESPONSES, RANKINGS, Weval()).agreement
    p = {
        "correlation": (1 + 0.8 + 0.9) / 3,
        "il_exact": (1 + 0.6 + 0.8) / 3,
        "pl": 1 / 3,
        "tie_rate": 0.1 / 3,
    }
    q = {"correlation": 0, "il_exact": (0.2 + 1) / 2, "pl": 1 / 2, "tie_rate": 0}
    s = {"correlation": 1, "il_exact": 1, "pl": 1, "tie_rate": 0}
    human = figures(agreement.whole.human)
    assert agreement.whole.rankings == 6
    assert human["n"] == 3
    for name, value in p.items():
        assert human[name] == pytest.approx(100 * (value + q[name] + s[name]) / 3), name
    of_p = (1 + 0.9 + 0.95) / 3
    assert human["il_graded"] == pytest.approx(100 * (of_p + (0.4 + 1) / 2 + 1) / 3)


def test_the_combined_order_stands_beside_it():
    combined = curate(RESPONSES, RANKINGS, Weval()).agreement.whole.combined
    # p: a and b draw, so they tie; q: two against each other tie everything; s: one person's order.
    assert combined.n == 3
    assert combined.correlation == pytest.approx(100 * (0.9 + 0 + 1) / 3)
    assert combined.tie_rate == pytest.approx(100 * (0.1 + 1 + 0) / 3)


def test_agreement_by_category_by_number_of_requirements_and_by_annotator():
    agreement = curate(RESPONSES, RANKINGS, Weval()).agreement
    assert {name: (part.human.n, part.rankings) for name, part in agreement.by_category.items()} == {
        "plan": (2, 4),
        "story": (1, 2),
    }
    assert {n: (part.human.n, part.rankings) for n, part in agreement.by_requirements.items()} == {
        3: (1, 1),
        5: (2, 5),
    }
    assert agreement.by_category["story"].human.correlation == 0
    assert agreement.by_requirements[3].human.chance == pytest.approx(100 * 5 / 9)
    # Pseudonyms go by the names: Ann, Ben, Zoe.
    by_annotator = {name: (row.n, row.correlation) for name, row in agreement.by_annotator.items()}
    assert by_annotator == {
        "annotator-01": (2, pytest.approx(90)),
        "annotator-02": (1, pytest.approx(90)),
        "annotator-03": (3, pytest.approx(100 / 3)),
    }


def test_a_prompt_that_nobody_ranked_has_no_part_in_agreement():
    found = curate(RESPONSES, RANKINGS[:3], Weval())
    assert found.agreement.whole.human.n == 1
    assert len(found.prompts) == 3
    assert found.prompts[1].combined == ()


def test_without_any_ranking_agreement_says_so():
    found = curate(RESPONSES, [], Weval()).agreement.as_dict()
    empty = {"n": 0, **dict.fromkeys((*rank_metrics.NAMES, "il_graded_chance")), "reason": "no_rankings"}
    none = {"low": None, "high": None, "undefined": 0}
    intervals = {"few": True, "intervals": dict.fromkeys(rank_metrics.NAMES, none)}
    assert found == {
        "rankings": 0,
        "human": {**empty, **intervals},
        "combined": empty,
        "by_category": [],
        "by_requirements": [],
        "by_annotator": [],
    }


def test_names_never_leave():
    found = curate(RESPONSES, RANKINGS, Weval())
    assert {row.annotator for each in found.prompts for row in each.rankings} == {
        "annotator-01",
        "annotator-02",
        "annotator-03",
    }
    assert not any(name in repr(found) for name in ("Zoe", "Ann", "Ben"))


# --- categories ------------------------------------------------------------------------------------------


def test_where_the_responses_have_no_category_the_majority_of_votes_names_it():
    responses = [*prompt("p"), *prompt("q"), *prompt("s", 3, category="given")]
    voted = [
        *(replace(row, category=vote) for row, vote in zip(RANKINGS[:3], ("x", "y", "x"), strict=True)),
        *(replace(row, category=vote) for row, vote in zip(RANKINGS[3:5], ("x", "y"), strict=True)),
        replace(RANKINGS[5], category="other"),
    ]
    found = curate(responses, voted, Weval())
    assert [row.category for row in found.prompts] == ["x", "", "given"]
    assert found.categories == {"given": 1, "voted": 1, "none": 1}
    assert list(found.agreement.by_category) == ["", "given", "x"]


# --- pairs -----------------------------------------------------------------------------------------------


def test_no_pairs_unless_they_are_asked_for():
    found = curate(RESPONSES, RANKINGS, Weval())
    assert (found.pairs, found.rejected, found.funnel.candidates) == ((), (), 0)
    assert found.funnel.as_dict()["rejected"] == dict.fromkeys(REASONS_OF_RANKINGS, 0)


@pytest.mark.parametrize(
    ("recipe", "accepted", "rejected"),
    [
        (Weval(pairs="all"), 23, {}),
        (Weval(pairs="adjacent"), 10, {"not_adjacent": 13}),
        (Weval(pairs="all", pairs_from="combined"), 12, {"tied": 11}),
        (Weval(pairs="adjacent", pairs_from="combined"), 6, {"tied": 11, "not_adjacent": 6}),
    ],
)
def test_every_two_responses_make_a_pair_or_have_a_reason(recipe, accepted, rejected):
    found = curate(RESPONSES, RANKINGS, recipe)
    assert len(found.pairs) == found.funnel.accepted == accepted
    assert found.funnel.candidates == 23 == len(found.pairs) + len(found.rejected)
    assert {reason: n for reason, n in found.funnel.rejected.items() if n} == rejected
    assert [pair.id for pair in found.pairs] == sorted(pair.id for pair in found.pairs)


def test_a_pair_says_how_many_annotators_are_of_that_mind():
    found = curate(RESPONSES, RANKINGS, Weval(pairs="adjacent"))
    pair = found.pairs[0]
    assert (pair.id, pair.votes_for, pair.votes_against, pair.ties) == ("p:pa:pb", 1, 1, 1)
    assert (pair.chosen.kept, pair.rejected.kept) == (5, 4)


def test_the_same_text_twice_makes_no_pair():
    responses = [
        replace(row, text=" the  same " if row.id in ("pa", "pc") else row.text) for row in prompt("p")
    ]
    responses[0] = replace(responses[0], text="the same")
    found = curate(responses, [], Weval(pairs="all"))
    assert found.rejected == (Rejected("pa", "pc", "identical_text"),)
    assert found.funnel.accepted == 9


def test_a_combined_order_that_is_not_there_has_no_pairs():
    found = curate(prompt("p", 3), [], Weval(pairs="all", pairs_from="combined"))
    assert found.funnel.rejected["no_ranking"] == found.funnel.candidates == 3


def test_two_pairs_of_one_id_are_refused():
    rows = [*prompt("x", 2), *prompt("x:y", 2)]
    ids = ("y:z", "w:v", "z:w", "v")
    responses = [replace(row, id=id) for row, id in zip(rows, ids, strict=True)]
    with pytest.raises(CurationError, match="two pairs would have the id 'x:y:z:w:v'"):
        curate(responses, [], Weval(pairs="all"))
    assert len(curate(responses, [], Weval()).prompts) == 2


# --- what must not matter ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter(seed):
    recipe = Weval(pairs="all", pairs_from="combined")
    responses, rankings = RESPONSES.copy(), RANKINGS.copy()
    random.Random(seed).shuffle(responses)
    random.Random(seed).shuffle(rankings)
    assert curate(responses, rankings, recipe) == curate(RESPONSES, RANKINGS, recipe)


# --- parameters ------------------------------------------------------------------------------------------


def test_parameters_are_read_as_they_are_written():
    given = {"complete": "off", "ties": "off", "pairs": "adjacent", "pairs_from": "combined"}
    recipe = Weval.from_parameters(given)
    assert recipe == Weval(complete=False, ties=False, pairs="adjacent", pairs_from="combined")
    assert Weval.from_parameters(recipe.parameters()) == recipe
    assert Weval.from_parameters({}) == Weval()


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("pair", "all", "there is no parameter 'pair'; did you mean pairs?"),
        ("zzz", "1", "Known: complete, ties, pairs, pairs_from"),
        ("pairs", "some", "use none, adjacent or all"),
        ("pairs_from", "human", "use gold or combined"),
        ("complete", "yes", "use on or off"),
        ("ties", 1, "use on or off"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_with_those_that_can(name, value, fault):
    with pytest.raises(RecipeError) as caught:
        Weval.from_parameters({name: value})
    assert fault in str(caught.value)
