"""Guidelines: what Markdown may become, and that no text takes long."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain import markdown

pytestmark = pytest.mark.files

HALF_A_MEGABYTE = 500_000


def test_markdown_becomes_headings_lists_tables_and_emphasis():
    shown = markdown.render(
        "# Title\n\nSome **bold** and *soft* `code`.\n\n1. one\n2. two\n\n|a|b|\n|-|-|\n|1|2|\n"
    )
    for part in (
        "<h2>Title</h2>",
        "<strong>bold</strong>",
        "<em>soft</em>",
        "<code>code</code>",
        "<ol>",
        "<td>1</td>",
    ):
        assert part in shown


def test_its_headings_stand_below_those_of_the_page_and_leave_no_level_out():
    assert markdown.render("## a\n\n###### b\n\n## c", top=3) == "<h3>a</h3>\n<h4>b</h4>\n<h3>c</h3>\n"
    assert markdown.render("# a\n\n## b\n\n### c", top=5) == "<h5>a</h5>\n<h6>b</h6>\n<h6>c</h6>\n"


def test_a_line_of_a_list_may_be_numbered_from_anywhere():
    assert markdown.render("7. seven") == '<ol start="7">\n<li>seven</li>\n</ol>\n'


@pytest.mark.parametrize(
    "address", ["https://example.org/a?b=c", "http://example.org", "mailto:lea@example.org"]
)
def test_a_link_leads_out_without_telling_where_from(address):
    shown = markdown.render(f"[text]({address})")
    assert f'href="{address}"' in shown
    assert 'rel="noopener noreferrer nofollow"' in shown


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "java&#x0A;script:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml,<svg/>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/x",
        "/sign-out/",
        "sign-out/",
        "#top",
        "?theme=dark",
        "\\\\example.org",
    ],
)
def test_a_link_with_another_scheme_or_into_the_application_leads_nowhere(address):
    for written in (f"[text]({address})", f"[text](<{address}>)", f"[text][a]\n\n[a]: {address}"):
        assert "href" not in markdown.render(written)


@pytest.mark.parametrize(
    "written",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<svg><animate onbegin="alert(1)"/></svg>',
        "<iframe src=https://example.org></iframe>",
        "<style>body{display:none}</style>",
        '<a href="https://example.org" onclick="x()" hx-get="/">a</a>',
        "<div hx-on:click='x()'>a</div>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "<!-- comment --><b>bold</b>",
        "<form action=/sign-out/><button>go</button></form>",
        "{% debug %} {{ 7*7 }}",
    ],
)
def test_html_is_shown_as_it_was_written(written):
    shown = markdown.render(written)
    assert not [
        tag
        for tag in ("<script", "<img", "<svg", "<iframe", "<style", "<a ", "<div", "<b>", "<form")
        if tag in shown
    ]
    assert "&lt;" in shown or "{%" in shown


@pytest.mark.parametrize(
    "written",
    [
        "![alt](https://example.org/x.png)",
        "![alt](data:image/png;base64,AAAA)",
        "![alt][a]\n\n[a]: https://example.org/x.png",
    ],
)
def test_no_image_is_ever_fetched(written):
    shown = markdown.render(written)
    assert "<img" not in shown
    assert "src=" not in shown


def test_an_attribute_cannot_be_smuggled_into_a_title_or_a_language():
    link = markdown.render('[a](https://example.org "x\\" onclick=\\"alert(1)")')
    assert link == f'<p><a href="https://example.org" rel="{markdown.REL}">a</a></p>\n'
    fence = markdown.render('~~~js" onclick="alert(1)\ncode\n~~~')
    assert fence == "<pre><code>code\n</code></pre>\n"


PIECES = ["<div>", "![", "> ", "> > > > ", "[", "- ", "*a ", "`", "\n> ", "|", "[a](", "写![", "<!--"]
BAD_PIECES = [
    *("<div>", "![", "> ", "[a](", "*a**b", "- a\n", "|a|b|\n|-|-|\n", "a\n-\n"),
    *("> " * 8 + "\na\n", "> ---\n    ```\n<a:b>\n", "> [a]: b\n写~|-|\n](b)\t\n", "~\n- # > \n"),
]


@pytest.mark.parametrize("piece", PIECES)
def test_half_a_megabyte_of_anything_takes_no_time(piece):
    text = piece * (HALF_A_MEGABYTE // len(piece))
    before = time.process_time()
    shown = markdown.render(text)
    assert time.process_time() - before < 0.5
    assert "<div" not in shown
    assert markdown.fault(text) is markdown.Fault.TOO_LONG


@pytest.mark.parametrize("piece", BAD_PIECES)
def test_the_worst_text_within_the_limits_takes_little_time(piece):
    text = piece * (markdown.MAX_BYTES // len(piece))
    while markdown.fault(text):
        text = text[: len(text) * 9 // 10]
    before = time.process_time()
    markdown.render(text)
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a" * (markdown.MAX_BYTES + 1), markdown.Fault.TOO_LONG),
        ("写" * (markdown.MAX_BYTES // 3 + 1), markdown.Fault.TOO_LONG),
        ("> " * (markdown.MAX_NESTING + 1) + "a", markdown.Fault.TOO_DEEP),
        ("- " * (markdown.MAX_NESTING + 1) + "a", markdown.Fault.TOO_DEEP),
        (">-" * 5 + " a\r" + "1) " * 9 + "a", markdown.Fault.TOO_DEEP),
        ("[" * (markdown.MAX_NESTING + 1), markdown.Fault.TOO_DEEP),
        ("*a" * (markdown.MAX_MARKUP + 1), markdown.Fault.TOO_MUCH_MARKUP),
        ("a\n" * (markdown.MAX_MARKUP + 1), markdown.Fault.TOO_MUCH_MARKUP),
        ("a" * markdown.MAX_BYTES, None),
        ("> " * markdown.MAX_NESTING + "a", None),
        ("[a] " * 500 + "\n\n" + "[a] " * 500, None),
        ("---\n\n1. a\n\n**b**", None),
        ("", None),
    ],
)
def test_limits_are_told_apart(text, fault):
    assert markdown.fault(text) is fault


def test_a_text_beyond_the_limits_is_shown_as_it_was_typed():
    text = "> " * 20 + "**a** <b>\r\nnext line\n\nnext paragraph"
    shown = markdown.render(text)
    assert "**a** &lt;b&gt;<br>next line</p>\n<p>next paragraph</p>" in shown


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abc写 \n\t#*_-+>`[](){}<>!|&;:/\\\"'=1.\u202e\x00", max_size=200))
def test_whatever_is_written_nothing_but_what_is_listed_comes_out(text):
    shown = markdown.render(text)
    allowed = {f"{slash}{tag}" for tag in markdown.TAGS for slash in ("", "/")}
    for tag in shown.split("<")[1:]:
        assert tag.replace(">", " ").split()[0] in allowed
