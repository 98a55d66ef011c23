from datetime import datetime

from annotation.models import JournalEntry, Project, User
from annotation.models.prepared import insert


def record(
    action: str, *, by: User | None, at: datetime, project: Project | None = None, **data: object
) -> None:
    """Call inside the transaction of the change, so that neither stands without the other."""
    insert(JournalEntry(project=project, actor=by, action=action, data=data, at=at))
