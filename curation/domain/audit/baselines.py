"""Guesses of the chosen side by one thing alone.

    longer            the longer one, in words or characters as text.unit_for decides for the pair
    paragraphs, markdown, quotation_marks    the one with more of them (surface.py)
    type_token_ratio  the one with more different words among its words; of characters where these are the unit
    source_model      the one whose model wins the larger share of its pairs, of all other prompts' pairs

All are compared as whole numbers, so that a tie is a tie.
"""

import numpy as np

from curation.domain.audit import shares, surface
from curation.domain.audit.found import BY_COUNT
from curation.domain.audit.surface import COLUMN
from curation.domain.audit.table import Table
from curation.domain.bootstrap import Integers


def guesses(table: Table, pairs: Integers) -> Integers:
    """Of those pairs (M,), in halves (M, 6), in the order of found.BASELINES. Models are known from them alone."""
    chosen = table.responses.counts[table.chosen[pairs]]
    rejected = table.responses.counts[table.rejected[pairs]]
    by_characters = table.by_characters[pairs]
    length = np.where(by_characters, COLUMN["characters"], COLUMN["words"])[:, None]
    found = [
        shares.guess(
            np.take_along_axis(chosen, length, axis=1)[:, 0],
            np.take_along_axis(rejected, length, axis=1)[:, 0],
        )
    ]
    found += [shares.guess(chosen[:, COLUMN[name]], rejected[:, COLUMN[name]]) for name in BY_COUNT]
    types, tokens = surface.types_and_tokens(chosen, by_characters)
    other_types, other_tokens = surface.types_and_tokens(rejected, by_characters)
    # A text without a word has a ratio of 0.
    found.append(shares.guess(types * np.maximum(other_tokens, 1), other_types * np.maximum(tokens, 1)))
    model = table.responses.model
    found.append(
        by_source(
            model[table.chosen[pairs]], model[table.rejected[pairs]], table.prompt[pairs], len(table.models)
        )
    )
    return np.stack(found, axis=1)


def by_source(chosen: Integers, rejected: Integers, prompt: Integers, models: int) -> Integers:
    """From codes of models and prompts (M,): the model with the larger share of wins, leaving out the pair's prompt.

    No case where a model is unknown (-1). A tie where both are the same model, where the shares are equal, and where
    one of the models has no pair with another model elsewhere. Where all models are alike the rate lies a little below
    one half, for a win that is left out speaks against its model.
    """
    found = np.where((chosen >= 0) & (rejected >= 0), shares.TIE, shares.NO_CASE)
    counted = (chosen >= 0) & (rejected >= 0) & (chosen != rejected)
    won, played = _elsewhere(np.stack([chosen[counted], rejected[counted]]), prompt[counted], models)
    # A model that plays nowhere else has won 0 of 0: both products are 0.
    found[counted] = shares.guess(won[0] * played[1], won[1] * played[0])
    return found


def _elsewhere(sides: Integers, prompt: Integers, models: int) -> tuple[Integers, Integers]:
    """Of the models of both sides (2, M), how many pairs of other prompts they won and stood in (2, M)."""
    cells, cell = np.unique(prompt * models + sides, return_inverse=True)
    cell = cell.reshape(sides.shape)
    won_here = np.bincount(cell[0], minlength=len(cells))
    stood_here = np.bincount(cell.ravel(), minlength=len(cells))
    won = np.bincount(sides[0], minlength=models)[sides] - won_here[cell]
    stood = np.bincount(sides.ravel(), minlength=models)[sides] - stood_here[cell]
    return won, stood
