"""Material and scores from files into a project: all of a file or nothing, a second time without effect."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.domain.material import read_responses
from annotation.domain.scoring import read_scores
from annotation.models import Project, User
from annotation.services import journal
from annotation.services.intake_material import MaterialIntake
from annotation.services.intake_scores import ScoreIntake


@dataclass(frozen=True)
class Report:
    """What an import did, or would do if it had not been a trial. `rows` are those of the file; `unchanged`
    are the rows that say what is stored, or was said before in the file."""

    rows: int
    unchanged: int
    created_prompts: int = 0
    created_responses: int = 0
    created_annotators: int = 0
    created_scores: int = 0
    revisions: int = 0
    dry_run: bool = False

    @property
    def changes(self) -> int:
        created = self.created_prompts + self.created_responses + self.created_annotators
        return created + self.created_scores + self.revisions

    def as_dict(self) -> dict[str, int | bool]:
        return asdict(self)


def import_material(
    project: Project, path: Path, *, by: User | None, now: datetime, dry_run: bool = False
) -> Report:
    """Prompts and responses of a file. InputError names line and column; then nothing has changed."""
    rows = read_responses(path)
    with transaction.atomic():
        _lock(project)
        intake = MaterialIntake(project, path.name, now)
        prompts = intake.add_prompts(rows)
        responses = intake.add_responses(rows)
        report = Report(
            rows=len(rows),
            unchanged=len(rows) - responses,
            created_prompts=prompts,
            created_responses=responses,
            dry_run=dry_run,
        )
        _conclude("material.imported", report, project=project, path=path, by=by, now=now)
    return report


def import_scores(
    project: Project, path: Path, *, by: User | None, now: datetime, dry_run: bool = False
) -> Report:
    """Scores of a file, into the project's round of imported scores. InputError as above."""
    # Read before the transaction, which keeps others from writing. Responses are never deleted.
    responses = dict(project.responses.values_list("external_id", "pk"))
    rows = read_scores(path, responses)
    with transaction.atomic():
        _lock(project)
        stored = ScoreIntake(project, path.name, now).add(rows, responses)
        report = Report(
            rows=len(rows),
            unchanged=len(rows) - stored.scores - stored.revisions,
            created_annotators=stored.annotators,
            created_scores=stored.scores,
            revisions=stored.revisions,
            dry_run=dry_run,
        )
        _conclude("scores.imported", report, project=project, path=path, by=by, now=now)
    return report


def _lock(project: Project) -> None:
    """Two imports into one project follow each other."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _conclude(
    action: str, report: Report, *, project: Project, path: Path, by: User | None, now: datetime
) -> None:
    """Journal what changed and from which file; undo everything if it was a trial."""
    if report.dry_run:
        transaction.set_rollback(True)
    elif report.changes:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        counts = report.as_dict()
        journal.record(action, by=by, at=now, project=project, file=path.name, file_sha256=digest, **counts)
