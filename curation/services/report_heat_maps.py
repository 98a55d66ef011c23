"""The tables with shaded cells of a report, in the language that is on."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from curation.domain.charts import FEWEST, Heading, heat_maps
from curation.domain.charts.heat_maps import HeatMap, Measured
from curation.queries.reasons import in_words
from curation.services import figures
from curation.services.report_findings import nothing_to_say, telling, too_few, why

LEVELS = ("0", "1", "2", "3")
MOST_ROWS = 24
Row = Mapping[str, object]


def all_heat_maps(result: Row) -> list[HeatMap]:
    made = [_pairs(result["pairs"]), _gold(result["annotators"]), _gold_of_each(result["annotators"])]
    return [table for table in made if table is not None]


def _pairs(found: Row) -> HeatMap | None:
    names = list(found["annotators"])
    if len(names) < 2:
        return None
    place = {name: index for index, name in enumerate(names)}
    measured = {
        (place[row["one"]], place[row["other"]]): Measured(
            row["quadratic"], row["n"], in_words(row["reason"])
        )
        for row in found["kappas"]
    }
    known = [each.value for each in telling(measured.values())]
    finding = nothing_to_say(
        measured.values(), none=why(measured.values(), _("No two annotators scored the same responses."))
    )
    if len(known) == 1:
        finding = f"{known[0]:.2f}."
    elif known:
        finding = _("From %(low)s to %(high)s.") % {"low": f"{min(known):.2f}", "high": f"{max(known):.2f}"}
    caption = _("Quadratic weighted kappa of every two annotators on the responses that both scored.")
    if found["of"] > len(names):
        caption = _("%(caption)s The %(n)d with the most scores, of %(of)d.") % {
            "caption": caption,
            "n": len(names),
            "of": found["of"],
        }
    return heat_maps.pairs(
        names,
        measured,
        Heading("pairs", _("Agreement between annotators"), caption, finding),
        row_heading=_("Annotator"),
        other_heading=_("And"),
        value_heading=_("Kappa"),
        short=[name.removeprefix("annotator-") for name in names],
        words=figures.words(),
    )


def _gold(people: Sequence[Row]) -> HeatMap | None:
    tables = [person["gold"]["table"] for person in people]
    counts = [[sum(table[i][j] for table in tables) for j in range(4)] for i in range(4)]
    total = sum(map(sum, counts))
    if not total:
        return None
    exact = sum(counts[i][i] for i in range(4))
    return heat_maps.confusion(
        counts,
        Heading(
            "gold",
            _("Against gold"),
            _("Rows: the agreed score. Each cell: how often, and the share of its row."),
            _("%(share)d %% of the scores on gold items are the agreed one.")
            % {"share": round(100 * exact / total)}
            if total >= FEWEST
            else too_few(),
        ),
        levels=LEVELS,
        corner=pgettext("corner of a table", "Agreed ↓ / given →"),
        row_heading=_("Agreed"),
        words=figures.words(),
    )


def _gold_of_each(people: Sequence[Row]) -> HeatMap | None:
    """Of those with most gold items, where there are many."""
    measured = sorted(
        (person for person in people if person["gold"]["n"]), key=lambda person: -person["gold"]["n"]
    )
    if len(measured) < 2:
        return None
    shown = sorted(measured[:MOST_ROWS], key=lambda person: person["annotator"])
    caption = _(
        "Each column: the agreed score → the score given. Each cell: how often, and the share of the person's items "
        "with that agreed score."
    )
    if len(measured) > len(shown):
        caption = _("%(caption)s The %(n)d with the most gold items, of %(of)d.") % {
            "caption": caption,
            "n": len(shown),
            "of": len(measured),
        }
    finding = _("Nobody has scored %(n)d gold items yet.") % {"n": FEWEST}
    shares = {
        person["annotator"]: person["gold"]["exact"] / person["gold"]["n"]
        for person in measured
        if person["gold"]["n"] >= FEWEST
    }
    if shares:
        least, most = (pick(shares, key=shares.__getitem__) for pick in (min, max))
        finding = _(
            "The agreed score: from %(low)s (%(least)s) to %(high)s (%(most)s) of the gold items."
        ) % {
            "low": f"{shares[least]:.0%}",
            "least": least,
            "high": f"{shares[most]:.0%}",
            "most": most,
        }
    return heat_maps.confusions(
        {person["annotator"]: person["gold"]["table"] for person in shown},
        Heading(
            "gold-of-each",
            _("Against gold, by annotator"),
            caption,
            finding,
        ),
        levels=LEVELS,
        corner=_("Annotator"),
        words=figures.words(),
    )
