"""The command import_file: the wizard's steps in one line, all of a file or nothing."""

import csv
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.management.import_words import harmless
from annotation.models import Genre, Import, Membership, Response, Score
from annotation.services import imports
from tests.factories import NOW

pytestmark = pytest.mark.django_db

TEXTS = """response_id,prompt_id,prompt,text,genre,annotator,score
r1,p1,Write about a bridge.,The bridge was long and nobody crossed it twice.,fiction,ann@example.org,3
r2,p1,Write about a bridge.,There once was a bridge over a river of ink.,fiction,ann@example.org,1
"""
BAD = "r3,p1,Write about a bridge.,A third bridge fell into the sea.,fiction,ann@example.org,=7\n"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def file(tmp_path):
    def written(content: str = TEXTS, name: str = "texts.csv") -> str:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    return written


@pytest.fixture
def run(project, capsys):
    def ran(*arguments: str, **options: object) -> str:
        call_command("import_file", project.slug, *arguments, **options)
        return capsys.readouterr().out

    return ran


def kept_files(settings) -> list[Path]:
    return [path for path in settings.IMPORTS_DIR.rglob("*") if path.is_file()]


def test_it_says_what_it_recognised_and_stores(run, file, settings, django_capture_on_commit_callbacks):
    out = run(file())
    assert "texts.csv: Rows and columns. Table as text (CSV) (commas, UTF-8)." in out
    assert "annotator          <- annotator" in out
    assert (
        "2 rows: 1 new prompt, 2 new responses, 1 new annotator, 2 new scores, 0 unchanged, 0 refused." in out
    )
    assert Response.objects.count() == Score.objects.count() == 2
    assert Import.objects.get().state == Import.State.STORED
    assert kept_files(settings) == []
    assert not Membership.objects.filter(external_id="ann@example.org").exists()


def test_a_second_time_changes_nothing_and_is_no_error(run, file):
    run(file())
    out = run(file())
    assert "there is nothing new in it" in out
    assert Import.objects.count() == 1
    assert Response.objects.count() == 2


def test_a_trial_stores_nothing(run, file, settings, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        out = run(file(), "--dry-run")
    assert "2 new responses" in out
    assert "this was a trial" in out
    assert not Import.objects.exists()
    assert not Response.objects.exists()
    assert kept_files(settings) == []


def test_a_refused_row_is_an_error_that_names_it_and_stores_nothing(run, file, capsys):
    with pytest.raises(CommandError, match="Nothing was stored: rows are refused"):
        run(file(TEXTS + BAD))
    out = capsys.readouterr().out
    assert "1 refused" in out
    assert 'texts.csv, line 4, column score: "=7" is not a score; use 0, 1, 2 or 3' in out
    assert not Response.objects.exists()
    assert not Import.objects.exists()


def test_it_is_left_out_where_one_says_so(run, file):
    out = run(file(TEXTS + BAD), "--leave-out-bad-rows")
    assert "column score" in out
    assert Response.objects.count() == 2


def test_no_more_than_twenty_refused_rows_are_printed(run, file, capsys):
    faults = "".join(f"x{n},p1,,A text {n}.,fiction,ann,{n % 5 + 4}\n" for n in range(30))
    with pytest.raises(CommandError):
        run(file(TEXTS + faults))
    out = capsys.readouterr().out
    assert out.count("is not a score") == 20
    assert "and 10 more" in out


def test_the_report_is_a_table_in_which_no_cell_is_run(run, file, tmp_path):
    report = tmp_path / "report.csv"
    with pytest.raises(CommandError):
        run(file(TEXTS + BAD, name="@texts.csv"), "--report", str(report))
    rows = list(csv.reader(report.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[0] == ["file", "unit", "number", "column", "reason"]
    assert rows[1][:4] == ["'@texts.csv", "line", "4", "score"]


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "\rx"])
def test_cells_that_a_spreadsheet_would_run_are_neutralised(cell):
    assert harmless(cell) == f"'{cell}"
    assert harmless(f"x{cell}") == f"x{cell}"


def test_columns_constants_and_the_scores_column_are_said_by_options(run, file):
    content = TEXTS.replace("genre,annotator,score", "kind,annotator,style,plot").replace(",3\n", ",3,0\n")
    run(
        file(content.replace(",1\n", ",1,2\n")),
        "--set",
        "genre=kind",
        "--const",
        "language=en",
        "--score-column",
        "plot",
        "--set",
        "model=prompt_id",
        "--set",
        "model=response_id",
    )
    found = Response.objects.select_related("prompt__genre").get(external_id="r1")
    assert (found.prompt.genre.key, found.prompt.language) == ("fiction", "en")
    assert found.source_model == "p1|r1"
    assert sorted(Score.objects.values_list("value", flat=True)) == [0, 2]


def test_a_mapping_that_was_kept_is_used(run, file, project):
    draft = imports.upload(project, [("texts.csv", [TEXTS.encode()])], by=None, now=NOW)
    fields = {
        **draft.field_map,
        "fields": {k: v for k, v in draft.field_map["fields"].items() if k != "genre"},
    }
    draft.field_map = fields
    imports.keep_field_map(draft, name="without genres", by=None, now=NOW)
    run(file(TEXTS.replace("fiction", "opera")), "--mapping", "without genres")
    assert Response.objects.first().prompt.genre is None
    with pytest.raises(
        CommandError, match=r"There is no mapping 'without'.*the mappings are: without genres"
    ):
        run(file(), "--mapping", "without")


def test_unknown_genres_are_added_where_one_says_so(run, file, project):
    opera = TEXTS.replace("fiction", "opera")
    with pytest.raises(CommandError, match="rows are refused"):
        run(file(opera))
    run(file(opera), "--unknown-genres", "add")
    assert Genre.objects.filter(project=project, name_en="opera").exists()


def test_names_are_kept_where_one_says_so(run, file):
    run(file(), "--keep-names")
    assert Membership.objects.filter(external_id="ann@example.org").exists()


def test_json_says_the_same_to_programs(run, file):
    told = json.loads(run(file(), "--json"))
    assert told["stored"] is True
    assert told["import"] == Import.objects.get().pk
    assert (told["report"]["responses"], told["report"]["refused"], told["layout"]) == (2, 0, "generic")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "texte=text"], "There is no field 'texte'; did you mean 'text'?"),
        (["--set", "text"], "write FIELD=COLUMN"),
        (["--set", "text=txet"], "there is no column"),
        (["--score-column", "scores"], "there is no column"),
    ],
)
def test_a_slip_in_an_option_is_named(run, file, options, said):
    with pytest.raises(CommandError) as refused:
        run(file(), *options)
    assert said in str(refused.value)
    assert not Import.objects.exists()


def test_what_the_files_do_not_say_has_to_be_said(run, file):
    scores = "response_id,score\nr1,3\nr2,1\n"
    run(file(), "--keep-names")
    with pytest.raises(CommandError, match=r"which column is annotator\. Say it with --set annotator=COLUMN"):
        run(file(scores))
    run(file(scores), "--const", "annotator=ben")
    assert Score.objects.count() == 4


def test_files_that_are_not_there_or_cannot_be_read_are_named(run, tmp_path, file):
    with pytest.raises(CommandError, match=r"nothing\.csv cannot be read: No such file"):
        run(str(tmp_path / "nothing.csv"))
    with pytest.raises(CommandError, match=r"texts\.pdf"):
        run(file("%PDF-1.7\n", name="texts.pdf"))
    with pytest.raises(CommandError, match="There is no project 'nowhere'"):
        call_command("import_file", "nowhere", file())


def test_it_waits_for_nobody_where_another_import_is_at_work(run, file, project):
    draft = imports.upload(project, [("texts.csv", [TEXTS.encode()])], by=None, now=NOW)
    imports.request(draft, "check", by=None, now=NOW)
    with pytest.raises(CommandError, match="Wait until it is done"):
        run(file())
