"""Files with Plumb's own columns, taken in the foreground: all of a file or nothing."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.domain import material, scoring
from annotation.domain.records import read
from annotation.models import Import, Project, User
from annotation.services.intake import IMPORTER_VERSION, Intake, Row, Rows, conclude


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

    def as_dict(self) -> dict[str, int | bool]:
        return asdict(self)


def import_material(
    project: Project, path: Path, *, by: User | None, now: datetime, dry_run: bool = False
) -> Report:
    """Prompts and responses of a file. InputError names line and column; then nothing has changed."""

    def rows() -> Iterator[Row]:
        for record in read(path, required=material.REQUIRED, optional=material.OPTIONAL):
            yield Row(record, response=material.response_row(record))

    return _take(project, path, rows, by=by, now=now, dry_run=dry_run)


def import_scores(
    project: Project, path: Path, *, by: User | None, now: datetime, dry_run: bool = False
) -> Report:
    """Scores of a file, into the project's round of imported scores. InputError as above."""

    def rows() -> Iterator[Row]:
        for record in read(path, required=scoring.REQUIRED, optional=scoring.OPTIONAL):
            yield Row(record, scores=((scoring.score_row(record), record),))

    return _take(project, path, rows, by=by, now=now, dry_run=dry_run)


@transaction.atomic
def _take(
    project: Project, path: Path, rows: Rows, *, by: User | None, now: datetime, dry_run: bool
) -> Report:
    brought = Import.objects.create(
        project=project,
        files=[],
        layout="plumb",
        importer_version=IMPORTER_VERSION,
        state=Import.State.STORING,
        keep_names=True,
        created_by=by,
        created_at=now,
    )
    intake = Intake(project, rows, of=brought, now=now)
    intake.examine()
    intake.weigh()
    if intake.errors:
        raise intake.errors[0]
    if dry_run:
        transaction.set_rollback(True)
    elif not intake.report.changes:
        brought.delete()
    else:
        intake.store()
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
        Import.objects.filter(pk=brought.pk).update(
            files=[{"name": path.name, "sha256": digest, "size": size, "path": ""}]
        )
        conclude(brought, intake.report, by=by, now=now)
    found = intake.report
    return Report(
        rows=found.rows,
        unchanged=found.unchanged,
        created_prompts=found.prompts,
        created_responses=found.responses,
        created_annotators=found.annotators,
        created_scores=found.scores,
        revisions=found.revisions,
        dry_run=dry_run,
    )
