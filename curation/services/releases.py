"""Freezing a run into a release, and opening its files.

The bytes are computed again from the run's snapshot, checked against what the run stored, written to a folder
that nothing else writes, verified there, and only then named in the database. From then on both databases refuse
to change the rows, and `verify_release` finds a changed byte in the folder.
"""

import logging
import os
import secrets
import shutil
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.sentences import say
from annotation.errors import DomainError, Invalid
from annotation.models import Membership, User
from annotation.services import jobs, journal, seals
from annotation.services.refusals import FieldsRefused
from curation.domain import manifest
from curation.domain import terms as stated
from curation.domain.terms import LONGEST_NOTE, MOST_HELD_OUT, Check, Heldout, Statements, Terms
from curation.models import Download, Release, ReleaseFile, ReleaseReader, Run, Yank
from curation.services import audits, directory, objects, release_files, verification

logger = logging.getLogger(__name__)
HASHED_ON_OPENING = 32 * 2**20  # some 20 ms
NOTHING_STATED = Statements()


@transaction.atomic
def request(
    run: Run,
    *,
    name: str,
    version: str,
    by: User | None,
    now: datetime,
    reason: str = "",
    note: str = "",
    licence: str = "",
    contested: bool = False,
    heldout: Heldout = "",
    heldout_percent: int = 0,
    checks: Sequence[Check] = (),
    statements: Statements = NOTHING_STATED,
) -> Release:
    """A release in waiting. The caller nudges a worker once this is committed.

    A run that is not within the limits of its audit, or has none, takes a `reason` (audits.passed), which the release
    keeps with the limits and the figures as they are now. The rest is kept as its terms (domain/terms.py), with the
    `checks` that were shown and what was said of those that fail.
    """
    _refuse_bad(name, version, licence)
    if run.state != Run.State.DONE:
        raise DomainError("run_not_done", _("This run has no result to freeze."))
    if not run.funnel["accepted"]:
        raise DomainError("no_pairs", _("This run accepted no pair, so there is nothing to release."))
    if Release.objects.filter(name=name).exclude(project=run.project).exists():
        raise Invalid("name_taken", _("Another project releases under this name. Choose another."))
    audit = audits.passed(run, reason=reason)
    terms = Terms(
        date=now.astimezone(UTC).date().isoformat(),
        canary=str(uuid.UUID(bytes=secrets.token_bytes(16), version=4)),
        salt=secrets.token_hex(16),
        note=_note(note),
        licence=licence,
        contested=contested,
        heldout=heldout,
        heldout_percent=_heldout_percent(heldout, heldout_percent),
        previous=_newest_version(name),
        checks=checks,
        statements=_statements(statements),
    )
    try:
        with transaction.atomic():
            release = Release.objects.create(
                project=run.project,
                run=run,
                name=name,
                version=version,
                audit=audit.as_dict(),
                terms=terms.as_dict(),
                queued_by=by,
                queued_at=now,
            )
    except IntegrityError as error:
        message = _(
            "There is a %(name)s %(version)s already, and a version is never used twice. Choose the next."
        )
        message %= {"name": name, "version": version}
        raise Invalid("version_taken", message) from error
    given = {"reason": audit.reason} if audit.reason else {}
    journal.record("release.requested", by=by, at=now, project=run.project, release=release.pk, **given)
    return release


def _note(note: str) -> str:
    if len(note) > LONGEST_NOTE:
        message = _("This note is too long: use at most %(most)s characters.") % {"most": LONGEST_NOTE}
        raise Invalid("note_too_long", message)
    return note.strip()


def _statements(given: Statements) -> Statements:
    """As they are kept; FieldsRefused names those that cannot be."""
    kept = {name: stated.written(text) for name, text in given.as_dict().items()}
    words = {
        stated.TOO_LONG: _("This is too long: use at most %(most)s characters.")
        % {"most": stated.LONGEST_STATEMENT},
        stated.UNSEEN: _("This holds an invisible character. Delete it, or type the text anew."),
    }
    refused = {name: words[fault] for name, text in kept.items() if (fault := stated.fault(text))}
    if refused:
        raise FieldsRefused("bad_statement", refused)
    return Statements(**kept)


def _heldout_percent(heldout: Heldout, percent: int) -> int:
    if not heldout:
        return 0
    if not 1 <= percent <= MOST_HELD_OUT:
        message = _("Hold out between 1 and %(most)s percent of the prompts, or nothing.")
        raise Invalid("bad_heldout_percent", message % {"most": MOST_HELD_OUT})
    return percent


def _newest_version(name: str) -> str:
    """The version of this name that was frozen last, "" before the first."""
    done = Release.objects.filter(name=name, state=Release.State.DONE)
    return done.order_by("-finished_at", "-pk").values_list("version", flat=True).first() or ""


def _refuse_bad(name: str, version: str, licence: str) -> None:
    """In the reader's language; what is allowed is the domain's to say."""
    try:
        manifest.check_name(name)
    except manifest.ReleaseError as error:
        message = _(
            "This name will not do: use up to 60 letters, digits, dots, hyphens and underscores, "
            "starting with a letter or a digit."
        )
        raise Invalid("bad_name", message) from error
    try:
        manifest.check_version(version)
    except manifest.ReleaseError as error:
        message = _("This version will not do: use MAJOR.MINOR.PATCH, such as 0.1.0 or 1.0.0-rc.1.")
        raise Invalid("bad_version", message) from error
    try:
        manifest.check_licence(licence)
    except manifest.ReleaseError as error:
        message = _("This licence will not do: use an id such as odc-by or cc-by-4.0, or leave it empty.")
        raise Invalid("bad_licence", message) from error


def execute(pk: int, *, clock: Callable[[], datetime]) -> None:
    """Freeze the release if it is to be had; otherwise somebody else does, or has done."""
    release = jobs.claim(Release, pk, now=clock())
    if release is None:
        return
    with jobs.outcome(release, clock=clock):
        try:
            with jobs.heartbeat(release, clock=clock):
                files = release_files.of(release)
                _write(_workshop(release), files)
                _keep(_workshop(release), files)
            _freeze(release, files, now=clock())
            _clear_up_after_the_dead(release)
        finally:
            shutil.rmtree(_workshop(release), ignore_errors=True)


# --- afterwards ------------------------------------------------------------------------------------------


@transaction.atomic
def yank(release: Release, *, reason: str, by: User | None, now: datetime) -> Yank:
    """Say of a frozen release that nobody should use it, and why. It stays what it is: this is a row of its own."""
    reason = " ".join(reason.split())
    if not reason:
        raise Invalid("reason_missing", _("Say why nobody should use this release any more."))
    if len(reason) > LONGEST_NOTE:
        message = _("This reason is too long: use at most %(most)s characters.") % {"most": LONGEST_NOTE}
        raise Invalid("reason_too_long", message)
    _refuse_unfrozen(release)
    try:
        with transaction.atomic():
            yanked = Yank.objects.create(release=release, reason=reason, yanked_by=by, yanked_at=now)
    except IntegrityError as error:
        raise DomainError("yanked_already", _("This release has been yanked already.")) from error
    facts = {"name": release.name, "version": release.version, "reason": reason}
    journal.record("release.yanked", by=by, at=now, project=release.project, release=release.pk, **facts)
    return yanked


@transaction.atomic
def add_reader(release: Release, user: User, *, by: User | None, now: datetime) -> None:
    """Let somebody take what the release withholds; a second time changes nothing."""
    _refuse_unfrozen(release)
    if release.project.memberships.filter(user=user, role=Membership.Role.ANNOTATOR).exists():
        message = _("%(name)s annotates in this project, and would see what others gave.")
        raise Invalid("annotates_here", message % {"name": user.username})
    _row, is_new = ReleaseReader.objects.get_or_create(
        release=release, user=user, defaults={"added_by": by, "added_at": now}
    )
    if is_new:
        _note_reader("release.reader_added", release, user, by=by, now=now)


@transaction.atomic
def remove_reader(release: Release, user: User, *, by: User | None, now: datetime) -> None:
    """Take that back; what was taken until then stays on the list of downloads."""
    gone, _rows = ReleaseReader.objects.filter(release=release, user=user).delete()
    if gone:
        _note_reader("release.reader_removed", release, user, by=by, now=now)


def _note_reader(action: str, release: Release, user: User, *, by: User | None, now: datetime) -> None:
    facts = {"name": release.name, "version": release.version, "user": user.pk}
    journal.record(action, by=by, at=now, project=release.project, release=release.pk, **facts)


def _refuse_unfrozen(release: Release) -> None:
    if release.state != Release.State.DONE:
        raise DomainError("release_not_done", _("This release is not frozen yet."))


def note_download(release: Release, path: str, *, by: User | None, now: datetime) -> None:
    """Keep that somebody took something of a release."""
    Download.objects.create(release=release, path=path, user=by, taken_at=now)


def folder(release: Release) -> Path:
    """Where the files of a release lie to be looked at, beside the storage that they are given out from; nowhere
    where that is a bucket."""
    return settings.RELEASES_DIR / release.name / release.version


def open_file(file: ReleaseFile) -> BinaryIO:
    """A file of a frozen release, for reading; refused where it is no longer what was frozen.

    Files up to HASHED_ON_OPENING bytes are hashed each time; of larger ones the size tells.
    """
    name = f"{file.release.name} {file.release.version}: {file.path}"
    try:
        opened = objects.opened(file.sha256)
    except FileNotFoundError as error:
        logger.error("%s is missing", name)
        message = _("This file of the release is missing on the server. Ask the operator to restore it.")
        raise DomainError("file_missing", message) from error
    if not _is_as_frozen(opened, file):
        opened.close()
        logger.error("%s is not what was frozen", name)
        message = _(
            "This file was changed on the server after the release was frozen. Ask the operator to restore it."
        )
        raise DomainError("file_differs", message)
    return opened


def _is_as_frozen(opened: BinaryIO, file: ReleaseFile) -> bool:
    size = opened.seek(0, os.SEEK_END)
    opened.seek(0)
    if size != file.size:
        return False
    if file.size > HASHED_ON_OPENING:
        return True
    same = file_digest(opened, "sha256").hexdigest() == file.sha256
    opened.seek(0)
    return same


def _workshop(release: Release) -> Path:
    """Where this attempt builds, apart from every other: no name of a release begins with a dot."""
    return settings.RELEASES_DIR / f".building-{release.pk}-{release.attempt}"


def _clear_up_after_the_dead(release: Release) -> None:
    """Attempts that were killed left what they were building; one that still lives can no longer freeze."""
    for left in settings.RELEASES_DIR.glob(f".building-{release.pk}-*"):
        shutil.rmtree(left, ignore_errors=True)


def _write(place: Path, files: manifest.Release) -> None:
    try:
        directory.write(place, files)
    except directory.DirectoryError as error:
        raise DomainError("cannot_be_written", error.reason) from error
    verdict = verification.verify(place)
    if not verdict.ok:
        reason = say("The release was written but does not verify: {verdict}", verdict=str(verdict))
        raise DomainError("not_verified", reason)


def _keep(place: Path, files: manifest.Release) -> None:
    """Put the files into the storage. What an attempt that dies leaves there is named by no row."""
    try:
        with directory.refusals(settings.RELEASES_DIR):
            for path, facts in files.facts.items():
                objects.put(facts.sha256, place / path)
    except directory.DirectoryError as error:
        raise DomainError("cannot_be_written", error.reason) from error


def _freeze(release: Release, files: manifest.Release, *, now: datetime) -> None:
    """Row and folder together: the row is taken first, so only its holder moves the folder into place."""
    with transaction.atomic():
        jobs.renew(release, now=now)  # LostLease where another has taken over, or has frozen it
        ReleaseFile.objects.bulk_create(
            ReleaseFile(release=release, path=path, sha256=facts.sha256, size=facts.bytes)
            for path, facts in files.facts.items()
        )
        jobs.finish(release, now=now, manifest_sha256=files.facts[manifest.MANIFEST].sha256)
        # The snapshot may be older than the run that confirmed it; what came up to the end of the run is sealed.
        seals.note_freeze(release.project, at=release.run.finished_at)
        journal.record(
            "release.frozen",
            by=release.queued_by,
            at=now,
            project=release.project,
            release=release.pk,
            name=release.name,
            version=release.version,
            manifest_sha256=files.facts[manifest.MANIFEST].sha256,
        )
        _move_into_place(release)


def _move_into_place(release: Release) -> None:
    if settings.RELEASES_BUCKET is not None:
        return
    target = folder(release)
    if target.exists():
        # Left by an attempt that moved it and died before the row was done; nobody can have read it.
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    _workshop(release).rename(target)
    for parent in (target.parent, settings.RELEASES_DIR):
        directory.sync(parent)
