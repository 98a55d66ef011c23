"""The one sentence that says what there is to see in a chart of a report, or why there is nothing yet."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from curation.domain.charts import FEWEST, Dot, Point, is_few
from curation.domain.charts.heat_maps import Measured
from curation.queries.reasons import in_words

Shown = TypeVar("Shown", Dot, Point, Measured)


def telling(rows: Iterable[Shown]) -> list[Shown]:
    """Those of which something can be said: with a value that does not rest on too few."""
    return [row for row in rows if row.value is not None and not is_few(row.n, FEWEST)]


def nothing_to_say(rows: Iterable[Shown], *, none: str) -> str:
    """Of rows none of which is telling: that each rests on too few, or why there is no value."""
    if any(row.value is not None for row in rows):
        return too_few()
    return none


def too_few() -> str:
    return _("Nothing rests on %(n)d or more yet, so nothing is compared.") % {"n": FEWEST}


def extremes(rows: Sequence[Dot], *, none: str) -> str:
    """One sentence of a chart: who is at both ends."""
    known = telling(rows)
    if not known:
        return nothing_to_say(rows, none=none)
    if len(known) == 1:
        return _("%(name)s: %(value)s.") % {"name": known[0].label, "value": f"{known[0].value:.2f}"}
    return _("Highest: %(top)s, %(high)s. Lowest: %(bottom)s, %(low)s.") % {
        "top": known[0].label,
        "high": f"{known[0].value:.2f}",
        "bottom": known[-1].label,
        "low": f"{known[-1].value:.2f}",
    }


def why(rows: Iterable[Dot | Measured], otherwise: str) -> str:
    """Why none of them has a value: that nothing differs, which more scores alone may mend, or what it takes."""
    constant = in_words("no_variation")
    if {row.reason for row in rows if row.reason} == {constant}:
        return _("Not defined: %(reason)s.") % {"reason": constant}
    return otherwise
