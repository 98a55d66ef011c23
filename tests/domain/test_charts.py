import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain import charts
from curation.domain.charts import (
    Bar,
    Cell,
    Dot,
    Heading,
    Line,
    Panel,
    Point,
    Shares,
    Table,
    marks,
    svg,
    tables,
)
from tests.sample_figures import WORDS, english, sample_charts, sample_heat_maps, weekly

pytestmark = pytest.mark.files

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
ENGLISH = WORDS["en"]
HEADING = Heading("alpha", "Agreement", "By genre.", "Speech agrees best.")
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh-hans"])

finite = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda value: value == 0 or abs(value) > 1e-6)


def rows_of(spec: dict[str, object]) -> list[dict[str, object]]:
    return [row for layer in spec["layer"] for row in layer["data"]["values"]]


def texts_of(spec: dict[str, object]) -> list[str]:
    return [row["text"] for row in rows_of(spec) if "text" in row]


def dots(*rows: Dot, **options: object) -> charts.Chart:
    named = {"axis": "Alpha", "row_heading": "Genre", "value_heading": "Alpha", "words": ENGLISH}
    return charts.dots(rows, HEADING, **{**named, **options})


def column(table: Table, key: str) -> list[Cell]:
    place = [each.key for each in table.columns].index(key)
    return [row[place] for row in table.rows]


# --- What holds for all charts -------------------------------------------------------------------


@LANGUAGES
def test_every_chart_is_laid_out_at_both_widths_and_fits_them(language):
    for chart in sample_charts(language):
        assert {*chart.specs} == {*marks.WIDTHS}
        for size, spec in chart.specs.items():
            padding = spec["padding"]
            assert spec["autosize"] == {"type": "none"}
            assert spec["width"] + padding["left"] + padding["right"] == marks.WIDTHS[size]
            assert spec["width"] > 150


@LANGUAGES
def test_a_specification_is_plain_json_and_asks_no_other_host(language):
    for chart in sample_charts(language):
        for spec in chart.specs.values():
            assert json.loads(json.dumps(spec, allow_nan=False)).keys() == spec.keys()
            assert not re.search(r'"url"|https?://(?!vega\.github\.io/schema)', json.dumps(spec))


@LANGUAGES
def test_colours_are_the_pages_own_variables(language):
    written = json.dumps([chart.specs for chart in sample_charts(language)])
    assert "#" not in written.replace("&#", "")
    assert {*re.findall(r"var\(--[a-z0-9-]+\)", written)} <= svg.LIGHT.keys()


def test_the_words_are_those_of_the_caller_alone():
    for chart in sample_charts("zh-hans"):
        for text in texts_of(chart.specs["wide"]):
            assert not re.search(r"[a-z]{3}", re.sub(r"ann-\d+|Krippendorff|<Essays>", "", text)), text


def test_a_key_that_could_leave_its_attribute_is_refused():
    with pytest.raises(ValueError, match="is no key of a chart"):
        Heading('a"b', "t", "c", "f")


def test_the_numbers_beneath_are_those_of_the_picture():
    found = dots(Dot("Speech", 0.123456789, 0.1, 0.2, 40))
    placed = [row for row in rows_of(found.specs["wide"]) if "low" in row]
    assert {row["x"] for row in placed} == {0.123456789}
    assert column(found.table, "value") == [Cell("0.12", 0.123456789)]


# --- Few and undefined ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "few"), [(29, True), (30, False), (None, False)])
def test_a_row_of_fewer_than_thirty_units_is_grey_and_says_so(n, few):
    found = dots(Dot("Speech", 0.5, 0.4, 0.6, n))
    drawn = json.dumps(found.specs["wide"]["layer"])
    assert (marks.ACCENT not in drawn) is few
    for spec in found.specs.values():
        assert any("too few" in text for text in texts_of(spec)) is few
    assert column(found.table, "note")[0].shown == ("too few" if few else "")


def test_a_row_without_a_value_says_why_on_an_axis_that_is_drawn():
    found = dots(Dot("Speech", None, n=0, reason="nothing scored twice"), domain=(0, 1))
    for spec in found.specs.values():
        assert "nothing scored twice" in texts_of(spec)
        axis = spec["layer"][0]["encoding"]["x"]
        assert axis["scale"]["domain"] == [0, 1]
        assert axis["axis"]["title"] == "Alpha"
    assert column(found.table, "value") == [Cell("–", None)]


@pytest.mark.parametrize("kind", [Dot, Bar, Point])
def test_a_row_without_a_value_must_say_why(kind):
    with pytest.raises(ValueError, match="say why in words"):
        kind("Speech", None)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="not finite"):
        Dot("Speech", value)


def test_without_any_row_the_axes_are_drawn():
    for chart in sample_charts()[-2:]:
        assert chart.table.rows == ()
        assert all(spec["layer"] for spec in chart.specs.values())


# --- Dots, bars, shares --------------------------------------------------------------------------


def test_lines_to_compare_with_lie_within_the_axis_and_are_named():
    found = dots(Dot("Speech", 0.1, n=50), lines=[Line(0.8, "good"), Line(-0.4, "bad")])
    low, high = found.specs["wide"]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low <= -0.4
    assert high >= 0.8
    assert {"good", "bad"} <= {*texts_of(found.specs["narrow"])}


def test_lines_differ_without_colours():
    found = dots(lines=[Line(0.8, "good"), Line(0.667, "acceptable")])
    dashes = [layer["mark"].get("strokeDash") for layer in found.specs["wide"]["layer"]]
    assert len({dash for dash in dashes if dash}) == 2


def test_a_bar_begins_at_nothing_and_shows_what_it_is_part_of():
    found = charts.bars(
        [Bar("Speech", 30, of=120)],
        HEADING,
        axis="Pairs",
        row_heading="Genre",
        value_heading="Accepted",
        of_heading="Quota",
        words=ENGLISH,
    )
    lengths = [row for row in rows_of(found.specs["wide"]) if "x2" in row]
    whole, part = (row["x2"] - row["x"] for row in lengths)
    assert {row["x"] for row in lengths} == {0}
    assert part == pytest.approx(whole / 4)
    assert "30 / 120" in texts_of(found.specs["wide"])


@given(st.lists(st.integers(0, 500), min_size=4, max_size=4).filter(sum))
def test_shares_fill_their_row(counts):
    found = shares(Shares("ann", counts))
    spec = found.specs["wide"]
    boxes = [row for row in rows_of(spec) if "share" in row]
    assert sum(row["share"] for row in boxes) == pytest.approx(1)
    assert sum(row["x2"] - row["x"] for row in boxes) == pytest.approx(spec["width"])
    assert [cell.raw for cell in found.table.rows[0][1:5]] == counts


def test_the_higher_a_level_the_darker_its_shade_and_no_two_are_alike():
    found = shares(Shares("ann", (25, 25, 25, 25)))
    fills = [
        layer["mark"]["fill"]
        for layer in found.specs["wide"]["layer"]
        if any("share" in row for row in layer["data"]["values"])
    ]
    assert fills == sorted({*fills})
    assert len(fills) == 4


def test_counts_must_answer_the_levels():
    with pytest.raises(ValueError, match="a count of each"):
        shares(Shares("ann", (1, 2, 3)))


def shares(*rows: Shares) -> charts.Chart:
    return charts.shares(
        rows,
        HEADING,
        levels="0123",
        legend="Score",
        axis="Share",
        row_heading="Annotator",
        words=ENGLISH,
    )


# --- In time -------------------------------------------------------------------------------------


def test_a_line_is_broken_where_nothing_is_known():
    values = [0.1, None, 0.3, 0.4]
    found = over_time([Point(str(index), value, reason="none") for index, value in enumerate(values)])
    line = next(layer for layer in found.specs["wide"]["layer"] if layer["mark"]["type"] == "line")
    assert [row["run"] for row in line["data"]["values"]] == [0, 2, 2]
    assert [cell.shown for cell in column(found.table, "note")] == ["none"] * 4


def test_a_point_alone_shows_its_interval_as_a_stroke():
    found = over_time([Point("1", 0.5, 0.4, 0.6)])
    kinds = [layer["mark"]["type"] for layer in found.specs["wide"]["layer"]]
    assert "area" not in kinds
    stroke = [row for row in rows_of(found.specs["wide"]) if row.get("x2") == row.get("x") and "y2" in row]
    assert len(stroke) == 1


def test_the_latest_week_is_always_written_beneath():
    for size in marks.WIDTHS:
        assert "W43" in texts_of(weekly(english, ENGLISH).specs[size])


def test_a_forecast_goes_on_from_the_last_that_is_known():
    found = charts.burn_down(
        [Point("1", 10), Point("2", 8)],
        [Point("3", 6, 5, 7), Point("4", 4, 2, 6)],
        HEADING,
        target=Line(0, "done"),
        axis="Left",
        time_axis="Day",
        time_heading="Day",
        value_heading="Left",
        words=ENGLISH,
    )
    onward, past = (
        layer["data"]["values"] for layer in found.specs["wide"]["layer"] if layer["mark"]["type"] == "line"
    )
    assert (onward[0]["x"], onward[0]["y"]) == (past[-1]["x"], past[-1]["y"])
    assert len(onward) == 3
    assert [cell.shown for cell in column(found.table, "note")] == ["", "", "forecast", "forecast"]
    assert {"so far", "forecast", "done"} <= {*texts_of(found.specs["narrow"])}


def test_small_charts_share_their_scale():
    panels = [Panel("a", [Point("1", 0), Point("2", 1)]), Panel("b", [Point("1", 10), Point("2", 0)])]
    found = charts.small_multiples(
        panels,
        HEADING,
        axis="Severity",
        panel_heading="Annotator",
        time_heading="Week",
        value_heading="Severity",
        words=ENGLISH,
    )
    lines = [layer for layer in found.specs["wide"]["layer"] if layer["mark"]["type"] == "line"]
    (zero, one), (ten, _) = (layer["data"]["values"] for layer in lines)
    assert zero["y"] - one["y"] == pytest.approx((zero["y"] - ten["y"]) / 10)
    assert len(found.table.rows) == 4


def over_time(points: list[Point]) -> charts.Chart:
    return charts.over_time(
        points,
        HEADING,
        axis="Alpha",
        time_axis="Week",
        time_heading="Week",
        value_heading="Alpha",
        words=ENGLISH,
    )


# --- Scales and room -----------------------------------------------------------------------------


@given(st.lists(finite, max_size=8), st.integers(2, 8), st.booleans())
def test_a_scale_spans_its_values_in_few_even_steps(values, most, whole):
    found = marks.scale(values, most=most, whole=whole)
    assert len(found.ticks) <= most + 1
    assert (found.low, found.high) == (found.ticks[0], found.ticks[-1])
    slack = 1e-6 * (found.high - found.low)
    assert all(found.low - slack <= value <= found.high + slack for value in values)
    assert not whole or all(tick == int(tick) for tick in found.ticks)
    assert len({found.shown(tick) for tick in found.ticks}) == len(found.ticks)


def test_a_chinese_sign_needs_more_room_than_a_letter():
    assert marks.width_of("商务邮件") > 1.5 * marks.width_of("mail")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("a policy brief for them", ["a policy brief", "for them"]),
        ("面向决策者的简，报与说明", ["面向决策者的", "简，报与说明"]),
        ("withoutanyplacetobreak", ["withoutanyplacetobreak"]),
    ],
)
def test_a_long_label_is_folded_where_its_language_allows(text, lines):
    assert marks.folded(text, 88) == lines


# --- Tables and files ----------------------------------------------------------------------------


def test_a_file_has_the_values_in_full_and_headings_for_machines():
    found = dots(Dot("商务, 邮件", 0.123456789, None, None, 1234), Dot("x", None, reason="none"))
    text = found.table.csv()
    assert text.startswith("\ufeff")
    rows = [*csv.reader(io.StringIO(text.removeprefix("\ufeff")))]
    assert rows == [
        ["row", "value", "low", "high", "n", "note"],
        ["商务, 邮件", "0.123456789", "", "", "1234", ""],
        ["x", "", "", "", "", "none"],
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_a_name_never_becomes_a_formula(name):
    assert f"'{name}" in dots(Dot(name, -0.5)).table.csv()
    assert ",-0.5," in dots(Dot(name, -0.5)).table.csv()


def test_a_page_leaves_out_the_columns_in_which_nothing_stands():
    found = dots(Dot("Speech", 0.5, n=50)).table
    assert [each.key for each in found.filled().columns] == ["row", "value", "n"]


@LANGUAGES
def test_a_table_comes_back_from_json(language):
    for figure in (*sample_charts(language), *sample_heat_maps(language)):
        assert Table.from_dict(json.loads(json.dumps(figure.table.as_dict()))) == figure.table


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.004, "0.00"), (-0.005001, "−0.01"), (1234.5, "1,234.50"), (None, "–")]
)
def test_a_number_is_shown_with_a_minus_that_has_a_meaning(value, shown):
    assert tables.decimal(value, 2).shown == shown
