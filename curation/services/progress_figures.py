"""The charts of progress: what is left with its forecast, and scores by week. Nothing is computed here."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from curation.domain import charts
from curation.domain.charts import Bar, Chart, Heading, Line, Point
from curation.queries.progress_facts import FIGURES
from curation.services import figures

BURN_DOWN, THROUGHPUT = FIGURES
MOST_WEEKS = 12

Row = Mapping[str, object]


def progress_charts(progress: Row) -> list[Chart]:
    """In the language that is on; always both, with a word where there is nothing to see yet."""
    return [_burn_down(progress), _throughput(progress["weeks"], date.fromisoformat(progress["today"]))]


def _burn_down(progress: Row) -> Chart:
    today, days = date.fromisoformat(progress["today"]), progress["days_of_period"]
    past = list(enumerate(progress["so_far"] if progress["slots"] else []))[::-1]
    ahead = _until_done(progress["burn_down"]) if progress["slots"] else []
    moments = [today - timedelta(days=back * days) for back, _left in past]
    moments += [today + timedelta(days=step["period"] * days) for step in ahead]
    named = list(zip(_labels(moments), moments, strict=True))
    return charts.burn_down(
        [
            Point(label, left, written=day.isoformat())
            for (label, day), (_back, left) in zip(named, past, strict=False)
        ],
        [
            Point(label, step["left"], step["low"], step["high"], written=day.isoformat())
            for (label, day), step in zip(named[len(past) :], ahead, strict=True)
        ],
        Heading(
            BURN_DOWN,
            _("What is left"),
            _("Slots that are not filled yet, and when they will be at the pace of late, with a 95 % band."),
            _finding(progress),
        ),
        target=Line(0, pgettext("line of a chart", "target")),
        axis=_("Slots left"),
        time_axis=_("Week") if days > 1 else _("Day"),
        time_heading=_("Day"),
        value_heading=_("Slots left"),
        words=figures.words(),
    )


def _until_done(steps: Sequence[Row]) -> list[Row]:
    """The steps after today, up to the first at which nothing is left even at the slowest."""
    ahead = [step for step in steps if step["period"]]
    ends = next((number for number, step in enumerate(ahead, 1) if not step["high"]), len(ahead))
    return ahead[:ends]


def _finding(progress: Row) -> str:
    if not progress["slots"]:
        return _("No round of scores is open.")
    left = progress["slots"] - progress["done"]
    return ngettext("%(left)s slot of %(slots)s is left.", "%(left)s slots of %(slots)s are left.", left) % {
        "left": _count(left),
        "slots": _count(progress["slots"]),
    }


def _throughput(weeks: Sequence[Row], today: date) -> Chart:
    shown = [(date.fromisoformat(week["monday"]), week["scores"]) for week in weeks[-MOST_WEEKS:]]
    labels = _labels([monday for monday, _scores in shown])
    if shown and today - shown[-1][0] < timedelta(days=7):
        labels[-1] = _("%(day)s, so far") % {"day": labels[-1]}
    finding = _("No score has been given yet, or no file says when.")
    if shown and not any(scores for _monday, scores in shown):
        finding = _("Nothing was scored in these weeks.")
    elif shown:
        most = max(shown, key=lambda week: week[1])
        finding = _("The most in a week: %(most)s, from %(day)s on. In the latest: %(last)s.") % {
            "most": _count(most[1]),
            "day": labels[shown.index(most)],
            "last": _count(shown[-1][1]),
        }
    return charts.bars(
        [
            Bar(label, scores, written=monday.isoformat())
            for label, (monday, scores) in zip(labels, shown, strict=True)
        ],
        Heading(
            THROUGHPUT,
            _("Scores by week"),
            ngettext(
                "In the latest week; it begins on Monday, UTC.",
                "In the latest %(n)d weeks; they begin on Monday, UTC.",
                len(shown) or MOST_WEEKS,
            )
            % {"n": len(shown) or MOST_WEEKS},
            finding,
        ),
        axis=_("Scores"),
        row_heading=_("Week from"),
        value_heading=_("Scores"),
        words=figures.words(),
    )


def _labels(days: Sequence[date]) -> list[str]:
    """With the year where they lie in more than one."""
    pattern = _("j M Y") if len({day.year for day in days}) > 1 else pgettext("format of a date", "j M")
    return [formats.date_format(day, pattern) for day in days]


def _count(n: int) -> str:
    return formats.number_format(n, force_grouping=True)
