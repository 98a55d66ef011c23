"""Figures as a worker draws them: clean under the policy, legible in Chinese, and far from whoever answers requests."""

import json
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from curation.domain import charts
from curation.domain.charts import Dot, Heading, Line
from curation.services import figures, report_findings, report_heat_maps
from tests.sample_figures import WORDS, sample_charts, sample_heat_maps

pytestmark = pytest.mark.files

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = re.compile(
    r"""<(?:style|script|a|image|foreignObject)\b|\s(?:style|on\w+|href|class|role|aria-\w+)="""
)


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[figures.Drawn]]:
    found = figures.draw([*sample_charts("en"), *sample_charts("zh-hans")])
    half = len(found) // 2
    return {"en": found[:half], "zh-hans": found[half:]}


def tags_of(picture: str) -> str:
    """What stands within the tags after the first, whose role and label are meant."""
    return "".join(re.findall(r"<[^<>]*>", picture.split(">", 1)[1]))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_picture_needs_what_the_policy_forbids(drawn, language):
    for figure in drawn[language]:
        for picture in (figure.wide, figure.narrow, figure.svg):
            assert not FORBIDDEN.search(tags_of(picture)), figure.heading.key


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_picture_is_one_image_that_says_its_finding(drawn, language):
    for figure in drawn[language]:
        for size in ("wide", "narrow"):
            opening = getattr(figure, size).split(">", 1)[0]
            assert 'role="img"' in opening
            assert f'aria-label="{figure.heading.finding}"' in opening
            assert f'width="{ {"wide": 520, "narrow": 310}[size] }"' in opening


def test_no_two_elements_of_a_page_have_one_id(drawn):
    ids = [
        found
        for figure in drawn["en"]
        for picture in (figure.wide, figure.narrow)
        for found in re.findall(r' id="([^"]+)"', picture)
    ]
    assert len(ids) == len({*ids})


def test_a_file_stands_on_its_own(drawn):
    for figure in drawn["zh-hans"]:
        assert "var(" not in figure.svg
        assert "currentColor" not in figure.svg
        assert figure.svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"')


def test_a_png_is_drawn_at_twice_the_size(drawn):
    for figure in drawn["en"]:
        height = int(re.search(r'height="(\d+)"', figure.svg)[1])
        assert figure.png.startswith(b"\x89PNG")
        assert struct.unpack(">II", figure.png[16:24]) == (2 * (520 + 24), 2 * height)


def test_chinese_is_drawn_in_signs_that_differ_and_not_in_boxes():
    """A machine without a Chinese typeface draws the same box for every sign."""
    words, missing = WORDS["zh-hans"], "\U0010fffd"
    labels = ("商", "务", missing)
    found = figures.draw(
        [
            charts.dots(
                [Dot(label, 0.5, n=50)],
                Heading("one", "t", "c", "f"),
                axis="α",
                row_heading="r",
                value_heading="v",
                words=words,
            )
            for label in labels
        ]
    )
    assert len({zlib.crc32(figure.png) for figure in found}) == len(labels)


def test_a_label_is_text_whatever_stands_in_it():
    label = '</text><script>alert("1")</script> & style="x" var(--ink)'
    [found] = figures.draw([one(label)])
    assert "<script" not in found.wide + found.svg
    assert "&lt;/text&gt;" in found.wide


def test_no_charts_are_drawn_without_starting_anything(monkeypatch):
    monkeypatch.setattr(figures, "MODULE", "no.such.module")
    assert figures.draw([]) == []


def test_what_the_engine_says_is_told(monkeypatch):
    monkeypatch.setattr(figures, "MODULE", "no.such.module")
    with pytest.raises(figures.DrawingError, match=r"no\.such"):
        figures.draw([one("Speech")])


def test_an_engine_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(figures, "SECONDS", 0.01)
    with pytest.raises(figures.DrawingError, match="did not finish 1 charts"):
        figures.draw([one("Speech")])


def test_whoever_answers_requests_never_loads_the_engine():
    code = (
        "import django, sys; django.setup(); import config.urls, config.celery, curation.services.figures; "
        "import curation.tasks; sys.exit('vl_convert' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_picture_is_the_same_whenever_it_is_drawn(drawn):
    assert figures.draw(sample_charts("en")[:1]) == drawn["en"][:1]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_figure_comes_back_from_json_and_is_printed_whole(drawn, language):
    for figure in drawn[language]:
        kept = json.loads(json.dumps(figure.as_dict()))
        files = [{"kind": "CSV", "url": "/x.csv"}]
        with translation.override(language):
            page = render_to_string("curation/_figure.html", {"figure": figures.shown(kept), "files": files})
        assert figure.wide in page
        assert figure.narrow in page
        assert page.count("<svg") == 2
        assert f'<h2 id="{figure.heading.key}-title">' in page
        assert page.count("<tr>") == len(figure.table.rows) + 1 if figure.table.rows else "<table" not in page


def test_a_heat_map_is_a_real_table_with_a_number_in_every_cell():
    kept = json.loads(json.dumps(sample_heat_maps()[0].as_dict()))
    page = render_to_string("curation/_heat_map.html", {"figure": figures.shown(kept)})
    table = page[page.index('<table class="heat-map">') : page.index("</heat-map>")]
    assert table.count('scope="row"') == 7
    assert table.count('scope="col"') == 8
    cells = [re.sub(r"<[^>]+>", "", cell).split() for cell in re.findall(r"<td[^>]*>(.*?)</td>", table)]
    assert sum(not cell for cell in cells) == 7
    assert "n = 12 · too few" in table
    assert {*re.findall(r'class="(shade-\d)"', table)} == {f"shade-{index}" for index in range(6)}


def test_words_that_users_wrote_are_escaped():
    heading = Heading("x", "<b>", "&", "<i>")
    [found] = figures.draw([one("<u>", heading)])
    page = render_to_string("curation/_figure.html", {"figure": figures.shown(found.as_dict())})
    assert not re.search(r"<[biu]>", page)


def test_the_words_of_charts_are_said_in_the_language_that_is_on():
    with translation.override("en"):
        assert figures.words().number.format(n=3) == "n = 3"
        assert figures.words().too_few == "too few"


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((30, 40, 90), "Highest: c, 0.80. Lowest: b, 0.40."),
        ((30, 29, 90), "Highest: c, 0.80. Lowest: a, 0.60."),
        ((1, 40, 2), "b: 0.40."),
        ((1, 2, 29), "Nothing rests on 30 or more yet, so nothing is compared."),
    ],
)
def test_what_rests_on_too_few_is_not_said_to_be_highest_or_lowest(sizes, said):
    rows = [
        Dot(label, value, n=n)
        for label, value, n in zip("cab", (0.8, 0.6, 0.4), (sizes[2], sizes[0], sizes[1]), strict=True)
    ]
    assert report_findings.extremes(rows, none="Nothing.") == said


def test_without_a_value_the_sentence_says_what_it_takes():
    assert (
        report_findings.extremes([Dot("a", None, n=90, reason="r")], none="It takes two.") == "It takes two."
    )


def one(label: str, heading: Heading | None = None) -> charts.Chart:
    return charts.dots(
        [Dot(label, 0.5, 0.4, 0.6, 50)],
        heading or Heading("one", "One", "c", "One is 0.5."),
        axis="Alpha",
        row_heading="Genre",
        value_heading="Alpha",
        lines=[Line(0.667, "acceptable")],
        words=WORDS["en"],
    )


def gold_of(annotator, *, right, wrong):
    """Of items whose agreed score is 1: given as 1 and as 3."""
    table = [[0, 0, 0, 0], [0, right, 0, wrong], [0, 0, 0, 0], [0, 0, 0, 0]]
    return {"annotator": annotator, "gold": {"table": table, "n": right + wrong, "exact": right}}


def heat_maps_of(*people):
    nothing = {"annotators": [], "kappas": [], "of": 0}
    return {
        each.heading.key: each
        for each in report_heat_maps.all_heat_maps({"pairs": nothing, "annotators": people})
    }


def test_each_person_is_held_against_gold_and_all_together():
    found = heat_maps_of(gold_of("ann", right=30, wrong=10), gold_of("ben", right=27, wrong=3))
    assert [label for label, _ in found["gold-of-each"].rows] == ["ann", "ben"]
    assert found["gold-of-each"].heading.finding == (
        "The agreed score: from 75% (ann) to 90% (ben) of the gold items."
    )
    assert found["gold"].rows[1][1][1].shown == "57"


def test_of_few_gold_items_nobody_is_said_to_be_best_or_worst():
    found = heat_maps_of(gold_of("ann", right=29, wrong=0), gold_of("ben", right=0, wrong=1))
    assert found["gold-of-each"].heading.finding == "Nobody has scored 30 gold items yet."


def test_one_person_alone_is_the_table_of_all_and_nobody_is_none():
    assert set(heat_maps_of(gold_of("ann", right=1, wrong=1))) == {"gold"}
    assert heat_maps_of(gold_of("ann", right=0, wrong=0)) == {}


def test_of_many_people_those_with_most_gold_items_are_shown():
    people = [gold_of(f"a{number:02}", right=40 + number, wrong=0) for number in range(30)]
    found = heat_maps_of(*people)["gold-of-each"]
    assert [label for label, _ in found.rows] == [f"a{number:02}" for number in range(6, 30)]
    assert found.heading.caption.endswith("The 24 with the most gold items, of 30.")
