"""What a report says of rankings: concordance, the pull of the place in which a text was shown, and own scores."""

import numpy as np

from curation.domain import rank_agreement, rates
from curation.domain.bootstrap import Floats, Integers
from curation.domain.choice import Choice, of_rankings
from curation.domain.columns import Columns

Json = dict[str, object]


def rankings(columns: Columns, choice: Choice, *, seed: str) -> Json:
    """Of the rankings of a choice. `position` is the share of pairs of texts in which the one shown first is higher."""
    held = columns.rankings
    chosen = of_rankings(columns, choice)
    row = chosen[held.ranking]
    ranking, response = held.ranking[row].astype(np.int64), held.response[row].astype(np.int64)
    tier, shown = held.tier[row].astype(np.float64), held.shown[row].astype(np.int64)
    prompt, annotator = held.prompt[ranking].astype(np.int64), held.annotator[ranking].astype(np.int64)
    found: Json = {"n": int(chosen.sum()), "prompts": len(np.unique(prompt))}
    found |= _concordance(prompt, annotator, response, tier)
    found["position"] = _position(ranking, prompt, tier, shown, seed)
    found["with_scores"] = _with_scores(columns, prompt, annotator, response, tier)
    return found


def _concordance(prompt: Integers, annotator: Integers, response: Integers, tier: Floats) -> Json:
    """Means over prompts: Kendall's W, and tau-b over all pairs of annotators of a prompt."""
    w, tau = [], []
    for table in rank_agreement.tables(prompt, annotator, response, tier):
        w.append(rank_agreement.concordances(table.rankings))
        _prompts, people, _items = table.rankings.shape
        one, other = np.triu_indices(people, 1)
        pairs = [
            rank_agreement.correlations(table.rankings[:, i], table.rankings[:, j]).tau_b
            for i, j in zip(one.tolist(), other.tolist(), strict=True)
        ]
        tau.append(np.nanmean(np.stack(pairs), axis=0) if pairs else np.full(len(table.rankings), np.nan))
    return {"w": _mean(w), "tau": _mean(tau)}


def _mean(parts: list[Floats]) -> Json:
    values = np.concatenate([np.empty(0), *parts])
    defined = values[~np.isnan(values)]
    if not defined.size:
        return {"value": None, "n": 0, "reason": "no_prompt_ranked_twice"}
    return {"value": float(defined.mean()), "n": int(defined.size), "reason": None}


def _position(ranking: Integers, prompt: Integers, tier: Floats, shown: Integers, seed: str) -> Json:
    """Every two texts of a ranking that do not tie; and the mean place by the letter under which a text was shown."""
    order = np.lexsort((shown, ranking))
    ranking, prompt, tier, shown = ranking[order], prompt[order], tier[order], shown[order]
    hits, of = [], []
    for step in range(1, int(np.bincount(ranking).max(initial=1))):
        same = ranking[step:] == ranking[:-step]
        earlier, later = tier[:-step][same], tier[step:][same]
        apart = earlier != later
        hits.append((earlier < later)[apart])
        of.append(prompt[step:][same][apart])
    found = rates.by_prompt(
        np.concatenate([np.empty(0, np.int64), *hits]).astype(np.int64),
        np.concatenate([np.empty(0, np.int64), *of]).astype(np.int64),
        seed=seed,
        key="position",
    )
    count = np.bincount(shown)
    mean = np.bincount(shown, weights=_mid_ranks(ranking, tier)) / np.maximum(count, 1)
    places = [{"shown": i, "n": int(count[i]), "mean": float(mean[i])} for i in range(1, len(count))]
    return {**found.as_dict(), "places": places}


def _mid_ranks(ranking: Integers, tier: Floats) -> Floats:
    """The rank of each text in its ranking, 1 the best (M,); texts of a tier share the mean of their ranks."""
    order = np.lexsort((tier, ranking))
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = ranking[order][1:] != ranking[order][:-1]
    starts = np.flatnonzero(begins)
    apart = begins.copy()
    apart[1:] |= tier[order][1:] != tier[order][:-1]
    group = np.cumsum(apart) - 1
    first = np.flatnonzero(apart)
    size = np.bincount(group, minlength=len(first))
    before = first - starts[np.searchsorted(starts, first, side="right") - 1]
    ranks = np.empty(len(order))
    ranks[order] = (before + (size + 1) / 2)[group]
    return ranks


def _with_scores(
    columns: Columns, prompt: Integers, annotator: Integers, response: Integers, tier: Floats
) -> list[Json]:
    """By annotator: mean tau-b of a person's rankings with the same person's scores of the same texts."""
    names, live = columns.names, columns.live
    people = max(len(names.annotators), 1)
    scored = live.response.astype(np.int64) * people + live.annotator
    wanted = response * people + annotator
    place = np.minimum(np.searchsorted(scored, wanted), max(len(scored) - 1, 0))
    known = scored[place] == wanted if len(scored) else np.zeros(len(wanted), dtype=np.bool_)
    by, tau = _own_taus(
        prompt[known] * people + annotator[known], -tier[known], live.value[place[known]].astype(np.float64)
    )
    by, tau = by[~np.isnan(tau)] % people, tau[~np.isnan(tau)]
    return [
        {"annotator": names.annotators[number], "value": float(tau[by == number].mean()), "n": int(n)}
        for number, n in enumerate(np.bincount(by))
        if n
    ]


def _own_taus(cell: Integers, one: Floats, other: Floats) -> tuple[Integers, Floats]:
    """Tau-b of two columns (N,) within each cell (C,), ascending; NaN where it is not defined."""
    order = np.argsort(cell, kind="stable")
    cells, first, size = np.unique(cell[order], return_index=True, return_counts=True)
    found = np.full(len(cells), np.nan)
    for many in np.unique(size[size > 1]).tolist():
        rows = order[first[size == many][:, None] + np.arange(many)]
        found[size == many] = rank_agreement.correlations(one[rows], other[rows]).tau_b
    return cells, found
