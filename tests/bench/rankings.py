"""B1 and B2: comparisons beside choix and evalica, rankings beside SciPy.

Peers take lists of games, or go prompt by prompt: a part of the prompts, and the time is that of all of them.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import choix
import evalica
import numpy as np
from scipy import stats

from curation.domain import comparisons, rank_agreement
from curation.domain.bootstrap import Floats, Integers
from tests.bench import samples
from tests.bench.measure import Call, Race, Row, apart
from tests.bench.sizes import Sizes

ILSR, RUST = "choix.ilsr_pairwise", "evalica.bradley_terry"
TAU, FRIEDMAN, DENSE = "scipy.kendalltau, one by one", "scipy.friedmanchisquare", "choix.ilsr_pairwise_dense"
FITS, EXACT = 1000, 1e-13  # the peers' own tolerances are for speed, and end further off than 1e-9
ANNOTATORS, ITEMS = 6, 8
COMPARED = 20  # bootstrap fits that a peer does too


def races(sizes: Sizes) -> Iterator[Race]:
    yield _strengths(sizes)
    yield _agreement(sizes)


def _strengths(sizes: Sizes) -> Race:
    winner, loser = samples.comparisons(sizes.games, sizes.items)
    outcomes = comparisons.Outcomes(winner, loser, np.full(len(winner), 2))
    games = list(zip(winner.tolist(), loser.tolist(), strict=True))
    sides = winner.tolist(), loser.tolist(), [evalica.Winner.X] * len(winner)
    return Race(
        size=f"{sizes.games:,} of {sizes.items}",
        calls={
            ILSR: Call(partial(choix.ilsr_pairwise, sizes.items, games), sizes.runs),
            RUST: Call(partial(evalica.bradley_terry, *sides), sizes.runs),
            "fit": Call(partial(_fit, outcomes, sizes.items), sizes.runs),
            "fits": Call(
                partial(comparisons.fit_with_intervals, outcomes, sizes.items, replicates=FITS),
                sizes.slow_runs,
            ),
        },
        rows=[
            Row("B1", "Bradley-Terry, one fit", "fit", ILSR, 0.02),
            Row("B1", "the same", "fit", RUST, 0.1),
            Row("B1", "1,000 bootstrap fits", "fits", ILSR, 3, is_measured=True),
        ],
        differences=partial(_of_strengths, outcomes, sizes.items, games, sides),
    )


def _of_strengths(
    outcomes: comparisons.Outcomes, items: int, games: list, sides: tuple, results: Mapping[str, object]
) -> Iterator[tuple[str, float]]:
    yield "B1", apart(results["fit"].values, _centred(choix.ilsr_pairwise(items, games, tol=EXACT)))
    exact = evalica.bradley_terry(*sides, tolerance=EXACT, limit=100_000).scores.sort_index()
    yield "B1", apart(results["fit"].values, _centred(np.log(exact.to_numpy())))
    yield "B1", apart(results["fits"].values, results["fit"].values)
    drawn = comparisons.fit_with_intervals(outcomes, items, replicates=COMPARED)
    tables = np.concatenate(
        list(comparisons._drawn(outcomes, items, COMPARED, comparisons.SEED, position=False))
    ).sum(axis=1)
    peers = np.stack([_centred(choix.ilsr_pairwise_dense(table, tol=EXACT)) for table in tables])
    yield "B1", apart([drawn.low, drawn.high], [peers.min(axis=0), peers.max(axis=0)])


def _fit(outcomes: comparisons.Outcomes, items: int) -> comparisons.Strengths:
    return comparisons.fit(*comparisons.tally(outcomes, items))


def _centred(strengths: Floats) -> Floats:
    return np.asarray(strengths - np.mean(strengths))


def _agreement(sizes: Sizes) -> Race:
    ranked = samples.rankings(sizes.prompts, ANNOTATORS, ITEMS)
    wins = _wins(ranked)
    whole = comparisons.connected(wins)
    few = min(sizes.peers_prompts, sizes.prompts)
    peer = partial(Call, runs=sizes.slow_runs, share=few / sizes.prompts)
    connected = np.flatnonzero(whole)[:few]
    return Race(
        size=f"{sizes.prompts:,} x {ITEMS}",
        calls={
            TAU: peer(partial(_taus, ranked[:few])),
            "tau": Call(partial(_correlations, ranked), sizes.runs),
            FRIEDMAN: peer(partial(_friedmans, ranked[:few])),
            "w": Call(partial(rank_agreement.concordances, ranked), sizes.runs),
            DENSE: Call(
                partial(_dense, wins[connected]), sizes.slow_runs, share=len(connected) / int(whole.sum())
            ),
            "batched": Call(partial(comparisons.fits, wins[whole]), sizes.slow_runs),
        },
        rows=[
            Row("B2", "tau-a, tau-b, Spearman of two rankings", "tau", TAU, 0.01, is_measured=True),
            Row("B2", "Kendall's W of six rankings", "w", FRIEDMAN, 0.01, is_measured=True),
            Row("B2", "Bradley-Terry, prompt by prompt", "batched", DENSE, 0.05, is_measured=True),
        ],
        differences=partial(_of_agreement, wins[connected]),
    )


def _of_agreement(wins: Floats, results: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    few = len(results[TAU])
    yield "B2", apart(results["tau"].tau_b[:few], results[TAU])
    yield "B2", apart(results["w"][:few], results[FRIEDMAN])
    exact = [_centred(choix.ilsr_pairwise_dense(table, tol=EXACT)) for table in wins]
    yield "B2", apart(results["batched"][: len(exact)], exact)


def _correlations(ranked: Floats) -> rank_agreement.Correlations:
    return rank_agreement.correlations(ranked[:, 0], ranked[:, 1])


def _taus(ranked: Floats) -> list[float]:
    return [stats.kendalltau(table[0], table[1]).statistic for table in ranked]


def _friedmans(ranked: Floats) -> list[float]:
    chi2 = [stats.friedmanchisquare(*table.T).statistic for table in ranked]
    return [each / (ANNOTATORS * (ITEMS - 1)) for each in chi2]


def _dense(wins: Floats) -> list[Floats]:
    return [_centred(choix.ilsr_pairwise_dense(table)) for table in wins]


def _wins(ranked: Floats) -> Integers:
    """How many put one item above another (P, items, items)."""
    return np.stack([(ranked[:, :, [item]] < ranked).sum(axis=1) for item in range(ITEMS)], axis=1)
