"""Versions of a rubric with its guideline. A version is only ever added; scores stay under the one they name."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain import markdown, rubrics, shipped
from annotation.domain.rubrics import LANGUAGES, CriterionContent, LevelContent, RubricContent
from annotation.errors import DomainError, Invalid
from annotation.models import (
    Assignment,
    Criterion,
    Genre,
    Guideline,
    Level,
    PanelSeat,
    Project,
    Round,
    Rubric,
    User,
)
from annotation.queries import rubric_versions as history
from annotation.queries import rubrics as queries
from annotation.queries.projects import UNDER_WAY
from annotation.services import journal

LONGEST_ROUND_NAME = 100
LINKS_AT_A_TIME = 1000


@dataclass(frozen=True, slots=True)
class Saved:
    """A new version, and the drafts of rounds that take prompts over to it."""

    rubric: Rubric
    rounds: tuple[Round, ...]


def add_shipped(
    project: Project,
    macros: Mapping[str, Genre],
    shipped_rubric: shipped.Rubric,
    *,
    by: User | None,
    now: datetime,
) -> Rubric:
    """Version 1. Criteria of genres that the project lacks are left out."""
    by_genre = [("", shipped_rubric.universal), *shipped_rubric.genres.items()]
    found = RubricContent(
        levels=tuple(
            LevelContent(level.value, _texts(level.name), _texts(level.description), _texts(level.comparison))
            for level in shipped_rubric.levels
        ),
        criteria=tuple(
            CriterionContent(genre, criterion.key, _texts(criterion.name), _texts(criterion.question))
            for genre, criteria in by_genre
            for criterion in criteria
            if not genre or genre in macros
        ),
        guideline=_texts(shipped_rubric.instruction),
    )
    return _store(project, 1, found, note="", by=by, now=now)


def _texts(wording: shipped.Wording) -> dict[str, str]:
    return {language: wording.in_language(language) for language in LANGUAGES}


@transaction.atomic
def save(
    project: Project,
    content: RubricContent,
    *,
    note: str,
    based_on: int,
    by: User | None,
    now: datetime,
    renewed: Collection[int] = (),
) -> Saved:
    """The next version, written from version `based_on` (0 where there was none).

    Rounds under way stay with the version they have. For those whose primary keys are in `renewed`, prompts that
    nobody has begun leave for a new draft under the new version.
    """
    latest = queries.current(project)
    if latest and latest.version != based_on and latest.note == note and _says(latest, content):
        return Saved(latest, ())  # the same form, sent twice
    refuse_unless_new(project, content, based_on=based_on)
    try:
        with transaction.atomic():
            saved = _store(project, based_on + 1, content, note=note, by=by, now=now)
    except IntegrityError as error:
        raise _outdated(queries.current(project)) from error
    journal.record("rubric.saved", by=by, at=now, project=project, version=saved.version, note=note)
    rounds = [_renew(project, pk, saved, by=by, now=now) for pk in sorted(set(renewed))]
    return Saved(saved, tuple(work for work in rounds if work))


def refuse_unless_new(project: Project, content: RubricContent, *, based_on: int) -> None:
    """A version that is written from an old one, says nothing new, or lacks something, is none."""
    latest = queries.current(project)
    if (latest.version if latest else 0) != based_on:
        raise _outdated(latest)
    if latest and _says(latest, content):
        raise Invalid("rubric_unchanged", _("Nothing was changed, so there is no new version to save."))
    _refuse_incomplete(project, content)


def _says(rubric: Rubric, content: RubricContent) -> bool:
    return rubrics.same(queries.content(rubric), content)


def _outdated(latest: Rubric | None) -> DomainError:
    """The message of a version that somebody else saved first."""
    return DomainError(
        "rubric_outdated",
        _(
            "Version %(version)d was saved since you began. What you wrote is kept below, and is not saved yet."
        )
        % {"version": latest.version if latest else 1},
    )


def _refuse_incomplete(project: Project, content: RubricContent) -> None:
    if rubrics.gaps(content, rubrics.required_languages(project.languages)):
        raise Invalid("rubric_incomplete", _("A level or a criterion is not complete."))
    if sorted(level.value for level in content.levels) != sorted(rubrics.VALUES):
        raise Invalid("rubric_incomplete", _("A rubric has four levels, from 0 to 3."))
    if len(content.criteria) > rubrics.MAX_CRITERIA:
        raise Invalid(
            "too_many_criteria",
            _("A rubric holds at most %(most)d criteria; this one has %(count)d. Take some out.")
            % {"most": rubrics.MAX_CRITERIA, "count": len(content.criteria)},
        )
    for body in content.guideline.values():
        fault = markdown.fault(body)
        if fault:
            raise Invalid(f"guideline_{fault}", guideline_fault(fault))


def guideline_fault(fault: markdown.Fault) -> str:
    """What is wrong with a guideline, and how to mend it."""
    return {
        markdown.Fault.TOO_LONG: _("The guideline is longer than %(most)d kB. Shorten it.")
        % {"most": markdown.MAX_BYTES // 1024},
        markdown.Fault.TOO_DEEP: _(
            "Quotes, lists or brackets stand within each other more than %(most)d deep. Take some out."
        )
        % {"most": markdown.MAX_NESTING},
        markdown.Fault.TOO_MUCH_MARKUP: _(
            "The guideline has more than %(most)d lines and signs of markup. Shorten it."
        )
        % {"most": markdown.MAX_MARKUP},
    }[fault]


def _store(
    project: Project, version: int, content: RubricContent, *, note: str, by: User | None, now: datetime
) -> Rubric:
    rubric = Rubric.objects.create(project=project, version=version, note=note, created_by=by, created_at=now)
    Level.objects.bulk_create(
        Level(
            rubric=rubric,
            language=language,
            value=level.value,
            name=name,
            description=level.description.get(language, ""),
            comparison=level.comparison.get(language, ""),
        )
        for level in content.levels
        for language, name in rubrics.written(level.name).items()
    )
    genres = {genre.key: genre for genre in project.genres.all()}
    Criterion.objects.bulk_create(
        Criterion(
            rubric=rubric,
            genre=genres[criterion.genre] if criterion.genre else None,
            language=language,
            key=criterion.key,
            name=name,
            question=criterion.question.get(language, ""),
            position=position,
        )
        for position, criterion in enumerate(content.criteria)
        for language, name in rubrics.written(criterion.name).items()
    )
    Guideline.objects.bulk_create(
        Guideline(rubric=rubric, language=language, body=body)
        for language, body in rubrics.written(content.guideline).items()
    )
    return rubric


# --- Prompts that nobody has begun go over to the new version ------------------------------------


def _renew(project: Project, pk: int, rubric: Rubric, *, by: User | None, now: datetime) -> Round | None:
    """A draft under the new version for the unbegun prompts of a round; None where there are none.

    No score, lease or slot that somebody holds is touched. The free slots are locked first, so that none of them
    is handed out between the look and the change.
    """
    work = project.rounds.filter(pk=pk, state__in=UNDER_WAY).first()
    if work is None:
        raise DomainError("round_not_under_way", _("That round is no longer under way. Look again."))
    free = Assignment.objects.filter(round=work, state=Assignment.State.OPEN)
    list(free.order_by("pk").select_for_update().values_list("pk", flat=True))
    moved = list(history.unbegun_prompts(work).order_by("pk").values_list("pk", flat=True))
    if not moved:
        return None
    draft = Round.objects.create(
        project=project,
        name=_round_name(work, rubric),
        purpose=work.purpose,
        rubric=rubric,
        annotators_per_response=work.annotators_per_response,
        assigning=work.assigning,
        created_at=now,
    )
    _move(work, draft, moved)
    names = {"from_round": work.pk, "prompts": len(moved), "rubric": rubric.version}
    journal.record("round.prompts_left", by=by, at=now, project=project, round=work.pk, to_round=draft.pk)
    journal.record("round.drafted", by=by, at=now, project=project, round=draft.pk, **names)
    return draft


def _move(work: Round, draft: Round, moved: list[int]) -> None:
    """Places on panels go along; the slots that are left behind become void."""
    links = Round.prompts.through
    unbegun = history.unbegun_prompts(work).values("pk")
    PanelSeat.objects.filter(round=work, prompt__in=unbegun).update(round=draft)
    links.objects.filter(round=work, prompt__in=unbegun).delete()
    links.objects.bulk_create(
        (links(round_id=draft.pk, prompt_id=pk) for pk in moved), batch_size=LINKS_AT_A_TIME
    )
    slots = work.assignments.filter(state=Assignment.State.OPEN, response__prompt__in=unbegun)
    slots.update(state=Assignment.State.VOID)


def _round_name(work: Round, rubric: Rubric) -> str:
    """The old round's name with the version behind it; with a number where there is such a round."""
    taken = set(work.project.rounds.values_list("name", flat=True))
    first = _("rubric %(version)d") % {"version": rubric.version}
    endings = chain([f" ({first})"], (f" ({first}, {number})" for number in count(2)))
    names = (work.name[: LONGEST_ROUND_NAME - len(ending)] + ending for ending in endings)
    return next(name for name in names if name not in taken)
