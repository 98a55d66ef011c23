"""Panels: different people who read the language, about equally loaded, meeting many others; the same each time."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.panels import Candidate, PromptLoad, compose, meetings
from annotation.domain.reach import ANYTHING, covers, primary

pytestmark = pytest.mark.files

MINUTES = st.integers(0, 9000).map(lambda words: Fraction(words, 238))
LANGUAGES = st.sampled_from(["en", "zh", "fr", ""])


def prompts_of(minutes, language="en"):
    return [PromptLoad(number, language, each) for number, each in enumerate(minutes, start=1)]


def reading(*languages):
    """The reach of somebody who reads these languages (none: any), in every genre."""
    return {each: frozenset() for each in languages} or ANYTHING


def people(count, languages=()):
    return [Candidate(number, reading(*languages)) for number in range(101, 101 + count)]


def loads(composition, prompts, annotators):
    minutes = {prompt.id: prompt.minutes for prompt in prompts}
    taken = {one.id: one.minutes for one in annotators}
    for prompt, panel in composition.panels.items():
        for one in panel:
            taken[one] += minutes[prompt]
    return taken


@st.composite
def rounds(draw):
    """Prompts and annotators of several languages."""
    prompts = [
        PromptLoad(number, draw(LANGUAGES), draw(MINUTES)) for number in range(draw(st.integers(0, 10)))
    ]
    annotators = [
        Candidate(
            number,
            reading(*draw(st.sets(st.sampled_from(["en", "zh", "fr"])))),
            draw(st.sampled_from([Fraction(0), Fraction(7, 3)])),
        )
        for number in range(100, 100 + draw(st.integers(0, 6)))
    ]
    return prompts, annotators, draw(st.integers(1, 4))


@settings(deadline=None)
@given(rounds())
def test_every_panel_has_as_many_different_people_as_seats_and_all_read_the_prompt(given_round):
    prompts, annotators, seats = given_round
    by_id = {one.id: one for one in annotators}
    made = compose(prompts, annotators, seats=seats, seed="1")
    languages = {prompt.id: prompt.language for prompt in prompts}
    for prompt, panel in made.panels.items():
        assert len(set(panel)) == len(panel) == seats
        assert all(by_id[one].reads(languages[prompt]) for one in panel)


@settings(deadline=None)
@given(rounds())
def test_a_prompt_has_a_panel_or_a_reason(given_round):
    prompts, annotators, seats = given_round
    made = compose(prompts, annotators, seats=seats, seed="1")
    assert {*made.panels, *(one.prompt for one in made.uncovered)} == {prompt.id for prompt in prompts}
    for prompt in prompts:
        enough = sum(one.reads(prompt.language) for one in annotators) >= seats
        assert (prompt.id in made.panels) is enough


@settings(deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_makes_no_difference(given_round, chance):
    prompts, annotators, seats = given_round
    shuffled = chance.sample(prompts, len(prompts)), chance.sample(annotators, len(annotators))
    assert compose(prompts, annotators, seats=seats, seed="1") == compose(*shuffled, seats=seats, seed="1")


@settings(deadline=None)
@given(st.lists(MINUTES, max_size=40), st.integers(1, 4), st.integers(0, 9))
def test_nobody_reads_more_than_one_prompt_longer_than_another(minutes, seats, spare):
    prompts, annotators = prompts_of(minutes), people(seats + spare)
    made = compose(prompts, annotators, seats=seats, seed="1")
    taken = loads(made, prompts, annotators).values()
    assert max(taken) - min(taken) <= max(minutes, default=0)


@settings(deadline=None)
@given(rounds())
def test_nobody_holds_a_seat_that_somebody_far_behind_could_take(given_round):
    prompts, annotators, seats = given_round
    made = compose(prompts, annotators, seats=seats, seed="1")
    taken = loads(made, prompts, annotators)
    for prompt in prompts:
        panel = made.panels.get(prompt.id, ())
        others = [one.id for one in annotators if one.reads(prompt.language) and one.id not in panel]
        if prompt.minutes and panel and others:
            behind = max(taken[one] for one in panel) - min(taken[one] for one in others)
            assert behind <= prompt.minutes


@settings(deadline=None)
@given(st.lists(MINUTES, max_size=12), st.lists(MINUTES, max_size=12), st.integers(1, 3))
def test_each_pool_of_readers_is_balanced_for_itself(english, chinese, seats):
    of_english = prompts_of(english)
    of_chinese = [PromptLoad(1000 + one.id, "zh-CN", one.minutes) for one in prompts_of(chinese)]
    readers = [Candidate(number, reading("en")) for number in range(5)]
    others = [Candidate(number, reading("zh")) for number in range(10, 14)]
    made = compose([*of_english, *of_chinese], [*readers, *others], seats=seats, seed="1")
    taken = loads(made, [*of_english, *of_chinese], [*readers, *others])
    for pool, minutes in ((readers, english), (others, chinese)):
        theirs = [taken[one.id] for one in pool]
        assert max(theirs) - min(theirs) <= max(minutes, default=0)


def test_who_reads_two_languages_makes_up_for_who_reads_one():
    prompts = [
        *prompts_of([Fraction(10)] * 12, "en"),
        *(PromptLoad(100 + n, "zh", Fraction(10)) for n in range(4)),
    ]
    annotators = [
        Candidate(1, reading("zh")),
        Candidate(2, reading("en", "zh")),
        *(Candidate(n, reading("en")) for n in (3, 4, 5)),
    ]
    taken = loads(compose(prompts, annotators, seats=2, seed="1"), prompts, annotators)
    assert taken[1] == 40  # all the Chinese there is
    assert max(taken[one] for one in (2, 3, 4, 5)) - min(taken[one] for one in (2, 3, 4, 5)) <= 10


def test_who_has_more_to_read_already_is_given_less():
    prompts = prompts_of([Fraction(5)] * 12)
    annotators = [Candidate(1, minutes=Fraction(20)), Candidate(2), Candidate(3), Candidate(4)]
    made = compose(prompts, annotators, seats=2, seed="1")
    given_to = Counter(one for panel in made.panels.values() for one in panel)
    assert given_to[1] < min(given_to[one] for one in (2, 3, 4))
    taken = loads(made, prompts, annotators)
    assert max(taken.values()) - min(taken.values()) <= 5


@pytest.mark.parametrize(("count", "seats", "prompts"), [(6, 3, 20), (9, 3, 60), (12, 3, 88), (5, 2, 20)])
def test_people_meet_each_of_the_others_about_equally_often(count, seats, prompts):
    chance = Random(7)
    minutes = [Fraction(chance.randrange(300, 2000), 238) for _ in range(prompts)]
    made = compose(prompts_of(minutes), people(count), seats=seats, seed="1")
    met = meetings(made.panels.values())
    expected = prompts * seats * (seats - 1) / (count * (count - 1))
    assert len(met) == count * (count - 1) // 2
    assert min(met.values()) >= expected / 2
    assert max(met.values()) <= expected * 2


def test_without_the_spread_the_same_people_would_always_meet():
    """The negative control: taking the least loaded alone, prompts of one length make fixed groups."""
    fixed = [tuple(range(3 * (n % 3), 3 * (n % 3) + 3)) for n in range(60)]
    assert (
        len(meetings(fixed))
        == 9
        < len(meetings(compose(prompts_of([Fraction(4)] * 60), people(9), seats=3, seed="1").panels.values()))
    )


def test_the_seed_decides():
    prompts, annotators = prompts_of([Fraction(n % 7 + 3) for n in range(30)]), people(8)
    one, again, other = (compose(prompts, annotators, seats=3, seed=seed) for seed in ("1", "1", "2"))
    assert one == again
    assert one.panels != other.panels


@settings(deadline=None)
@given(st.lists(MINUTES, min_size=1, max_size=20), st.data())
def test_seats_that_are_kept_stay_and_the_empty_ones_are_filled(minutes, data):
    prompts, annotators = prompts_of(minutes), people(6)
    kept = {
        prompt.id: dict(
            enumerate(data.draw(st.lists(st.sampled_from(range(101, 107)), unique=True, max_size=3)), 1)
        )
        for prompt in prompts
    }
    made = compose(prompts, annotators, seats=3, seed="1", kept=kept)
    for prompt, seats in kept.items():
        assert all(made.panels[prompt][seat - 1] == one for seat, one in seats.items())
        assert len(set(made.panels[prompt])) == 3


def test_what_is_kept_counts_for_its_holder():
    prompts = prompts_of([Fraction(5)] * 10)
    kept = {prompt: {1: 101} for prompt in range(1, 6)}
    made = compose(prompts, people(4), seats=2, seed="1", kept=kept)
    assert Counter(one for panel in made.panels.values() for one in panel) == {101: 5, 102: 5, 103: 5, 104: 5}


@pytest.mark.parametrize(
    ("language", "readers", "reason"),
    [
        ("zh", 2, "only 2 of the 3 annotators needed read zh"),
        ("zh-Hant", 0, "no annotator reads zh"),
        ("", 2, "only 2 of the 3 annotators needed take part"),
    ],
)
def test_it_says_why_a_prompt_has_no_panel(language, readers, reason):
    annotators = [Candidate(number, reading("zh")) for number in range(readers)]
    made = compose([PromptLoad(1, language, Fraction(1))], annotators, seats=3, seed="1")
    assert [(one.prompt, one.reason) for one in made.uncovered] == [(1, reason)]
    assert made.panels == {}


def test_a_seat_set_by_hand_counts_even_where_its_holder_does_not_read_the_language():
    annotators = [Candidate(1, reading("en")), Candidate(2, reading("zh")), Candidate(3, reading("zh"))]
    prompt = PromptLoad(7, "zh", Fraction(1))
    made = compose([prompt], annotators, seats=3, seed="1", kept={7: {2: 1}})
    assert made.panels[7][1] == 1
    assert set(made.panels[7]) == {1, 2, 3}


@pytest.mark.parametrize(
    ("tag", "subtag"),
    [("zh-Hans", "zh"), ("Chinese", "zh"), ("en_GB", "en"), ("English", "en"), (" FR ", "fr"), ("", "")],
)
def test_a_language_is_known_by_its_primary_subtag(tag, subtag):
    assert primary(tag) == subtag


def test_who_names_no_language_reads_any_and_a_text_of_unknown_language_is_for_all():
    assert covers(ANYTHING, "sw")
    assert covers(reading("en"), "")
    assert not covers(reading("en"), "zh")
