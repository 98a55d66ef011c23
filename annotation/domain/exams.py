"""What an exam comes to: how near the candidate's scores are to the experts', and whether that passes.

Everything follows from tables of counts, one for each genre: rows are the candidate's scores, columns the experts'.
Of a single text nothing is kept or said, so that the texts can be asked again. Thresholds are compared as integers
and fractions; floats are for intervals alone.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product

from annotation.domain import kappa
from annotation.domain.intervals import Interval, of_mean, wilson
from annotation.domain.order import key
from annotation.domain.scoring import SCALE
from annotation.domain.sentences import Said, say

Table = tuple[tuple[int, ...], ...]

# A level or a genre with fewer texts says nothing, and would nearly say what a single text was given.
FEWEST_TO_SPEAK_OF = 5
MOST_TO_PRACTISE = 3

# The scheme by which a critique is graded: a question each, answered by 0 (no), 1 (in part) or 2 (yes).
CRITIQUE_QUESTIONS = ("evidence", "level", "place")
MOST_POINTS = 2

# A critique has to say something, also where the project leaves the justification of a score to the annotator.
LEAST_WORDS = 10
LEAST_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class Answer:
    given: int
    expert: int
    genre: str = ""  # key; "" where the prompt has none


@dataclass(frozen=True, slots=True)
class Share:
    """So many of n, with the Wilson interval of the share."""

    count: int
    n: int

    @property
    def interval(self) -> Interval | None:
        return wilson(self.count, self.n)

    @property
    def percent(self) -> int:
        """Whole per cent, rounded down: a share that is shown as the pass mark has reached it."""
        return 100 * self.count // self.n if self.n else 0

    def reaches(self, percent: int) -> bool:
        return self.n > 0 and 100 * self.count >= percent * self.n


@dataclass(frozen=True, slots=True)
class ExamResult:
    """The numbers of one exam, or of its texts in one genre."""

    table: Table

    @property
    def n(self) -> int:
        return sum(map(sum, self.table))

    @property
    def exact(self) -> Share:
        return self._within(0)

    @property
    def within_one(self) -> Share:
        return self._within(1)

    @property
    def agreement(self) -> kappa.Coefficients:
        """Quadratic weighted kappa and its kin, on the declared scale."""
        return kappa.coefficients(self.table, weights="quadratic")

    def kappa_interval(self, seed: str) -> Interval | None:
        """The keyed percentile bootstrap over the texts; see `kappa.resampled`."""
        return kappa.resampled(self.table, seed=seed, weights="quadratic")

    @property
    def severity(self) -> Fraction | None:
        """Mean of (given - expert): below 0 the candidate scores lower than the experts. None of nothing."""
        differences = self._differences
        return Fraction(sum(differences), len(differences)) if differences else None

    @property
    def severity_interval(self) -> Interval | None:
        """Student's t; None with fewer than two texts."""
        return of_mean(self._differences)

    @property
    def given(self) -> tuple[int, ...]:
        """How often the candidate gave each level."""
        return tuple(map(sum, self.table))

    @property
    def expected(self) -> tuple[int, ...]:
        """How often the experts gave each level."""
        return tuple(map(sum, zip(*self.table, strict=True)))

    def _within(self, distance: int) -> Share:
        near = (self.table[i][j] for i, j in _cells() if abs(SCALE[i] - SCALE[j]) <= distance)
        return Share(sum(near), self.n)

    @property
    def _differences(self) -> list[int]:
        return list(chain.from_iterable([SCALE[i] - SCALE[j]] * self.table[i][j] for i, j in _cells()))


@dataclass(frozen=True, slots=True)
class PassMarks:
    """What an exam asks for, as it stood when the attempt began."""

    kappa: Decimal
    exact_percent: int
    within_one_percent: int
    critique_percent: int
    critiques_graded: int  # of the attempt, by each grader; 0: none
    graders: int

    def as_dict(self) -> dict[str, object]:
        return {
            "kappa": str(self.kappa),
            "exact_percent": self.exact_percent,
            "within_one_percent": self.within_one_percent,
            "critique_percent": self.critique_percent,
            "critiques_graded": self.critiques_graded,
            "graders": self.graders,
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, object]) -> "PassMarks":
        whole = {name: int(str(value)) for name, value in kept.items() if name != "kappa"}
        return cls(kappa=Decimal(str(kept["kappa"])), **whole)


@dataclass(frozen=True, slots=True)
class Verdict:
    passed: bool
    missed: tuple[Said, ...]  # the pass marks that were not reached, in words


def grade(answers: Mapping[Hashable, Answer]) -> dict[str, ExamResult]:
    """Results by key of the genre, and that of all texts under "*". Answers stand under their text."""
    genres = sorted({answer.genre for answer in answers.values()})
    chosen = {"*": answers} | {
        genre: {item: answer for item, answer in answers.items() if answer.genre == genre} for genre in genres
    }
    return {name: _result(some) for name, some in chosen.items()}


def _result(answers: Mapping[Hashable, Answer]) -> ExamResult:
    given = {item: answer.given for item, answer in answers.items()}
    expert = {item: answer.expert for item, answer in answers.items()}
    return ExamResult(kappa.tabulate(given, expert))


def judge(result: ExamResult, marks: PassMarks, *, critiques: Share | None = None) -> Verdict:
    """Whether the point values reach the pass marks. `critiques`: points reached of those that could be."""
    missed = [*_numbers_missed(result, marks)]
    if critiques is not None and not critiques.reaches(marks.critique_percent):
        missed.append(
            say(
                "Points for critiques: {percent} %, {least} % are needed",
                percent=critiques.percent,
                least=marks.critique_percent,
            )
        )
    return Verdict(passed=not missed, missed=tuple(missed))


def _numbers_missed(result: ExamResult, marks: PassMarks) -> list[Said]:
    missed = []
    found = result.agreement.kappa
    if found is None:
        missed.append(
            say("Weighted kappa: not defined, since one and the same score was given throughout, or no score")
        )
    elif found < Fraction(marks.kappa):
        missed.append(
            say("Weighted kappa: {value}, {least} is needed", value=hundredths(found), least=str(marks.kappa))
        )
    if not result.exact.reaches(marks.exact_percent):
        missed.append(
            say(
                "The experts' score exactly: {percent} %, {least} % are needed",
                percent=result.exact.percent,
                least=marks.exact_percent,
            )
        )
    if not result.within_one.reaches(marks.within_one_percent):
        missed.append(
            say(
                "At most one level off: {percent} %, {least} % are needed",
                percent=result.within_one.percent,
                least=marks.within_one_percent,
            )
        )
    return missed


def hundredths(value: Fraction) -> str:
    """Two decimals, rounded down, so that a value shown as the pass mark has reached it."""
    scaled = 100 * value.numerator // value.denominator
    return f"{'−' if scaled < 0 else ''}{abs(scaled) // 100}.{abs(scaled) % 100:02}"


def to_practise(results: Mapping[str, ExamResult], names: Mapping[str, str]) -> tuple[Said, ...]:
    """In words, what was missed most; `names` of the genres by key. Says nothing of few texts."""
    whole = results["*"]
    found = [*_levels_to_practise(whole)]
    genres = [
        (result.exact.percent, key_, result)
        for key_, result in results.items()
        if key_ in names and result.n >= FEWEST_TO_SPEAK_OF and not result.exact.reaches(50)
    ]
    found += [
        say("{genre}: {percent} % as the experts scored", genre=names[key_], percent=percent)
        for percent, key_, _result_ in sorted(genres, key=lambda row: row[:2])[:MOST_TO_PRACTISE]
    ]
    return tuple(found)


def _levels_to_practise(result: ExamResult) -> list[Said]:
    """Levels of the experts that the candidate missed more often than not, and to which side."""
    rows = []
    for level in SCALE:
        n, hit = result.expected[level], result.table[level][level]
        if n >= FEWEST_TO_SPEAK_OF and 2 * hit < n:
            lower = sum(result.table[given][level] for given in SCALE if given < level)
            rows.append((Fraction(hit, n), level, lower, n - hit - lower))
    return [_level(level, lower, higher) for _, level, lower, higher in sorted(rows)[:MOST_TO_PRACTISE]]


def _level(level: int, lower: int, higher: int) -> Said:
    if lower > higher:
        return say("Level {level}: you mostly gave such texts a lower score", level=level)
    if higher > lower:
        return say("Level {level}: you mostly gave such texts a higher score", level=level)
    return say("Level {level}: you gave such texts lower and higher scores as often", level=level)


def decimal(value: object) -> Decimal:
    """A threshold as it was written, never by way of a float."""
    return Decimal(str(value))


def points(grades: Sequence[Mapping[str, int]]) -> Share:
    """Points of some graded critiques, of those that could be reached."""
    reached = sum(grade_[question] for grade_ in grades for question in CRITIQUE_QUESTIONS)
    return Share(reached, len(grades) * len(CRITIQUE_QUESTIONS) * MOST_POINTS)


def drawn(items: Sequence[int], count: int, *, seed: str) -> list[int]:
    """`count` of the items, or all where there are no more: the same for whoever asks with the same seed."""
    return sorted(sorted(items, key=lambda item: key("exam", seed, str(item)))[:count])


def _cells() -> Iterator[tuple[int, int]]:
    return product(range(len(SCALE)), range(len(SCALE)))
