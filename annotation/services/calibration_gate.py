"""The gate after a closed calibration: who goes on, who goes back to training."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain.sentences import as_text, say
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import CalibrationResult, Membership, Round, Stage, User
from annotation.queries import calibration as queries
from annotation.services import stages
from annotation.services.calibration import move


@transaction.atomic
def pass_those_who_meet(work: Round, *, by: User, now: datetime) -> int:
    """Everybody at the stage of calibration whose number met the gate goes on; gives how many they are.

    Not who came to the stage after the close: about them a lead decides, with a reason, or another calibration.
    """
    _refuse_undecided(work, by)
    passed, again = 0, queries.asked_since(work)
    for result in results_of_people(work):
        held = queries.qualification(result.annotator, work.language)
        if held is None or held.stage != Stage.CALIBRATION or not result.numbers["gate"]["met"]:
            continue
        if result.annotator.state != Membership.State.ACTIVE or result.annotator_id in again:
            continue
        if held.since > work.locked_at:
            continue
        stages.advance(
            held,
            expected=Stage.CALIBRATION,
            by=by,
            reason=_gate_in_words(work, result.numbers["gate"]),
            now=now,
        )
        passed += 1
    if not passed:
        raise DomainError("nobody_to_pass", _("Nobody who meets the gate still waits for it."))
    return passed


@transaction.atomic
def decide(work: Round, member: Membership, *, to: str, reason: str, by: User, now: datetime) -> None:
    """A lead passes one annotator, or sends them back to training, with a reason."""
    _refuse_undecided(work, by)
    held = queries.qualification(member, work.language)
    if held is None or held.stage != Stage.CALIBRATION:
        raise DomainError(
            "not_in_calibration", _("This annotator does not wait for the outcome of a calibration.")
        )
    if member.pk in queries.asked_since(work):
        raise DomainError(
            "asked_again",
            _("This annotator takes part in a later calibration. Decide on its page, once it is closed."),
        )
    if to not in (Stage.ACTIVE, Stage.TRAINING):
        raise Invalid(
            "unknown_stage", _("Choose whether the annotator becomes active or goes back to training.")
        )
    stages.move(held, to=to, reason=reason, by=by, now=now)


def results_of_people(work: Round) -> Iterable[CalibrationResult]:
    found = work.calibration_results.filter(annotator__isnull=False)
    return found.select_related("annotator__user", "annotator__project").order_by("annotator__pseudonym")


def _refuse_undecided(work: Round, by: User) -> None:
    if not access.is_lead(by, work.project):
        raise NotAllowed("not_a_lead", _("Only leads of the project decide where an annotator stands."))
    move(work, {Round.State.LOCKED}, state=Round.State.LOCKED)
    second = queries.second_of(work)
    if second is not None:
        raise DomainError(
            "second_round_decides",
            _("This calibration has a second round. Decide on its page, once it is closed."),
        )


def _gate_in_words(work: Round, gate: Mapping[str, object]) -> str:
    """As it is kept with the passage: read in the reader's language by queries/standing.py."""
    said = say(
        "Met the gate of the calibration {name}: {value}, at least {threshold}.",
        name=work.name,
        value=f"{gate['value']:.3f}",
        threshold=gate["threshold"],
    )
    return as_text(said)
