"""Samples of pairs and texts: seeded, steady, even over prompts; and seats that share the work out."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.pair_sampling import draw, draw_evenly, lot, pairs_within, seats

pytestmark = pytest.mark.files

NAMES = st.dictionaries(st.integers(0, 500), st.text(min_size=1, max_size=4).map(lambda name: (name,)))
SEEDS = st.text(max_size=4)


def named(*names):
    return {name: (name,) for name in names}


def test_the_same_seed_draws_the_same_and_another_draws_others():
    things = named(*(f"pair-{number}" for number in range(100)))
    backwards = dict(reversed(things.items()))
    assert draw(things, 20, seed="1") == draw(backwards, 20, seed="1")
    assert set(draw(things, 20, seed="1")) != set(draw(things, 20, seed="2"))


def test_lots_are_the_same_on_every_machine():
    assert lot("1", "r1", "r2").hex() == "163d6000846c6c1e"  # as b2sum -l 64 says


def test_a_sample_that_is_too_large_takes_all():
    assert sorted(draw(named("a", "b"), 9, seed="1")) == ["a", "b"]
    assert sorted(draw(named("a", "b"), None, seed="1")) == ["a", "b"]
    assert draw({}, 3, seed="1") == []


@given(NAMES, st.integers(0, 20), SEEDS)
def test_what_is_drawn_stays_drawn_in_a_larger_sample(names, sample, seed):
    assert draw(names, sample + 1, seed=seed)[:sample] == draw(names, sample, seed=seed)


@given(NAMES, SEEDS)
def test_each_thing_is_drawn_once(names, seed):
    assert sorted(draw(names, None, seed=seed)) == sorted(names)


def test_the_draw_favours_nobody():
    """Each of ten is drawn about 300 times in 1,000 draws of three; the bounds are four standard deviations."""
    drawn = Counter(name for seed in range(1000) for name in draw(named(*"abcdefghij"), 3, seed=str(seed)))
    assert all(240 < drawn[name] < 360 for name in "abcdefghij")


def test_groups_take_turns():
    groups = [named(*(f"{prompt}{number}" for number in range(10))) for prompt in "ABC"]
    drawn = draw_evenly(groups, 7, seed="1")
    assert sorted(Counter(thing[0] for thing in drawn).values()) == [2, 2, 3]
    assert len(draw_evenly(groups, None, seed="1")) == 30
    assert draw_evenly(groups[::-1], 7, seed="1") == drawn


@given(st.lists(st.integers(0, 6), max_size=6), st.integers(0, 30), SEEDS)
def test_no_group_gives_two_more_than_another_that_has_more_to_give(sizes, sample, seed):
    groups = [named(*(f"{group}-{n}" for n in range(size))) for group, size in enumerate(sizes)]
    taken = Counter(int(thing.split("-")[0]) for thing in draw_evenly(groups, sample, seed=seed))
    assert sum(taken.values()) == min(sample, sum(sizes))
    for group, size in enumerate(sizes):
        if taken[group] < size:
            assert max(taken.values(), default=0) <= taken[group] + 1


def test_every_two_texts_make_a_pair_unless_they_say_the_same():
    assert pairs_within({1: "x", 2: "y", 3: "x"}) == [(1, 2), (2, 3)]
    assert pairs_within({1: "x"}) == []


# --- Seats ---------------------------------------------------------------------------------------


def test_seats_are_for_different_people_and_where_too_few_can_judge_nobody_sits():
    able = {"p1": ["ann", "bob", "cem"], "p2": ["ann"], "p3": ["bob", "bob"]}
    seated = seats(able, dict.fromkeys(able, 1), each=2, seed="1")
    assert set(seated) == {"p1"}
    assert len(set(seated["p1"])) == 2


@given(
    st.integers(1, 12).flatmap(lambda n: st.lists(st.integers(1, 1), min_size=n, max_size=n)),
    st.integers(2, 5),
    SEEDS,
)
def test_where_all_can_judge_all_nobody_is_asked_twice_more_than_another(work, people, seed):
    able = {number: list(range(people)) for number in range(len(work))}
    seated = seats(able, dict(enumerate(work)), each=2, seed=seed)
    asked = Counter(one for panel in seated.values() for one in panel)
    assert sum(asked.values()) == 2 * len(work)
    assert max(asked[one] for one in range(people)) - min(asked[one] for one in range(people)) <= 1


def test_seats_depend_on_seed_and_names_alone():
    able = {f"p{n}": ["ann", "bob", "cem", "dee"] for n in range(9)}
    turned = {name: people[::-1] for name, people in reversed(able.items())}
    work = dict.fromkeys(able, 1)
    assert seats(able, work, each=2, seed="1") == seats(turned, work, each=2, seed="1")
    assert seats(able, work, each=2, seed="1") != seats(able, work, each=2, seed="2")
