"""Forms of the exam as leads and instructors see them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.db.models import Count, Manager
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain.exams import hundredths
from annotation.domain.reach import primary
from annotation.domain.scoring import SCALE
from annotation.models import Attempt, ConsensusItem, Project, Round, Stage
from annotation.queries import exams, stages
from annotation.queries.people import language_name, person_name
from annotation.queries.rounds import Obstacle
from annotation.queries.rubrics import name_of, reader_language

State = Round.State


@dataclass(frozen=True, slots=True)
class FormLine:
    pk: int
    name: str
    state: str  # as it is called
    stage: str  # the Round.State itself
    items: int
    least: int  # items that it needs
    taken: int  # attempts, whatever became of them
    passed: int
    failed: int
    kappa: str  # mean of the decided attempts, two decimals; "" where none is
    exact_percent: int | None

    @property
    def decided(self) -> int:
        return self.passed + self.failed


@dataclass(frozen=True, slots=True)
class LanguageForms:
    """The forms of one language, and who has none left to take."""

    language: str
    name: str
    forms: tuple[FormLine, ...]
    waiting: tuple[str, ...]  # their names; for leads alone, and their number for those who instruct as well


@dataclass(frozen=True, slots=True)
class LevelCount:
    level: int
    items: int


def by_language(project: Project, *, now: datetime) -> list[LanguageForms]:
    least = stages.settings_of(project).exam_items_minimum
    found: dict[str, list[FormLine]] = {language: [] for language in languages(project)}
    counted = exams.forms(project).annotate(items=Count("consensus_items", distinct=True))
    for form in counted.order_by("pk"):
        found.setdefault(form.language, []).append(_line(form, least, now=now))
    waiting = _without_form(project, now=now)
    return [
        LanguageForms(language, _language_name(language), tuple(lines), tuple(sorted(waiting[language])))
        for language, lines in found.items()
        if lines or waiting[language]
    ]


def languages(project: Project) -> list[str]:
    """Languages ("" for any) in which a form can be made: of the material, and of those who sit exams."""
    found = [primary(tag) for tag in project.languages]
    found += sorted({primary(tag) for tag in _distinct(project.prompts)} - {""})
    found += sorted(_distinct(project.qualifications))
    return list(dict.fromkeys(found)) or [""]


def _distinct(rows: Manager) -> list[str]:
    return list(rows.order_by().values_list("language", flat=True).distinct())


def language_choices(project: Project) -> list[tuple[str, str]]:
    return [(language, _language_name(language)) for language in dict.fromkeys([*languages(project), ""])]


def _language_name(language: str) -> str:
    return language_name(language) if language else _("Any language")


def _without_form(project: Project, *, now: datetime) -> dict[str, list[str]]:
    """Candidates who could begin but for a form, by language."""
    found: dict[str, list[str]] = defaultdict(list)
    standing = project.qualifications.filter(stage=Stage.EXAM, annotator__isnull=False)
    for held in standing.select_related("project", "annotator__user"):
        if exams.lacks_form(held, now=now):
            found[held.language].append(person_name(held.annotator.user))
    return found


def _line(form: Round, least: int, *, now: datetime) -> FormLine:
    taken = [
        exams.as_of(attempt, now=now) for attempt in form.attempts.select_related("round", "qualification")
    ]
    attempts = Counter(attempt.state for attempt in taken)
    kappas, exact = _means(taken)
    return FormLine(
        pk=form.pk,
        name=form.name,
        state=state_name(form),
        stage=form.state,
        items=form.items,
        least=least,
        taken=attempts.total(),
        passed=attempts[Attempt.State.PASSED],
        failed=attempts[Attempt.State.FAILED],
        kappa=hundredths(kappas) if kappas is not None else "",
        exact_percent=exact,
    )


def state_name(form: Round) -> str:
    """What the states of a round mean for a form."""
    return {
        State.DRAFT: _("Draft"),
        State.OPEN: _("Published"),
        State.PAUSED: _("Paused"),
        State.LOCKED: _("Retired"),
    }[State(form.state)]


def _means(taken: Iterable[Attempt]) -> tuple[Fraction | None, int | None]:
    """Mean kappa of the attempts that have one, and the share of all their scores that were exact."""
    # What is not decided may still be graded by who reads this.
    ended = [attempt for attempt in taken if attempt.state in exams.DECIDED]
    results = [exams.results(attempt)["*"] for attempt in ended if exams.results(attempt)]
    kappas = [found for result in results if (found := result.agreement.kappa) is not None]
    exact = sum(result.exact.count for result in results)
    n = sum(result.n for result in results)
    return sum(kappas) / len(kappas) if kappas else None, 100 * exact // n if n else None


# --- One form ------------------------------------------------------------------------------------


def sitting(form: Round, *, now: datetime) -> int:
    """How many sit it, and in time."""
    return form.attempts.filter(state=Attempt.State.OPEN, due_at__gt=now).count()


def line(form: Round, *, now: datetime) -> FormLine:
    counted = exams.forms(form.project).annotate(items=Count("consensus_items")).get(pk=form.pk)
    return _line(counted, stages.settings_of(form.project).exam_items_minimum, now=now)


def genres(form: Round) -> list[tuple[str, int]]:
    """(name, items) by macro-category, most first."""
    counts: Counter[str] = Counter()
    language = reader_language()
    for item in form.consensus_items.select_related("response__prompt__genre__parent"):
        genre = item.response.prompt.genre
        counts[name_of(genre.parent or genre, language) if genre else _("Without a genre")] += 1
    return counts.most_common()


def levels(form: Round) -> list[LevelCount]:
    """How many items have each consensus score, best first."""
    counts = Counter(form.consensus_items.values_list("value", flat=True))
    return [LevelCount(level, counts[level]) for level in reversed(SCALE)]


def obstacles(form: Round) -> Sequence[Obstacle]:
    """What keeps a draft from being published."""
    if form.state != State.DRAFT:
        return [Obstacle("not_a_draft", _("This form has been published already."))]
    found = []
    least, there = stages.settings_of(form.project).exam_items_minimum, exams.items(form).count()
    if there < least:
        message = ngettext(
            "A form needs %(least)d text; this one has %(there)d.",
            "A form needs %(least)d texts; this one has %(there)d.",
            least,
        )
        found.append(Obstacle("too_few_items", message % {"least": least, "there": there}))
    if there and _levels_used(form) < 2:
        found.append(
            Obstacle(
                "one_level",
                _("All texts have the same consensus score, so agreement could not be told from chance."),
            )
        )
    shared = _shared(form)
    if shared:
        message = ngettext(
            "%(count)d text stands in another published form; a retake would ask it again.",
            "%(count)d texts stand in another published form; a retake would ask them again.",
            shared,
        )
        found.append(Obstacle("item_in_another_form", message % {"count": shared}))
    return found


def _levels_used(form: Round) -> int:
    return form.consensus_items.values("value").distinct().count()


def _shared(form: Round) -> int:
    elsewhere = ConsensusItem.objects.filter(
        round__project=form.project_id, round__purpose=Round.Purpose.EXAM, round__opened_at__isnull=False
    ).exclude(round=form)
    return form.consensus_items.filter(response__in=elsewhere.values("response")).count()
