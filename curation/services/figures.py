"""Pictures of charts, as pages keep them. Vega runs in a process of its own (curation/domain/charts/drawing.py)."""

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from curation.domain.charts import Chart, Heading, Table, Words

SECONDS = 300
MODULE = "curation.domain.charts.drawing"


class DrawingError(RuntimeError):
    """Vega could not draw; the message has what it said."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: two pictures for the page, the numbers, and what leaves the page as a file.

    `wide` and `narrow` are SVG elements made safe by curation/domain/charts/svg.py, in colours of the page's theme.
    """

    heading: Heading
    table: Table
    wide: str
    narrow: str
    svg: str
    png: bytes

    def as_dict(self) -> dict[str, object]:
        """For the page and for JSON, under the names that templates/curation/_figure.html reads; without the files."""
        return {
            "key": self.heading.key,
            "title": self.heading.title,
            "caption": self.heading.caption,
            "finding": self.heading.finding,
            "wide": self.wide,
            "narrow": self.narrow,
            "table": self.table.as_dict(),
        }


def words() -> Words:
    """The words that charts share, in the language that is on."""
    return Words(
        low=_("Interval from"),
        high=pgettext("end of an interval", "to"),
        n=pgettext("how many units a number rests on", "Number"),
        number=_("n = {n}"),
        note=pgettext("column of a table", "Note"),
        too_few=_("too few"),
        so_far=pgettext("line of a chart", "so far"),
        forecast=pgettext("line of a chart", "forecast"),
    )


def draw(charts: Sequence[Chart]) -> list[Drawn]:
    """All of them in one go: the engine takes a second to start. For workers, not for requests.

    Raises DrawingError.
    """
    orders = [
        {"key": chart.heading.key, "label": chart.heading.finding, "specs": chart.specs} for chart in charts
    ]
    return [
        Drawn(
            heading=chart.heading,
            table=chart.table,
            wide=found["wide"],
            narrow=found["narrow"],
            svg=found["svg"],
            png=b64decode(found["png"]),
        )
        for chart, found in zip(charts, _drawn(orders), strict=True)
    ]


def in_every_language(charts_in: Callable[[str], Sequence[Chart]]) -> list[dict[str, object]]:
    """The columns of a row for each chart in each language; `charts_in` makes them in the one that is on and named."""
    charts = []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            charts += [(language, chart) for chart in charts_in(language)]
    return [
        {
            "key": drawn.heading.key,
            "language": language,
            "content": drawn.as_dict(),
            "svg": drawn.svg,
            "png": drawn.png,
        }
        for (language, _chart), drawn in zip(
            charts, draw([chart for _language, chart in charts]), strict=True
        )
    ]


def shown(kept: Mapping[str, object]) -> dict[str, object]:
    """A figure or heat map that was kept as JSON, as the templates want it. Only what `draw` made may come here."""
    pictures = {size: SafeString(kept[size]) for size in ("wide", "narrow") if size in kept}
    return {**kept, **pictures, "table": Table.from_dict(kept["table"]).filled()}


def _drawn(orders: Sequence[Mapping[str, object]]) -> list[dict[str, str]]:
    if not orders:
        return []
    try:
        done = subprocess.run(
            [sys.executable, "-m", MODULE],
            input=json.dumps(orders),
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=settings.BASE_DIR,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DrawingError(f"Vega did not finish {len(orders)} charts within {SECONDS} seconds") from error
    if done.returncode:
        raise DrawingError(f"Vega ended with {done.returncode}: {done.stderr[-2000:]}")
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found
