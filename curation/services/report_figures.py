"""The charts of a report, in the language that is on. Rows come from the report's result; nothing is computed here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from curation.domain import charts
from curation.domain.annotators import Thresholds
from curation.domain.charts import FEWEST, Chart, Dot, Heading, Line, Panel, Point, Shares
from curation.queries.reasons import in_words
from curation.services import figures
from curation.services.report_findings import extremes, nothing_to_say, telling, too_few, why

LEVELS = ("0", "1", "2", "3")
MOST_PANELS = 12
Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a chart needs beside the result: names of genres and languages by key, and the project's lines."""

    genres: Mapping[str, str]
    languages: Mapping[str, str]
    acceptable: float
    good: float

    def lines(self) -> list[Line]:
        return [
            Line(self.acceptable, _("acceptable %(value)s") % {"value": f"{self.acceptable:g}"}),
            Line(self.good, _("good %(value)s") % {"value": f"{self.good:g}"}),
        ]


def all_charts(result: Row, setting: Setting) -> list[Chart]:
    """Those of which the report has rows."""
    people = result["annotators"]
    made = [
        _groups(result["genres"], setting.genres, setting, "genres", _("Agreement by genre"), _("Genre")),
        _groups(
            result["languages"],
            setting.languages,
            setting,
            "languages",
            _("Agreement by language"),
            _("Language"),
        ),
        _weekly(result["weeks"], setting),
        _severity(people),
        _use(people),
        _drift(people),
        _ceiling(result["ceiling"], setting),
    ]
    return [chart for chart in made if chart is not None]


def _ranked(rows: Iterable[Dot]) -> list[Dot]:
    """The highest first; those without a value last."""
    return sorted(rows, key=lambda row: (row.value is None, -(row.value or 0)))


def _dot(label: str, found: Row, n: int) -> Dot:
    return Dot(label, found["value"], found.get("low"), found.get("high"), n, in_words(found.get("reason")))


def _groups(
    rows: Sequence[Row], names: Mapping[str, str], setting: Setting, key: str, title: str, heading: str
) -> Chart | None:
    if not rows:
        return None
    dots = _ranked(
        _dot(names.get(row["key"], row["key"]), row["ordinal"], row["n_pairable_units"]) for row in rows
    )
    return charts.dots(
        dots,
        Heading(
            key,
            title,
            _("Krippendorff's alpha, ordinal, with its interval (95 %). The number is that of responses."),
            extremes(
                dots, none=why(dots, _("Agreement appears once two people have scored the same response."))
            ),
        ),
        axis=_("Krippendorff's alpha (ordinal)"),
        row_heading=heading,
        value_heading=_("Alpha"),
        words=figures.words(),
        lines=setting.lines(),
        domain=(0, 1),
    )


def _weekly(rows: Sequence[Row], setting: Setting) -> Chart | None:
    if not rows:
        return None
    points = [
        Point(
            row["week"],
            row["ordinal"]["value"],
            row["ordinal"]["low"],
            row["ordinal"]["high"],
            row["n_pairable_units"],
            in_words(row["ordinal"]["reason"]),
        )
        for row in rows
    ]
    known = telling(points)
    finding = nothing_to_say(points, none=_("No week has agreement that is defined."))
    if len(known) == 1:
        finding = _("%(name)s: %(value)s.") % {"name": known[0].label, "value": f"{known[0].value:.2f}"}
    elif known:
        finding = _("From %(first)s in %(began)s to %(last)s in %(ended)s.") % {
            "first": f"{known[0].value:.2f}",
            "began": known[0].label,
            "last": f"{known[-1].value:.2f}",
            "ended": known[-1].label,
        }
    return charts.over_time(
        points,
        Heading(
            "weeks",
            _("Agreement over time"),
            _("Weekly alpha with its band (95 %). A response counts in the week of its last score."),
            finding,
        ),
        axis=_("Krippendorff's alpha (ordinal)"),
        time_axis=_("Week"),
        time_heading=_("Week"),
        value_heading=_("Alpha"),
        words=figures.words(),
        lines=setting.lines(),
        domain=(0, 1),
    )


def _severity(people: Sequence[Row]) -> Chart | None:
    rows = [
        _dot(person["annotator"], person["severity"]["severity"], person["severity"]["n"])
        for person in people
        if person["scores"]
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: (row.value is None, row.value or 0))
    known = telling(rows)
    finding = nothing_to_say(rows, none=_("Nobody scored what another scored too."))
    if known and known[0].value == known[-1].value:
        finding = _("Nobody is more severe than another.")
    elif known:
        finding = _("Most severe: %(name)s, %(value)s points from the mean of the others.") % {
            "name": known[0].label,
            "value": f"{known[0].value:+.2f}",
        }
    return charts.dots(
        rows,
        Heading(
            "severity",
            _("Severity"),
            _("Own score minus the mean of the others on the same responses, the most severe first."),
            finding,
        ),
        axis=_("Points of the scale"),
        row_heading=_("Annotator"),
        value_heading=_("Difference"),
        words=figures.words(),
        lines=[Line(0, _("as the others"))],
    )


def _use(people: Sequence[Row]) -> Chart | None:
    rows = [Shares(person["annotator"], tuple(person["use"])) for person in people if person["scores"]]
    if not rows:
        return None
    totals = [sum(row.counts[level] for row in rows) for level in range(len(LEVELS))]
    most = max(range(len(LEVELS)), key=totals.__getitem__)
    finding = too_few()
    if sum(totals) >= FEWEST:
        finding = _("Score %(score)s is given most often: %(share)d %% of all.") % {
            "score": most,
            "share": round(100 * totals[most] / sum(totals)),
        }
    return charts.shares(
        rows,
        Heading(
            "use", _("Use of the scores"), _("Share of each score among all that a person gave."), finding
        ),
        levels=LEVELS,
        legend=_("Score"),
        axis=_("Share of scores"),
        row_heading=_("Annotator"),
        words=figures.words(),
    )


def _drift(people: Sequence[Row]) -> Chart | None:
    """Of those with most shared scores, where there are many."""
    drifting = sorted(
        (person for person in people if len(person["weeks"]) > 1), key=lambda person: -person["severity"]["n"]
    )[:MOST_PANELS]
    if not drifting:
        return None
    weeks = sorted({week["week"] for person in drifting for week in person["weeks"]})
    panels = []
    for person in sorted(drifting, key=lambda person: person["annotator"]):
        found = {week["week"]: week for week in person["weeks"]}
        panels.append(Panel(person["annotator"], [_week_of(name, found.get(name)) for name in weeks]))
    proposed = sum(1 for person in people if any(g["statistic"] == "drift" for g in person["proposal"]))
    enough = Thresholds().least_texts
    finding = _("Nobody has scored %(n)d texts of late that others scored too.") % {"n": enough}
    if any(person["shift"]["n"] >= enough for person in people):
        finding = _(
            "Of those with %(n)d recent texts nobody has moved further than the project would ask about."
        ) % {"n": enough}
    if proposed:
        finding = _("Annotators who have moved: %(n)d.") % {"n": proposed}
    return charts.small_multiples(
        panels,
        Heading(
            "drift",
            _("Drift"),
            _("Severity of each annotator by week, with its band (95 %). 0 is as the others."),
            finding,
        ),
        axis=_("Points of the scale"),
        panel_heading=_("Annotator"),
        time_heading=_("Week"),
        value_heading=_("Difference"),
        words=figures.words(),
        lines=[Line(0, _("as the others"))],
    )


def _week_of(name: str, found: Row | None) -> Point:
    if found is None:
        return Point(name, None, reason=in_words("nothing_shared"))
    severity = found["severity"]
    return Point(
        name, severity["value"], severity["low"], severity["high"], found["n"], in_words(severity["reason"])
    )


def _ceiling(found: Row, setting: Setting) -> Chart | None:
    if not found["genres"]:
        return None
    rows = _ranked(
        _dot(setting.genres.get(row["key"], row["key"]), row, row["pairs"]) for row in found["genres"]
    )
    return charts.dots(
        rows,
        Heading(
            "ceiling",
            _("Human ceiling by genre"),
            _(
                "How often an annotator prefers what the others alone agreed on, ties half: no model can be asked for "
                "more. The number is that of comparisons."
            ),
            extremes(
                rows,
                none=_("It takes pairs of texts on which two annotators agree and a third has scored both."),
            ),
        ),
        axis=_("Share of pairs"),
        row_heading=_("Genre"),
        value_heading=_("Share"),
        words=figures.words(),
        lines=[Line(0.5, _("chance"))],
        domain=(0.5, 1),
    )
