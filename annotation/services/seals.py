"""What curation has read of a project, noted where annotation can see it: curation calls down.

Both moments only move forward. An import that a run has read cannot be undone; a removal that stands in a
frozen release cannot be taken back.
"""

from datetime import datetime

from django.db.models import Q

from annotation.models import Project


def note_snapshot(project: Project, *, now: datetime) -> None:
    """Call first in the transaction that takes a snapshot: it holds the project's row until that is done."""
    later = Project.objects.filter(Q(snapshot_at=None) | Q(snapshot_at__lt=now), pk=project.pk)
    later.update(snapshot_at=now)


def note_freeze(project: Project, *, at: datetime) -> None:
    """Judgements and removals up to `at` stand in a frozen release. In the transaction that freezes it."""
    later = Project.objects.filter(Q(sealed_at=None) | Q(sealed_at__lt=at), pk=project.pk)
    later.update(sealed_at=at)
