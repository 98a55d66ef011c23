"""Pictures of specifications by Vega, in a process of its own: python -m curation.domain.charts.drawing

Vega runs on a JavaScript engine, which takes a second to start and a hundred megabytes to keep, and which a process
that was forked should not share. So whoever wants pictures starts this, hands over JSON and reads JSON (see
curation/services/figures.py); nothing else imports it.
"""

import json
import sys
from base64 import b64encode
from typing import TextIO, TypedDict

import vl_convert

from curation.domain.charts import svg
from curation.domain.charts.marks import Spec

VERSION = "6.4"  # of Vega-Lite
SCALE = 2  # of files, in pixels of the drawing


class Order(TypedDict):
    """A chart to draw: `label` is what somebody is told who does not see it."""

    key: str
    label: str
    specs: dict[str, Spec]


class Pictures(TypedDict):
    """Both sizes for a page; the wide one as a file, and as PNG in base 64."""

    wide: str
    narrow: str
    svg: str
    png: str


def pictures(order: Order) -> Pictures:
    drawn = {
        size: svg.inline(
            vl_convert.vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[]),
            key=order["key"],
            size=size,
            label=order["label"],
        )
        for size, spec in order["specs"].items()
    }
    file = svg.standalone(drawn["wide"])
    png = vl_convert.svg_to_png(file, scale=SCALE)
    return {"wide": drawn["wide"], "narrow": drawn["narrow"], "svg": file, "png": b64encode(png).decode()}


def main(asked: TextIO, answer: TextIO) -> None:
    json.dump([pictures(order) for order in json.load(asked)], answer)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
