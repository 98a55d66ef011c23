"""The human ceiling against a plain count, and that it is not circular."""

import json
from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import pytest

from curation.domain import ceiling
from curation.domain.ceiling import Ceiling, ceilings, compared
from curation.domain.recipes import WritingPreference
from tests.domain.score_samples import Sample, sample

pytestmark = pytest.mark.files


def of_all(given: Sample, recipe: WritingPreference | None = None, **options: object) -> Ceiling:
    found = compared(given.unit, given.annotator, given.score, given.prompt, recipe)
    return ceilings(found, np.zeros(int(given.prompt.max()) + 1, dtype=np.int32), 1, **options)[0]


def panel(table: list[list[int | None]], prompt: list[int]) -> Sample:
    cells = [(u, a, s) for u, row in enumerate(table) for a, s in enumerate(row) if s is not None]
    unit, annotator, score = (np.array(column, dtype=np.int32) for column in zip(*cells, strict=True))
    return Sample(
        unit, annotator, score.astype(np.uint8), np.array(prompt), np.zeros(len(prompt), dtype=np.int32)
    )


def by_hand(given: Sample, min_gap: Fraction = Fraction(1)) -> tuple[Fraction, int]:
    """The rules as they are written down, pair by pair."""
    scores: dict[int, dict[int, int]] = {unit: {} for unit in range(len(given.prompt))}
    for unit, annotator, score in zip(given.unit, given.annotator, given.score, strict=True):
        scores[int(unit)][int(annotator)] = int(score)
    rates: dict[int, list[Fraction]] = {}
    for one, other in combinations(scores, 2):
        if given.prompt[one] != given.prompt[other]:
            continue
        common = scores[one].keys() & scores[other].keys()
        for out in common:
            others = [scores[one][each] - scores[other][each] for each in common - {out}]
            k, total = len(others), sum(others)
            votes = sum(each * total > 0 for each in others)
            if k < 2 or total == 0 or votes < max(2, ceil(Fraction(2 * k, 3))) or abs(total) < k * min_gap:
                continue
            own = scores[one][out] - scores[other][out]
            rates.setdefault(out, []).append(Fraction(1, 2) if own == 0 else Fraction(own * total > 0))
    means = [sum(each) / len(each) for each in rates.values()]
    return sum(means) / len(means), sum(map(len, rates.values()))


@pytest.mark.parametrize(("annotators", "each"), [(3, 3), (4, 4), (8, 6)])
def test_it_is_what_the_rules_say_pair_by_pair(annotators: int, each: int) -> None:
    given = sample(units=90, annotators=annotators, each=each)
    found, (value, pairs) = of_all(given, replicates=0), by_hand(given)
    assert found.value == pytest.approx(float(value), abs=1e-12)
    assert found.pairs == pairs > 50


def test_the_recipe_decides_how_large_a_gap_the_others_need() -> None:
    given = sample(units=90, annotators=4, each=4)
    found = of_all(given, WritingPreference(min_gap=Fraction(3, 2)), replicates=0)
    value, pairs = by_hand(given, Fraction(3, 2))
    assert (found.value, found.pairs) == (pytest.approx(float(value), abs=1e-12), pairs)
    assert pairs < of_all(given, replicates=0).pairs


def test_pure_noise_gives_a_half() -> None:
    """Pairs that the annotator helped to accept would give .77."""
    chance = np.random.default_rng(1)
    table = chance.integers(0, 4, (16_000, 3)).tolist()
    found = of_all(panel(table, [unit // 8 for unit in range(16_000)]), replicates=200)
    assert found.value == pytest.approx(0.5, abs=0.02)
    assert found.low < 0.5 < found.high


def test_who_always_agrees_reaches_1_and_who_always_ties_a_half() -> None:
    agreed = of_all(panel([[3, 3, 3], [1, 1, 1], [2, 2, 2], [0, 0, 0]], [0, 0, 1, 1]))
    assert (agreed.value, agreed.low, agreed.high, agreed.pairs) == (1, 1, 1, 6)
    assert of_all(panel([[3, 3, 2], [1, 1, 2]], [0, 0]), replicates=10) == Ceiling(0.5, None, None, 1, 1, 1)


def test_the_mean_is_over_annotators_not_over_pairs() -> None:
    table = [[3, 3, 3, 3], [1, 1, 3, 1], [3, None, 3, 3], [1, None, 1, 1]]
    given = panel(table, [0, 0, 1, 1])
    value, pairs = by_hand(given)
    assert of_all(given, replicates=0).value == float(value)
    assert pairs == 7


def test_a_genre_is_what_its_prompts_alone_would_be() -> None:
    given = sample(units=400, annotators=4, each=4)
    found = compared(given.unit, given.annotator, given.score, given.prompt)
    genre = np.arange(int(given.prompt.max()) + 1) % 3 - 1
    for number, of_genre in enumerate(ceilings(found, genre, 2, replicates=80)):
        alone = given.where(genre[given.prompt[given.unit]] == number)
        assert of_genre == of_all(alone, replicates=80)
        assert of_genre.low < of_genre.value < of_genre.high


def test_neither_the_order_of_rows_nor_of_prompts_nor_pieces_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    given = sample(units=120, annotators=4, each=4)
    before = of_all(given, replicates=30)
    shuffled = given.where(np.random.default_rng(3).permutation(len(given.unit)))
    monkeypatch.setattr(ceiling, "CELLS", 13)
    assert of_all(shuffled, replicates=30) == before
    backwards = Sample(
        len(given.prompt) - 1 - given.unit, given.annotator, given.score, given.prompt[::-1], given.genre
    )
    assert of_all(backwards, replicates=30) == before


@pytest.mark.parametrize(
    ("table", "prompt"),
    [
        ([[3, 3], [1, 1]], [0, 0]),  # two annotators: the other is alone
        ([[3, 3, 3], [1, 1, 1]], [0, 1]),  # no two texts of a prompt
        ([[2, 2, 2], [2, 2, 2]], [0, 0]),
    ],
)
def test_where_the_others_accept_nothing_there_is_a_reason(table: list, prompt: list[int]) -> None:
    assert of_all(panel(table, prompt)) == Ceiling(None, reason="no_pair_of_the_others")


def test_it_is_plain_data() -> None:
    found = of_all(sample(units=60, annotators=3), replicates=20)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["value"] == found.value
