"""Freezing a run into a release, and opening its files.

The bytes are computed again from the run's snapshot, checked against what the run stored, written to a folder
that nothing else writes, verified there, and only then named in the database. From then on both databases refuse
to change the rows, and `verify_release` finds a changed byte in the folder.
"""

import logging
import os
import shutil
from collections.abc import Callable
from datetime import datetime
from hashlib import file_digest
from math import isclose
from pathlib import Path
from typing import BinaryIO

import krippendorff
import numpy as np
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.scoring import SCALE
from annotation.domain.sentences import say
from annotation.errors import DomainError, Invalid
from annotation.models import User
from annotation.services import jobs, journal, seals
from curation.domain import judgements, manifest
from curation.domain.agreement import Report
from curation.domain.pairing import Curation
from curation.models import Release, ReleaseFile, Run
from curation.queries.audits import kept_record
from curation.services import audits, directory, runs, snapshots, verification
from curation.services.snapshots import Material

logger = logging.getLogger(__name__)
SAME_ALPHA = 1e-9
HASHED_ON_OPENING = 32 * 2**20  # some 20 ms


@transaction.atomic
def request(
    run: Run, *, name: str, version: str, by: User | None, now: datetime, reason: str = ""
) -> Release:
    """A release in waiting. The caller nudges a worker once this is committed.

    A run that is not within the limits of its audit, or has none, takes a `reason` (audits.passed), which the release
    keeps with the limits and the figures as they are now.
    """
    _refuse_bad(name, version)
    if run.state != Run.State.DONE:
        raise DomainError("run_not_done", _("This run has no result to freeze."))
    if not run.funnel["accepted"]:
        raise DomainError("no_pairs", _("This run accepted no pair, so there is nothing to release."))
    if Release.objects.filter(name=name).exclude(project=run.project).exists():
        raise Invalid("name_taken", _("Another project releases under this name. Choose another."))
    audit = audits.passed(run, reason=reason)
    try:
        with transaction.atomic():
            release = Release.objects.create(
                project=run.project,
                run=run,
                name=name,
                version=version,
                audit=audit.as_dict(),
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


def _refuse_bad(name: str, version: str) -> None:
    """In the reader's language; what is allowed is the domain's to say."""
    try:
        manifest.check_name(name)
    except manifest.ReleaseError as error:
        message = _(
            "This name will not do: use up to 60 letters, digits, dots, hyphens and underscores, "
            "starting with a letter or a digit."
        )
        raise Invalid(error.code, message) from error
    try:
        manifest.check_version(version)
    except manifest.ReleaseError as error:
        message = _("This version will not do: use MAJOR.MINOR.PATCH, such as 0.1.0 or 1.0.0-rc.1.")
        raise Invalid(error.code, message) from error


def execute(pk: int, *, clock: Callable[[], datetime]) -> None:
    """Freeze the release if it is to be had; otherwise somebody else does, or has done."""
    release = jobs.claim(Release, pk, now=clock())
    if release is None:
        return
    with jobs.outcome(release, clock=clock):
        try:
            with jobs.heartbeat(release, clock=clock):
                files = _files(release)
                _write(_workshop(release), files)
            _freeze(release, files, now=clock())
            _clear_up_after_the_dead(release)
        finally:
            shutil.rmtree(_workshop(release), ignore_errors=True)


def folder(release: Release) -> Path:
    """Where the files of a release lie."""
    return settings.RELEASES_DIR / release.name / release.version


def open_file(file: ReleaseFile) -> BinaryIO:
    """A file of a frozen release, for reading; refused where it is no longer what was frozen.

    Files up to HASHED_ON_OPENING bytes are hashed each time; of larger ones the size tells.
    """
    path = folder(file.release) / file.path
    try:
        opened = path.open("rb")
    except FileNotFoundError as error:
        logger.error("%s is missing", path)
        message = _("This file of the release is missing on the server. Ask the operator to restore it.")
        raise DomainError("file_missing", message) from error
    if not _is_as_frozen(opened, file):
        opened.close()
        logger.error("%s is not what was frozen", path)
        message = _(
            "This file was changed on the server after the release was frozen. Ask the operator to restore it."
        )
        raise DomainError("file_differs", message)
    return opened


def _is_as_frozen(opened: BinaryIO, file: ReleaseFile) -> bool:
    if os.fstat(opened.fileno()).st_size != file.size:
        return False
    if file.size > HASHED_ON_OPENING:
        return True
    same = file_digest(opened, "sha256").hexdigest() == file.sha256
    opened.seek(0)
    return same


def _files(release: Release) -> manifest.Release:
    run = release.run
    material = snapshots.load(run.snapshot)
    recipe = runs.recipe_of(run)
    curation, report = runs.compute(material, recipe)
    _check_against_run(run, curation, report)
    _check_alpha(report, material)
    return manifest.release_files(
        name=release.name,
        version=release.version,
        recipe=recipe,
        responses=material.responses,
        curation=curation,
        judgements=_judgements(material),
        agreement=report,
        code_version=run.code_version,
        rubric_version=run.rubric.version if run.rubric else None,
        audit=kept_record(release),
    )


def _judgements(material: Material) -> list[judgements.Judgement]:
    scores = material.scores
    return judgements.judgements(
        [score.current() for score in scores],
        prompts={response.id: response.prompt_id for response in material.responses},
        names={score.annotator: score.annotator for score in scores},  # pseudonyms already
        moments={(score.response_id, score.annotator): judgements.moment(score.at) for score in scores},
    )


def _check_against_run(run: Run, curation: Curation, report: Report) -> None:
    """Code that decides otherwise than at the time of the run must not speak in the run's name."""
    same_pairs = {pair.id for pair in curation.pairs} == set(run.pairs.values_list("key", flat=True))
    same_funnel = curation.funnel.as_dict() == run.funnel
    same_alpha = manifest.rounded(report.as_dict()) == manifest.rounded(run.agreement)
    if not (same_pairs and same_funnel and same_alpha):
        message = _(
            "This version of Plumb decides otherwise than the run did. Start a new run and freeze that."
        )
        raise DomainError("run_not_repeatable", message)


def _check_alpha(report: Report, material: Material) -> None:
    """Alpha as an independent implementation computes it."""
    alpha = report.alpha["ordinal"].value
    if alpha is None:
        return
    units: dict[str, list[int]] = {}
    for score in material.scores:
        units.setdefault(score.response_id, [0] * len(SCALE))[score.score] += 1
    other = krippendorff.alpha(
        value_counts=np.array(list(units.values())), value_domain=SCALE, level_of_measurement="ordinal"
    )
    if not isclose(alpha, other, abs_tol=SAME_ALPHA):
        message = say(
            "Alpha is {alpha} here and {other} by an independent implementation. Report this.",
            alpha=repr(alpha),
            other=repr(other),
        )
        raise DomainError("alpha_disputed", message)


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
    target = folder(release)
    if target.exists():
        # Left by an attempt that moved it and died before the row was done; nobody can have read it.
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    _workshop(release).rename(target)
    for parent in (target.parent, settings.RELEASES_DIR):
        directory.sync(parent)
