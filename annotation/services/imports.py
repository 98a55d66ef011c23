"""An import from the upload to the job: what the files are, how they are read, what a worker is asked to do."""

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain import layouts, sources
from annotation.domain.field_map import FieldMap
from annotation.domain.records import Record
from annotation.domain.sources import Shape
from annotation.errors import DomainError, Invalid
from annotation.models import (
    Assignment,
    Import,
    ImportJob,
    Preference,
    Project,
    Response,
    SavedFieldMap,
    Score,
    User,
)
from annotation.queries.rounds import IMPORTED
from annotation.services import imports_read, journal
from annotation.services.intake import IMPORTER_VERSION

MAX_BYTES = 200 * 1024**2
MAX_FILES = 100
Action = ImportJob.Action
State = Import.State


def upload(
    project: Project, files: Sequence[tuple[str, Iterable[bytes]]], *, by: User | None, now: datetime
) -> Import:
    """A draft with the files, recognised, and a field map suggested. InputError where they cannot be read; then
    nothing is kept."""
    if not files:
        raise Invalid("no_file", _("Choose a file first."))
    if len(files) > MAX_FILES:
        raise Invalid("too_many_files", _("At most %(most)d files go into one import.") % {"most": MAX_FILES})
    with _removed_on_failure() as kept:
        found = [part for name, chunks in files for part in _keep(name, chunks, kept)]
        if len(found) > MAX_FILES:
            raise Invalid(
                "too_many_files", _("At most %(most)d files go into one import.") % {"most": MAX_FILES}
            )
        draft = Import(
            project=project,
            files=[_described(name, path) for name, path in found],
            layout="generic",
            importer_version=IMPORTER_VERSION,
            created_by=by,
            created_at=now,
        )
        _recognise(draft)
        with transaction.atomic():
            draft.save()
            names = [{"name": file["name"], "sha256": file["sha256"]} for file in draft.files]
            journal.record("import.uploaded", by=by, at=now, project=project, subject=draft.pk, files=names)
    return draft


@contextmanager
def _removed_on_failure() -> Iterator[list[Path]]:
    kept: list[Path] = []
    try:
        yield kept
    except BaseException:
        for path in kept:
            path.unlink(missing_ok=True)
        raise


def _keep(name: str, chunks: Iterable[bytes], kept: list[Path]) -> list[tuple[str, Path]]:
    """Write one uploaded file under a random name; the members of an archive take its place."""
    folder = settings.IMPORTS_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / secrets.token_hex(16)
    kept.append(path)
    size = 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > MAX_BYTES:
                raise Invalid(
                    "too_large",
                    _("%(name)s is larger than %(most)d MB. Split it and import the parts.")
                    % {"name": name, "most": MAX_BYTES // 1024**2},
                )
            file.write(chunk)
    found = sources.members(path, name=name, into=folder)
    if [member for _, member in found] != [path]:
        kept.extend(member for _, member in found)
        path.unlink()
        kept.remove(path)
    return found


def _described(name: str, path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    shape = sources.detect(path, name=name)
    return {
        "name": name,
        "sha256": digest,
        "size": path.stat().st_size,
        "path": path.name,
        "shape": shape.as_dict(),
    }


def _recognise(draft: Import, *, layout: str | None = None) -> None:
    """Set layout, shape and field map by the first rows of the first file. All files of an import have one layout."""
    first = draft.files[0]
    shape = Shape.from_dict(first["shape"])
    draft.shape = first["shape"]
    path = imports_read.path_of(first["path"])
    samples: list[Record] = []
    for record in sources.read_any(path, shape, name=first["name"]):
        samples.append(record)
        if len(samples) == imports_read.SAMPLE:
            break
    chosen = layouts.by_key(layout) if layout else layouts.recognise(samples, name=first["name"])
    draft.layout = chosen.key
    draft.field_map = suggested(draft).as_dict()


def suggested(draft: Import) -> FieldMap:
    """A saved field map whose columns are all there, the newest first; else what the layout proposes."""
    flat = imports_read.flat_samples(draft)
    there = {name for row in flat for name in row.values}
    for saved in draft.project.field_maps.filter(layout=draft.layout).order_by("-pk"):
        plan = FieldMap.from_dict(saved.field_map)
        if _columns_of(plan) <= there:
            return plan
    names = [file["name"] for file in draft.files]
    return layouts.by_key(draft.layout).suggest(flat, names=names, languages=draft.project.languages)


def _columns_of(plan: FieldMap) -> set[str]:
    named = {name for source in plan.fields.values() for name in source.columns}
    return named | set(plan.raters) | ({plan.only[0]} if plan.only else set())


@transaction.atomic
def revise(
    found: Import,
    *,
    field_map: FieldMap,
    shape: Shape | None = None,
    layout: str | None = None,
    keep_names: bool,
    leave_out_bad_rows: bool,
    now: datetime,
) -> None:
    """Other columns, or another way to read the files. Another layout or shape brings its own suggestion."""
    _refuse_while_worked_on(found)
    draft = Import.objects.filter(pk=found.pk, state=State.DRAFT)
    found.keep_names, found.leave_out_bad_rows = keep_names, leave_out_bad_rows
    found.field_map = field_map.as_dict()
    reread = (shape is not None and shape.as_dict() != found.shape) or layout not in (None, found.layout)
    if shape is not None and shape.as_dict() != found.shape:
        found.files = [{**file, "shape": shape.as_dict()} for file in found.files]
    if reread:
        _recognise(found, layout=layout)
    changed = draft.update(
        files=found.files,
        shape=found.shape,
        layout=found.layout,
        field_map=found.field_map,
        keep_names=keep_names,
        leave_out_bad_rows=leave_out_bad_rows,
    )
    if changed != 1:
        raise _not_a_draft()
    # A check of the files read otherwise says nothing any more.
    found.jobs.filter(action=Action.CHECK).update(report=None)


def _not_a_draft() -> DomainError:
    return DomainError("not_a_draft", _("These files have been imported, or are being imported, already."))


def _refuse_while_worked_on(found: Import) -> None:
    _hold(found)
    if found.jobs.filter(state__in=["queued", "running"]).exists():
        raise DomainError("import_at_work", _("This import is being worked on. Wait until it is done."))


def _hold(found: Import) -> None:
    """Until the transaction ends, nobody else changes the import or asks for a job on it."""
    Import.objects.select_for_update(no_key=True).filter(pk=found.pk).first()


def _refuse_while_at_work(project: Project) -> None:
    if (
        ImportJob.objects.filter(project=project, state__in=["queued", "running"]).exists()
        or project.imports.filter(state__in=[State.STORING, State.UNDOING]).exists()
    ):
        raise DomainError(
            "import_at_work", _("An import of this project is being worked on. Wait until it is done.")
        )


@transaction.atomic
def request(found: Import, action: str, *, by: User | None, now: datetime) -> ImportJob:
    """A job in waiting. The caller nudges a worker once this is committed."""
    _hold(found)
    _refuse_while_at_work(found.project)
    found.refresh_from_db()
    if action == Action.UNDO:
        _refuse_to_undo_what_is_used(found)
    elif found.state != State.DRAFT:
        raise _not_a_draft()
    elif not _says_something(imports_read.field_map(found)):
        raise Invalid(
            "nothing_mapped",
            _(
                "Say which column is the text of the responses, or which is the score. Nothing would be imported."
            ),
        )
    try:
        with transaction.atomic():
            return ImportJob.objects.create(
                project=found.project, subject=found, action=action, queued_by=by, queued_at=now
            )
    except IntegrityError as error:
        raise DomainError(
            "import_at_work", _("An import of this project is being worked on. Wait until it is done.")
        ) from error


def _says_something(plan: FieldMap) -> bool:
    return bool(plan.raters) or plan.votes or "text" in plan.fields or "score" in plan.fields


def _refuse_to_undo_what_is_used(found: Import) -> None:
    if found.state != State.STORED:
        raise DomainError("not_stored", _("Only an import that is stored can be undone."))
    reason = what_depends_on(found)
    if reason:
        raise DomainError("in_use", reason)


def what_depends_on(found: Import) -> str:
    """Why the import can no longer be undone; "" while nothing depends on it."""
    if found.read_at is not None:
        return _("A curation run has read what came in with it.")
    came = found.responses.all()
    uses = (
        (
            Assignment.objects.filter(response__in=came).exclude(round__name=IMPORTED),
            _("Responses that came in with it are part of a round."),
        ),
        (found.prompts.filter(rounds__isnull=False), _("Prompts that came in with it are part of a round.")),
        (
            Score.objects.filter(response__in=came).exclude(source=found),
            _("Responses that came in with it have scores from elsewhere."),
        ),
        (
            Response.objects.filter(prompt__source=found).exclude(source=found),
            _("Prompts that came in with it have responses from elsewhere."),
        ),
        (
            found.scores.filter(Exists(_later_revisions().exclude(source=found))),
            _("A later import revises scores that came in with it."),
        ),
        (
            Preference.objects.filter(Q(response_a__in=came) | Q(response_b__in=came)).exclude(source=found),
            _("Responses that came in with it have votes from elsewhere."),
        ),
        (
            found.preferences.filter(Exists(_later_votes().exclude(source=found))),
            _("A later import changes votes that came in with it."),
        ),
    )
    return next((reason for rows, reason in uses if rows.exists()), "")


def _later_revisions() -> QuerySet[Score]:
    return Score.objects.filter(
        assignment=OuterRef("assignment"), annotator=OuterRef("annotator"), revision__gt=OuterRef("revision")
    )


def _later_votes() -> QuerySet[Preference]:
    """Whichever of the two was shown first."""
    one, other = OuterRef("response_a"), OuterRef("response_b")
    return Preference.objects.filter(
        Q(response_a=one, response_b=other) | Q(response_a=other, response_b=one),
        round=OuterRef("round"),
        annotator=OuterRef("annotator"),
        revision__gt=OuterRef("revision"),
    )


@transaction.atomic
def discard(found: Import, *, by: User | None, now: datetime) -> None:
    """A draft with its files."""
    _refuse_while_worked_on(found)
    kept = [file["path"] for file in found.files]
    removed, _kinds = Import.objects.filter(pk=found.pk, state=State.DRAFT).delete()
    if not removed:
        raise _not_a_draft()
    journal.record("import.discarded", by=by, at=now, project=found.project, subject=found.pk)
    transaction.on_commit(lambda: remove_files(kept))


def remove_files(kept: Iterable[str]) -> None:
    for name in filter(None, kept):
        imports_read.path_of(name).unlink(missing_ok=True)


@transaction.atomic
def keep_field_map(found: Import, *, name: str, by: User | None, now: datetime) -> SavedFieldMap:
    """For the next files of the same layout; one of that name for that layout is written over."""
    if found.project.field_maps.filter(name=name).exclude(layout=found.layout).exists():
        raise Invalid(
            "name_taken", _("A mapping for files of another layout has this name. Choose another name.")
        )
    saved, _made = SavedFieldMap.objects.update_or_create(
        project=found.project,
        name=name,
        defaults={"layout": found.layout, "field_map": found.field_map, "created_at": now},
    )
    journal.record("field_map.saved", by=by, at=now, project=found.project, name=name)
    return saved


@transaction.atomic
def forget_field_map(saved: SavedFieldMap, *, by: User | None, now: datetime) -> None:
    journal.record("field_map.forgotten", by=by, at=now, project=saved.project, name=saved.name)
    saved.delete()
