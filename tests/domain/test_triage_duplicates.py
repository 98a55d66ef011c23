"""Responses of one prompt that say the same."""

import random

import pytest

from annotation.domain.triage import Duplicate, duplicates

pytestmark = pytest.mark.files

EN = "The harbour master kept two clocks, one for the tide and one for his wife, and he was late by both."
ZH = "港务长有两只钟，一只给潮水，一只给妻子，而他在两只钟面前都迟到。每逢星期天，他划到浮标旁边。"


def jaccard(one: str, other: str) -> float:
    """The definition, written down once more."""
    first, second = ({text[i : i + 5] for i in range(len(text) - 4)} for text in (one, other))
    return len(first & second) / len(first | second)


def made_up(chance: random.Random, length: int = 400) -> str:
    return "".join(chr(0x4E00 + chance.randrange(2_000)) for _ in range(length))


def changed(text: str, times: int, chance: random.Random) -> str:
    letters = list(text)
    for at in chance.sample(range(len(letters)), times):
        letters[at] = "変"
    return "".join(letters)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (EN, EN),
        (EN, f"\n {EN}  "),
        (EN, EN.replace(" ", "\n ")),
        (ZH, ZH + "\n"),
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
    ],
)
def test_the_same_text_apart_from_white_space_is_an_exact_duplicate(one, other):
    assert duplicates([("a", one), ("b", other)]) == [Duplicate("a", "b", "exact_duplicate", 1.0)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (EN, EN.replace("wife", "aunt")),
        (ZH, ZH.replace("妻子", "母亲")),
        (EN, EN + " Or so."),
        (EN, "So: " + EN),
    ],
)
def test_a_text_that_shares_most_is_a_near_duplicate_with_its_exact_share(one, other):
    (found,) = duplicates([("a", one), ("b", other)])
    assert (found.one, found.other, found.check) == ("a", "b", "near_duplicate")
    assert found.jaccard == pytest.approx(jaccard(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (EN, EN.upper()),
        (EN, ZH),
        (EN, "The harbour master kept two dogs, and on Sundays they kept him."),
        (ZH, "港务长有两只钟，都停在六点。"),
        ("Hello! How can I assist you today?", "Hello. What would you like to write about?"),
        ("", ""),
        (" ", "\n"),
        ("好", "不好"),
    ],
)
def test_different_texts_and_empty_ones_are_no_duplicates(one, other):
    assert duplicates([("a", one), ("b", other)]) == []


def test_each_text_is_reported_once_against_an_earlier_one():
    near = EN.replace("wife", "aunt")
    nearer = near.replace("by both", "by half")
    found = duplicates([("a", EN), ("b", ZH), ("c", EN), ("d", near), ("e", nearer), ("f", EN)])
    assert [(each.one, each.other, each.check) for each in found] == [
        ("a", "c", "exact_duplicate"),
        ("a", "d", "near_duplicate"),
        ("d", "e", "near_duplicate"),
        ("a", "f", "exact_duplicate"),
    ]


def test_the_threshold_itself_is_in():
    one, other = "abcdefgh", "abcdefghi"  # 4 of 5 sequences
    assert [each.jaccard for each in duplicates([("a", one), ("b", other)], threshold=0.8)] == [0.8]
    assert duplicates([("a", one), ("b", other)], threshold=0.801) == []


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_a_threshold_that_is_no_share_is_refused(threshold):
    with pytest.raises(ValueError, match="no share"):
        duplicates([], threshold=threshold)


@pytest.mark.parametrize("threshold", [0.7, 0.5])
def test_among_many_texts_the_sketch_finds_what_comparing_all_finds(threshold):
    chance = random.Random(7)
    texts = [made_up(chance) for _ in range(150)]
    texts += [changed(text, chance.randrange(0, 25), chance) for text in texts[:60]]
    named = [(str(at), text) for at, text in enumerate(texts)]
    found = {each.other: each for each in duplicates(named, threshold=threshold)}
    for at in range(150, 210):
        share = jaccard(texts[at - 150], texts[at])
        assert (str(at) in found) == (share >= threshold)
        if share >= threshold:
            assert found[str(at)].one == str(at - 150)
            assert found[str(at)].jaccard == pytest.approx(share)
    assert len(found) == sum(int(name) >= 150 for name in found)


def test_half_of_a_surrogate_pair_is_compared_as_any_character():
    texts = [(str(at), f"\ud83d{at}" + EN[at:]) for at in range(50)]
    assert {each.check for each in duplicates(texts)} == {"near_duplicate"}


def test_the_answer_is_the_same_each_time():
    chance = random.Random(11)
    texts = [made_up(chance) for _ in range(60)]
    named = [(str(at), changed(texts[at % 60], 5, chance)) for at in range(120)]
    assert duplicates(named) == duplicates(named)
