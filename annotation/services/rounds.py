"""Opening a round makes its slots; locking it ends the work."""

from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.errors import DomainError
from annotation.models import Assignment, Project, Response, Round, User
from annotation.services import journal

SLOTS_AT_A_TIME = 1000


@transaction.atomic
def open_round(
    project: Project, name: str, *, purpose: str = Round.Purpose.LIVE, by: User | None, now: datetime
) -> Round:
    """A round over all active responses of the project, with as many slots each as the project says."""
    rubric = project.rubrics.order_by("-version").first()
    if rubric is None:
        raise DomainError("no_rubric", "This project has no rubric. Write one before a round is opened.")
    try:
        with transaction.atomic():
            opened = Round.objects.create(
                project=project,
                name=name,
                purpose=purpose,
                state=Round.State.OPEN,
                rubric=rubric,
                created_at=now,
                opened_at=now,
            )
    except IntegrityError as error:
        raise DomainError("round_exists", f"There is a round {name} already. Choose another name.") from error
    responses = (
        project.responses.filter(state=Response.State.ACTIVE).order_by("pk").values_list("pk", flat=True)
    )
    Assignment.objects.bulk_create(
        (
            Assignment(round=opened, response_id=response, slot=slot)
            for response in responses
            for slot in range(1, project.annotators_per_response + 1)
        ),
        batch_size=SLOTS_AT_A_TIME,
    )
    journal.record("round.opened", by=by, at=now, project=project, round=opened.pk)
    return opened


@transaction.atomic
def lock(work: Round, *, by: User | None, now: datetime) -> None:
    if (
        Round.objects.filter(pk=work.pk, state=Round.State.OPEN).update(
            state=Round.State.LOCKED, locked_at=now
        )
        != 1
    ):
        raise DomainError("round_not_open", f"The round {work.name} is not open.")
    journal.record("round.locked", by=by, at=now, project=work.project, round=work.pk)
