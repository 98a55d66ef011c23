"""Calibrations from draft to close, and the second round.

A calibration is a round whose slots are all reserved: one for each participant and text. curation measures the round at
its close and hands the numbers down; the state is kept here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain import stages as way
from annotation.domain.sentences import as_text, say
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    Assigning,
    Assignment,
    CalibrationResult,
    Membership,
    Project,
    Qualification,
    Response,
    Round,
    Stage,
    User,
)
from annotation.queries import calibration as queries
from annotation.services import journal, seals, slots, stages

State = Round.State
Numbers = Mapping[str, object]

FEWEST = 2  # with one annotator there is nobody to agree with
ROWS_AT_A_TIME = 1000
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Results:
    """What curation measured: numbers of the group, and of each annotator by membership."""

    group: Numbers
    people: Mapping[int, Numbers]


# --- Drafts --------------------------------------------------------------------------------------


@transaction.atomic
def draft(
    project: Project,
    *,
    language: str,
    name: str,
    responses: Collection[int],
    participants: Collection[int],
    closes_at: datetime | None,
    by: User | None,
    now: datetime,
) -> Round:
    """A draft over these texts, with a slot of each for each participant. It asks nobody anything yet."""
    seals.hold(project)
    members = _members(project, language, participants)
    texts = _texts(project, responses, members)
    _refuse_past(closes_at, now=now)
    made = _make(project, name, language=language, closes_at=closes_at, now=now, people=len(members))
    made.prompts.set({text.prompt_id for text in texts})
    _make_slots(made, [text.pk for text in texts], members)
    _record("calibration.drafted", made, by=by, now=now, texts=len(texts), people=len(members))
    return made


@transaction.atomic
def delete(work: Round, *, by: User | None, now: datetime) -> None:
    """Remove a draft, and the slots that nobody was given."""
    move(work, {State.DRAFT}, state=State.DRAFT)
    _record("calibration.deleted", work, by=by, now=now, name=work.name)
    work.assignments.all().delete()
    Round.objects.filter(pk=work.pk).delete()


@transaction.atomic
def open_draft(work: Round, *, stop_work: bool = False, by: User | None, now: datetime) -> None:
    """Give the texts out. With `stop_work`, active participants stop working until they have passed."""
    _refuse_past(work.closes_at, now=now)
    newest = work.project.rubrics.order_by("-version").first()
    move(work, {State.DRAFT}, state=State.OPEN, opened_at=now, rubric=newest)
    members = list(queries.participants(work))
    texts = list(queries.responses(work).values_list("pk", flat=True))
    # Between draft and opening people leave and texts are removed.
    _members(work.project, work.language, [member.pk for member in members])
    _texts(work.project, texts, members)
    _stop(work, members if stop_work else [], by=by, now=now)
    _record("calibration.opened", work, by=by, now=now, people=len(members), texts=len(texts))


@transaction.atomic
def add_participant(
    work: Round, member: Membership, *, stop_work: bool = False, by: User | None, now: datetime
) -> None:
    """One more who scores the same texts, while the round is open. A second round is for those of the first."""
    if work.follows_id:
        raise DomainError("second_round", _("A second round is for those who took part in the first."))
    move(work, {State.OPEN}, state=State.OPEN)
    members = list(queries.participants(work))
    if member in members:
        raise DomainError("takes_part_already", _("This annotator takes part already."))
    _members(work.project, work.language, [member.pk], fewest=1)
    texts = list(queries.responses(work).values_list("pk", flat=True))
    _refuse_seen([member], texts)
    _make_slots(work, texts, [member], first=work.annotators_per_response + 1)
    Round.objects.filter(pk=work.pk).update(annotators_per_response=work.annotators_per_response + 1)
    _stop(work, [member] if stop_work else [], by=by, now=now)
    _record("calibration.participant_added", work, by=by, now=now, user=member.user_id)


# --- Close and second round ----------------------------------------------------------------------


@transaction.atomic
def close(
    work: Round,
    measure: Callable[[Round], Results],
    *,
    reason: str = "",
    by: User | None,
    now: datetime,
) -> None:
    """End the scoring and keep what it came to. `measure` is called once no score can come any more.

    Once all are in, or the deadline has passed; earlier, a lead says why. Of two who close at once one is refused.
    """
    early = not (queries.progress(work).all_in or queries.is_due(work, now=now))
    if early and not reason.strip():
        raise Invalid(
            "no_reason",
            _("Not everybody has submitted, and the deadline has not passed. Say why you close it now."),
        )
    move(work, {State.OPEN, State.PAUSED}, state=State.LOCKED, locked_at=now)
    # A score that is being stored at this moment holds its slot: it is waited for here and counted, and one that
    # comes later finds no slot.
    free = work.assignments.filter(state__in=[Assignment.State.OPEN, Assignment.State.LEASED])
    free.update(state=Assignment.State.VOID, annotator=None, leased_until=None)
    results = measure(work)
    CalibrationResult.objects.bulk_create(
        [
            CalibrationResult(round=work, numbers=dict(results.group), at=now),
            *(
                CalibrationResult(round=work, annotator_id=annotator, numbers=dict(numbers), at=now)
                for annotator, numbers in sorted(results.people.items())
            ),
        ]
    )
    _record("calibration.closed", work, by=by, now=now, early=early, reason=reason.strip())


@transaction.atomic
def second_round(work: Round, *, closes_at: datetime | None = None, by: User | None, now: datetime) -> Round:
    """The same texts for the same people once more, after they have talked. Open at once; both rounds are kept."""
    if work.follows_id:
        raise DomainError("second_round", _("This is a second round already."))
    move(work, {State.LOCKED}, state=State.LOCKED)
    if queries.second_of(work) is not None:
        raise DomainError("second_round_exists", _("There is a second round already."))
    _refuse_past(closes_at, now=now)
    able = {member.pk for member, _stage in queries.can_take_part(work.project, work.language)}
    took_part = [member for member in queries.participants(work) if queries.has_scored(member, work)]
    members = [member for member in took_part if member.pk in able]
    if len(members) < FEWEST:
        raise DomainError(
            "too_few",
            _("A second round needs two of those who took part, still at a stage at which they may."),
        )
    ending = _(" (second round)")
    made = _make(
        work.project,
        work.name[: LONGEST_NAME - len(ending)] + ending,
        language=work.language,
        closes_at=closes_at,
        now=now,
        people=len(members),
        follows=work,
    )
    texts = list(queries.responses(work).values_list("pk", flat=True))
    made.prompts.set(work.prompts.all())
    _make_slots(made, texts, members)
    move(made, {State.DRAFT}, state=State.OPEN, opened_at=now, rubric=made.rubric)
    made.refresh_from_db()
    _record("calibration.second_round", made, by=by, now=now, people=len(members), follows=work.pk)
    return made


# --- What all of them rest on --------------------------------------------------------------------


def move(work: Round, states: set[State], **columns: object) -> None:
    """Change a calibration that is in one of the states. The row count tells whether somebody else was first."""
    if Round.objects.filter(pk=work.pk, purpose=queries.CALIBRATION, state__in=states).update(**columns) == 1:
        work.refresh_from_db()
        return
    state = Round.objects.values_list("state", flat=True).filter(pk=work.pk).first()
    if state is None:
        raise DomainError("deleted", _("This calibration was deleted meanwhile."))
    if State.DRAFT in states:
        raise DomainError("not_a_draft", _("This calibration has been opened already."))
    if State.LOCKED in states:
        raise DomainError("not_closed", _("This calibration is not closed yet."))
    if state == State.LOCKED:
        raise DomainError("already_closed", _("This calibration is closed already."))
    raise DomainError("round_not_open", _("This calibration is not open."))


def _make(
    project: Project,
    name: str,
    *,
    language: str,
    closes_at: datetime | None,
    now: datetime,
    people: int,
    follows: Round | None = None,
) -> Round:
    rubric = project.rubrics.order_by("-version").first()
    if rubric is None:
        raise DomainError("no_rubric", _("This project has no rubric. Write one before a round is opened."))
    try:
        with transaction.atomic():
            return Round.objects.create(
                project=project,
                name=name,
                purpose=queries.CALIBRATION,
                rubric=rubric,
                language=language,
                closes_at=closes_at,
                follows=follows,
                annotators_per_response=people,
                assigning=Assigning.PANEL,
                created_at=now,
            )
    except IntegrityError as error:
        raise Invalid(
            "round_exists", _("There is a round %(name)s already. Choose another name.") % {"name": name}
        ) from error


def _make_slots(
    work: Round, responses: Sequence[int], members: Sequence[Membership], *, first: int = 1
) -> None:
    prompts = slots.prompts_of(responses)
    Assignment.objects.bulk_create(
        (
            slots.of_response(work, response, prompts[response], slot, reserved_for=member)
            for response in responses
            for slot, member in enumerate(members, start=first)
        ),
        batch_size=ROWS_AT_A_TIME,
    )


def _members(
    project: Project, language: str, chosen: Collection[int], *, fewest: int = FEWEST
) -> list[Membership]:
    able = {member.pk: member for member, _stage in queries.can_take_part(project, language)}
    if not able.keys() >= set(chosen):
        raise Invalid(
            "not_ready_for_calibration",
            _(
                "Somebody you chose is not at a stage at which a calibration is given in this language. Choose again."
            ),
        )
    if len(set(chosen)) < fewest:
        raise Invalid("too_few", _("Choose two annotators or more: one alone has nobody to agree with."))
    return [able[pk] for pk in sorted(set(chosen))]


def _texts(project: Project, chosen: Collection[int], members: Sequence[Membership]) -> list[Response]:
    found = list(queries.unseen(project).filter(pk__in=chosen).order_by("pk"))
    if len(found) < len(set(chosen)):
        raise Invalid(
            "unfit_texts",
            _(
                "Some of these texts were removed, belong to an exam or a course, or are being scored in a live "
                "round. Choose the texts again."
            ),
        )
    if not found:
        raise Invalid("no_texts", _("Choose one text or more."))
    _refuse_seen(members, [text.pk for text in found])
    return found


def _refuse_seen(members: Sequence[Membership], texts: Sequence[int]) -> None:
    """What somebody has scored before they do not score independently."""
    seen = queries.scored_before(members, texts).values("response").distinct().count()
    if seen:
        raise Invalid(
            "scored_before",
            ngettext(
                "%(texts)d of these texts was scored before by somebody who takes part. Choose others.",
                "%(texts)d of these texts were scored before by somebody who takes part. Choose others.",
                seen,
            )
            % {"texts": seen},
        )


def _refuse_past(closes_at: datetime | None, *, now: datetime) -> None:
    if closes_at is not None and closes_at <= now:
        raise Invalid("deadline_passed", _("The deadline lies in the past. Choose a later one."))


def _stop(work: Round, members: Iterable[Membership], *, by: User | None, now: datetime) -> None:
    for member in members:
        held = queries.qualification(member, work.language)
        if held is not None and held.stage == Stage.ACTIVE:
            _back_to_calibration(held, work, by=by, now=now)


def _back_to_calibration(held: Qualification, work: Round, *, by: User | None, now: datetime) -> None:
    if by is None:
        raise NotAllowed("not_a_lead", _("Only leads of the project decide where an annotator stands."))
    reason = as_text(say("Re-calibration: {name}", name=work.name))
    stages.move(held, to=way.CALIBRATION, by=by, reason=reason, now=now)


def _record(action: str, work: Round, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=work.project, round=work.pk, **data)
