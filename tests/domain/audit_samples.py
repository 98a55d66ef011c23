"""Pairs of made-up texts for the tests of the audit."""

from dataclasses import replace

import numpy as np

from curation.domain.audit.rows import PairRow

WORDS = ("tide", "clock", "harbour", "wife", "late", "both", "bell", "rope")
WORDS += ("gull", "stair", "lamp", "salt", "door", "letter", "winter", "bread")
GENRES = ("poetry", "essay")


def pair(prompt_id: str = "q", chosen_text: str = "one", rejected_text: str = "two", **values) -> PairRow:
    names = {
        "chosen": f"{prompt_id}-c",
        "rejected": f"{prompt_id}-r",
        "language": "en",
        "genre": "poetry",
    } | values
    name = f"{prompt_id}:{names['chosen']}:{names['rejected']}"
    return PairRow(
        **{"id": name, "prompt_id": prompt_id, "chosen_text": chosen_text, "rejected_text": rejected_text}
        | names
    )


def made_up(chance: np.random.Generator, words: int) -> str:
    return " ".join(chance.choice(WORDS, words)) + "."


def noise(pairs: int, *, prompts: int = 100, seed: int = 1, models: int = 3) -> list[PairRow]:
    """Which side is chosen hangs on nothing."""
    chance = np.random.default_rng(seed)
    rows = []
    for number in range(pairs):
        texts = [made_up(chance, int(words)) for words in chance.integers(5, 60, 2)]
        if chance.random() < 0.5:
            texts[0] = texts[0].replace(" bell ", '\n\n"bell" **is** ')
        sides = chance.permutation(2)
        names = [f"model-{letter}" for letter in chance.choice(list("abcdefgh"[:models]), 2)]
        rows.append(
            pair(
                f"q{number % prompts:03}",
                texts[sides[0]],
                texts[sides[1]],
                chosen=f"r{number:05}c",
                rejected=f"r{number:05}d",
                genre=GENRES[number % prompts % 2],
                chosen_model=names[0],
                rejected_model=names[1],
            )
        )
    return rows


def turned(row: PairRow) -> PairRow:
    """With the sides exchanged, under the same id."""
    return replace(
        row,
        chosen=row.rejected,
        rejected=row.chosen,
        chosen_text=row.rejected_text,
        rejected_text=row.chosen_text,
        chosen_model=row.rejected_model,
        rejected_model=row.chosen_model,
    )
