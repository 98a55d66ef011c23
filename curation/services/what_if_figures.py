"""The charts and tables of a what-if, in the language that is on. Nothing is computed here."""

from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from curation.domain import charts
from curation.domain.charts import Bar, Chart, Column, Dot, Heading, Line, Table, mirrored, tables
from curation.domain.charts.mirrored import Pile
from curation.domain.recipes import WritingPreference
from curation.queries import papers
from curation.queries.what_if_names import Names
from curation.queries.what_if_page import MeanLine, Numbers, numbers_of
from curation.services import figures

FUNNEL, CELLS, LENGTHS, LONGER, MEANS = "funnel", "cells", "lengths", "longer", "means"
MOST_CELLS = 40  # a drawing of more would be taller than a page


def all_charts(result: Mapping[str, object], recipe: WritingPreference, names: Names) -> list[Chart]:
    found = numbers_of(result, recipe, names)
    if not found.candidates:
        return []
    if not found.before.n:
        return [_funnel(found), _cells(found)]
    return [_funnel(found), _cells(found), _lengths(found), _longer(found)]


def table(key: str, found: Numbers) -> Table | None:
    """What a file of that name holds."""
    made = {
        FUNNEL: funnel_table,
        CELLS: cells_table,
        LENGTHS: lengths_table,
        LONGER: longer_table,
        MEANS: means_table,
    }
    return made[key](found) if key in made else None


# --- charts ----------------------------------------------------------------------------------------------


def _funnel(found: Numbers) -> Chart:
    rows = [Bar(_("All candidate pairs"), found.candidates)]
    rows += [Bar(line.label, line.left, of=found.candidates) for line in found.rules]
    most = max(found.rules, key=lambda line: line.removed)
    finding = _("Of %(candidates)s candidates %(accepted)s are accepted. Most fall because: %(reason)s.") % {
        "candidates": f"{found.candidates:,}",
        "accepted": f"{found.accepted:,}",
        "reason": most.label,
    }
    made = charts.bars(
        rows,
        Heading(FUNNEL, _("What each rule leaves"), _("Pairs left after each rule, in order."), finding),
        axis=_("Pairs"),
        row_heading=_("Rule"),
        value_heading=pgettext("remaining", "Left"),
        words=figures.words(),
    )
    return replace(made, table=funnel_table(found))


def _cells(found: Numbers) -> Chart:
    ranked = sorted(found.cells, key=lambda line: -line.accepted)
    finding = _("Most pairs: %(label)s, %(n)s.") % {"label": ranked[0].label, "n": f"{ranked[0].accepted:,}"}
    made = charts.bars(
        [Bar(line.label, line.accepted, of=line.quota) for line in ranked[:MOST_CELLS]],
        Heading(
            CELLS,
            _("Accepted pairs by genre and language"),
            _("Where a quota holds for genre and language, the bar lies before it."),
            finding,
        ),
        axis=_("Accepted pairs"),
        row_heading=_("Genre and language"),
        value_heading=_("Accepted"),
        of_heading=_("Quota"),
        words=figures.words(),
    )
    return replace(made, table=cells_table(found))


def _lengths(found: Numbers) -> Chart:
    unit, caption = (
        found.unit,
        _("Pairs by the difference of their lengths, before length symmetry (pale) and accepted (dark)."),
    )
    if found.shares_of_longest:
        unit, caption = (
            _("percent"),
            _(
                "Pairs by the difference of their lengths, in percent of the longest of their stratum, before length "
                "symmetry (pale) and accepted (dark)."
            ),
        )
    made = mirrored.piles(
        [
            Pile(line.side, line.high if line.side >= 0 else -line.high, line.before, line.after)
            for line in found.groups
        ],
        Heading(
            LENGTHS,
            _("How much longer the chosen text is"),
            caption,
            _longer_finding(found),
        ),
        axis=_("Chosen text shorter ← → longer (%(unit)s)") % {"unit": unit},
        before=_("before length symmetry"),
        after=pgettext("pairs", "accepted"),
    )
    return replace(made, table=lengths_table(found))


def _longer(found: Numbers) -> Chart:
    none = _("no pair has been accepted")
    made = charts.dots(
        [
            Dot(
                label,
                line.percent,
                line.percent_low,
                line.percent_high,
                line.n,
                "" if line.rate is not None else none,
            )
            for label, line in ((_("Before"), found.before), (_("Accepted"), found.after))
        ],
        Heading(
            LONGER,
            _("How often the longer text wins"),
            _("Share of the pairs, equal lengths half, with its interval (95 %, prompts drawn)."),
            _longer_finding(found),
        ),
        axis=_("Longer text chosen, in percent of pairs"),
        row_heading=_("Pairs"),
        value_heading=_("Share"),
        words=figures.words(),
        lines=[
            Line(50, _("no hint")),
            Line(float(papers.LONGER_BEFORE), _("%(paper)s before pruning") % {"paper": papers.LITBENCH}),
        ],
        domain=(40, 70),
    )
    return replace(made, table=longer_table(found))


def _longer_finding(found: Numbers) -> str:
    if found.before.rate is None:
        return _("No pair stands before length symmetry.")
    if found.after.rate is None:
        return _("The longer text wins in %(before)s of the pairs before; none is accepted.") % {
            "before": f"{found.before.rate:.1%}"
        }
    return _("The longer text wins in %(before)s of the pairs before, %(after)s of those accepted.") % {
        "before": f"{found.before.rate:.1%}",
        "after": f"{found.after.rate:.1%}",
    }


# --- tables ----------------------------------------------------------------------------------------------


def funnel_table(found: Numbers) -> Table:
    columns = (
        Column("rule", _("Rule"), False),
        Column("meaning", _("Reason"), False),
        Column("removed", _("Removed")),
        Column("left", pgettext("remaining", "Left")),
        Column("share_removed", _("Share removed")),
        Column("share_left", _("Share left")),
    )
    whole = found.candidates
    none, all_of_them = tables.share(0, whole), tables.share(whole, whole)
    first = (
        tables.words("candidates"),
        tables.words(_("All candidates")),
        tables.count(0),
        tables.count(whole),
    )
    rows = [
        (
            tables.words(line.reason),
            tables.words(line.label),
            tables.count(line.removed),
            tables.count(line.left),
            tables.share(line.removed, whole),
            tables.share(line.left, whole),
        )
        for line in found.rules
    ]
    return Table(columns, ((*first, none, all_of_them), *rows))


def cells_table(found: Numbers) -> Table:
    columns = (
        Column("genre", _("Genre"), False),
        Column("language", _("Language"), False),
        Column("candidates", _("Candidates")),
        Column("before_length_symmetry", _("Before length symmetry")),
        Column("accepted", _("Accepted")),
        Column("quota", _("Quota")),
    )
    rows = [
        (
            tables.words(line.genre),
            tables.words(line.language),
            tables.count(line.candidates),
            tables.count(line.standing),
            tables.count(line.accepted),
            tables.count(line.quota),
        )
        for line in found.cells
    ]
    return Table(columns, tuple(rows))


def lengths_table(found: Numbers) -> Table:
    columns = (
        Column("difference", _("Chosen text"), False),
        Column("from", _("Interval from")),
        Column("to", pgettext("end of an interval", "to")),
        Column("unit", _("Unit"), False),
        Column("before", _("Before length symmetry")),
        Column("accepted", _("Accepted")),
    )
    rows = [
        (
            tables.words(line.label),
            tables.count(line.side * line.low),
            tables.count(line.side * line.high),
            tables.words(_("percent") if found.shares_of_longest else found.unit),
            tables.count(line.before),
            tables.count(line.after),
        )
        for line in found.groups
    ]
    return Table(columns, tuple(rows))


def longer_table(found: Numbers) -> Table:
    columns = (
        Column("pairs", _("Pairs"), False),
        Column("longer", _("Longer chosen")),
        Column("shorter", _("Shorter chosen")),
        Column("equal", _("As long")),
        Column("share", _("Longer wins")),
        Column("low", _("Interval from")),
        Column("high", pgettext("end of an interval", "to")),
    )
    rows = [
        (
            tables.words(line.label),
            tables.count(line.longer),
            tables.count(line.shorter),
            tables.count(line.equal),
            tables.decimal(line.rate, 3),
            tables.decimal(line.low, 3),
            tables.decimal(line.high, 3),
        )
        for line in (found.before, found.after)
    ]
    return Table(columns, tuple(rows))


def means_table(found: Numbers) -> Table:
    columns = (
        Column("language", _("Language"), False),
        Column("measure", _("Measure"), False),
        Column("unit", _("Unit"), False),
        Column("pairs_before", _("Pairs before")),
        Column("mean_before", _("Mean before")),
        Column("sd_before", _("SD before")),
        Column("pairs_accepted", _("Accepted pairs")),
        Column("mean_accepted", _("Mean of the accepted")),
        Column("sd_accepted", _("SD of the accepted")),
        Column("paper", _("Paper"), False),
        Column("paper_mean", _("The paper's mean")),
        Column("paper_sd", _("The paper's SD")),
    )
    rows = [
        (
            tables.words(part.label),
            tables.words(line.measure),
            tables.words(part.units if line.measure.startswith("length") else ""),
            tables.count(part.before),
            *(tables.decimal(value, 3) for value in line.before),
            tables.count(part.after),
            *(tables.decimal(value, 3) for value in line.after),
            *_printed(part.paper, line),
        )
        for part in found.means
        for line in part.lines
    ]
    return Table(columns, tuple(rows))


def _printed(paper: str, line: MeanLine) -> tuple[tables.Cell, ...]:
    if line.printed is None:
        return tables.words(""), tables.decimal(None, 3), tables.decimal(None, 3)
    mean, sd = line.printed.mean, line.printed.sd
    return tables.words(paper), tables.Cell(mean, float(mean)), tables.Cell(sd, float(sd))
