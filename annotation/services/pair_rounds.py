"""Rounds whose texts are drawn: pairs for spot checks and studies, and texts that bilingual validators score anew.

A round of pairs is a draft that has its slots already, since only they say which pairs it asks about; opening it
changes its state alone. A draft is given to nobody.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.prompt_selection import Filters
from annotation.domain.reach import AND
from annotation.errors import DomainError, Invalid
from annotation.models import Assigning, Assignment, PanelSeat, Project, Round, Rubric, User
from annotation.queries import pair_sources, round_prompts
from annotation.queries.pair_sources import Pair, Pairs
from annotation.services import journal, seals, slots

ROWS_AT_A_TIME = 1000
MOST_SLOTS = 200_000
LONGEST_LANGUAGE = Round._meta.get_field("language").max_length


@transaction.atomic
def spot_check(
    project: Project,
    name: str,
    *,
    pairs: Sequence[Pair],
    sample: int | None,
    seed: str,
    annotators: int,
    ties_allowed: bool,
    by: User | None,
    now: datetime,
) -> Round:
    """A draft over a sample of these pairs, which somebody else accepted: people choose without knowing how it was."""
    seals.hold(project)
    found = pair_sources.of_pairs(project, pairs)
    return _draft(
        project,
        name,
        found,
        found.drawn(sample, seed=seed),
        purpose=Round.Purpose.VALIDATION,
        annotators=annotators,
        ties_allowed=ties_allowed,
        by=by,
        now=now,
    )


@transaction.atomic
def study(
    project: Project,
    name: str,
    *,
    filters: Filters,
    sample: int | None,
    seed: str,
    annotators: int,
    ties_allowed: bool,
    by: User | None,
    now: datetime,
) -> Round:
    """A draft over every two responses to the prompts that pass the filters, or an even sample of such pairs."""
    seals.hold(project)
    prompts = [prompt.id for prompt in round_prompts.selected(project, filters).prompts]
    found = pair_sources.of_prompts(project, prompts)
    return _draft(
        project,
        name,
        found,
        found.drawn_evenly(sample, seed=seed),
        purpose=Round.Purpose.LIVE,
        annotators=annotators,
        ties_allowed=ties_allowed,
        by=by,
        now=now,
    )


def _draft(
    project: Project,
    name: str,
    found: Pairs,
    drawn: Sequence[Pair],
    *,
    purpose: str,
    annotators: int,
    ties_allowed: bool,
    by: User | None,
    now: datetime,
) -> Round:
    if not drawn:
        raise Invalid("no_pairs", _("There is no pair of two different texts here. Choose other prompts."))
    if len(drawn) * annotators > MOST_SLOTS:
        raise Invalid(
            "too_many_pairs",
            _("These are %(pairs)s pairs for %(annotators)s annotators each. Draw a smaller sample.")
            % {"pairs": len(drawn), "annotators": annotators},
        )
    made = _make(
        project,
        name,
        purpose=purpose,
        kind=Round.Kind.PAIRS,
        assigning=Assigning.POOL,
        annotators_per_response=annotators,
        ties_allowed=ties_allowed,
        created_at=now,
    )
    _hold_prompts(made, {found.prompts[pair] for pair in drawn})
    Assignment.objects.bulk_create(
        (
            slots.of_pair(made, pair, found.prompts[pair], number)
            for pair in drawn
            for number in range(1, annotators + 1)
        ),
        batch_size=ROWS_AT_A_TIME,
    )
    journal.record(
        "round.pairs_drawn", by=by, at=now, project=project, round=made.pk, pairs=len(drawn), each=annotators
    )
    return made


@transaction.atomic
def across_languages(
    project: Project,
    name: str,
    *,
    languages: Sequence[str],
    sample: int,
    seed: str,
    annotators: int,
    by: User | None,
    now: datetime,
) -> Round:
    """Open a round in which people who work in all of the languages score a sample of each anew, blind.

    Its slots are reserved for them alone, and none of them for somebody who has scored the prompt before. So it is
    opened at once: a draft would be filled with every response to its prompts. A seat that becomes vacant goes to
    somebody who works in all of them too, since the round keeps for which languages it is.
    """
    seals.hold(project)
    kept = AND.join(sorted(set(languages)))
    if len(kept) > LONGEST_LANGUAGE:
        raise Invalid("too_many_languages", _("These are too many languages for one round. Choose fewer."))
    found = pair_sources.validation(project, languages, sample=sample, each=annotators, seed=seed)
    _refuse_unless_comparable(found, languages)
    made = _make(
        project,
        name,
        purpose=Round.Purpose.VALIDATION,
        kind=Round.Kind.SCORES,
        assigning=Assigning.PANEL,
        language=kept,
        annotators_per_response=annotators,
        state=Round.State.OPEN,
        created_at=now,
        opened_at=now,
    )
    _hold_prompts(made, set(found.responses.values()))
    PanelSeat.objects.bulk_create(
        (
            PanelSeat(round=made, prompt_id=prompt, seat=number, annotator_id=annotator)
            for prompt, panel in found.seats.items()
            for number, annotator in enumerate(panel, start=1)
        ),
        batch_size=ROWS_AT_A_TIME,
    )
    Assignment.objects.bulk_create(
        (
            slots.of_response(made, response, prompt, number, reserved_for_id=annotator)
            for response, prompt in found.responses.items()
            for number, annotator in enumerate(found.seats[prompt], start=1)
        ),
        batch_size=ROWS_AT_A_TIME,
    )
    journal.record(
        "round.validation_opened",
        by=by,
        at=now,
        project=project,
        round=made.pk,
        texts=len(found.responses),
        languages=list(languages),
    )
    return made


def _refuse_unless_comparable(found: pair_sources.Validation, languages: Sequence[str]) -> None:
    if len(set(languages)) < 2:
        raise Invalid("one_language", _("Choose two languages: the same people score texts of both."))
    if not found.validators:
        raise DomainError(
            "no_validators", _("Nobody works in both languages. Add annotators who do, and try again.")
        )
    for language in found.languages:
        if not language.drawn:
            raise DomainError(
                "nothing_to_validate",
                _(
                    "There is no text in %(language)s that enough of them could score: texts with live scores, whose "
                    "prompt they have not worked on. Ask for fewer validators a text, or add some."
                )
                % {"language": language.name},
            )


def _make(project: Project, name: str, **columns: object) -> Round:
    rubric = Rubric.objects.filter(project=project).order_by("-version").first()
    if rubric is None:
        raise DomainError("no_rubric", _("This project has no rubric. Write one before a round is opened."))
    try:
        with transaction.atomic():
            return Round.objects.create(project=project, name=name, rubric=rubric, **columns)
    except IntegrityError as error:
        raise Invalid(
            "round_exists", _("There is a round %(name)s already. Choose another name.") % {"name": name}
        ) from error


def _hold_prompts(work: Round, prompts: Iterable[int]) -> None:
    """So that the pages of the round say which prompts it is about."""
    through = Round.prompts.through
    through.objects.bulk_create(
        (through(round_id=work.pk, prompt_id=prompt) for prompt in sorted(prompts)), batch_size=ROWS_AT_A_TIME
    )
