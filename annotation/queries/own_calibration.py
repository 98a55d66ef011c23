"""A calibration as one of its annotators sees it: before the close how many have submitted, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Membership, Qualification, Round, Stage
from annotation.queries import calibration, calibration_texts
from annotation.queries.calibration_results import GroupResult, OwnResult, group_result, own_result
from annotation.queries.calibration_texts import TextLine


@dataclass(frozen=True, slots=True)
class Sitting:
    """One round of a calibration. Results are there once it is closed."""

    round_token: str  # for the form that asks for the next text
    name: str
    state: str
    closes_at: datetime | None
    done: int
    total: int
    submitted: int  # of the participants, those who are done
    taking_part: int
    can_score: bool
    group: GroupResult | None
    own: OwnResult | None

    @property
    def is_open(self) -> bool:
        return self.state == Round.State.OPEN

    @property
    def is_closed(self) -> bool:
        return self.group is not None

    @property
    def left(self) -> int:
        return self.total - self.done


@dataclass(frozen=True, slots=True)
class OwnCalibration:
    number: int  # among the annotator's own, from 1
    numbers: tuple[int, ...]  # of all of them
    first: Sitting
    second: Sitting | None  # where the annotator takes part in it
    texts: tuple[TextLine, ...]

    @property
    def sittings(self) -> tuple[Sitting, ...]:
        return (self.first, self.second) if self.second else (self.first,)

    @property
    def rounds_shown(self) -> int:
        return len(self.texts[0].strips) if self.texts else 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Where no calibration has been opened for the annotator."""

    stage: str

    @property
    def is_next(self) -> bool:
        return self.stage == Stage.CALIBRATION


def own_calibration(held: Qualification, number: int | None) -> OwnCalibration | Waiting | None:
    """The one of that number, the newest where none is named; None where there is no such one."""
    found = list(calibration.own(held))
    if not found and number is None:
        return Waiting(held.stage)
    number = number or len(found)
    if not 1 <= number <= len(found):
        return None
    return _shown(held.annotator, found[number - 1], number, found)


def first_round(held: Qualification, number: int) -> Round | None:
    found = list(calibration.own(held))
    return found[number - 1] if 1 <= number <= len(found) else None


def _shown(member: Membership, first: Round, number: int, found: Sequence[Round]) -> OwnCalibration:
    second = calibration.second_of(first)
    takes_part = second is not None and second.assignments.filter(reserved_for=member).exists()
    return OwnCalibration(
        number=number,
        numbers=tuple(range(1, len(found) + 1)),
        first=_sitting(member, first),
        second=_sitting(member, second) if second is not None and takes_part else None,
        texts=tuple(calibration_texts.text_lines(first, reader=member)),
    )


def _sitting(member: Membership, work: Round) -> Sitting:
    progress = calibration.progress(work)
    own = next(person for person in progress.people if person.annotator.pk == member.pk)
    return Sitting(
        round_token=work.token,
        name=work.name,
        state=work.state,
        closes_at=work.closes_at,
        done=own.done,
        total=own.total,
        submitted=progress.submitted,
        taking_part=progress.total,
        can_score=own.can_score,
        group=group_result(work),
        own=own_result(member, work),
    )
