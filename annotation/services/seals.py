"""What curation has read of a project, noted where annotation can see it: curation calls down.

An import that a run has read cannot be undone; a removal that stands in a frozen release cannot be taken back.
"""

from datetime import datetime

from django.db.models import Q

from annotation.models import Import, Project


def note_snapshot(project: Project, *, now: datetime) -> None:
    """Call first in the transaction that takes a snapshot: it holds the project's row until that is done, as an
    import does while it begins or ceases to count. So an import is read, and marked, or it is neither."""
    hold(project)
    project.imports.filter(state=Import.State.STORED, read_at=None).update(read_at=now)


def hold(project: Project) -> None:
    """Hold the project's row until the transaction ends; whoever else holds it waits."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def note_freeze(project: Project, *, at: datetime) -> None:
    """Judgements and removals up to `at` stand in a frozen release. In the transaction that freezes it."""
    later = Project.objects.filter(Q(sealed_at=None) | Q(sealed_at__lt=at), pk=project.pk)
    later.update(sealed_at=at)
