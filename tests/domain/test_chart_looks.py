"""Colours that are legible, and drawings that hold nothing but what draws."""

import re
from pathlib import Path

import pytest

from curation.domain.charts import svg

pytestmark = pytest.mark.files

CSS = Path(__file__).resolve().parents[2] / "static" / "css"

# --- Colours -------------------------------------------------------------------------------------


def variables(theme: int) -> dict[str, str]:
    found = {}
    for name in ("app.css", "figures.css"):
        text = (CSS / name).read_text(encoding="utf-8")
        for key, *colours in re.findall(r"(--[a-z0-9-]+): light-dark\((#\w+), (#\w+)\)", text):
            colour = colours[theme]
            found[key] = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_numbers_are_legible_on_every_shade(theme):
    found = variables(theme)
    for index in range(6):
        assert contrast(found[f"--shade-{index}"], found[f"--on-shade-{index}"]) >= 4.5
    for name in ("--ink", "--ink-soft", "--accent", "--line-strong"):
        assert contrast(found[name], found["--surface"]) >= (3 if name == "--line-strong" else 4.5)


def test_a_file_has_the_colours_of_the_light_theme():
    found = variables(0)
    for name, colour in svg.LIGHT.items():
        key = "--ink" if name == "currentColor" else name.removeprefix("var(").removesuffix(")")
        assert found[key] == colour, name


# --- Clean drawings ------------------------------------------------------------------------------

DRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" version="1.1" class="marks" width="10" height="20">'
    '<defs><clipPath id="clip0"><rect x="0" y="0" width="1.23456" height="2"/></clipPath></defs>'
    '<g role="graphics-object" aria-label="x &gt; 1" clip-path="url(#clip0)"><g class="none"/>'
    '<text style="color:red" font-family="serif" font-size="12px" fill="var(--ink)">a role="b" &lt;c&gt;</text>'
    "</g></svg>"
)


def test_a_drawing_keeps_what_draws_and_nothing_else():
    found = svg.inline(DRAWN, key="alpha", size="wide", label='"Speech" <best>')
    assert found == (
        '<svg xmlns="http://www.w3.org/2000/svg" class="figure-wide" width="10" height="20" viewBox="0 0 10 20" '
        'role="img" aria-label="&quot;Speech&quot; &lt;best&gt;">'
        '<defs><clipPath id="alpha-wide-clip0"><rect x="0" y="0" width="1.23" height="2"/></clipPath></defs>'
        '<g clip-path="url(#alpha-wide-clip0)">'
        '<text font-size="12" fill="var(--ink)">a role="b" &lt;c&gt;</text></g></svg>'
    )


@pytest.mark.parametrize("element", ["script", "style", "foreignObject", "a", "image", "use"])
def test_an_element_that_may_do_more_than_draw_is_refused(element):
    with pytest.raises(ValueError, match=f"<{element}>"):
        svg.inline(DRAWN.replace("<defs>", f"<{element}></{element}><defs>"), key="a", size="wide", label="")


def test_a_file_has_fixed_colours_and_a_typeface_with_chinese_where_it_is_needed():
    inlined = svg.inline(DRAWN.replace("a role", "商"), key="a", size="wide", label="var(--ink)")
    found = svg.standalone(inlined)
    assert 'fill="#1c1d1c" font-family="Noto Sans CJK SC' in found
    assert 'aria-label="var(--ink)"' in found
    assert "var(" not in found.replace('aria-label="var(--ink)"', "")
