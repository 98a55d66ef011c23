"""The benchmarks, on little data: that each case runs and its values are the peers', and that a wrong one is found."""

from dataclasses import replace

import numpy as np
import pytest

from tests.bench import __main__ as bench
from tests.bench.measure import Call, Line, Race, Row, apart, run

pytestmark = pytest.mark.files
TINY = ["--quick", "--shrink", "100", "--sizes", "300,900"]
CASES = [part.cases for part in bench.PARTS]
LINE = Line("A1", "", "", ours=1, peer="", peers=2, ratio=0.5, target=0.4, differs=1e-12)


@pytest.mark.parametrize("cases", [pytest.param(cases, id="-".join(cases)) for cases in CASES])
def test_every_case_runs_and_is_right(cases, capsys):
    assert bench.main([*TINY, "--only", ",".join(cases)]) == 0
    first = {line.split(" ")[0] for line in capsys.readouterr().out.splitlines()}
    assert first >= set(cases)


def test_a_wrong_value_fails_the_run_and_a_slow_one_does_not(monkeypatch, capsys):
    found = [replace(LINE, case="A2")]
    monkeypatch.setattr(bench, "lines", lambda sizes, only: iter(found))
    assert bench.main([]) == 0
    assert "Missed: A2" in capsys.readouterr().out
    found.append(replace(LINE, differs=1e-8))
    assert bench.main([]) == 1
    assert "WRONG by more than 1e-09: A1" in capsys.readouterr().out


def test_results_are_compared_and_times_are_of_the_whole():
    race = Race(
        size="",
        calls={"ours": Call(lambda: 1.0, 3), "peer": Call(lambda: 1.5, 1, share=0.1)},
        rows=[Row("A1", "", "ours", "peer", 1, is_measured=True)],
        differences=lambda results: iter([("A1", abs(results["ours"] - results["peer"]))]),
    )
    (line,) = run(race)
    assert (line.differs, line.is_right, line.peer) == (0.5, False, "peer, 10% of it, runs: 1")


@pytest.mark.parametrize("other", [[1.0], [1.0, np.nan], [1.0, np.inf]])
def test_a_number_too_few_or_undefined_is_a_difference_without_end(other):
    assert apart([1.0, 2.0], other) == np.inf


def test_what_both_leave_undefined_is_no_difference():
    assert apart([1.0, np.nan], [1.0, np.nan]) == 0


def test_a_case_that_there_is_not_is_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit, match="2"):
        bench.main(["--only", "A,B1"])
    assert "there is no case A; the cases are A1, " in capsys.readouterr().err
