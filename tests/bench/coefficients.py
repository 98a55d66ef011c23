"""A6: the other coefficients of agreement beside statsmodels, pingouin and scikit-learn.

Each peer is given its table ready made.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pingouin
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from curation.domain import chance, icc, icc_tables, pairwise_kappa, value_patterns
from tests.bench.measure import Call, Race, Row, apart
from tests.bench.samples import POOL, VALUES, Pool
from tests.bench.sizes import Sizes

REPLICATES = 1000
MISSING = -1
FLEISS, ICC, KAPPA = "statsmodels, Fleiss alone", "pingouin, no replicates", "scikit-learn, pair by pair"


def races(sizes: Sizes) -> Iterator[Race]:
    pool = Pool.of(sizes.texts)
    frame = _frame(pool)
    wide = np.where(np.isnan(pool.wide), MISSING, pool.wide).astype(np.int8)
    yield Race(
        size=f"{len(pool.panel):,} x 3",
        calls={
            FLEISS: Call(partial(_fleiss, pool), sizes.runs),
            "chance": Call(partial(_chance, pool), sizes.runs),
            ICC: Call(partial(_pingouin, frame), sizes.slow_runs),
            "icc": Call(partial(icc_tables.filled, pool.panel, replicates=REPLICATES), sizes.runs),
            KAPPA: Call(partial(_pairs, wide), sizes.slow_runs),
            "kappa": Call(partial(_kappas, pool), sizes.runs),
        },
        rows=[
            Row("A6", "10 chance-corrected, 1,000 replicates", "chance", FLEISS, 0.1, is_measured=True),
            Row("A6", "6 forms of ICC, 1,000 replicates", "icc", ICC, 0.1, is_measured=True),
            Row("A6", "kappa of all 435 pairs, 3 weights", "kappa", KAPPA, 0.1, is_measured=True),
        ],
        differences=partial(_differences, pool),
    )


def _differences(pool: Pool, results: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    found = {name: each.value for name, each in results["chance"].coefficients.items()}
    yield "A6", apart(found["fleiss"], results[FLEISS])
    yield "A6", apart(found["brennan_prediger"], fleiss_kappa(pool.counts, method="randolph"))
    yield "A6", apart(found["ac1"], _ac1(pool.counts))
    yield "A6", apart([results["icc"][form].value for form in icc.FORMS], results[ICC])
    kappas = {pair: each.quadratic for pair, each in results["kappa"].items()}
    yield "A6", apart([kappas.get(pair, np.nan) for pair in results[KAPPA]], list(results[KAPPA].values()))


def _chance(pool: Pool) -> chance.Report:
    patterns = value_patterns.of_codes(pool.unit, pool.score, n_values=VALUES)
    return chance.report(patterns, replicates=REPLICATES)


def _kappas(pool: Pool) -> dict[tuple[int, int], pairwise_kappa.PairKappa]:
    return pairwise_kappa.kappas(pool.unit.astype(np.int64), pool.annotator.astype(np.int64), pool.score)


def _fleiss(pool: Pool) -> float:
    counts, _values = aggregate_raters(pool.panel, n_cat=VALUES)
    return float(fleiss_kappa(counts))


def _frame(pool: Pool) -> pd.DataFrame:
    text, seat = np.indices(pool.panel.shape)
    return pd.DataFrame(
        {"text": text.ravel(), "seat": seat.ravel(), "score": pool.panel.ravel().astype(float)}
    )


def _pingouin(frame: pd.DataFrame) -> list[float]:
    return pingouin.intraclass_corr(frame, targets="text", raters="seat", ratings="score")["ICC"].tolist()


def _pairs(wide: np.ndarray) -> dict[tuple[int, int], float]:
    """Quadratic kappa of every two annotators; NaN where they share nothing."""
    found = {}
    for one, other in combinations(range(POOL), 2):
        both = (wide[one] != MISSING) & (wide[other] != MISSING)
        found[one, other] = (
            cohen_kappa_score(wide[one][both], wide[other][both], labels=range(VALUES), weights="quadratic")
            if both.any()
            else np.nan
        )
    return found


def _ac1(counts: np.ndarray) -> float:
    """By Gwet's formula, on whole tables."""
    size = counts.sum(axis=1)
    agreed = ((counts * (counts - 1)).sum(axis=1) / (size * (size - 1))).mean()
    share = (counts / size[:, None]).mean(axis=0)
    by_chance = (share * (1 - share)).sum() / (VALUES - 1)
    return float((agreed - by_chance) / (1 - by_chance))
