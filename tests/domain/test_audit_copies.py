"""The same text and nearly the same one, among the pairs and in earlier releases."""

from dataclasses import replace

import numpy as np
import pytest

from curation.domain.audit import copies, fingerprints
from curation.domain.audit.copies import Copies, Copy
from curation.domain.audit.fingerprints import Fingerprint
from curation.domain.audit.rows import PairRow
from curation.domain.audit.table import gathered
from tests.domain.audit_samples import pair

pytestmark = pytest.mark.files

EN = "The harbour master kept two clocks, one for the tide and one for his wife, and he was late by both."
NEAR = EN.replace("wife", "aunt")
ZH = "港务长有两只钟，一只给潮水，一只给妻子，而他在两只钟面前都迟到。每逢星期天，他划到浮标旁边。"


def rows_of(*texts: str) -> list[PairRow]:
    """A pair for every text, each of a prompt of its own, against texts that are like nothing."""
    return [
        pair(f"q{at:03}", text, chr(0x3400 + at) * 9, chosen=f"a{at:03}", rejected=f"b{at:03}")
        for at, text in enumerate(texts)
    ]


def within(*texts: str) -> Copies:
    rows = rows_of(*texts)
    return copies.within(gathered(rows).responses, rows)


def against(texts: list[str], earlier: list[Fingerprint]) -> Copies:
    return copies.against(gathered(rows_of(*texts)).responses, earlier)


def release(*texts: str, name: str = "old 1.0.0") -> list[Fingerprint]:
    return list(fingerprints.of_texts(name, [(f"x{at:03}", text) for at, text in enumerate(texts)]))


def jaccard(one: str, other: str) -> float:
    first, second = ({text[i : i + 5] for i in range(len(text) - 4)} for text in (one, other))
    return len(first & second) / len(first | second)


def made_up(chance: np.random.Generator, length: int = 400) -> str:
    return "".join(map(chr, 0x4E00 + chance.integers(0, 2000, length)))


def changed(text: str, times: int, chance: np.random.Generator) -> str:
    letters = list(text)
    for at in chance.choice(len(letters), times, replace=False):
        letters[at] = "変"
    return "".join(letters)


# --- among the pairs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [EN, f"\n {EN}  ", EN.replace(" ", "\n ")])
def test_the_same_text_apart_from_white_space_is_exact(other):
    found = within(EN, ZH, other)
    assert (found.exact, found.near, found.same_prompt) == (1, 0, 0)
    assert found.named == (Copy("a002", "a000", 1.0),)


def test_composed_and_decomposed_letters_are_the_same_text():
    assert within("caf\u00e9 au lait", "cafe\u0301 au lait").exact == 1


@pytest.mark.parametrize(("one", "other"), [(EN, NEAR), (ZH, ZH.replace("妻子", "母亲"))])
def test_a_text_that_shares_most_is_near_with_its_exact_share(one, other):
    found = within(one, other)
    assert (found.exact, found.near) == (0, 1)
    assert found.named == (Copy("a001", "a000", pytest.approx(jaccard(one, other))),)


@pytest.mark.parametrize(
    "texts",
    [(EN, ZH), (EN, "The harbour master kept two dogs, and on Sundays they kept him."), ("", " "), ("", "")],
)
def test_different_texts_and_empty_ones_are_no_copies(texts):
    assert within(*texts) == Copies(0, 0, ())


def test_a_response_of_many_pairs_is_no_copy_of_itself():
    rows = [
        pair("q1", EN, ZH, chosen="a", rejected="b"),
        pair("q1", EN, "三", chosen="a", rejected="c"),
    ]
    assert copies.within(gathered(rows).responses, rows) == Copies(0, 0, ())


def test_copies_that_answer_the_same_prompt_are_told_apart():
    rows = [pair("q1", EN, NEAR), pair("q2", EN, ZH)]
    found = copies.within(gathered(rows).responses, rows)
    assert (found.exact, found.near, found.same_prompt) == (1, 1, 1)


def test_each_response_is_counted_once():
    found = within(EN, EN, EN, NEAR, NEAR)
    assert (found.exact, found.near) == (3, 1)
    assert [(copy.response, copy.other) for copy in found.named] == [
        ("a001", "a000"),
        ("a002", "a000"),
        ("a004", "a003"),
        ("a003", "a000"),
    ]


def test_sketches_find_what_comparing_all_finds():
    chance = np.random.default_rng(7)
    texts = [made_up(chance) for _ in range(150)]
    texts += [changed(text, int(chance.integers(0, 25)), chance) for text in texts[:60]]
    found = within(*texts)
    expected = {}
    for later, text in enumerate(texts):
        for earlier in range(later):
            share = jaccard(texts[earlier], text)
            if share >= 0.7:
                expected[f"a{later:03}"] = (f"a{earlier:03}", pytest.approx(share))
    assert {copy.response: (copy.other, copy.share) for copy in found.named} == expected
    assert found.exact + found.near == len(expected) > 30


def test_where_very_many_are_alike_each_still_finds_another(monkeypatch):
    monkeypatch.setattr(copies, "NEIGHBOURS", 3)
    chance = np.random.default_rng(8)
    text = made_up(chance)
    assert within(*(changed(text, 4, chance) for _ in range(60))).near == 59


def test_the_order_of_rows_does_not_matter():
    chance = np.random.default_rng(9)
    rows = rows_of(*(changed(EN, int(chance.integers(0, 4)), chance) for _ in range(40)))
    shuffled = [rows[at] for at in chance.permutation(len(rows))]
    found = [copies.within(gathered(each).responses, each) for each in (rows, shuffled)]
    assert found[0] == found[1]


def test_half_of_a_surrogate_pair_is_compared_as_any_character():
    assert within("\ud83d" + EN, "\ud83d" + NEAR).near == 1


# --- against earlier releases ----------------------------------------------------------------------------


def test_a_text_of_an_earlier_release_is_found_by_its_digest():
    found = against([ZH, f" {EN}\n"], release("first", EN))
    assert (found.exact, found.near, found.earlier) == (1, 0, 2)
    assert found.named == (Copy("a001", "x001", 1.0, "old 1.0.0"),)


def test_a_text_that_shares_most_of_an_earlier_one_is_near_with_an_estimate():
    chance = np.random.default_rng(10)
    text = made_up(chance)
    other = changed(text, 8, chance)
    found = against([other], release(ZH, text, EN))
    (copy,) = found.named
    assert (found.exact, found.near, copy.other) == (0, 1, "x001")
    assert copy.share == pytest.approx(jaccard(text, other), abs=4 * 0.045)


def test_the_most_alike_of_earlier_texts_is_named():
    chance = np.random.default_rng(11)
    text = made_up(chance)
    close, closest = changed(text, 10, chance), changed(text, 1, chance)
    (copy,) = against([text], release(close, closest, close)).named
    assert copy.other == "x001"


def test_pairs_are_not_compared_with_each_other_here():
    assert against([EN, EN, NEAR], release(ZH)) == Copies(0, 0, (), earlier=1)


def test_a_response_that_is_carried_over_is_counted_apart():
    carried = Fingerprint("old", "a000", fingerprints.digest(EN), fingerprints.sketch(EN))
    found = against([EN, ZH], [*release(EN, ZH), carried])
    assert (found.exact, found.same_id) == (2, 1)


def test_sketches_of_another_method_are_not_compared_but_digests_are():
    other = [replace(each, method="another") for each in release(EN, NEAR)]
    found = against([EN, NEAR + "!"], other)
    assert (found.exact, found.near, found.earlier, found.not_compared) == (1, 0, 2, 2)


def test_digests_alone_will_do():
    bare = [Fingerprint("old", "x", fingerprints.digest(EN))]
    found = against([EN, NEAR], bare)
    assert (found.exact, found.near, found.not_compared) == (1, 0, 1)


def test_an_empty_text_is_like_no_earlier_one():
    assert against(["", EN], release("", " ")) == Copies(0, 0, ())


def test_earlier_texts_come_in_any_order_and_once():
    texts = release(EN, NEAR, ZH, EN)
    found = against([EN, NEAR, ZH + "。"], texts)
    assert found == copies.against(gathered(rows_of(EN, NEAR, ZH + "。")).responses, iter(texts[::-1]))


def test_two_sketches_agree_as_far_as_their_texts():
    chance = np.random.default_rng(12)
    text = made_up(chance, 2000)
    other = changed(text, 60, chance)
    one, two = fingerprints.sketches(fingerprints.sketch(text) + fingerprints.sketch(other))
    assert np.mean(one == two) == pytest.approx(jaccard(text, other), abs=4 * 0.045)


def test_a_digest_is_that_of_the_text_without_its_white_space():
    assert fingerprints.digest(" a\n b ").hex() == (
        "c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65"  # sha256 of "a b"
    )
    assert fingerprints.digest(" \n") == b""


def test_results_can_be_stored():
    assert within(EN, EN).as_dict()["named"] == (
        {"response": "a001", "other": "a000", "share": 1.0, "release": ""},
    )
