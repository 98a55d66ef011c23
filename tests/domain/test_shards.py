"""A curation in shards gives what the whole gives, to the byte, however it was divided."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain import forming, priority
from curation.domain.pairing import CurationError, Pair, curate
from curation.domain.recipes import WritingPreference
from curation.domain.shards import lowest, work
from curation.domain.shards.buckets import BUCKETS, bucket_of, buckets_of_shard
from curation.domain.shards.merge import Merged, merged
from curation.domain.shards.parts import Part
from curation.domain.shards.sealed import Damaged
from curation.domain.shards.tallies import Tally, total
from tests.domain.material_strategies import material, recipes

pytestmark = pytest.mark.files

thorough = settings(max_examples=80, deadline=None, derandomize=True)
Rows = tuple[Sequence[ResponseRow], Sequence[CurrentScore]]


def decided(rows: Rows, recipe: WritingPreference, buckets: range) -> tuple[list[bytes], Tally]:
    """What a shard writes: a part for each bucket that has prompts, and what it counted."""
    bucket = {row.id: bucket_of(row.prompt_id) for row in rows[0]}
    parts, counts = [], []
    for number in sorted(set(bucket.values()).intersection(buckets)):
        responses = [row for row in rows[0] if bucket[row.id] == number]
        scores = [score for score in rows[1] if bucket[score.response_id] == number]
        part, tally = work.decided(responses, scores, recipe)
        parts.append(part.to_bytes())
        counts.append(tally)
    return parts, total(counts, recipe.reasons)


def in_shards(rows: Rows, recipe: WritingPreference, shards: int) -> tuple[list[bytes], Merged]:
    written, counts = [], []
    for number in range(shards):
        parts, tally = decided(rows, recipe, buckets_of_shard(number, shards))
        written += parts
        counts.append(Tally.from_bytes(tally.to_bytes()))
    return written, merged(counts, [Part.from_bytes(content) for content in written], recipe, removed=3)


def pairs_of(found: Merged) -> list[Pair]:
    pairs = [pair for part in found.accepted() for pair in part.pairs()]
    return sorted(pairs, key=lambda pair: pair.id.encode())


def without_texts(pairs: Sequence[Pair]) -> list[Pair]:
    """What shards say of pairs; the rest is read from the material."""
    read = ("genre", "language", "chosen_model", "rejected_model", "prompt", "chosen_text", "rejected_text")
    return [replace(pair, **dict.fromkeys(read, "")) for pair in pairs]


def assert_as_the_whole(found: Merged, rows: Rows, recipe: WritingPreference) -> None:
    whole = curate(*rows, recipe, removed=3)
    assert pairs_of(found) == without_texts(whole.pairs)
    assert found.funnel.as_dict() == whole.funnel.as_dict()
    assert list(found.funnel.rejected) == list(whole.funnel.rejected)
    assert found.symmetry_as_dict() == whole.symmetry_as_dict()


@thorough
@given(material(), recipes, st.sampled_from([1, 2, 16]))
def test_shards_give_what_the_whole_gives(rows, recipe, shards):
    assert_as_the_whole(in_shards(rows, recipe, shards)[1], rows, recipe)


@thorough
@given(material(), recipes, st.randoms(use_true_random=False))
def test_parts_are_the_same_bytes_for_any_number_of_shards_and_order_of_rows(rows, recipe, rng):
    first, _ = in_shards(rows, recipe, 1)
    mixed = rng.sample(rows[0], len(rows[0])), rng.sample(rows[1], len(rows[1]))
    for shards in (2, 16):
        assert in_shards(mixed, recipe, shards)[0] == first


@pytest.fixture
def hardly_any_priorities(monkeypatch):
    """Every second pair shares its priority with many: only ids tell which goes first."""
    mixed = priority.priorities
    monkeypatch.setattr(priority, "priorities", lambda one, other: mixed(one, other) >> np.uint64(62))


@pytest.fixture
def little_room(monkeypatch):
    """Nothing may be looked at one by one before it was counted."""
    monkeypatch.setattr(lowest, "HELD", 0)


def many(seed: int, *, prompts: int = 40, responses: int = 12) -> Rows:
    """Material on which every rule bites, in two languages."""
    rng = random.Random(seed)
    rows, scores = [], []
    for prompt in range(prompts):
        language = rng.choice(["en", "de"])
        for place in range(responses):
            name = f"r{prompt}-{place}"
            rows.append(ResponseRow(name, f"p{prompt}", f"text {rng.randrange(30)}", language=language))
            rows[-1] = replace(rows[-1], length=rng.randrange(1, 90))
            deserved = rng.randrange(4)
            for annotator in ("ann", "ben", "cyd"):
                if rng.random() < 0.95:
                    score = min(3, max(0, deserved + rng.choice([-1, 0, 0, 0, 1])))
                    scores.append(CurrentScore(name, annotator, score, rng.choice([0, 0, 2])))
    return rows, scores


LARGE = [
    WritingPreference(strata="language", buckets=10, quota=45),
    WritingPreference(strata="language", buckets=100, quota=100),
    WritingPreference(buckets=4, quota=33, max_pairs_per_response=5),
    WritingPreference(buckets=4, quota=1),
    WritingPreference(buckets=20, max_pairs_per_prompt=7),
    WritingPreference(length_symmetry=False, quota=50, strata="language"),
    WritingPreference(length_symmetry=False),
]


@pytest.mark.parametrize("recipe", LARGE)
@pytest.mark.parametrize("shards", [1, 2, 16])
def test_larger_material_in_shards_gives_what_the_whole_gives(recipe, shards):
    rows = many(shards)
    assert_as_the_whole(in_shards(rows, recipe, shards)[1], rows, recipe)


@pytest.mark.parametrize("recipe", LARGE)
def test_counting_first_finds_the_same_last_places(recipe, little_room):
    rows = many(7)
    assert_as_the_whole(in_shards(rows, recipe, 16)[1], rows, recipe)


@pytest.mark.parametrize("recipe", LARGE)
@pytest.mark.parametrize("counted_first", [False, True])
def test_pairs_of_one_priority_go_by_their_ids(recipe, counted_first, hardly_any_priorities, monkeypatch):
    if counted_first:
        monkeypatch.setattr(lowest, "HELD", 0)
    rows = many(8)
    assert_as_the_whole(in_shards(rows, recipe, 16)[1], rows, recipe)


@pytest.fixture(params=["one by one", "mixed", "in small chunks"])
def another_way(request, monkeypatch):
    """Prompts that are not taken together by their marks, or some of them; or few candidates at a time."""
    constants = {"one by one": ("PANEL", 0), "mixed": ("PANEL", 2), "in small chunks": ("CHUNK", 3)}
    monkeypatch.setattr(forming, *constants[request.param])


def of_many_panels(seed: int) -> Rows:
    """Prompts of two to four annotators, whose names interleave, and scores that are missing."""
    rng = random.Random(seed)
    rows, scores = many(seed, prompts=20, responses=7)
    panels = {
        f"p{prompt}": rng.sample(["ann", "ben", "cyd", "dan", "eve"], rng.randrange(2, 5))
        for prompt in range(20)
    }
    prompts = {row.id: row.prompt_id for row in rows}
    whose = {name: panels[prompts[name]] for name in prompts}
    given = {(score.response_id, score.annotator): score for score in scores}
    return rows, [
        replace(given.get((name, "ann"), CurrentScore(name, "ann", rng.randrange(4))), annotator=annotator)
        if rng.random() < 0.5
        else CurrentScore(name, annotator, rng.randrange(4), rng.choice([0, 0, 2]))
        for name, annotators in whose.items()
        for annotator in annotators
        if rng.random() < 0.95
    ]


LOOKED_AT = [
    WritingPreference(strata="language", buckets=10),
    WritingPreference(max_length_ratio=Fraction(2), max_pairs_per_response=3),
    WritingPreference(min_common=3, unanimous=True, length_symmetry=False),
]


@pytest.mark.parametrize("recipe", LOOKED_AT)
@pytest.mark.parametrize("seed", [11, 12])
def test_pairs_are_the_same_whichever_way_they_are_formed(recipe, seed, another_way, monkeypatch):
    rows = of_many_panels(seed)
    other, counted = curate(*rows, recipe), curate(*rows, recipe, keep="none")
    monkeypatch.undo()
    whole = curate(*rows, recipe)
    assert list(other.pairs) == list(whole.pairs)
    assert len(whole.pairs)
    assert list(other.rejected) == list(whole.rejected)
    assert other.funnel == counted.funnel == whole.funnel
    assert list(counted.pairs) == list(whole.pairs)


def test_two_pairs_with_one_id_are_refused_though_they_come_from_two_parts():
    sides = {("q", "a"): 3, ("q", "b:c"): 0, ("q:a", "b"): 3, ("q:a", "c"): 0}
    assert bucket_of("q") != bucket_of("q:a")
    rows = [ResponseRow(name, prompt, f"text of {name}") for prompt, name in sides]
    scores = [CurrentScore(name, by, score) for (_, name), score in sides.items() for by in ("ann", "ben")]
    recipe = WritingPreference(length_symmetry=False)
    with pytest.raises(CurationError, match="two pairs would have the id 'q:a:b:c'"):
        curate(rows, scores, recipe)
    _, found = in_shards((rows, scores), recipe, 2)
    with pytest.raises(CurationError, match="two pairs would have the id 'q:a:b:c'"):
        list(found.accepted())


# --- buckets and bytes -----------------------------------------------------------------------------------


def test_a_prompts_bucket_is_the_first_byte_of_its_digest():
    assert bucket_of("abc") == 0xBA  # SHA-256 of "abc" begins with ba7816bf (FIPS 180-2, appendix B.1)
    assert bucket_of("") == 0xE3


@given(st.integers(1, BUCKETS))
def test_every_bucket_is_of_one_shard(shards):
    together = [bucket for number in range(shards) for bucket in buckets_of_shard(number, shards)]
    assert together == list(range(BUCKETS))
    sizes = [len(buckets_of_shard(number, shards)) for number in range(shards)]
    assert max(sizes) - min(sizes) <= 1


def contents() -> Iterator[bytes]:
    rows, recipe = many(1, prompts=3), WritingPreference(strata="language")
    part, tally = work.decided(*rows, recipe)
    assert len(part)
    yield part.to_bytes()
    yield tally.to_bytes()


@pytest.mark.parametrize("content", list(contents()), ids=["part", "tally"])
def test_damaged_bytes_are_refused(content):
    reader = Part if b"table.chosen" in content else Tally
    reader.from_bytes(content)
    for place in range(0, len(content), 97):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(Damaged):
            reader.from_bytes(bytes(changed))
        with pytest.raises(Damaged):
            reader.from_bytes(content[:place])


def test_a_part_read_back_is_the_part_that_was_written():
    part, _ = work.decided(*many(2, prompts=5), WritingPreference(strata="language+genre"))
    again = Part.from_bytes(part.to_bytes())
    assert list(again.pairs()) == list(part.pairs())
    assert np.array_equal(again.priority, part.priority)
    assert (again.strata, again.to_bytes()) == (part.strata, part.to_bytes())


def test_nothing_in_no_parts_gives_an_empty_outcome():
    recipe = WritingPreference(quota=3)
    found = merged([], [], recipe)
    assert found.funnel.as_dict() == curate([], [], recipe).funnel.as_dict()
    assert (found.symmetry, list(found.accepted())) == ((), [])
