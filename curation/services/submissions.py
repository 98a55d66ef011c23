"""Taking a model's predictions for a release, and showing them to its readers. Scoring is the worker's:
submission_work.py."""

import gzip
import tempfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation import access
from annotation.domain.names import has_unseen, tidy
from annotation.domain.records import InputError
from annotation.errors import DomainError, Invalid, TooMany
from annotation.models import User
from annotation.queries.imports import said_of
from annotation.services import jobs, journal
from curation.domain.evaluation import predictions
from curation.domain.release import splits
from curation.models import Comparison, Publication, Release, Submission

MOST_BYTES = 64 * 2**20
READ_AT_ONCE = (
    2 * 2**20
)  # bytes that are read to their end while the sender waits; of longer files the first row
DAY = timedelta(hours=24)
LONGEST = {"model": 100, "family": 100, "note": 1000}
FILE_NAME = "predictions.jsonl"


def request(
    release: Release,
    *,
    content: bytes,
    model: str,
    by: User,
    now: datetime,
    family: str = "",
    note: str = "",
) -> Submission:
    """A submission in waiting. The caller nudges a worker once this is committed.

    The same bytes, sent again by the same person for the same model, are the submission there is; one that has failed
    is tried again.
    """
    said = {name: tidy(text) for name, text in (("model", model), ("family", family), ("note", note))}
    _refuse_bad_words(said)
    _refuse_bad_file(content)
    digest = sha256(content).hexdigest()
    same = {"release": release, "queued_by": by, "model": said["model"], "sha256": digest}
    earlier = Submission.objects.defer("content", "result").filter(**same).first()
    if earlier is not None:
        return _again(earlier, now=now)
    try:
        with transaction.atomic():
            _refuse_one_too_many(release, by, now=now)
            made = Submission.objects.create(
                **same,
                family=said["family"],
                note=said["note"],
                content=gzip.compress(content, mtime=0),
                size=len(content),
                queued_at=now,
            )
            _note("submission.requested", made, by=by, now=now)
    except IntegrityError:
        return Submission.objects.get(**same)  # sent twice at once
    return made


def _refuse_one_too_many(release: Release, by: User, *, now: datetime) -> None:
    """Whoever may send as much as they like learns the labels that are kept back, one by one. Leads have them anyway.
    Under the row of the person, so that of two sent at once the second is counted."""
    most = settings.SUBMISSIONS_A_DAY
    if release.terms.get("heldout") != splits.LABELS or access.is_lead(by, release.project):
        return
    User.objects.select_for_update().get(pk=by.pk)
    theirs = Submission.objects.filter(release=release, queued_by=by, queued_at__gt=now - DAY)
    moments = list(theirs.order_by("-queued_at").values_list("queued_at", flat=True)[:most])
    if len(moments) < most:
        return
    again = moments[-1] + DAY
    message = _(
        "This release keeps labels back, so a person may submit %(most)s times in 24 hours. You may again from "
        "%(moment)s (UTC)."
    )
    told = {"most": most, "moment": f"{again.astimezone(UTC):%Y-%m-%d %H:%M}"}
    raise TooMany("too_many_submissions", message % told, wait=again - now)


def _again(submission: Submission, *, now: datetime) -> Submission:
    if submission.state == Submission.State.FAILED:
        jobs.try_again(submission, now=now)
        submission.refresh_from_db(fields=["state", "attempt", "queued_at", "finished_at", "error"])
    return submission


def _refuse_bad_words(said: dict[str, str]) -> None:
    if not said["model"]:
        raise Invalid("model_missing", _("Write the name of the model."))
    for name, text in said.items():
        if has_unseen(text):
            message = _("This has a character that cannot be seen. Type it anew instead of pasting it.")
            raise Invalid(f"{name}_unseen", message)
    for name, most in LONGEST.items():
        if len(said[name]) > most:
            message = _("This is too long: use at most %(most)s characters.") % {"most": most}
            raise Invalid(f"{name}_too_long", message)


def _refuse_bad_file(content: bytes) -> None:
    if len(content) > MOST_BYTES:
        message = _(
            "The file is larger than %(most)s MB. Leave out all columns but those that are asked for, or "
            "round the scores."
        )
        raise Invalid("file_too_large", message % {"most": MOST_BYTES // 2**20})
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = _("Line %(line)s is not UTF-8. Save the file as UTF-8 and send it again.") % {"line": line}
        raise Invalid("file_not_utf8", message) from error
    head = content if len(content) <= READ_AT_ONCE else content[: content.find(b"\n") + 1]
    try:
        read(head or content)
    except InputError as error:
        raise unreadable(error) from error


def read(content: bytes) -> predictions.Predictions:
    """InputError with the line of the first that cannot be read."""
    with tempfile.TemporaryDirectory(prefix="plumb-predictions-") as place:
        path = Path(place) / FILE_NAME
        path.write_bytes(content)
        return predictions.read(path)


def unreadable(error: InputError) -> Invalid:
    """What is wrong with the file, where, and what to do."""
    reason = said_of(error.reason)
    if error.line is None:
        return Invalid("bad_predictions", reason)
    where = _("Line %(line)s") % {"line": error.line}
    if error.column:
        where = _("Line %(line)s, column %(column)s") % {"line": error.line, "column": error.column}
    colon = pgettext("after a label", ": ")
    return Invalid("bad_predictions", f"{where}{colon}{reason}")


# --- what every reader sees ------------------------------------------------------------------------------


@transaction.atomic
def publish(submission: Submission, *, by: User, now: datetime) -> Publication:
    """Every reader of the release sees it from now on."""
    if submission.state != Submission.State.DONE:
        raise DomainError("not_done", _("This submission has no result yet to publish."))
    made, is_new = Publication.objects.get_or_create(submission=submission, defaults={"by": by, "at": now})
    if is_new:
        _note("submission.published", submission, by=by, now=now)
    return made


@transaction.atomic
def unpublish(submission: Submission, *, by: User, now: datetime) -> None:
    removed, _kinds = Publication.objects.filter(submission=submission).delete()
    if removed:
        _note("submission.unpublished", submission, by=by, now=now)


def _note(action: str, submission: Submission, *, by: User, now: datetime) -> None:
    release = submission.release
    journal.record(
        action,
        by=by,
        at=now,
        project=release.project,
        submission=submission.pk,
        model=submission.model,
        name=release.name,
        version=release.version,
    )


# --- two of them -----------------------------------------------------------------------------------------


def compare(one: Submission, other: Submission, *, by: User, now: datetime) -> Comparison:
    """The comparison of two, in waiting; the one there is, where there is one, and one that failed again."""
    if one.pk == other.pk or one.release_id != other.release_id:
        raise Invalid("not_two", _("Choose another submission to this release."))
    if Submission.State.DONE not in (one.state, other.state) or one.state != other.state:
        raise DomainError("not_done", _("Only submissions that have results can be compared."))
    first, second = sorted((one, other), key=lambda each: -each.pk)
    try:
        with transaction.atomic():
            return Comparison.objects.create(first=first, second=second, queued_by=by, queued_at=now)
    except IntegrityError:
        found = Comparison.objects.get(first=first, second=second)
    if found.state == Comparison.State.FAILED:
        jobs.try_again(found, now=now)
    return found
