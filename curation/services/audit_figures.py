"""The charts of an audit, in the language that is on. Rows come from its result; nothing is computed here."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from curation.domain import charts
from curation.domain.audit.found import SIGNALS, SOURCE_MODEL, Found, Share
from curation.domain.charts import FEWEST, Chart, Dot, Heading, Line
from curation.queries.audit_words import SIGNALS as NAMES
from curation.queries.audit_words import percent, reason_in_words
from curation.services import figures

MOST_ROWS = 24
CHANCE = 50.0  # percent


def all_charts(result: Mapping[str, Any], genres: Mapping[str, str]) -> list[Chart]:
    """Of the signals, of each signal by genre where there are several, and of the models; `genres` are their names."""
    found = Found.of(result)
    made = [_signals(found)]
    if len(found.genres) > 1:
        made += [_by_genre(found, name, genres) for name in SIGNALS]
    families = _families(result["families"])
    return made if families is None else [*made, families]


def _dot(label: str, share: Share) -> Dot:
    interval = share.interval
    return Dot(
        label,
        None if share.rate is None else 100 * share.rate,
        None if interval is None else 100 * interval.low,
        None if interval is None else 100 * interval.high,
        share.n,
        reason_in_words(share.reason),
    )


def _chart(rows: Sequence[Dot], heading: Heading, *, row_heading: str, axis: str) -> Chart:
    return charts.dots(
        rows,
        heading,
        axis=axis,
        row_heading=row_heading,
        value_heading=_("Percent"),
        words=figures.words(),
        lines=[Line(CHANCE, _("chance, 50 %"))],
        domain=(0, 100),
        places=1,
    )


def _away(row: Dot) -> float:
    """How far from chance the row surely is; 0 where it may be chance, or rests on too little."""
    if row.value is None or row.low is None or row.high is None or (row.n or 0) < FEWEST:
        return 0.0
    return 0.0 if row.low <= CHANCE <= row.high else abs(row.value - CHANCE)


def _said(row: Dot) -> dict[str, str]:
    return {
        "name": row.label,
        "share": f"{row.value:.1f}",
        "low": f"{row.low:.1f}",
        "high": f"{row.high:.1f}",
    }


def _signals(found: Found) -> Chart:
    by_name = {name: _dot(str(NAMES[name]), found.shares()[name]) for name in SIGNALS}
    # What the texts alone give away; whose they are is another matter.
    furthest = max((row for name, row in by_name.items() if name != SOURCE_MODEL), key=_away)
    if found.signals.few:
        finding = _("There are fewer than %(n)d pairs, so that nothing can be read into any of these.") % {
            "n": FEWEST
        }
    elif _away(furthest):
        finding = _(
            "Of the texts alone, furthest from chance: %(name)s, right in %(share)s %% of pairs (%(low)s to %(high)s)."
        )
        finding %= _said(furthest)
    else:
        finding = _("No guess from the texts alone is surely better or worse than chance.")
    return _chart(
        list(by_name.values()),
        Heading(
            "signals",
            _("What a machine could guess without reading"),
            _(
                "How often each guess picks the chosen side; a tie counts as half. Intervals (95 %) draw prompts with "
                "all their pairs. The logistic model guesses prompts that it has not seen."
            ),
            finding,
        ),
        row_heading=_("Guess"),
        axis=_("Guessed right, in percent of pairs"),
    )


def _by_genre(found: Found, name: str, genres: Mapping[str, str]) -> Chart:
    of_genres = sorted(found.genres.items(), key=lambda item: (-item[1].pairs, item[0]))
    rows = [
        _dot(genres.get(key, key) or _("no genre"), signals.shares[name])
        for key, signals in of_genres[:MOST_ROWS]
    ]
    furthest = max(rows, key=_away)
    finding = _("In no genre is it surely better or worse than chance.")
    if _away(furthest):
        finding = _("Furthest from chance in %(name)s: %(share)s %% (%(low)s to %(high)s).") % _said(furthest)
    caption = _("By genre, the one with most pairs first. The number is that of pairs.")
    if len(of_genres) > MOST_ROWS:
        caption = _("By genre, the %(n)d with most pairs. The number is that of pairs.") % {"n": MOST_ROWS}
    return _chart(
        rows,
        Heading(f"genres-{name.replace('_', '-')}", str(NAMES[name]), caption, finding),
        row_heading=_("Genre"),
        axis=_("Guessed right, in percent of pairs"),
    )


def _families(found: Mapping[str, Any]) -> Chart | None:
    sides = sorted(found["families"], key=lambda each: (-(each["chosen"] + each["rejected"]), each["name"]))
    if not sides:
        return None
    rows = [_family(each) for each in sides[:MOST_ROWS]]
    rows.sort(key=lambda row: (row.value is None, -(row.value or 0)))
    return _chart(
        rows,
        Heading(
            "families",
            _("Models among the chosen"),
            _(
                "How many of the sides that a family of models stands on are chosen ones. Intervals (95 %) take sides "
                "as independent, which those of one prompt are not."
            ),
            _extremes(rows),
        ),
        row_heading=_("Family of models"),
        axis=_("Chosen, in percent of its sides"),
    )


def _family(each: Mapping[str, Any]) -> Dot:
    wins = each["wins"]
    value, low, high = (None if wins[key] is None else 100 * wins[key] for key in ("value", "low", "high"))
    return Dot(each["name"], value, low, high, wins["n"], reason_in_words(wins["reason"]))


def _extremes(rows: Sequence[Dot]) -> str:
    known = [row for row in rows if row.value is not None and (row.n or 0) >= FEWEST]
    if not known:
        return _("No family of models stands on %(n)d sides or more.") % {"n": FEWEST}
    if len(known) == 1:
        return _("%(name)s: %(share)s %% of its sides are chosen.") % _said(known[0])
    return _(
        "Most often chosen: %(top)s, %(most)s %% of its sides. Least often: %(bottom)s, %(least)s %%."
    ) % {
        "top": known[0].label,
        "most": percent(known[0].value / 100),
        "bottom": known[-1].label,
        "least": percent(known[-1].value / 100),
    }
