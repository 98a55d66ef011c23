"""Guidelines: Markdown (CommonMark with tables, without HTML and images) made into HTML that is safe to show.

What comes out holds no element, attribute or address but those named here, and makes a browser fetch nothing.
Parsing takes long on what is nested or marked up beyond all use, so text beyond the limits is never parsed: it is
shown as it was typed.
"""

import html
import re
from enum import StrEnum

import nh3
from markdown_it import MarkdownIt

MAX_BYTES = 64 * 1024  # as UTF-8
MAX_NESTING = 8  # of quotes and lists in one line, of brackets in one paragraph
MAX_MARKUP = 6_000  # lines and characters that may be markup, together
QUOTE = 20  # as so many counts a mark of a quote: the parser's time grows with the square of their number

TAGS = {
    *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "strong", "em", "code", "pre", "blockquote"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES: dict[str, set[str]] = {"a": {"href"}, "ol": {"start"}, "*": set()}
SCHEMES = {"http", "https", "mailto"}
ABSOLUTE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
REL = "noopener noreferrer nofollow"

OF_MARKUP = re.compile(r"[*_\[\]()<>&|`!\\\n]")
# The quotes and lists that open at the start of a line.
BLOCK_MARKERS = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t>])|\d{1,9}[.)](?=[ \t>])))+")
BLOCK_MARKER = re.compile(r">|[-+*]|\d+[.)]")
BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
LINE_END = re.compile(r"\r\n?")


class Fault(StrEnum):
    """Why a text is not parsed."""

    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    TOO_MUCH_MARKUP = "too_much_markup"


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


PARSER = _parser()


def fault(text: str) -> Fault | None:
    """The limit that the text exceeds; None where it can be parsed. Takes time in proportion to the text."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return Fault.TOO_LONG
    text = LINE_END.sub("\n", text)
    opening = [match[0] for match in map(BLOCK_MARKERS.match, text.split("\n")) if match]
    if any(len(BLOCK_MARKER.findall(markers)) > MAX_NESTING for markers in opening):
        return Fault.TOO_DEEP
    if any(_bracket_depth(paragraph) > MAX_NESTING for paragraph in BLANK_LINES.split(text)):
        return Fault.TOO_DEEP
    quotes = sum(markers.count(">") for markers in opening)
    if len(OF_MARKUP.findall(text)) + QUOTE * quotes > MAX_MARKUP:
        return Fault.TOO_MUCH_MARKUP
    return None


def render(text: str, *, top: int = 2) -> str:
    """HTML of the text, its highest headings h`top` (2 to 6), those below them one level deeper each.

    A text with a fault comes as plain paragraphs, cut at MAX_BYTES characters.
    """
    if fault(text):
        return _plain(text[:MAX_BYTES])
    tokens = PARSER.parse(text)
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    tags = sorted({heading.tag for heading in headings})
    for heading in headings:
        heading.tag = f"h{min(top + tags.index(heading.tag), 6)}"
    return _clean(str(PARSER.renderer.render(tokens, PARSER.options, {})))


def _clean(markup: str) -> str:
    return nh3.clean(
        markup,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_kept,
        url_schemes=SCHEMES,
        link_rel=REL,
    )


def _kept(tag: str, attribute: str, value: str) -> str | None:
    """An address without a scheme of its own would lead into the application."""
    if attribute == "href" and not ABSOLUTE.match(value.strip()):
        return None
    return value


def _bracket_depth(paragraph: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]]", paragraph):
        depth = depth + 1 if bracket == "[" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _plain(text: str) -> str:
    paragraphs = BLANK_LINES.split(LINE_END.sub("\n", text).strip())
    return "".join(f"<p>{html.escape(part).replace(chr(10), '<br>')}</p>\n" for part in paragraphs if part)
