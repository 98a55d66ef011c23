"""All that a report says of agreement, from a project's columns and a choice of them: plain values, ready for JSON.

Annotators are told by pseudonym, genres by key, and what is not defined is None with a reason. Every number is that of
the module which computes it; nothing is computed here but which rows go where.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from annotation.domain.scoring import SCALE
from curation.domain import (
    ceiling,
    chance,
    dawid_skene,
    icc_tables,
    pairwise_kappa,
    score_alpha,
    severity,
    value_patterns,
)
from curation.domain.agreement import Alpha, Report
from curation.domain.bootstrap import Integers
from curation.domain.choice import Choice
from curation.domain.columns import Columns
from curation.domain.report_annotators import annotators_of
from curation.domain.report_rankings import rankings
from curation.domain.report_scores import Chosen
from curation.domain.score_table import Long
from curation.domain.worst import worst

SEED = "plumb-1"
REPLICATES = 2000
VALUES = len(SCALE)
MOST_IN_TABLE = 30  # annotators in the table of pairs, those with the most scores
SECOND_OPINION = 500  # iterations at most

Json = dict[str, object]
Booleans = NDArray[np.bool_]
Note = Callable[[int], None]


def compute(columns: Columns, choice: Choice, *, note: Note, seed: str = SEED) -> Json:
    """`note` is told how far it is, in percent."""
    chosen = Chosen.of(columns, choice)
    counted = score_alpha.tally(
        Long(chosen.unit, chosen.annotator, chosen.scores.value, units=len(chosen.texts)),
        cluster=chosen.prompt,
    )
    found: Json = {"counts": _counts(chosen)}
    found["alpha"] = _report(
        score_alpha.report(counted, replicates=REPLICATES, seed=seed),
        int(np.count_nonzero(chosen.is_pairable)),
    )
    note(20)
    pairable = chosen.is_pairable
    found["genres"] = _groups(counted, chosen.genre, pairable, columns.names.genres, seed)
    found["languages"] = _groups(counted, chosen.language, pairable, columns.names.languages, seed)
    found["weeks"] = _weeks(counted, chosen, seed)
    note(40)
    found["without"] = _without(counted, chosen)
    found["pairs"] = _pairs(chosen)
    found["coefficients"] = _coefficients(chosen, seed)
    note(55)
    found["annotators"] = annotators_of(chosen, choice, seed)
    note(75)
    found["ceiling"] = _ceiling(chosen, seed)
    found["second_opinion"] = _second_opinion(chosen)
    note(85)
    found["rankings"] = rankings(columns, choice, seed=seed)
    found["worst"] = worst(columns, chosen.scores)
    return found


def _counts(chosen: Chosen) -> Json:
    return {
        "scores": len(chosen.scores),
        "responses": len(chosen.texts),
        "prompts": len(np.unique(chosen.prompt)),
        "annotators": len(np.unique(chosen.annotator)),
    }


def _report(found: Report, pairable: int) -> Json:
    """`pairable` counts the texts that two people scored: agreement rests on those alone."""
    return {
        **{level: _alpha(alpha) for level, alpha in found.alpha.items()},
        "n_units": found.n_units,
        "n_pairable_units": int(pairable),
        "n_pairable": found.n_pairable,
        "n_annotators": found.n_raters,
    }


def _alpha(found: Alpha) -> Json:
    return {name: value for name, value in found.as_dict().items() if name != "undefined" or value}


def _groups(
    counted: score_alpha.Tally, group: Integers, is_pairable: Booleans, names: tuple[str, ...], seed: str
) -> list[Json]:
    """Of every group of which there is a score."""
    found = score_alpha.by_group(counted, group, len(names), replicates=REPLICATES, seed=seed)
    pairable = _sizes(group[is_pairable], len(names))
    return [
        {"key": name, **_report(each, n)}
        for name, each, n in zip(names, found, pairable, strict=True)
        if each.n_units
    ]


def _sizes(group: Integers, groups: int) -> list[int]:
    """How many units are in each group; those below 0 are in none."""
    return [int(n) for n in np.bincount(group[group >= 0], minlength=groups)]


def _weeks(counted: score_alpha.Tally, chosen: Chosen, seed: str) -> list[Json]:
    """A text belongs to the week in which its last score came."""
    last = severity.latest(chosen.unit, chosen.week, len(chosen.texts))
    weeks = np.unique(last[last >= 0])
    place = np.where(last >= 0, np.searchsorted(weeks, last), -1)
    found = score_alpha.by_group(
        counted, place, len(weeks), levels=("ordinal",), replicates=REPLICATES, seed=seed
    )
    return [
        {"week": severity.name_of(week), **_report(each, n)}
        for week, each, n in zip(
            weeks.tolist(), found, _sizes(place[chosen.is_pairable], len(weeks)), strict=True
        )
    ]


def _without(counted: score_alpha.Tally, chosen: Chosen) -> list[Json]:
    found = score_alpha.without_each(counted)
    of = np.bincount(chosen.annotator, minlength=len(found))
    # Texts of two scores, one of them the annotator's, say nothing without it.
    in_pairs = np.bincount(chosen.unit, minlength=len(chosen.texts))[chosen.unit] == 2
    lost = np.bincount(chosen.annotator[in_pairs], minlength=len(found))
    left = np.count_nonzero(chosen.is_pairable) - lost
    names = chosen.columns.names.annotators
    return [
        {"annotator": names[number], **_alpha(levels["ordinal"]), "n": int(left[number])}
        for number, levels in enumerate(found)
        if of[number]
    ]


def _pairs(chosen: Chosen) -> Json:
    """Kappa of two annotators each, of those with the most scores where there are many."""
    names = chosen.columns.names.annotators
    of = np.bincount(chosen.annotator, minlength=len(names))
    most = np.sort(np.argsort(-of, kind="stable")[: min(MOST_IN_TABLE, np.count_nonzero(of))])
    among = np.isin(chosen.annotator, most)
    found = pairwise_kappa.kappas(
        chosen.unit[among], chosen.annotator[among], chosen.scores.value[among], scale=SCALE
    )
    return {
        "annotators": [names[number] for number in most],
        "of": int(np.count_nonzero(of)),
        "kappas": [
            {"one": names[one], "other": names[other], **kappa.as_dict()}
            for (one, other), kappa in sorted(found.items())
        ],
    }


def _coefficients(chosen: Chosen, seed: str) -> Json:
    patterns = value_patterns.of_codes(chosen.unit, chosen.scores.value, n_values=VALUES)
    found = chance.report(patterns, scale=SCALE, cluster=chosen.prompt, replicates=REPLICATES, seed=seed)
    one_way = icc_tables.one_way(
        patterns, scale=SCALE, cluster=chosen.prompt, replicates=REPLICATES, seed=seed
    )
    return {**found.as_dict(), "icc": one_way.as_dict()}


def _ceiling(chosen: Chosen, seed: str) -> Json:
    names, prompts = chosen.columns.names, len(chosen.columns.names.prompts)
    found = ceiling.compared(chosen.unit, chosen.annotator, chosen.scores.value, chosen.prompt)
    all_prompts = np.zeros(prompts, dtype=np.int64)
    overall = ceiling.ceilings(found, all_prompts, 1, seed=seed, replicates=REPLICATES)[0]
    genre_of = chosen.columns.genre_of.astype(np.int64)
    by_genre = ceiling.ceilings(found, genre_of, len(names.genres), seed=seed, replicates=REPLICATES)
    return {
        "overall": overall.as_dict(),
        "genres": [
            {"key": key, **each.as_dict()}
            for key, each in zip(names.genres, by_genre, strict=True)
            if each.pairs or key in {names.genres[code] for code in np.unique(chosen.genre) if code >= 0}
        ],
    }


def _second_opinion(chosen: Chosen) -> Json:
    """On how many texts Dawid and Skene's consensus is another score than the median of those given."""
    found = dawid_skene.opinion(
        chosen.unit,
        chosen.annotator,
        chosen.scores.value.astype(np.int64),
        levels=VALUES,
        iterations=SECOND_OPINION,
    )
    if isinstance(found, dawid_skene.Undefined):
        return {"n": 0, "reason": found.reason}
    order = np.lexsort((chosen.scores.value, chosen.unit))
    size = np.bincount(chosen.unit, minlength=len(chosen.texts))
    ends = np.cumsum(size)
    ascending = chosen.scores.value[order].astype(np.int64)
    low, high = ascending[ends - size + (size - 1) // 2], ascending[ends - size + size // 2]
    between = (found.likeliest >= low) & (found.likeliest <= high)
    return {
        "n": len(chosen.texts),
        "another": int((~between).sum()),
        "converged": found.converged,
        "iterations": found.iterations,
        "shares": found.shares.tolist(),
    }
