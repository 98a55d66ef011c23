"""What an exam comes to, at the pass marks and next to them; nothing is said of a single text."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import exams
from annotation.domain.exams import Answer, ExamResult, PassMarks, Share, grade, judge

pytestmark = pytest.mark.files

MARKS = PassMarks(
    kappa=Decimal("0.55"),
    exact_percent=50,
    within_one_percent=95,
    critique_percent=60,
    critiques_graded=8,
    graders=1,
)


def answers(*rows: tuple[int, int, int], genre: str = "") -> dict[str, Answer]:
    """Answers from (given, expert, how often)."""
    pairs = [(mine, expert) for mine, expert, times in rows for _ in range(times)]
    return {f"{genre}{place}": Answer(*pair, genre) for place, pair in enumerate(pairs)}


def result(*rows: tuple[int, int, int]) -> ExamResult:
    return grade(answers(*rows))["*"]


# --- the numbers -----------------------------------------------------------------------------------------


def test_shares_severity_and_kappa_of_a_small_exam() -> None:
    found = result((0, 0, 2), (1, 1, 3), (2, 3, 4), (3, 1, 1))
    assert (found.n, found.exact, found.within_one) == (10, Share(5, 10), Share(9, 10))
    assert found.severity == Fraction(-4 + 2, 10)
    assert found.given == (2, 3, 4, 1)
    assert found.expected == (2, 4, 0, 4)
    # 1 - n * sum v n / sum v r c = 1 - 10 * (4 * 1 + 1 * 4) / (margins by hand: 288)
    by_hand = sum(
        (i - j) ** 2 * row * column
        for i, row in enumerate((2, 3, 4, 1))
        for j, column in enumerate((2, 4, 0, 4))
    )
    assert found.agreement.kappa == 1 - Fraction(10 * 8, by_hand)


def test_the_interval_of_severity_is_of_students_t() -> None:
    found = result((0, 1, 20), (1, 1, 20))
    assert found.severity == Fraction(-1, 2)
    assert found.severity_interval.low == pytest.approx(-0.6619, abs=1e-4)
    assert found.severity_interval.high == pytest.approx(-0.3381, abs=1e-4)


def test_results_come_by_genre_as_well() -> None:
    found = grade({**answers((1, 1, 3), genre="fiction"), **answers((2, 3, 4), genre="poetry")})
    assert {name: each.n for name, each in found.items()} == {"*": 7, "fiction": 3, "poetry": 4}
    assert found["poetry"].exact == Share(0, 4)


def test_an_exam_without_an_answer_has_no_numbers() -> None:
    found = grade({})["*"]
    assert (found.n, found.severity, found.severity_interval, found.agreement.kappa) == (0, None, None, None)
    assert found.exact.interval is None
    assert not judge(found, MARKS).passed


def test_a_share_is_shown_rounded_down_so_that_it_never_seems_to_reach_a_mark() -> None:
    assert Share(199, 400).percent == 49
    assert not Share(199, 400).reaches(50)
    assert exams.hundredths(Fraction(5499, 10000)) == "0.54"
    assert exams.hundredths(Fraction(11, 20)) == "0.55"
    assert exams.hundredths(Fraction(-1, 8)) == "−0.13"


# --- the verdict -----------------------------------------------------------------------------------------


def test_what_lies_on_the_pass_marks_passes() -> None:
    """40 texts: 20 exact are 50 %, 38 within one are 95 %."""
    found = result((0, 0, 5), (1, 1, 5), (2, 2, 5), (3, 3, 5), (0, 1, 9), (2, 3, 9), (1, 3, 2))
    assert (found.exact.count, found.within_one.count, found.n) == (20, 38, 40)
    assert judge(found, MARKS).passed


@pytest.mark.parametrize(
    ("rows", "missed"),
    [
        (((0, 0, 5), (1, 1, 5), (2, 2, 5), (3, 3, 4), (0, 1, 10), (2, 3, 11)), ["exactly"]),
        (((0, 0, 10), (1, 1, 10), (2, 2, 10), (3, 3, 7), (1, 3, 3)), ["one level off"]),
        (((1, 1, 20), (2, 2, 1), (1, 2, 10), (2, 1, 9)), ["kappa"]),
        (((2, 2, 40),), ["kappa"]),
        (((3, 0, 20), (0, 3, 20)), ["kappa", "exactly", "one level off"]),
    ],
)
def test_the_verdict_says_which_marks_were_missed(rows: tuple, missed: list[str]) -> None:
    verdict = judge(result(*rows), MARKS)
    assert not verdict.passed
    assert len(verdict.missed) == len(missed)
    assert all(word in sentence for word, sentence in zip(missed, verdict.missed, strict=True))


def test_kappa_is_compared_as_a_fraction() -> None:
    """Kappa of 3/5 exactly, which no double holds."""
    found = result((0, 0, 4), (1, 1, 4), (0, 1, 1), (1, 0, 1))
    assert found.agreement.kappa == Fraction(3, 5)
    ask = {"exact_percent": 0, "within_one_percent": 0, "critique_percent": 0}
    rest = {"critiques_graded": 0, "graders": 1}
    assert judge(found, PassMarks(kappa=Decimal("0.60"), **ask, **rest)).passed
    assert not judge(found, PassMarks(kappa=Decimal("0.61"), **ask, **rest)).passed


def test_critiques_count_where_they_are_graded() -> None:
    good = result((0, 0, 10), (1, 1, 10), (2, 2, 10), (3, 3, 10))
    assert judge(good, MARKS).passed
    assert judge(good, MARKS, critiques=Share(6, 10)).passed
    refused = judge(good, MARKS, critiques=Share(59, 100))
    assert [str(each) for each in refused.missed] == ["Points for critiques: 59 %, 60 % are needed"]


def test_points_are_those_of_all_questions_and_graders() -> None:
    full, half = dict.fromkeys(exams.CRITIQUE_QUESTIONS, 2), dict.fromkeys(exams.CRITIQUE_QUESTIONS, 1)
    assert exams.points([full, half]) == Share(9, 12)


def test_pass_marks_come_back_as_they_were_kept() -> None:
    assert PassMarks.from_dict(MARKS.as_dict()) == MARKS


# --- what to practise ------------------------------------------------------------------------------------


def test_levels_and_genres_that_were_missed_most_are_named() -> None:
    graded = grade(
        {
            **answers((2, 3, 5), (3, 3, 1), (0, 0, 6), genre="fiction"),
            **answers((2, 1, 4), (1, 1, 2), genre="poetry"),
        }
    )
    said = exams.to_practise(graded, {"fiction": "Fiction", "poetry": "Poetry"})
    assert [str(each) for each in said] == [
        "Level 3: you mostly gave such texts a lower score",
        "Level 1: you mostly gave such texts a higher score",
        "Poetry: 33 % as the experts scored",
    ]


def test_nothing_is_said_of_few_texts() -> None:
    graded = grade(answers((0, 3, 4), (2, 2, 30), genre="fiction"))
    assert exams.to_practise(graded, {"fiction": "Fiction"}) == ()


# --- drawing ---------------------------------------------------------------------------------------------


@given(st.sets(st.integers(1, 500)), st.integers(0, 60))
def test_what_is_graded_is_drawn_by_the_key_alone(items: set[int], count: int) -> None:
    drawn = exams.drawn(list(items), count, seed="7")
    assert len(drawn) == min(count, len(items))
    assert set(drawn) <= items
    assert drawn == exams.drawn(sorted(items, reverse=True), count, seed="7")


def test_another_attempt_draws_others() -> None:
    assert exams.drawn(range(40), 8, seed="7") != exams.drawn(range(40), 8, seed="8")
