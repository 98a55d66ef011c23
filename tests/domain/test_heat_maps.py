import pytest

from curation.domain.charts import Heading, heat_maps
from curation.domain.charts.heat_maps import Measured
from tests.sample_figures import WORDS, sample_heat_maps

pytestmark = pytest.mark.files

ENGLISH = WORDS["en"]
HEADING = Heading("kappa", "Agreement", "By pair.", "All agree.")


def kappas(found: dict[tuple[int, int], Measured]) -> heat_maps.HeatMap:
    return heat_maps.pairs(
        ["a", "b", "c"],
        found,
        HEADING,
        row_heading="Annotator",
        other_heading="Other",
        value_heading="Kappa",
        words=ENGLISH,
    )


def test_a_heat_map_is_the_same_on_both_sides_and_empty_between():
    cells = [row for _, row in kappas({(0, 1): Measured(0.5, 40), (1, 2): Measured(0.7, 50)}).rows]
    assert all(cells[one][other] == cells[other][one] for one in range(3) for other in range(3))
    assert [cells[each][each].shown for each in range(3)] == ["", "", ""]
    assert cells[0][2] == heat_maps.HeatCell("–", None)


@pytest.mark.parametrize(
    ("found", "cell"),
    [
        (Measured(0.5, 40), ("0.50", 3, "", "n = 40")),
        (Measured(-0.2, 40), ("−0.20", 0, "", "n = 40")),
        (Measured(1.0, 40), ("1.00", 5, "", "n = 40")),
        (Measured(0.9, 29), ("0.90", None, "", "n = 29 · too few")),
        (Measured(None, 3, "one score only"), ("–", None, "", "one score only")),
    ],
)
def test_a_cell_has_a_number_a_shade_and_what_it_rests_on(found, cell):
    assert kappas({(0, 1): found}).rows[0][1][1] == cell


def test_what_is_confused_is_shaded_by_the_share_of_its_row():
    found = sample_heat_maps()[1]
    assert found.rows[0][1][0] == ("41", 4, "80%", "n = 51")
    assert found.rows[3][1][0] == ("0", None, "–", "")


def test_a_small_table_of_confusion_is_not_shaded():
    found = heat_maps.confusion(
        ((5, 1), (0, 6)), HEADING, levels="01", corner="", row_heading="Gold", words=ENGLISH
    )
    assert {cell.shade for _, cells in found.rows for cell in cells} == {None}
    assert found.rows[0][1][0].note == "n = 6 · too few"


def test_what_each_confuses_is_one_row_shaded_by_its_own_shares():
    [one, other] = sample_heat_maps()[2].rows
    assert one[0] == "ann-01"
    assert one[1][4:7] == (("2", 0, "12%", "n = 17"), ("12", 4, "71%", "n = 17"), ("3", 1, "18%", "n = 17"))
    assert one[1][12] == ("0", None, "–", "")
    assert {cell.shade for cell in other[1]} == {None}
    assert other[1][0].note == "n = 3 · too few"


def test_the_file_of_what_each_confuses_has_a_column_for_every_cell():
    found = sample_heat_maps()[2]
    lines = found.table.csv().splitlines()
    assert lines[0].removeprefix("\ufeff").startswith("row,gold_0_given_0,gold_0_given_1,")
    assert lines[0].endswith(",gold_3_given_3,n")
    assert lines[1] == "ann-01,9,1,0,0,2,12,3,0,0,2,20,1,0,0,0,0,50"
    assert found.columns[5] == "1 → 1"
