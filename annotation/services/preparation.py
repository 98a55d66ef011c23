"""What a project asks before the work. Marks that are changed hold for results that come after the change."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.errors import DomainError, NotAllowed
from annotation.models import Preparation, Project, Qualification, User
from annotation.queries.stages import settings_of
from annotation.services import journal


@transaction.atomic
def change(project: Project, values: Mapping[str, object], *, by: User, now: datetime) -> Preparation:
    """Set columns of Preparation. A stage in which somebody stands cannot be left out."""
    if not access.is_lead(by, project):
        raise NotAllowed("not_a_lead", _("Only leads of the project decide what it asks of annotators."))
    for stage in ("screening", "exam", "training", "calibration"):
        there = Qualification.objects.filter(project=project, stage=stage).count()
        if values.get(f"uses_{stage}") is False and there:
            raise DomainError(
                "somebody_stands_there",
                _(
                    "Somebody stands at a stage that you leave out. Move them first, on the page of the people."
                ),
            )
    before = settings_of(project)
    changes = {
        key: [_plain(getattr(before, key)), _plain(value)]
        for key, value in values.items()
        if getattr(before, key) != value
    }
    found, is_new = Preparation.objects.update_or_create(project=project, defaults=dict(values))
    if changes or is_new:
        journal.record("preparation.changed", by=by, at=now, project=project, **changes)
    return found


def _plain(value: object) -> object:
    """As the journal keeps it."""
    return value if isinstance(value, bool | int | list) else str(value)
