"""Drawings as they may stand in a page: only what draws, no looks of their own, nothing that a policy forbids.

Vega marks every element with roles, descriptions and classes, and gives text a typeface. Readers of screens are told
one sentence instead, the page's typeface is used, and its colours come by variables, so that a drawing follows the
theme. What leaves the page, as a file, has no page around it: there the variables become colours.
"""

import re
from collections.abc import Mapping
from html import escape

ELEMENTS = frozenset({"svg", "g", "path", "rect", "line", "text", "tspan", "circle", "defs", "clipPath"})
PLACES = frozenset({"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"})
LOOKS = frozenset({"fill", "stroke", "opacity", "font-size", "font-weight", "text-anchor", "clip-path", "id"})
FAMILIES = ("fill-", "stroke-")  # such as stroke-dasharray
# What a file shows in place of the page's variables: the light theme (static/css/app.css, figures.css).
LIGHT: Mapping[str, str] = {
    "currentColor": "#1c1d1c",
    "var(--surface)": "#ffffff",
    "var(--ink)": "#1c1d1c",
    "var(--ink-soft)": "#5b5a56",
    "var(--line)": "#e3e0d8",
    "var(--line-strong)": "#85827a",
    "var(--track)": "#dedcd5",
    "var(--accent)": "#0b5560",
    "var(--shade-0)": "#eef3f3",
    "var(--shade-1)": "#d3e2e3",
    "var(--shade-2)": "#a9c9cc",
    "var(--shade-3)": "#74a9ae",
    "var(--shade-4)": "#2f7a84",
    "var(--shade-5)": "#0b5560",
    "var(--on-shade-0)": "#1c1d1c",
    "var(--on-shade-1)": "#1c1d1c",
    "var(--on-shade-2)": "#1c1d1c",
    "var(--on-shade-3)": "#1c1d1c",
    "var(--on-shade-4)": "#ffffff",
    "var(--on-shade-5)": "#ffffff",
}
MARGIN = 12  # pixels, around a file

# A text with other than plain letters begins with a typeface that has Chinese: whoever looks for a single sign that
# a typeface lacks may find it in one with serifs.
LATIN = "Noto Sans, Helvetica Neue, Arial, sans-serif"
CHINESE = "Noto Sans CJK SC, Source Han Sans SC, Microsoft YaHei, PingFang SC, sans-serif"

_TAG = re.compile(r"<(/?)([A-Za-z]+)((?:\s[^<>]*?)?)(/?)>")
_ATTRIBUTE = re.compile(r'([A-Za-z][\w:.-]*)="([^"<>]*)"')
_TEXT = re.compile(r"(<text[^<>]*)>([^<]*)")
_EMPTY = re.compile(r"<g(?:\s[^<>]*)?(?:/>|></g>)|<path(?:\s[^<>]*)? d=\"\"[^<>]*/>")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_VARIABLE = re.compile(r"var\(--[a-z0-9-]+\)|currentColor")
_SIZE = re.compile(r'^<svg[^<>]* width="(\d+)" height="(\d+)"[^<>]*( aria-label="[^"<>]*")>')
_HEAD = re.compile(r'^<svg width="(\d+)" height="(\d+)">')


def inline(drawn: str, *, key: str, size: str, label: str) -> str:
    """A drawing of Vega's as an element of a page, named by the sentence `label`; ids begin with key and size.

    Raises ValueError on an element that draws nothing known: it may be a script.
    """
    cleaned = _TAG.sub(lambda tag: _clean(tag, prefix=f"{key}-{size}-"), drawn)
    while (fewer := _EMPTY.sub("", cleaned)) != cleaned:
        cleaned = fewer
    head = _HEAD.match(cleaned)
    if head is None:
        raise ValueError("the drawing does not begin with its size in whole pixels")
    width, height = head.groups()
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure-{size}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
    )
    return opening + cleaned[head.end() :]


def standalone(inlined: str) -> str:
    """The same drawing as a file: white ground, fixed colours, typefaces that have Chinese signs.

    Raises KeyError on a variable that has no colour here.
    """
    size, body = _SIZE.search(inlined), inlined.split(">", 1)[1]
    if size is None:
        raise ValueError("the drawing does not say how large it is")
    width, height = (int(side) + 2 * MARGIN for side in size.groups()[:2])
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="-{MARGIN} -{MARGIN} {width} {height}" role="img"{size[3]} font-family="{LATIN}">'
    )
    ground = (
        f'<rect x="-{MARGIN}" y="-{MARGIN}" width="100%" height="100%" fill="{LIGHT["var(--surface)"]}"/>'
    )
    return opening + ground + _TEXT.sub(_faced, _TAG.sub(_coloured, body))


def _clean(tag: re.Match[str], *, prefix: str) -> str:
    closing, name, attributes, empty = tag.groups()
    if name not in ELEMENTS:
        raise ValueError(f"the drawing has an element <{name}>, which is not known to draw")
    kept = "".join(
        f' {key}="{_value(key, value, prefix)}"'
        for key, value in _ATTRIBUTE.findall(attributes)
        if _draws(key) and (key, value) != ("opacity", "1")
    )
    return f"<{closing}{name}{kept}{empty}>"


def _draws(key: str) -> bool:
    return key in PLACES or key in LOOKS or key.startswith(FAMILIES)


def _value(key: str, value: str, prefix: str) -> str:
    if key == "id":
        return prefix + value
    if key in PLACES:
        value = _NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
    if key == "font-size":
        return value.removesuffix("px")
    return _REFERENCE.sub(rf"url(#{prefix}\1)", value)


def _faced(text: re.Match[str]) -> str:
    opening, words = text.groups()
    return text[0] if words.isascii() else f'{opening} font-family="{CHINESE}">{words}'


def _coloured(tag: re.Match[str]) -> str:
    """Within the tag alone: a label may speak of a variable."""
    return _VARIABLE.sub(lambda variable: LIGHT[variable[0]], tag[0])
