"""Charts of agreement and progress as Vega-Lite specifications, each with its numbers as a table.

Rows come in already counted, and every word of them in the reader's language. A chart is laid out at two widths,
which a page switches between. A row of fewer than `fewest` units is grey and says that it is too few; a row without a
value says why, in words, on an axis that is drawn all the same. No score or value is red or green.

    dots, bars, shares                     a row for each genre, language or annotator
    over_time, small_multiples, burn_down  a point for each week
    heat_maps.pairs, heat_maps.confusion   tables with shaded cells; nothing is drawn for them

`drawing` makes pictures of specifications and is not imported from here: it loads a whole engine.
"""

from curation.domain.charts.by_row import Bar, Dot, bars, dots
from curation.domain.charts.by_share import Shares, shares
from curation.domain.charts.chart import FEWEST, Chart, Heading, Line, Words, is_few
from curation.domain.charts.in_time import Panel, Point, burn_down, over_time, small_multiples
from curation.domain.charts.tables import Cell, Column, Table

__all__ = [
    "FEWEST",
    "Bar",
    "Cell",
    "Chart",
    "Column",
    "Dot",
    "Heading",
    "Line",
    "Panel",
    "Point",
    "Shares",
    "Table",
    "Words",
    "bars",
    "burn_down",
    "dots",
    "is_few",
    "over_time",
    "shares",
    "small_multiples",
]
