"""A ranking is an ordered partition of the texts: whatever is one goes through unharmed, and nothing else does."""

from itertools import pairwise, permutations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.domain import rankings
from annotation.domain.rankings import NotARankingError

pytestmark = pytest.mark.files
# The draws are small; only a machine that is busy with something else takes long over them.
steady = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
FIVE = rankings.letters(5)
FUBINI = {0: 1, 1: 1, 2: 3, 3: 13, 4: 75, 5: 541}  # ordered partitions of so many things (OEIS A000670)


def all_rankings(texts):
    """Every ordered partition of the texts, by the ranks that say it."""
    ranked = (dict(zip(texts, ranks, strict=True)) for ranks in product(range(1, 6), repeat=len(texts)))
    return {rankings.of_ranks(ranks) for ranks in ranked}


@st.composite
def ordered_partitions(draw, most=8):
    texts = draw(st.permutations(rankings.letters(draw(st.integers(1, most)))))
    cuts = draw(st.sets(st.integers(1, len(texts)))) | {0, len(texts)}
    ends = sorted(cuts)
    return [texts[start:end] for start, end in pairwise(ends)]


# --- What is a ranking ---------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(6))
def test_there_are_as_many_rankings_as_ordered_partitions(number):
    assert len(all_rankings(rankings.letters(number))) == FUBINI[number]


@steady
@given(ordered_partitions())
def test_an_ordered_partition_is_taken_as_it_is(tiers):
    texts = [text for tier in tiers for text in tier]
    taken = rankings.checked(tiers, among=texts, ties_allowed=True)
    assert [set(tier) for tier in taken] == [set(tier) for tier in tiers]
    assert rankings.checked(taken, among=texts, ties_allowed=True) == taken


@steady
@given(ordered_partitions())
def test_ranks_and_tiers_say_the_same(tiers):
    taken = rankings.checked(tiers, among=[text for tier in tiers for text in tier], ties_allowed=True)
    assert rankings.of_ranks(rankings.ranks(taken)) == taken


@steady
@given(st.dictionaries(st.sampled_from(FIVE), st.integers(1, 99), min_size=1))
def test_ranks_count_by_their_order_alone(ranks):
    tiers = rankings.of_ranks(ranks)
    dense = rankings.ranks(tiers)
    assert set(dense.values()) == set(range(1, len(tiers) + 1))
    for one, other in permutations(ranks, 2):
        assert (ranks[one] < ranks[other]) == (dense[one] < dense[other])


# --- What is none --------------------------------------------------------------------------------


def refusal(tiers, *, among=FIVE, ties_allowed=True):
    with pytest.raises(NotARankingError) as refused:
        rankings.checked(tiers, among=among, ties_allowed=ties_allowed)
    return refused.value.code, refused.value.texts


@pytest.mark.parametrize(
    ("tiers", "why"),
    [
        (["A", "B", "C"], ("unranked", ("D", "E"))),
        ([], ("unranked", FIVE)),
        (["A", "B", "C", "D", "E", "F"], ("unknown_text", ("F",))),
        (["A", "B", "C", "D", "a"], ("unknown_text", ("a",))),
        (["A", "B", "C", "D", "EA"], ("ranked_twice", ("A",))),
        (["A", "BB", "C", "D", "E"], ("ranked_twice", ("B",))),
        (["A", "", "BCDE"], ("empty_tier", ())),
    ],
)
def test_what_is_no_partition_is_refused(tiers, why):
    assert refusal(tiers) == why


def test_ties_are_refused_where_they_are_not_allowed():
    assert refusal(["A", "EB", "CD"], ties_allowed=False) == ("ties_not_allowed", ("B", "E", "C", "D"))
    assert rankings.checked("EDCBA", among=FIVE, ties_allowed=False) == (
        ("E",),
        ("D",),
        ("C",),
        ("B",),
        ("A",),
    )


@steady
@given(ordered_partitions(), st.data())
def test_a_text_less_or_a_text_more_is_always_refused(tiers, data):
    texts = sorted(text for tier in tiers for text in tier)
    gone = data.draw(st.sampled_from(texts))
    assert refusal(tiers, among=[*texts, "Z"]) == ("unranked", ("Z",))
    assert refusal(tiers, among=set(texts) - {gone}) == ("unknown_text", (gone,))


@pytest.mark.parametrize("rank", [0, -1])
def test_ranks_begin_at_1(rank):
    with pytest.raises(NotARankingError) as refused:
        rankings.of_ranks({"A": 1, "B": rank})
    assert (refused.value.code, refused.value.texts) == ("not_a_rank", ("B",))


# --- How it is said ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiers", "said"),
    [
        ((("A",), ("B", "C")), "A > B = C"),
        ((("D",), ("B",), ("A", "C")), "D > B > A = C"),
        ((FIVE,), "A = B = C = D = E"),
        ((), ""),
    ],
)
def test_the_order_is_said_as_people_write_it(tiers, said):
    assert rankings.stated(tiers) == said


def test_no_two_rankings_are_said_alike():
    assert len({rankings.stated(tiers) for tiers in all_rankings(FIVE)}) == 541


def test_texts_go_by_letters_as_far_as_the_alphabet_reaches():
    assert rankings.letters(3) == ("A", "B", "C")
    assert rankings.letters(26)[-1] == "Z"
    with pytest.raises(ValueError, match="27 texts"):
        rankings.letters(27)
