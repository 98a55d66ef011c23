"""Flat tables of a report, as CSV: what `pandas.read_csv` reads without further words.

A number with an interval has the columns NAME, NAME_low, NAME_high and NAME_reason; what is not defined is empty, and
the reason says why. Annotators are pseudonyms. A table of which nothing is known has its header alone.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.domain.scoring import SCALE
from curation.domain.agreement import LEVELS
from curation.domain.charts.tables import FORMULA

Json = Mapping[str, Any]
Row = dict[str, object]

NOTHING: Json = {}


@dataclass(frozen=True, slots=True)
class Table:
    """`of` finds the things in the result of a report, `row` is of one of them, or of none: then for its columns."""

    of: Callable[[Json], Iterable[Json]]
    row: Callable[[Json], Row]

    def csv(self, result: Json) -> str:
        """Text that would be a formula in a spreadsheet has an apostrophe before it."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.row(NOTHING))
        writer.writerows([_written(cell) for cell in self.row(found).values()] for found in self.of(result))
        return file.getvalue()


def _written(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _listed(name: str) -> Callable[[Json], Iterable[Json]]:
    return lambda result: result[name]


def _columns(found: Json, *names: str) -> Row:
    return {name: found.get(name) for name in names}


def _number(name: str, found: Json, *, value: str = "value") -> Row:
    parts = {f"{name}_{part}": found.get(part) for part in ("low", "high", "reason")}
    return {name: found.get(value), **parts}


# --- Groups of texts -------------------------------------------------------------------------------------


def _group(name: str, key: str, *, levels: Iterable[str] = LEVELS) -> Callable[[Json], Row]:
    def row(found: Json) -> Row:
        cells: Row = {
            name: found.get(key),
            **_columns(found, "n_units", "n_pairable_units", "n_pairable", "n_annotators"),
        }
        for level in levels:
            cells |= _number(level, found.get(level, NOTHING))
        return cells

    return row


def _ceilings(result: Json) -> list[Json]:
    found = result["ceiling"]
    return [{"of": "all", **found["overall"]}, *({"of": "genre", **row} for row in found["genres"])]


def _ceiling(found: Json) -> Row:
    counts = _columns(found, "annotators", "pairs", "prompts")
    return {"of": found.get("of"), "genre": found.get("key"), **counts, **_number("ceiling", found)}


# --- Annotators ------------------------------------------------------------------------------------------


def _annotators(result: Json) -> Iterable[Json]:
    without, ranked = (
        {row["annotator"]: row for row in rows}
        for rows in (result["without"], result["rankings"]["with_scores"])
    )
    for person in result["annotators"]:
        name = person["annotator"]
        yield {**person, "without": without.get(name, NOTHING), "with_scores": ranked.get(name, NOTHING)}


def _annotator(found: Json) -> Row:
    """`against_rest` is alpha of the annotator and the mean of the others, `without` alpha of the others alone."""
    use = found.get("use", [None] * len(SCALE))
    leaning, shift, ranked = (found.get(name, NOTHING) for name in ("severity", "shift", "with_scores"))
    return {
        "annotator": found.get("annotator"),
        "scores": found.get("scores"),
        **{f"score_{value}": n for value, n in zip(SCALE, use, strict=True)},
        "shared": leaning.get("n"),
        "shared_prompts": leaning.get("prompts"),
        **_number("severity", leaning.get("severity", NOTHING)),
        **_number("against_rest", found.get("against_rest", NOTHING)),
        "without_n": found.get("without", NOTHING).get("n"),
        "without": found.get("without", NOTHING).get("value"),
        "without_reason": found.get("without", NOTHING).get("reason"),
        "shift_n": shift.get("n"),
        **_number("shift", shift.get("severity", NOTHING)),
        **_match("gold", found.get("gold", NOTHING)),
        **_match("repeats", found.get("repeats", NOTHING)),
        "rankings_n": ranked.get("n"),
        "rankings_tau": ranked.get("value"),
        "proposal": " ".join(ground["statistic"] for ground in found.get("proposal", ())),
    }


def _match(name: str, found: Json) -> Row:
    counts = {f"{name}_{part}": found.get(part) for part in ("n", "exact", "within_one")}
    return {**counts, **_number(f"{name}_kappa", found, value="kappa")}


def _pair(found: Json) -> Row:
    return _columns(found, "one", "other", "n", "plain", "linear", "quadratic", "reason")


# --- Texts -----------------------------------------------------------------------------------------------


def _worst(result: Json) -> Iterable[Json]:
    for place, text in enumerate(result["worst"], start=1):
        for annotator, score in sorted(text["scores"].items()):
            yield {**text, "place": place, "annotator": annotator, "score": score}


def _worst_score(found: Json) -> Row:
    """One row a score: the text in the first place is the one on which annotators are furthest apart."""
    of_text = _columns(found, "place", "response", "prompt", "genre", "language", "spread")
    return {**of_text, **_columns(found, "annotator", "score")}


# --- Rankings --------------------------------------------------------------------------------------------


def _rankings(result: Json) -> Iterable[Json]:
    """Concordance, the pull of being shown first, and the mean rank by the place in which texts were shown."""
    found = result["rankings"]
    for name in ("w", "tau", "position"):
        yield {**found[name], "statistic": name}
    for place in found["position"]["places"]:
        mean = {"value": place["mean"] if place["n"] else None, "n": place["n"]}
        yield {**mean, "statistic": "mean_rank", "shown": place["shown"]}


def _of_rankings(found: Json) -> Row:
    return {**_columns(found, "statistic", "shown", "n"), **_number("value", found)}


TABLES: Mapping[str, Table] = {
    "annotators": Table(_annotators, _annotator),
    "pairs": Table(lambda result: result["pairs"]["kappas"], _pair),
    "genres": Table(_listed("genres"), _group("genre", "key")),
    "languages": Table(_listed("languages"), _group("language", "key")),
    "weeks": Table(_listed("weeks"), _group("week", "week", levels=("ordinal",))),
    "rankings": Table(_rankings, _of_rankings),
    "worst": Table(_worst, _worst_score),
    "ceiling": Table(_ceilings, _ceiling),
}
