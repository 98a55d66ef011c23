"""The signal audit of accepted pairs: what could a machine guess that cannot read?

Nothing here depends on the order of the rows. Turning every pair around turns every rate of a text's surface around,
and leaves what is learnt from the pairs themselves as it is: the source model's mean and the logistic model.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from curation.domain.audit import baselines, copies, families, leaks, logistic, shares, surface
from curation.domain.audit.copies import Copies
from curation.domain.audit.families import Families
from curation.domain.audit.fingerprints import Fingerprint
from curation.domain.audit.found import BASELINES, LOGISTIC, Share
from curation.domain.audit.leaks import Leaks
from curation.domain.audit.rows import PairRow
from curation.domain.audit.table import Table, gathered
from curation.domain.bootstrap import Integers
from curation.domain.charts import FEWEST
from curation.domain.rates import REPLICATES, SEED

TOO_FEW = "too_few"  # fewer pairs than FEWEST
ONE_PROMPT = "one_prompt"  # no pair of another prompt to learn from


@dataclass(frozen=True, slots=True)
class Learnt:
    """The logistic model: its accuracy on prompts that it has not seen, and its weights when it has seen all.

    `weights` are by feature (surface.FEATURES), in log odds for each typical difference; features that go together
    share what they tell. Where there is no accuracy there are no weights.
    """

    accuracy: Share
    weights: Mapping[str, float]

    def as_dict(self) -> dict[str, object]:
        return {"accuracy": self.accuracy.as_dict(), "weights": dict(self.weights)}


@dataclass(frozen=True, slots=True)
class Signals:
    """Of some of the pairs; `few`: of fewer than FEWEST, so that nothing is to be read into them."""

    pairs: int
    prompts: int
    few: bool
    baselines: Mapping[str, Share]  # by name of found.BASELINES
    logistic: Learnt

    def shares(self) -> dict[str, Share]:
        return {**self.baselines, LOGISTIC: self.logistic.accuracy}

    def as_dict(self) -> dict[str, object]:
        return {
            "pairs": self.pairs,
            "prompts": self.prompts,
            "few": self.few,
            "baselines": {name: share.as_dict() for name, share in self.baselines.items()},
            "logistic": self.logistic.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """`genres` in the order of their keys, "" for pairs whose genre is not known; models are learnt anew in each.

    `copies` are among the pairs, `earlier` those against earlier releases.
    """

    signals: Signals
    genres: Mapping[str, Signals]
    families: Families
    copies: Copies
    earlier: Copies
    leaks: Leaks

    def shares(self) -> dict[str, Share]:
        return self.signals.shares()

    def counts(self) -> dict[str, int]:
        return {
            "exact": self.copies.exact,
            "near": self.copies.near,
            "earlier_exact": self.earlier.exact,
            "earlier_near": self.earlier.near,
            "leaks": self.leaks.responses,
        }

    def as_dict(self) -> dict[str, object]:
        """JSON values."""
        return {
            "signals": self.signals.as_dict(),
            "genres": [{"key": key, **found.as_dict()} for key, found in self.genres.items()],
            "families": self.families.as_dict(),
            "copies": self.copies.as_dict(),
            "earlier": self.earlier.as_dict(),
            "leaks": self.leaks.as_dict(),
        }


def audit(
    rows: Iterable[PairRow],
    *,
    earlier: Iterable[Fingerprint] = (),
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> Audit:
    """`rows` are read twice, so a list, or rows.Joined; ValueError on an iterator, and on rows that contradict.

    Memory: about two kilobytes for each response, and the texts that repeat others.
    """
    if iter(rows) is rows:
        raise ValueError("the pairs are read twice; give a list, or anything that can be read again")
    table = gathered(rows)
    every = np.arange(len(table))
    return Audit(
        signals=_signals(table, every, "audit", seed, replicates),
        genres={
            name: _signals(table, every[table.genre == code], f"audit:{name}", seed, replicates)
            for code, name in enumerate(table.genres)
        },
        families=families.families(table),
        copies=copies.within(table.responses, rows),
        earlier=copies.against(table.responses, earlier),
        leaks=leaks.leaks(table),
    )


def _signals(table: Table, pairs: Integers, key: str, seed: str, replicates: int) -> Signals:
    prompts, prompt = np.unique(table.prompt[pairs], return_inverse=True)
    simple = baselines.guesses(table, pairs)
    reason = _reason(len(pairs), len(prompts))
    learnt, weights = np.full(len(pairs), shares.NO_CASE, dtype=np.int64), dict[str, float]()
    differences = surface.differences(
        table.responses.counts[table.chosen[pairs]],
        table.responses.counts[table.rejected[pairs]],
        table.by_characters[pairs],
    )
    if reason is None:
        fold = logistic.folds([table.prompts[code] for code in prompts], seed=seed)
        learnt = logistic.guesses(differences, fold[prompt])
        weights = dict(zip(surface.FEATURES, logistic.weights(differences).tolist(), strict=True))
    *found, accuracy = shares.shares(
        np.column_stack([simple, learnt]), prompt, seed=seed, key=key, replicates=replicates
    )
    if reason:
        accuracy = Share(0, 0, 0, None, reason=reason)
    return Signals(
        pairs=len(pairs),
        prompts=len(prompts),
        few=len(pairs) < FEWEST,
        baselines=dict(zip(BASELINES, found, strict=True)),
        logistic=Learnt(accuracy, weights),
    )


def _reason(pairs: int, prompts: int) -> str | None:
    """Why no model is learnt."""
    if pairs < FEWEST:
        return TOO_FEW
    return ONE_PROMPT if prompts < 2 else None
