"""What predictions say of each pair, once or in both orders of its texts.

A verdict is RIGHT where the chosen text is preferred, TIE, WRONG, or NONE where there is no usable one. Scores give
one verdict for each pair; choices two, the chosen text being shown first in the first, and second in the second.
Two ways of counting come of it, both as whole numbers:

    halves     strict: a verdict counts if it is right, each of two by a half
    quarters   a tie counts half of that
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.domain.records import InputError
from curation.domain.bootstrap import Integers
from curation.domain.evaluation.benchmark import Pairs
from curation.domain.evaluation.predictions import Given, Number, Predictions
from curation.domain.evaluation.problems import Problem, Problems
from curation.domain.release.rows import open_id

NONE, WRONG, TIE, RIGHT = -1, 0, 1, 2
HALVES, QUARTERS = 2, 4
CHOSEN_FIRST, REJECTED_FIRST = 0, 1  # the columns of verdicts in both orders

Verdicts = NDArray[np.int8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Verdicts (N, 1) or, in both orders, (N, 2)."""

    verdicts: Verdicts
    problems: Problems

    @property
    def orders(self) -> int:
        return int(self.verdicts.shape[1])

    @property
    def halves(self) -> Integers:
        """0, 1 or 2 (N,)."""
        return np.asarray((self.verdicts == RIGHT).sum(axis=1) * (HALVES // self.orders), dtype=np.int64)

    @property
    def quarters(self) -> Integers:
        """0 to 4 (N,)."""
        told = np.maximum(self.verdicts, WRONG).sum(axis=1, dtype=np.int64)
        return np.asarray(told * (HALVES // self.orders), dtype=np.int64)

    @property
    def in_both(self) -> Bools:
        """Whether there is a verdict in every order (N,)."""
        return np.asarray((self.verdicts != NONE).all(axis=1))


def of(predictions: Predictions, pairs: Pairs, held: Collection[str] = ()) -> Answers:
    """Of scores, of responses or of pairs, or choices; `held` are responses that the release holds besides those of
    its pairs. InputError where nothing in the file is asked for."""
    found = list(predictions.given.problems)
    verdicts, said = _MAKERS[predictions.form](predictions.given, pairs, found)
    if not said:
        reason = "no id of the file occurs in the release; give the predictions for this release"
        raise InputError(reason, source=predictions.source)
    if predictions.form == "scores":
        found = [_unused(problem) if problem.id in held else problem for problem in found]
    return Answers(verdicts, Problems.of(found))


def _of_scores(given: Given[Number], pairs: Pairs, found: list[Problem]) -> tuple[Verdicts, bool]:
    asked = {(name, "") for name in pairs.responses}
    found += _missing_and_extra(given, asked)
    rank = _ranks({name: given.values.get((name, "")) for name in pairs.responses})
    return _compared(rank[pairs.chosen], rank[pairs.rejected]), _any(given, asked)


def _of_pair_scores(
    given: Given[tuple[Number, Number]], pairs: Pairs, found: list[Problem]
) -> tuple[Verdicts, bool]:
    asked = {(name, "") for name in pairs.ids}
    found += _missing_and_extra(given, asked)
    verdicts = np.full((len(pairs), 1), NONE, dtype=np.int8)
    for place, name in enumerate(pairs.ids):
        both = given.values.get((name, ""))
        if both is not None:
            verdicts[place] = TIE + (both[0] > both[1]) - (both[0] < both[1])
    return verdicts, _any(given, asked)


def _of_choices(given: Given[str], pairs: Pairs, found: list[Problem]) -> tuple[Verdicts, bool]:
    """One verdict for each (pair, text shown first); what names another text than the pair's counts nowhere."""
    sides = (pairs.chosen, pairs.rejected)
    firsts = [[pairs.responses[code] for code in side.tolist()] for side in sides]
    names = _names(given, pairs)
    asked = {(name, first) for side in firsts for name, first in zip(names, side, strict=True)}
    known = set(names)
    for problem in _missing_and_extra(given, asked):
        misnamed = problem.kind == "extra" and problem.id in known
        found.append(Problem("wrong_texts", problem.id, problem.line, problem.first) if misnamed else problem)
    columns = [
        [
            _verdict(given.values.get((name, first)), order)
            for name, first in zip(names, firsts[order], strict=True)
        ]
        for order in (CHOSEN_FIRST, REJECTED_FIRST)
    ]
    verdicts = np.array(columns, dtype=np.int8).T.reshape(len(pairs), 2)
    return verdicts, bool(known & {name for name, _first in given.lines})


def _names(given: Given[str], pairs: Pairs) -> Sequence[str]:
    """The ids by which the file calls the pairs: their own, or those that say nothing of which text was chosen."""
    open_ids = [
        open_id(pairs.prompts[prompt], pairs.responses[chosen], pairs.responses[rejected])
        for prompt, chosen, rejected in zip(
            pairs.prompt.tolist(), pairs.chosen.tolist(), pairs.rejected.tolist(), strict=True
        )
    ]
    said = {name for name, _first in given.lines}
    return max((pairs.ids, open_ids), key=lambda names: len(said.intersection(names)))


_MAKERS: Mapping[str, Any] = {
    "scores": _of_scores,
    "pair_scores": _of_pair_scores,
    "choices": _of_choices,
}
FORMS = tuple(_MAKERS)


# --- parts -----------------------------------------------------------------------------------------------


def _verdict(choice: str | None, order: int) -> int:
    if choice is None:
        return NONE
    if choice == "tie":
        return TIE
    return RIGHT if (choice == "A") == (order == CHOSEN_FIRST) else WRONG


def _ranks(scores: Mapping[str, Number | None]) -> Integers:
    """Higher for better, from 0, in the order of the names; NONE without a score.

    Compared as Python does, so that whole numbers beyond 2**53 are told apart.
    """
    different = sorted({score for score in scores.values() if score is not None})
    place = {score: rank for rank, score in enumerate(different)}
    return np.array([NONE if score is None else place[score] for score in scores.values()], dtype=np.int64)


def _compared(chosen: Integers, rejected: Integers) -> Verdicts:
    known = (chosen != NONE) & (rejected != NONE)
    return np.where(known, TIE + np.sign(chosen - rejected), NONE).astype(np.int8)[:, None]


def _missing_and_extra(given: Given[Any], asked: set[tuple[str, str]]) -> Iterator[Problem]:
    for id, first in sorted(asked - given.lines.keys()):
        yield Problem("missing", id, None, first)
    for key in given.lines.keys() - asked:
        yield Problem("extra", key[0], given.lines[key], key[1])


def _unused(problem: Problem) -> Problem:
    return replace(problem, kind="unused") if problem.kind == "extra" else problem


def _any(given: Given[Any], asked: set[tuple[str, str]]) -> bool:
    return not asked.isdisjoint(given.lines)
