"""Texts with an agreed score, for exams and courses. They can be written and changed until their round begins.

What adds items holds the project's row first, as the opening of a round does: no text gets into both.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.reach import covers
from annotation.domain.scoring import SCALE
from annotation.errors import DomainError, Invalid
from annotation.models import ConsensusItem, Genre, Prompt, Response, Round, User
from annotation.queries import consensus as queries
from annotation.services import journal, seals

Kind = ConsensusItem.Kind
KINDS = {
    Round.Purpose.EXAM: {Kind.EXAM},
    Round.Purpose.GOLD: {Kind.GOLD},
    Round.Purpose.TRAINING: {Kind.WORKED, Kind.PRACTICE, Kind.CHECK, Kind.EXTRA},
}


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of taking items from another round."""

    items: int
    undecided: int  # no score has a majority, or too few people scored
    unfit: int  # removed, in another language, here already, or used elsewhere


@transaction.atomic
def add(
    work: Round,
    response: Response,
    *,
    kind: str,
    value: int,
    split: Sequence[int] = (),
    rationale: str = "",
    by: User | None,
    now: datetime,
) -> ConsensusItem:
    """A response of the project becomes an item, at the end. `split`: how many experts gave 0, 1, 2 and 3."""
    seals.hold(work.project)
    _hold_draft(work)
    _refuse_unfit(work, response)
    _refuse_unsound(work, kind=kind, value=value, split=split)
    item = _store(work, response, kind=kind, value=value, split=split, rationale=rationale, by=by, now=now)
    _record("consensus.added", work, by=by, now=now, item=item.pk, text=response.external_id)
    return item


@transaction.atomic
def author(
    work: Round,
    *,
    language: str,
    genre: Genre | None,
    prompt_text: str,
    response_text: str,
    kind: str,
    value: int,
    split: Sequence[int] = (),
    rationale: str = "",
    by: User | None,
    now: datetime,
) -> ConsensusItem:
    """An item of somebody's own: prompt and response are new texts of the project, and are never judged live."""
    seals.hold(work.project)
    _hold_draft(work)
    name = _free_name(work)
    prompt = Prompt.objects.create(
        project=work.project,
        external_id=name,
        language=language,
        genre=genre,
        text=prompt_text,
        created_at=now,
    )
    response = Response.objects.create(
        project=work.project,
        prompt=prompt,
        external_id=name,
        text=response_text,
        text_sha256=sha256(response_text.encode()).hexdigest(),
        created_at=now,
    )
    return add(work, response, kind=kind, value=value, split=split, rationale=rationale, by=by, now=now)


@transaction.atomic
def from_round(work: Round, scored: Round, *, kind: str, least: int, by: User | None, now: datetime) -> Taken:
    """Items of the texts that at least `least` people scored in another round and more than half alike.

    The scores become the split and the justifications of the majority the rationale. What cannot be taken is
    counted and left out.
    """
    seals.hold(work.project)
    _hold_draft(work)
    if kind not in KINDS.get(Round.Purpose(work.purpose), set()):
        raise Invalid("unknown_kind", _("Choose what kind of item this is."))
    if scored.pk not in dict(queries.rounds_with_scores(work.project)):
        raise Invalid(
            "not_a_source", _("The scores of this round cannot become what is agreed. Choose another one.")
        )
    items = undecided = unfit = 0
    for response, scores in queries.scores_by_response(scored):
        values = Counter(score.value for score in scores)
        value, times = next(iter(values.most_common(1)), (0, 0))
        if len(scores) < least or 2 * times <= len(scores):
            undecided += 1
            continue
        try:
            _refuse_unfit(work, response)
        except DomainError:
            unfit += 1
            continue
        said = [score.justification.strip() for score in scores if score.value == value]
        _store(
            work,
            response,
            kind=kind,
            value=value,
            split=[values[each] for each in SCALE],
            rationale="\n\n".join(each for each in said if each),
            by=by,
            now=now,
        )
        items += 1
    _record("consensus.taken", work, by=by, now=now, items=items, scored=scored.pk)
    return Taken(items, undecided, unfit)


@transaction.atomic
def change(
    item: ConsensusItem,
    *,
    kind: str,
    value: int,
    split: Sequence[int],
    rationale: str,
    by: User | None,
    now: datetime,
) -> None:
    _hold_draft(item.round)
    _refuse_unsound(item.round, kind=kind, value=value, split=split)
    ConsensusItem.objects.filter(pk=item.pk).update(
        kind=kind, value=value, split=list(split), rationale=rationale
    )
    _record("consensus.changed", item.round, by=by, now=now, item=item.pk, text=item.response.external_id)


@transaction.atomic
def remove(item: ConsensusItem, *, by: User | None, now: datetime) -> None:
    """The text stays in the project."""
    _hold_draft(item.round)
    _record("consensus.removed", item.round, by=by, now=now, item=item.pk, text=item.response.external_id)
    ConsensusItem.objects.filter(pk=item.pk).delete()


@transaction.atomic
def move(item: ConsensusItem, *, earlier: bool, by: User | None, now: datetime) -> None:
    """Change places with the item before or after it; at the end of the list nothing happens."""
    _hold_draft(item.round)
    others = item.round.consensus_items.exclude(pk=item.pk)
    beside = (
        others.filter(position__lt=item.position).order_by("-position").first()
        if earlier
        else others.filter(position__gt=item.position).order_by("position").first()
    )
    if beside is None:
        return
    mine, theirs = item.position, beside.position
    rows = ConsensusItem.objects
    # By way of a free place: no two items ever stand at one.
    rows.filter(pk=item.pk).update(position=_next_position(item.round))
    rows.filter(pk=beside.pk).update(position=mine)
    rows.filter(pk=item.pk).update(position=theirs)


def _hold_draft(work: Round) -> None:
    """Keep the round from beginning until this transaction ends."""
    if Round.objects.filter(pk=work.pk, state=Round.State.DRAFT).update(state=Round.State.DRAFT) != 1:
        raise DomainError(
            "has_begun", _("This has begun, so its items stay as they are. Make another one for changes.")
        )


def _refuse_unfit(work: Round, response: Response) -> None:
    if response.project_id != work.project_id or response.state != Response.State.ACTIVE:
        raise Invalid(
            "not_an_active_response", _("Choose a response of the project that has not been removed.")
        )
    if work.language and not covers({work.language: frozenset()}, response.prompt.language):
        raise Invalid("other_language", _("This text is in another language."))
    if work.consensus_items.filter(response=response).exists():
        raise Invalid("item_already", _("This text is among the items already."))
    if queries.asked_blind_elsewhere(work).filter(pk=response.pk).exists():
        raise Invalid(
            "asked_blind",
            _("This text is being scored in another round, so what is agreed about it must not be shown."),
        )
    if queries.used_elsewhere(work).filter(pk=response.pk).exists():
        raise Invalid(
            "used_elsewhere",
            _(
                "This text belongs to another exam, course or calibration. Choose one that nobody has met there."
            ),
        )


def _refuse_unsound(work: Round, *, kind: str, value: int, split: Sequence[int]) -> None:
    if kind not in KINDS.get(Round.Purpose(work.purpose), set()):
        raise Invalid("unknown_kind", _("Choose what kind of item this is."))
    if value not in SCALE:
        raise Invalid("not_a_score", _("Choose a score from 0 to 3."))
    if split and (len(split) != len(SCALE) or any(each < 0 for each in split)):
        raise Invalid("bad_split", _("Say for each score how many experts gave it."))
    if split and split[value] == 0:
        raise Invalid("bad_split", _("No expert gave the consensus score. Correct one of the two."))


def _store(
    work: Round,
    response: Response,
    *,
    kind: str,
    value: int,
    split: Sequence[int],
    rationale: str,
    by: User | None,
    now: datetime,
) -> ConsensusItem:
    try:
        with transaction.atomic():
            return ConsensusItem.objects.create(
                round=work,
                response=response,
                kind=kind,
                position=_next_position(work),
                value=value,
                split=list(split),
                rationale=rationale,
                created_by=by,
                created_at=now,
            )
    except IntegrityError as error:
        raise Invalid("item_already", _("This text is among the items already.")) from error


def _next_position(work: Round) -> int:
    last = work.consensus_items.order_by("-position").values_list("position", flat=True).first()
    return (last or 0) + 1


def _free_name(work: Round) -> str:
    """An id for a text of an author's own: item-1 and so on."""
    taken = set(
        work.project.responses.filter(external_id__startswith="item-").values_list("external_id", flat=True)
    ) | set(
        work.project.prompts.filter(external_id__startswith="item-").values_list("external_id", flat=True)
    )
    return next(name for name in (f"item-{number}" for number in count(1)) if name not in taken)


def _record(action: str, work: Round, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=work.project, round=work.pk, **data)
