"""`manage.py agreement`: what it prints, what it refuses, and that it needs nothing but the file."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.domain.agreement import report

pytestmark = pytest.mark.files

ROOT = Path(__file__).resolve().parents[2]

ROWS = [
    ("u1", "ann", "3", "p1"),
    ("u1", "ben", "2", "p1"),
    ("u2", "ann", "0", "p1"),
    ("u2", "ben", "0", "p1"),
    ("u3", "ann", "1", "p2"),
    ("u3", "ben", "1", "p2"),
    ("u4", "ann", "2", "p2"),
    ("u4", "ben", "3", "p2"),
    ("u5", "ben", "3", "p3"),
]
UNITS, ANNOTATORS, VALUES, PROMPTS = (list(column) for column in zip(*ROWS, strict=True))

SCORES = "unit,annotator,value\n" + "".join(f"{u},{a},{v}\n" for u, a, v, _ in ROWS)
WITH_PROMPTS = "unit,annotator,value,prompt\n" + "".join(f"{u},{a},{v},{p}\n" for u, a, v, p in ROWS)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


def run(path: Path, content: str | bytes = SCORES, **options: object) -> tuple[str, str]:
    """What the command writes on standard output and on standard error."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    out, err = StringIO(), StringIO()
    call_command("agreement", path, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def printed(path: Path, content: str | bytes = SCORES, **options: object) -> dict:
    return json.loads(run(path, content, json=True, **options)[0])


def refusal(path: Path, content: str | bytes) -> str:
    with pytest.raises(CommandError) as caught:
        run(path, content, json=True)
    return str(caught.value)


# --- what it prints --------------------------------------------------------------------------------------


def test_it_prints_the_report(scores: Path) -> None:
    numbers = [float(value) for value in VALUES]
    assert printed(scores) == report(UNITS, ANNOTATORS, numbers).as_dict()
    assert list(printed(scores)) == ["alpha", "n_units", "n_raters", "n_pairable"]
    assert list(printed(scores)["alpha"]) == ["ordinal", "interval", "nominal"]
    assert list(printed(scores)["alpha"]["ordinal"]) == ["value", "low", "high", "undefined", "reason"]


def test_a_column_prompt_clusters_the_bootstrap(scores: Path) -> None:
    numbers = [float(value) for value in VALUES]
    expected = report(UNITS, ANNOTATORS, numbers, clusters=PROMPTS).as_dict()
    assert printed(scores, WITH_PROMPTS) == expected
    assert expected != report(UNITS, ANNOTATORS, numbers).as_dict()


def test_an_empty_column_prompt_clusters_nothing(scores: Path) -> None:
    empty = WITH_PROMPTS.replace(",p1", ",").replace(",p2", ",").replace(",p3", ",")
    assert printed(scores, empty) == printed(scores)


@pytest.mark.parametrize("level", ["ordinal", "interval", "nominal"])
def test_one_level_alone_is_the_same_as_among_all(scores: Path, level: str) -> None:
    assert printed(scores, level=level)["alpha"] == {level: printed(scores)["alpha"][level]}


def test_replicates_and_seed_are_passed_on(scores: Path) -> None:
    numbers = [float(value) for value in VALUES]
    expected = report(UNITS, ANNOTATORS, numbers, replicates=50, seed="mine").as_dict()
    assert printed(scores, replicates=50, seed="mine") == expected


def test_the_order_of_rows_and_columns_does_not_matter(scores: Path) -> None:
    rows = [f"{v},{p},note,{a},{u}\n" for u, a, v, p in reversed(ROWS)]
    moved = "value,prompt,comment,annotator,unit\n" + "".join(rows)
    assert printed(scores, moved) == printed(scores, WITH_PROMPTS)


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbf" + SCORES.encode(), SCORES.replace("\n", "\r\n"), SCORES.rstrip("\n"), SCORES + "\n\n"],
)
def test_marks_and_line_ends_do_not_matter(scores: Path, content: str | bytes) -> None:
    assert printed(scores, content) == printed(scores)


def test_numbers_may_be_written_in_any_way(scores: Path) -> None:
    other = SCORES.replace("ann,3", "ann,3.0").replace("ben,2", "ben,+2").replace("ann,0", "ann,-0e5")
    assert printed(scores, other) == printed(scores)


def test_jsonl_serves_as_well(tmp_path: Path, scores: Path) -> None:
    rows = [{"unit": u, "annotator": a, "value": int(v) if a == "ann" else float(v)} for u, a, v, _ in ROWS]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    assert printed(tmp_path / "scores.jsonl", lines) == printed(scores)


def test_a_header_alone_is_empty(scores: Path) -> None:
    found = printed(scores, "unit,annotator,value\n")
    undefined = {"value": None, "low": None, "high": None, "undefined": 0, "reason": "empty"}
    assert found["alpha"] == dict.fromkeys(["ordinal", "interval", "nominal"], undefined)
    assert (found["n_units"], found["n_raters"], found["n_pairable"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [("u1,ann,1\nu2,ben,2\n", "no_pairable_values"), ("u1,ann,1\nu1,ben,1\nu2,ann,2\n", "no_variation")],
)
def test_undefined_values_carry_their_reason(scores: Path, rows: str, reason: str) -> None:
    found = printed(scores, "unit,annotator,value\n" + rows)["alpha"]
    assert all(alpha["value"] is None and alpha["reason"] == reason for alpha in found.values())


def test_labels_have_a_nominal_alpha_alone_and_it_says_which_value_is_one(scores: Path) -> None:
    content = SCORES.replace("u3,ann,1", "u3,ann,good").replace("u3,ben,1", "u3,ben,good")
    out, err = run(scores, content, json=True)
    found = json.loads(out)["alpha"]
    assert [found[level]["reason"] for level in ("ordinal", "interval")] == ["level_needs_numbers"] * 2
    assert found["nominal"] == printed(scores)["alpha"]["nominal"]
    assert err.startswith('scores.csv, line 6, column value: "good" is not a number')


def test_among_labels_numbers_are_the_same_however_written(scores: Path) -> None:
    rows = "u1,ann,1\nu1,ben,1.0\nu2,ann,good\nu2,ben,good\n"
    assert printed(scores, "unit,annotator,value\n" + rows)["alpha"]["nominal"]["value"] == 1


def test_it_says_why_there_is_no_interval(scores: Path) -> None:
    one = WITH_PROMPTS.replace(",p2", ",p1")
    out, err = run(scores, one, json=True)
    alpha = json.loads(out)["alpha"]["ordinal"]
    assert alpha["value"] is not None
    assert (alpha["low"], alpha["high"]) == (None, None)
    assert err == "No interval: it needs at least two prompts in which values can be compared.\n"


def test_without_json_it_prints_a_table_for_people(scores: Path) -> None:
    out, err = run(scores, WITH_PROMPTS)
    assert out.startswith(
        "Krippendorff's alpha: 5 units, 2 annotators, 8 values in units that have two or more."
    )
    assert "  ordinal " in out
    assert "95 % interval" in out
    assert out.endswith("Interval: percentile bootstrap over prompts, 2,000 replicates.\n")
    assert not err
    assert "not defined: there are no values" in run(scores, "unit,annotator,value\n")[0]


# --- what it refuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("u2,ben,0", "u1,ben,0", 'line 5, column annotator: "ben" gave unit "u1" a value on line 3 already'),
        ("u2,ben,0", "u2,ben,nan", 'line 5, column value: "nan" is not a finite number'),
        ("u2,ben,0", "u2,ben,-Infinity", 'line 5, column value: "-Infinity" is not a finite number'),
        ("u2,ben,0", "u2,ben,1e999", 'line 5, column value: "1e999" is not a finite number'),
        (
            "u2,ben,0",
            "u2,ben,",
            "line 5, column value: the value is missing; fill it in or leave the row out",
        ),
        ("u2,ben,0", ",ben,0", "line 5, column unit"),
        ("u2,ben,0", "u2,,0", "line 5, column annotator"),
        ("u2,ben,0", "u2,ben", "line 5, column 3: 2 cells where the header has 3"),
        ("u2,ben,0", "u2,ben,\x00", "line 5, column value: a NUL"),
        ("unit,annotator,value", "unit,annotator,score", "line 1, column value: the column is missing"),
        ("unit,annotator,value", "unit;annotator;value", "separated by semicolons"),
    ],
)
def test_it_refuses_naming_line_and_column(scores: Path, old: str, new: str, message: str) -> None:
    assert printed(scores)["n_units"] == 5
    found = refusal(scores, SCORES.replace(old, new))
    assert found.startswith("scores.csv, line ")
    assert message in found


def test_it_refuses_equal_values_of_one_annotator_too(scores: Path) -> None:
    assert "on line 2 already" in refusal(scores, SCORES + "u1,ann,3\n")


def test_it_refuses_a_unit_under_two_prompts_naming_both_lines(scores: Path) -> None:
    found = refusal(scores, WITH_PROMPTS.replace("u2,ben,0,p1", "u2,ben,0,p2"))
    assert found.startswith('scores.csv, line 5, column prompt: unit "u2" has the prompt "p1" on line 4')


@pytest.mark.parametrize("row", ["u1,ann,3,p1", "u5,ben,3,p3"])
def test_it_refuses_prompts_on_some_rows_only(scores: Path, row: str) -> None:
    found = refusal(scores, WITH_PROMPTS.replace(row, row[:-2]))
    assert "column prompt" in found
    assert "give it on every row or on none" in found


def test_it_refuses_what_is_not_utf_8(scores: Path) -> None:
    assert "line 2, column 4: the byte 0xe9 is not UTF-8" in refusal(
        scores, SCORES.encode().replace(b"ann,3", b"\xe9,3")
    )


def test_it_refuses_an_empty_file(scores: Path) -> None:
    assert "the file is empty" in refusal(scores, "")


def test_it_refuses_a_file_that_is_not_there(scores: Path) -> None:
    with pytest.raises(CommandError, match=r"scores\.csv: the file cannot be read"):
        call_command("agreement", scores)


def test_it_refuses_a_negative_number_of_replicates(scores: Path) -> None:
    with pytest.raises(CommandError, match="--replicates is -1"):
        run(scores, replicates=-1)


# --- as a process ----------------------------------------------------------------------------------------


def process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Without any environment, as a person would run it before any set-up."""
    command = [sys.executable, "-B", str(ROOT / "manage.py"), "agreement", *arguments]
    return subprocess.run(command, env={}, cwd=cwd, capture_output=True, text=True, check=False)


def test_it_runs_in_an_empty_environment_and_writes_nothing(scores: Path, tmp_path: Path) -> None:
    scores.write_text(SCORES, encoding="utf-8")
    done = process("scores.csv", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == printed(scores)
    assert list(tmp_path.iterdir()) == [scores]


def test_an_error_is_one_sentence_on_standard_error_and_exit_1(tmp_path: Path) -> None:
    (tmp_path / "Бал.csv").write_text(SCORES + "u1,ann,3\n", encoding="utf-8")
    done = process("Бал.csv", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "Бал.csv, line 11" in done.stderr
