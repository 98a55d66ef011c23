"""What differs between the pairs of two runs."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from curation.domain import release_difference as rd
from curation.domain.release_difference import PairFacts, difference, explained, only_in_one
from curation.domain.release_versions import Bump


def pair(chosen, rejected, prompt="p1", **facts):
    values = {"votes": (3, 0, 0), "k": 3, "gap": Fraction(2), "means": (3.0, 1.0), **facts}
    return PairFacts(prompt=prompt, chosen=chosen, rejected=rejected, **values)


def between(before, after, gone=(), new=()):
    return difference(before, after, gone={*gone}, new={*new})


def only(found):
    (change,) = found.changes
    return change


def test_the_same_pairs_differ_in_nothing():
    found = between([pair("a", "b")], [pair("a", "b")])
    assert (found.changes, found.same, found.bump) == ((), 1, Bump.PATCH)


def test_a_pair_of_a_new_response_is_added():
    found = between([], [pair("a", "b")], new=["b"])
    assert (only(found).kind, found.bump) == (rd.ADDED, Bump.MINOR)


def test_a_pair_that_a_rule_had_rejected_is_accepted_now():
    found = between([], [pair("a", "b")])
    assert (only(found).kind, found.bump) == (rd.TAKEN, Bump.MINOR)


def test_a_pair_whose_response_left_is_removed():
    found = between([pair("a", "b")], [], gone=["a"])
    assert (only(found).kind, found.bump) == (rd.REMOVED, Bump.MAJOR)


def test_a_pair_that_a_rule_rejects_is_dropped():
    found = between([pair("a", "b")], [])
    assert (only(found).kind, found.bump) == (rd.DROPPED, Bump.MAJOR)


def test_the_same_two_responses_with_the_other_side_chosen_are_flipped():
    found = between([pair("a", "b")], [pair("b", "a")])
    change = only(found)
    assert (change.kind, change.before.chosen, change.after.chosen) == (rd.FLIPPED, "a", "b")
    assert found.bump is Bump.MAJOR


def test_what_changed_of_a_pair_is_named():
    old = pair("a", "b", texts=("1", "2"))
    for what, new in {
        rd.VOTES: replace(old, votes=(2, 0, 1)),
        rd.GAP: replace(old, gap=Fraction(5, 3)),
        rd.MEANS: replace(old, means=(3.0, 1.5)),
        rd.TEXT: replace(old, texts=("1", "3")),
    }.items():
        found = between([old], [new])
        assert (only(found).kind, only(found).what, found.bump) == (rd.CHANGED, (what,), Bump.MINOR)


def test_losses_come_first_then_prompts_in_order():
    before = [pair("a", "b", "p2"), pair("c", "d", "p1"), pair("e", "f", "p3")]
    found = between(before, [pair("x", "y", "p0"), pair("f", "e", "p3")], gone=["c"], new=["x"])
    assert [(each.kind, each.pair.prompt) for each in found.changes] == [
        (rd.REMOVED, "p1"),
        (rd.DROPPED, "p2"),
        (rd.FLIPPED, "p3"),
        (rd.ADDED, "p0"),
    ]
    assert found.counts() == {
        "removed": 1,
        "dropped": 1,
        "flipped": 1,
        "changed": 0,
        "taken": 0,
        "added": 1,
    }


def test_reasons_go_by_kind_and_pair():
    found = between([pair("b", "a")], [])
    assert only(found).reason == ""
    (told,) = explained(found.changes, {(rd.DROPPED, ("a", "b")): "gap", (rd.TAKEN, ("a", "b")): "quota"})
    assert told.reason == "gap"


PAIRS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("def")), st.booleans(), max_size=9
).map(lambda sides: [pair(*(each if straight else each[::-1])) for each, straight in sides.items()])


@given(PAIRS, PAIRS)
def test_every_pair_of_either_is_accounted_for_once(before, after):
    found = between(before, after)
    both = {each.sides for each in before} | {each.sides for each in after}
    assert sorted(each.pair.sides for each in found.changes) == sorted(
        {each.pair.sides for each in found.changes}
    )
    assert len(found.changes) + found.same == len(both)
    assert sum(found.counts().values()) == len(found.changes)
    was, now = only_in_one(before, after)
    kinds = found.counts()
    assert (len(was), len(now)) == (kinds["dropped"], kinds["taken"])


@given(PAIRS, PAIRS)
def test_the_way_back_undoes_the_way_there(before, after):
    there, back = between(before, after).counts(), between(after, before).counts()
    assert (there["dropped"], there["taken"]) == (back["taken"], back["dropped"])
    assert there["flipped"] == back["flipped"]
