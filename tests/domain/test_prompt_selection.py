"""Which prompts a round asks about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.prompt_selection import UNKNOWN, Filters, PromptFacts, select

pytestmark = pytest.mark.files


def prompt(number, *, language="en", genre="story", macro="fiction", responses=2, in_live_round=False):
    return PromptFacts(number, f"p{number}", language, genre, macro, responses, in_live_round)


PROMPTS = [
    prompt(1),
    prompt(2, language="zh-Hans"),
    prompt(3, genre="sonnet", macro="poetry"),
    prompt(4, genre="fiction", macro=""),
    prompt(5, language="", genre="", macro=""),
    prompt(6, in_live_round=True),
    prompt(7, responses=0),
]


@pytest.mark.parametrize(
    ("filters", "taken"),
    [
        (Filters(), [1, 2, 3, 4, 5, 6]),
        (Filters(languages=("en",)), [1, 3, 4, 6]),
        (Filters(languages=("zh", UNKNOWN)), [2, 5]),
        (Filters(genres=("fiction",)), [1, 2, 4, 6]),
        (Filters(genres=("story",)), [1, 2, 6]),
        (Filters(genres=("sonnet", UNKNOWN)), [3, 5]),
        (Filters(only_new=True), [1, 2, 3, 4, 5]),
        (Filters(languages=("en",), genres=("story",), only_new=True), [1]),
    ],
)
def test_filters_combine(filters, taken):
    assert [one.id for one in select(PROMPTS, filters).prompts] == taken


def test_prompts_without_active_responses_are_left_out_and_named():
    found = select(PROMPTS, Filters(languages=("en",)))
    assert [one.name for one in found.without_responses] == ["p7"]
    assert (found.matching, found.responses) == (4, 8)
    assert select(PROMPTS, Filters(languages=("zh",))).without_responses == ()


def test_a_sample_is_as_large_as_asked_or_as_there_is():
    many = [prompt(number) for number in range(50)]
    assert len(select(many, Filters(sample=12)).prompts) == 12
    assert len(select(many[:5], Filters(sample=12)).prompts) == 5
    assert select(many, Filters(sample=12)).matching == 50


def test_the_seed_decides_which_are_drawn():
    many = [prompt(number) for number in range(50)]
    one, again, other = (select(many, Filters(sample=12, seed=seed)).prompts for seed in ("1", "1", "2"))
    assert one == again
    assert set(one) != set(other)


@given(st.permutations(range(12)))
def test_the_sample_does_not_depend_on_the_order(numbers):
    found = select([prompt(number) for number in numbers], Filters(sample=5)).prompts
    expected = select([prompt(number) for number in range(12)], Filters(sample=5)).prompts
    assert set(found) == set(expected)
