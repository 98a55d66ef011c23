"""A second opinion on consensus: what each text most probably deserves, once annotators' habits are allowed for.

A text has one true score; an annotator gives score g to a text of true score t with a probability of their own,
whatever the text, and independently of the others. Shares of true scores, these confusions, and how probable each true
score of a text is, are estimated in turn until they agree (EM), from the shares of votes. The result is the nearest
maximum of the likelihood, not always the highest. It is an opinion, not a measurement: nothing in it knows the texts,
and with few scores an annotator the confusions follow the noise.

Probabilities are held above 1e-10, so that one score that was never seen before rules nothing out altogether.
Source: Dawid and Skene, Applied Statistics 28, 1979.

What is not defined is None, with a reason:

    empty                there is no score
    no_pairable_values   no text has two scores: there is nothing to tell a text from an annotator by
"""

from dataclasses import dataclass

import numpy as np

from curation.domain.bootstrap import Floats, Integers

EMPTY = "empty"
NO_PAIRABLE_VALUES = "no_pairable_values"
ITERATIONS = 300
TOLERANCE = 1e-4  # the largest change of a probability at which it is done
LEAST = 1e-10
TOGETHER = 1e-9  # probabilities that differ by less are equal


@dataclass(frozen=True)
class Opinion:
    """Of U texts that have scores, A annotators and K scores.

    `units` (U,) are the codes of the texts, ascending. `posterior` (U, K): how probable each true score is. `shares`
    (K,) of the true scores. `annotators` (A,) ascending, and `confusion` (A, K, K): how probable each score given is
    (last axis) for each true one. `log_likelihood` is that of `shares` and `confusion`; it never falls from one
    iteration to the next but for the floor under probabilities.
    """

    units: Integers
    posterior: Floats
    shares: Floats
    annotators: Integers
    confusion: Floats
    log_likelihood: float
    iterations: int
    converged: bool

    @property
    def likeliest(self) -> Integers:
        """The most probable score of each text (U,); the lowest of those that are equally probable."""
        top = self.posterior.max(axis=1, keepdims=True)
        return np.asarray((self.posterior > top - TOGETHER).argmax(axis=1))


@dataclass(frozen=True)
class Undefined:
    reason: str


def opinion(
    units: Integers,
    annotators: Integers,
    scores: Integers,
    *,
    levels: int,
    iterations: int = ITERATIONS,  # at least one
    tolerance: float = TOLERANCE,
) -> Opinion | Undefined:
    """Of a long table of codes (N,): row i is a score, of 0 to levels - 1, by an annotator for a text.

    ValueError where a score is not on the scale, or an annotator scored a text twice.
    """
    if not len(units):
        return Undefined(EMPTY)
    if scores.min() < 0 or scores.max() >= levels:
        raise ValueError(f"a score is not one of 0 to {levels - 1}")
    order = np.lexsort((annotators, units))  # sums of doubles depend on the order
    units, annotators, scores = units[order], annotators[order], scores[order]
    if np.any((units[1:] == units[:-1]) & (annotators[1:] == annotators[:-1])):
        raise ValueError("an annotator scored a text twice; keep the score that counts")
    unit_codes, size = np.unique(units, return_counts=True)
    if len(unit_codes) == len(units):
        return Undefined(NO_PAIRABLE_VALUES)
    annotator_codes, annotator = np.unique(annotators, return_inverse=True)
    alike = _Alike.of(annotator * levels + scores, size)
    probable = alike.votes(levels)
    converged, done = False, 0
    while not converged and done < iterations:
        shares, table = _estimated(probable, alike, len(annotator_codes))
        likely, found = _probable(shares, table, alike)
        converged = bool(np.abs(found - probable).max() <= tolerance)
        probable, done = found, done + 1
    return Opinion(
        units=unit_codes,
        posterior=probable.T[alike.of_text],
        shares=shares,
        annotators=annotator_codes,
        confusion=table.swapaxes(0, 1),
        log_likelihood=likely,
        iterations=done,
        converged=converged,
    )


@dataclass(frozen=True)
class _Alike:
    """Texts to which the same annotators gave the same scores are one (P,), of which there are so many `times`.

    Their scores stand seat by seat, those with the most scores first: whatever has a score in a seat is at the front of
    every array over them. `given` (N,) is annotator * K + score, `filled` how many have a score in each seat, and
    `of_text` (U,) which of them each text is.
    """

    given: Integers
    filled: list[int]
    times: Floats
    of_text: Integers

    @classmethod
    def of(cls, given: Integers, size: Integers) -> "_Alike":
        """Of scores in the order of texts and annotators, `size` (U,) being how many each text has."""
        order = np.argsort(-size, kind="stable")
        first, base = (np.cumsum(size) - size)[order], int(given.max()) + 1
        number = np.zeros(len(size), dtype=np.int64)
        for seat in range(int(size.max())):
            seated = int(np.count_nonzero(size > seat))
            key = number[:seated] * base + given[first[:seated] + seat]
            # Higher than before, so that what has more scores has the higher number.
            number[:seated] = np.unique(key, return_inverse=True)[1] + int(number.max()) + 1
        _numbers, at, alike, times = np.unique(
            -number, return_index=True, return_inverse=True, return_counts=True
        )
        first, of_text = first[at], np.empty(len(size), dtype=np.int64)
        of_text[order] = alike
        sizes = size[order][at]
        filled = [int(np.count_nonzero(sizes > seat)) for seat in range(int(sizes[0]))]
        seats = [given[first[:count] + seat] for seat, count in enumerate(filled)]
        return cls(np.concatenate(seats), filled, times.astype(np.float64), of_text)

    def votes(self, levels: int) -> Floats:
        """The share of each score among those of a text (K, P)."""
        score = self.given % levels
        votes = np.stack([self.summed((score == level).astype(np.float64)) for level in range(levels)])
        return np.asarray(votes / votes.sum(axis=0))

    def summed(self, each: Floats) -> Floats:
        """Numbers of scores (N,), by text (P,)."""
        sums = np.zeros(self.filled[0])
        start = 0
        for count in self.filled:
            sums[:count] += each[start : start + count]
            start += count
        return sums

    def spread(self, each: Floats) -> Floats:
        """Numbers of texts (P,), by score (N,)."""
        return np.concatenate([each[:count] for count in self.filled])


def _estimated(probable: Floats, alike: _Alike, annotators: int) -> tuple[Floats, Floats]:
    """Shares of true scores (K,), and for each of them how probable each score of each annotator is (K, A, K)."""
    levels, cells = len(probable), annotators * len(probable)
    whole = probable * alike.times
    table = np.stack(
        [np.bincount(alike.given, weights=alike.spread(each), minlength=cells) for each in whole]
    )
    counts: Floats = np.maximum(table, LEAST).reshape(levels, annotators, levels)
    shares = whole.sum(axis=1) / alike.times.sum()
    return np.maximum(shares, LEAST), counts / counts.sum(axis=2, keepdims=True)


def _probable(shares: Floats, table: Floats, alike: _Alike) -> tuple[float, Floats]:
    """Log-likelihood, and how probable each true score of each text is (K, P)."""
    logs = np.log(table).reshape(len(table), -1)
    joint = np.stack([alike.summed(each[alike.given]) for each in logs])
    joint += np.log(shares)[:, None]
    largest = joint.max(axis=0)
    scaled = np.exp(joint - largest)
    whole = scaled.sum(axis=0)
    return float((alike.times * (largest + np.log(whole))).sum()), scaled / whole
