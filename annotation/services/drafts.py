"""Drafts on the server: what somebody has begun and not submitted. A stale tab never writes over a newer one."""

import json
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Draft, Lease
from annotation.models.prepared import Parameter, prepared_delete
from annotation.queries import judgements, scoring_page
from annotation.services import leases

MOST_BYTES = 128 * 1024  # of JSON: five times the longest justification in Chinese


class Gone(DomainError):
    """What the draft was for is not waited for any more. Nothing is lost: the page still has it."""

    status = HTTPStatus.GONE


class Locked(DomainError):
    status = HTTPStatus.LOCKED


class TooLarge(Invalid):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class Stale(DomainError):
    """Another tab or device saved meanwhile; `kept` is what the server has."""

    def __init__(self, kept: Draft) -> None:
        super().__init__("draft_is_stale", _("This item is open elsewhere, and was changed there."))
        self.kept = kept


def save(lease: Lease, *, version: int, content: Mapping[str, Any], now: datetime) -> Draft:
    """Keep the draft, if `version` is the one that the page has seen last (0: none).

    The same content sent again is a repeat whose answer was lost, and no conflict. `content` are the names and
    values of the page's form; "based_on" in it is the revision that is being edited.
    """
    if len(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")) > MOST_BYTES:
        raise TooLarge("draft_too_large", _("This is too long to be kept. Shorten it."))
    _refuse_unless_waited_for(lease, content)
    saved = _change(lease, version=version, content=content, now=now) or _make(
        lease, content=content, now=now
    )
    if saved is not None:
        return saved
    kept = Draft.objects.filter(lease=lease).first()
    if kept is None:
        raise _submitted()
    if _base(kept.content) != _base(content):
        # Of a revision that was submitted by now: it came in behind the submit.
        drop(lease)
        return save(lease, version=0, content=content, now=now)
    if kept.content != dict(content):
        raise Stale(kept)
    return kept


def _base(content: Mapping[str, Any]) -> int:
    return scoring_page.Entry.read(content).based_on


def drop(lease: Lease) -> None:
    """With the submit, in its transaction."""
    _drop(lease=lease.pk)


@prepared_delete
def _drop(*, lease: Parameter) -> QuerySet[Draft]:
    return Draft.objects.filter(lease=lease)


def _refuse_unless_waited_for(lease: Lease, content: Mapping[str, Any]) -> None:
    closed = scoring_page.why_closed(lease)
    if closed == "locked":
        raise Locked("round_not_open", _("This round has been closed. Copy your text if you need it."))
    if closed == "given_back":
        raise Gone("given_back", _("You gave this back for others to judge. Copy your text if you need it."))
    if closed:
        raise Gone("withdrawn", _("This text has been withdrawn. Copy your own if you need it."))
    if judgements.revision(lease) != _base(content):
        raise _submitted()


def _submitted() -> Gone:
    return Gone("submitted", _("This was submitted meanwhile, perhaps in another tab."))


@transaction.atomic
def _change(lease: Lease, *, version: int, content: Mapping[str, Any], now: datetime) -> Draft | None:
    seen = Draft.objects.filter(lease=lease, version=version)
    if not version or seen.update(version=F("version") + 1, content=dict(content), saved_at=now) != 1:
        return None
    leases.renew(lease, now=now)  # somebody is at work on it
    return Draft(lease=lease, version=version + 1, content=dict(content), saved_at=now)


def _make(lease: Lease, *, content: Mapping[str, Any], now: datetime) -> Draft | None:
    """The first draft, or one after a draft that went; None where there is one."""
    try:
        with transaction.atomic():
            made = Draft.objects.create(lease=lease, content=dict(content), saved_at=now)
            leases.renew(lease, now=now)  # somebody is at work on it
            return made
    except IntegrityError:
        return None
