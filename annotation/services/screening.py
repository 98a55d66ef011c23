"""The first stage: what somebody says of their languages and readings decides in which genres they may score."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.screening import FAMILIARITY, Outcome, outcome
from annotation.errors import DomainError, Invalid
from annotation.models import LanguageLevel, Qualification, ScreeningAnswer, Stage
from annotation.queries import screening as queries
from annotation.queries.stages import settings_of
from annotation.services import stages


@transaction.atomic
def answer(
    held: Qualification,
    *,
    level: str,
    familiarity: Mapping[str, int],
    answers: Sequence[tuple[str, str]] = (),
    now: datetime,
) -> Outcome:
    """Keep the answers. Whoever passes goes on at once; else a lead decides, and the answers may be given again.

    `familiarity`: 0-3 by key of every macro-category; `answers`: (question, answer) of the project's own questions.
    """
    if Qualification.objects.filter(pk=held.pk, stage=Stage.SCREENING).update(stage=Stage.SCREENING) != 1:
        raise DomainError(
            "stage_changed", _("The screening is behind you. Go on from the page of your stage.")
        )
    genres = {genre.key: genre for genre in queries.macro_categories(held.project)}
    if familiarity.keys() != genres.keys() or not set(familiarity.values()) <= set(FAMILIARITY):
        raise Invalid("incomplete", _("Say for every kind of text how well you know it."))
    if level not in LanguageLevel.values:
        raise Invalid("unknown_level", _("Choose your level."))
    settings = settings_of(held.project)
    found = outcome(
        level,
        familiarity,
        level_minimum=settings.language_level_minimum,
        familiarity_minimum=settings.familiarity_minimum,
    )
    ScreeningAnswer.objects.create(
        qualification=held,
        level=level,
        familiarity=dict(familiarity),
        answers=[list(each) for each in answers],
        at=now,
    )
    if found.passed or (found.language_will_do and not genres):
        # All genres is kept as none, so that genres added later are among them.
        chosen = [] if len(found.genres) == len(genres) else [genres[key] for key in found.genres]
        stages.set_genres(held, chosen, by=None, now=now)
        stages.advance(held, expected=Stage.SCREENING, by=held.annotator.user, now=now)
    return found
