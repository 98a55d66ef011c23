"""Models that the site may ask, as operators set them. What a plan was made with stays with the plan."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import User
from annotation.queries.imports import said_of
from annotation.services import journal
from annotation.services.refusals import FieldsRefused, Outdated, digest
from authoring.domain import keys
from authoring.domain.endpoint_rules import address_fault, extra_fault
from authoring.models import Endpoint
from authoring.queries import endpoints as queries

FIELDS = (
    "name",
    "kind",
    "base_url",
    "model",
    "public_name",
    "family",
    "key_name",
    "input_price",
    "output_price",
    "currency",
    "parallel",
    "tokens_per_minute",
    "timeout_seconds",
    "length_parameter",
    "extra",
)
RESERVED = frozenset({"new"})  # the address of the page that adds one


def values(endpoint: Endpoint) -> dict[str, Any]:
    return {name: getattr(endpoint, name) for name in FIELDS}


def version(endpoint: Endpoint) -> str:
    """The mark of what a form was made from."""
    return digest(values(endpoint))


@transaction.atomic
def add(given: Mapping[str, Any], *, by: User | None, now: datetime) -> Endpoint:
    """A new one. FieldsRefused by field where it cannot be."""
    _refuse(given)
    try:
        with transaction.atomic():
            made = Endpoint.objects.create(**{name: given[name] for name in FIELDS}, created_at=now)
    except IntegrityError as error:
        taken = {"name": _("Another end point has this name. Choose another.")}
        raise FieldsRefused("name_taken", taken) from error
    journal.record("endpoint.added", by=by, at=now, name=made.name, model=made.model)
    return made


@transaction.atomic
def change(
    endpoint: Endpoint, given: Mapping[str, Any], *, version: str, by: User | None, now: datetime
) -> Endpoint:
    """What differs is stored. Plans that were made keep what they were made with, but for server, key and limits,
    which are those of the moment of asking. Outdated where somebody else was first."""
    held = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
    before = values(held)
    if digest(before) != version:
        message = _(
            "Somebody else has changed this end point since you opened it. Look at it, and save again."
        )
        raise Outdated("outdated", message, now=before, version=digest(before))
    changed = [name for name in FIELDS if given[name] != before[name]]
    _refuse(given)
    _refuse_new_identity(held, changed)
    for name in changed:
        setattr(held, name, given[name])
    try:
        with transaction.atomic():
            held.save(update_fields=changed)
    except IntegrityError as error:
        taken = {"name": _("Another end point has this name. Choose another.")}
        raise FieldsRefused("name_taken", taken) from error
    if changed:
        journal.record("endpoint.changed", by=by, at=now, name=held.name, changed=changed)
    return held


@transaction.atomic
def retire(endpoint: Endpoint, *, by: User | None, now: datetime) -> None:
    """No new plan can have it. Plans that have it go on."""
    if Endpoint.objects.filter(pk=endpoint.pk, retired_at=None).update(retired_at=now) != 1:
        raise DomainError("retired", _("This end point is retired already."))
    journal.record("endpoint.retired", by=by, at=now, name=endpoint.name)


@transaction.atomic
def restore(endpoint: Endpoint, *, by: User | None, now: datetime) -> None:
    if Endpoint.objects.filter(pk=endpoint.pk, retired_at__isnull=False).update(retired_at=None) != 1:
        raise DomainError("not_retired", _("This end point is not retired."))
    journal.record("endpoint.restored", by=by, at=now, name=endpoint.name)


# --- Refusals ------------------------------------------------------------------------------------


def _refuse(given: Mapping[str, Any]) -> None:
    faults = {
        "name": _("This name has a meaning of its own. Choose another.") if given["name"] in RESERVED else "",
        "base_url": said_of(address_fault(given["base_url"], settings.MODEL_ORIGINS)),
        "key_name": said_of(_key_fault(given["key_name"])),
        "extra": said_of(extra_fault(given["extra"])),
    }
    refused = {field: fault for field, fault in faults.items() if fault}
    if refused:
        raise FieldsRefused("bad_endpoint", refused)


def _key_fault(name: str) -> str:
    if not name or keys.NAME.match(name):
        return ""
    return say("Write a name such as PLUMB_MODEL_KEY_MAIN, in capital letters, or leave it empty.")


def _refuse_new_identity(endpoint: Endpoint, changed: list[str]) -> None:
    """By its name a plan is traced back to it, and its kind says what was asked of it."""
    if not queries.is_used(endpoint):
        return
    why = _("Plans have used this end point, so this stays as it is. Retire it and add another.")
    refused = {field: why for field in ("name", "kind") if field in changed}
    if refused:
        raise FieldsRefused("used", refused)
