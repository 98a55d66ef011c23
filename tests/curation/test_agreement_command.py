"""`manage.py agreement`: what it prints, what it refuses, and that it needs nothing but the file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.domain.agreement import report
from tests.curation.score_files import (
    ANNOTATORS,
    PROMPTS,
    ROWS,
    SCORES,
    UNITS,
    VALUES,
    WITH_PROMPTS,
    printed,
    refusal,
    run,
)

pytestmark = pytest.mark.files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


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


# --- by a column ------------------------------------------------------------------------------------------

GENRES = {"u1": "poem", "u2": "poem", "u3": "", "u4": "poem", "u5": "drama"}
BY_GENRE = "unit,annotator,value,genre\n" + "".join(f"{u},{a},{v},{GENRES[u]}\n" for u, a, v, _ in ROWS)


def test_every_value_of_a_column_has_the_alpha_of_its_units_alone(scores: Path) -> None:
    found = printed(scores, BY_GENRE, by="genre")
    assert found["by"]["column"] == "genre"
    assert list(found["by"]["groups"]) == ["drama", "poem", "(none)"]
    for genre, group in found["by"]["groups"].items():
        rows = [row for row in ROWS if (GENRES[row[0]] or "(none)") == genre]
        units, annotators, values, _ = zip(*rows, strict=True)
        alone = report(units, annotators, [float(value) for value in values]).as_dict()
        assert {key: group[key] for key in alone} == alone
        assert set(group) - set(alone) == {"n_pairable_units", "too_few"}


def test_the_whole_stays_what_it_is_without_groups(scores: Path) -> None:
    found = printed(scores, BY_GENRE, by="genre")
    assert {key: found[key] for key in found if key != "by"} == printed(scores)


def test_groups_are_drawn_by_prompts_too(scores: Path) -> None:
    header, *lines = WITH_PROMPTS.splitlines()
    genres = [GENRES[line.split(",")[0]] for line in lines]
    rows = [f"{line},{genre}" for line, genre in zip(lines, genres, strict=True)]
    group = printed(scores, "\n".join([f"{header},genre", *rows]), by="genre")["by"]["groups"]["poem"]
    kept = [row for row in ROWS if GENRES[row[0]] == "poem"]
    units, annotators, values, prompts = zip(*kept, strict=True)
    numbers = [float(value) for value in values]
    assert group["alpha"] == report(units, annotators, numbers, clusters=prompts).as_dict()["alpha"]


def test_in_jsonl_null_is_none(tmp_path: Path) -> None:
    rows = [{"unit": u, "annotator": a, "value": int(v), "genre": GENRES[u] or None} for u, a, v, _ in ROWS]
    found = printed(tmp_path / "scores.jsonl", "".join(json.dumps(row) + "\n" for row in rows), by="genre")
    assert list(found["by"]["groups"]) == ["drama", "poem", "(none)"]


@pytest.mark.parametrize(("units", "too_few"), [(29, True), (30, False)])
def test_under_30_units_that_can_be_compared_are_too_few(scores: Path, units: int, too_few: bool) -> None:
    rows = [f"u{i},{who},{i % 3},poem\n" for i in range(units) for who in ("ann", "ben")]
    rows += [f"single{i},ann,1,poem\n" for i in range(5)]
    content = "unit,annotator,value,genre\n" + "".join(rows)
    group = printed(scores, content, by="genre")["by"]["groups"]["poem"]
    assert (group["n_units"], group["n_pairable_units"], group["too_few"]) == (units + 5, units, too_few)
    table = run(scores, content, by="genre")[0].split("by genre:\n")[1].split("Units:")[0]
    assert table.count("too few") == (3 if too_few else 0)


def test_groups_are_shown_with_number_interval_and_reason(scores: Path) -> None:
    out, err = run(scores, BY_GENRE, by="genre", level="ordinal")
    lines = [line.split() for line in out.split("by genre:\n")[1].splitlines()]
    assert lines[0] == ["genre", "units", "annotators", "level", "alpha", "95", "%", "interval"]
    assert lines[1] == ["drama", "0", "1", "ordinal", "-", "nothing", "to", "compare", "too", "few"]
    assert lines[2][:4] == ["poem", "3", "2", "ordinal"]
    assert lines[2][6] == "to"
    assert lines[3] == ["(none)", "1", "2", "ordinal", "-", "all", "the", "same", "too", "few"]
    assert not err


def test_it_says_which_groups_have_no_interval(scores: Path) -> None:
    content = "unit,annotator,value,genre\nu1,ann,1,a\nu1,ben,2,a\nu2,ann,1,b\nu2,ben,3,b\n"
    assert run(scores, content, by="genre")[1] == (
        'No interval for "a", "b": it needs at least two units in which values can be compared.\n'
    )


@pytest.mark.parametrize(("other", "said"), [("drama", '"drama"'), ("", "(none)")])
def test_it_refuses_a_unit_with_two_values_of_the_column_naming_both_lines(
    scores: Path, other: str, said: str
) -> None:
    found = refusal(scores, BY_GENRE.replace("u2,ben,0,poem", f"u2,ben,0,{other}"), by="genre")
    assert found == (
        f'scores.csv, line 5, column genre: unit "u2" has the genre "poem" on line 4 and {said} here; give it one'
    )


def test_it_refuses_a_column_that_is_not_there_and_proposes_another(scores: Path) -> None:
    found = refusal(scores, BY_GENRE, by="gerne")
    assert found.startswith("scores.csv, line 1, column gerne: the column is missing")
    assert found.endswith("did you mean 'genre'?")


@pytest.mark.parametrize("column", ["unit", "annotator", "value"])
def test_it_refuses_columns_that_tell_no_units_apart(scores: Path, column: str) -> None:
    assert refusal(scores, SCORES, by=column).startswith(f"--by {column} tells no units apart; name a column")


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
