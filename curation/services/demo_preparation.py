"""The demo project's preparation from beginning to end. curation measures the calibration, hence its part here."""

from datetime import datetime

from annotation import access
from annotation.models import Project, Round
from annotation.services import demo_preparation
from curation.services import calibration


def prepare(project: Project, *, now: datetime) -> bool:
    """People at every stage, all that they did, and the calibration closed; False where it was not to be.

    A second call changes nothing.
    """
    work = demo_preparation.load(project, now=now)
    lead = access.active_leads(project).order_by("pk").first()
    if work is None or lead is None:
        return False
    if work.state == Round.State.OPEN:
        calibration.close(work, by=lead.user, now=work.closes_at)
    demo_preparation.conclude(work, by=lead.user, now=now)
    return True
