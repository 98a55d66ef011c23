"""The exam as its candidate sees it: numbers over all texts, and nothing of a single one.

No field of these types carries a consensus score, a rationale or an id of the material or of the form.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _

from annotation.domain import exams as rules
from annotation.domain import stages as way
from annotation.domain import text
from annotation.domain.exams import ExamResult, PassMarks
from annotation.domain.intervals import Interval
from annotation.domain.reach import ANY_LANGUAGE
from annotation.domain.sentences import Said
from annotation.domain.workload import Reading
from annotation.models import Attempt, Qualification, Response, Round, Stage
from annotation.queries import exams, stages
from annotation.queries.exams import Allowance
from annotation.queries.imports import said
from annotation.queries.people import language_name
from annotation.queries.round_plans import duration, pace_of
from annotation.queries.rubrics import genre_names, reader_language

State = Attempt.State


@dataclass(frozen=True, slots=True)
class Number:
    """One of the numbers that decide: what it came to, where it probably lies, and what is asked for."""

    name: str
    value: str  # "–" where it is not defined
    likely: str  # the interval in words; "" where there is none
    needed: str


@dataclass(frozen=True, slots=True)
class GenreLine:
    name: str
    texts: int
    exact_percent: int
    within_one_percent: int


@dataclass(frozen=True, slots=True)
class Result:
    """What is reported of an attempt."""

    number: int
    passed: bool
    by_hand: bool  # a lead decided
    late: bool
    decided_at: datetime
    texts: int
    numbers: tuple[Number, ...]
    severity: str  # a sentence; "" of too few texts
    missed: tuple[str, ...]
    genres: tuple[GenreLine, ...]
    practise: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExamPage:
    """Everything the page of the exam shows."""

    project_name: str
    slug: str
    language: str  # as in addresses
    language_name: str  # "" for any
    state: str  # ready, open, waiting, later, lead, none or over
    texts: int  # of the attempt under way, else of the forms that may come
    done: int
    reading: str  # how long the texts take to read; "" where there are none
    days: int
    due_at: datetime | None
    retake_from: datetime | None
    retake_hours: int
    attempt: int  # since the annotator entered the stage: the one under way, or the next
    attempts_left: int  # after that one
    marks: PassMarks
    counts_characters: bool
    least: int  # of a critique, in words or characters
    result: Result | None  # of the last attempt that was decided

    @property
    def left(self) -> int:
        return self.texts - self.done


# --- The page ------------------------------------------------------------------------------------


def page(held: Qualification, *, now: datetime) -> ExamPage:
    """`now` decides whether time is up, and whether a retake may begin."""
    asked = stages.settings_of(held.project)
    taken = exams.attempts(held, now=now)
    last = taken[-1] if taken else None
    under_way = last if last and last.state in exams.UNDER_WAY else None
    may = exams.allowance(held, now=now)
    forms = [under_way.round] if under_way else list(exams.forms_to_take(held))
    texts, reading, characters = _length(forms)
    done = len(exams.answers(under_way)) if under_way else 0
    unit = "characters" if characters else "words"
    return ExamPage(
        project_name=held.project.name,
        slug=held.project.slug,
        language=held.language or ANY_LANGUAGE,
        language_name=language_name(held.language) if held.language else "",
        state=_state(held, last, may, bool(forms), now=now),
        texts=texts,
        done=done,
        reading=duration(reading.minutes(pace_of(held.project))) if texts else "",
        days=asked.exam_days,
        due_at=under_way.due_at if under_way else None,
        retake_from=may.retake_from,
        retake_hours=asked.retake_hours,
        attempt=may.used + (0 if under_way else 1),
        attempts_left=max(0, may.left - (0 if under_way else 1)),
        marks=PassMarks.from_dict(under_way.marks) if under_way else exams.marks_of(asked),
        counts_characters=characters,
        least=max(
            asked.project.justification_minimum,
            {"words": rules.LEAST_WORDS, "characters": rules.LEAST_CHARACTERS}[unit],
        ),
        result=_last_result(taken),
    )


def _state(
    held: Qualification,
    last: Attempt | None,
    may: Allowance,
    has_form: bool,
    *,
    now: datetime,
) -> str:
    if last is not None and last.state == State.FINISHED:
        return "waiting"
    if held.stage != Stage.EXAM:
        return "over" if way.has_passed(held.stage, way.EXAM) else "closed"
    if last is not None and last.state == State.OPEN:
        return "open"
    if not may.left:
        return "lead"
    if not has_form:
        return "none"
    is_early = may.retake_from is not None and now < may.retake_from
    return "later" if is_early else "ready"


def _length(forms: Iterable[Round]) -> tuple[int, Reading, bool]:
    """Texts and reading of the longest of the forms, prompts and all; whether it is counted in characters."""
    longest: tuple[int, Reading, bool] = (0, Reading(), False)
    for form in forms:
        responses = list(exams.items(form).select_related("prompt"))
        reading = sum(map(_reading, responses), start=Reading())
        if len(responses) > longest[0]:
            longest = (len(responses), reading, reading.characters > reading.words)
    return longest


def _reading(response: Response) -> Reading:
    prompt = response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    length = text.length(response.text, unit) + text.length(prompt.text, unit)
    if unit == "words":
        return Reading(prompts=1, responses=1, words=length)
    return Reading(prompts=1, responses=1, characters=length)


# --- What came of it -----------------------------------------------------------------------------


def _last_result(taken: Sequence[Attempt]) -> Result | None:
    """Of too few texts, or of those that somebody chose to finish, numbers would tell of single ones."""
    last = next((attempt for attempt in reversed(taken) if attempt.state in exams.DECIDED), None)
    if last is None:
        return None
    result = result_of(last)
    if not result.late and result.texts >= rules.FEWEST_TO_SPEAK_OF:
        return result
    missed = result.missed if result.late else ()  # how many were scored in time, and nothing else
    return replace(result, numbers=(), severity="", missed=missed, genres=(), practise=())


def result_of(attempt: Attempt) -> Result:
    results = exams.results(attempt)
    whole = results.get("*")
    names = {genre.key: genre.name for genre in genre_names(attempt.qualification.project, reader_language())}
    return Result(
        number=attempt.number,
        passed=attempt.state == State.PASSED,
        by_hand=attempt.decided_by_id is not None,
        late=bool(attempt.result.get("late")),
        decided_at=attempt.decided_at,
        texts=whole.n if whole else 0,
        numbers=numbers(attempt) if whole and whole.n else (),
        severity=severity_in_words(whole) if whole else "",
        missed=tuple(said(sentence) for sentence in attempt.result.get("missed", [])),
        genres=tuple(
            GenreLine(names[key], result.n, result.exact.percent, result.within_one.percent)
            for key, result in results.items()
            if key in names and result.n >= rules.FEWEST_TO_SPEAK_OF
        ),
        practise=tuple(map(_told, rules.to_practise(results, names))) if whole else (),
    )


def numbers(attempt: Attempt) -> tuple[Number, ...]:
    """Those that decide, in the words of the page."""
    marks, whole = PassMarks.from_dict(attempt.marks), exams.results(attempt)["*"]
    found = whole.agreement.kappa
    shares = [
        (_("The experts' score exactly"), whole.exact, marks.exact_percent),
        (_("At most one level off"), whole.within_one, marks.within_one_percent),
    ]
    points = exams.critique_points(attempt)
    rows = [
        Number(
            _("Weighted kappa"),
            rules.hundredths(found) if found is not None else "–",
            _likely(whole.kappa_interval(exams.seed(attempt)), 1),
            str(marks.kappa),
        ),
        *(
            Number(name, f"{share.percent} %", _likely(share.interval, 100), f"{least} %")
            for name, share, least in shares
        ),
    ]
    if points is not None:
        rows.append(Number(_("Critiques"), f"{points.percent} %", "", f"{marks.critique_percent} %"))
    return tuple(rows)


def _likely(interval: Interval | None, times: int) -> str:
    if interval is None:
        return ""
    low, high = (
        f"{times * end:.0f} %" if times == 100 else f"{end:.2f}".replace("-", "−")
        for end in (interval.low, interval.high)
    )
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def severity_in_words(whole: ExamResult) -> str:
    """Whether the candidate is stricter or milder than the experts, as far as can be told."""
    mean, interval = whole.severity, whole.severity_interval
    if mean is None or interval is None:
        return ""
    if interval.low <= 0 <= interval.high:
        return _("You score neither lower nor higher than the experts, as far as so many texts can tell.")
    by, low, high = (
        f"{abs(float(each)):.1f}" for each in (mean, *sorted((interval.low, interval.high), key=abs))
    )
    words = {"by": by, "low": low, "high": high}
    if mean < 0:
        return _("You score %(by)s lower than the experts on average (likely %(low)s to %(high)s).") % words
    return _("You score %(by)s higher than the experts on average (likely %(low)s to %(high)s).") % words


def signed(mean: Fraction | float | None) -> str:
    return "–" if mean is None else f"{float(mean):+.2f}".replace("-", "−")


def _told(sentence: Said) -> str:
    return said(sentence.as_dict())
