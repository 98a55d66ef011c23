"""Asking what a recipe would give. Computing it is the worker's: what_if_work.py."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

import orjson
from django.db import IntegrityError, transaction
from django.db.models import Q

from annotation.errors import Invalid
from annotation.models import Project, User
from curation.domain.recipes import RecipeError, WritingPreference
from curation.domain.version import VERSION
from curation.models import Snapshot, WhatIf

KEPT = timedelta(days=30)
MOST = 60  # of a project


def request(
    project: Project,
    *,
    parameters: Mapping[str, object],
    snapshot: Snapshot | None,
    by: User | None,
    now: datetime,
) -> WhatIf:
    """What these parameters give on the snapshot, or, without one, on the scores of the moment.

    One that is there already, whether it waits, is worked on or is done, is not asked for again. The caller nudges a
    worker once this is committed.
    """
    try:
        complete = WritingPreference.from_parameters(parameters).parameters()
    except RecipeError as error:
        raise Invalid(error.code, str(error)) from error
    digest = _digest(complete)
    there = _there(project, snapshot, digest)
    if there is not None:
        return there
    try:
        with transaction.atomic():
            return WhatIf.objects.create(
                project=project,
                snapshot=snapshot,
                parameters=complete,
                digest=digest,
                code_version=VERSION,
                queued_by=by,
                queued_at=now,
            )
    except IntegrityError:
        # Somebody else asked in the same moment.
        return WhatIf.objects.filter(project=project, digest=digest).latest("pk")


def _digest(parameters: Mapping[str, object]) -> str:
    """Other code may come to another outcome."""
    return sha256(orjson.dumps([VERSION, parameters], option=orjson.OPT_SORT_KEYS)).hexdigest()


def _there(project: Project, snapshot: Snapshot | None, digest: str) -> WhatIf | None:
    """Of the scores of the moment only one that no worker has taken up: those may have changed since."""
    same = WhatIf.objects.filter(project=project, snapshot=snapshot, digest=digest, same_as=None)
    if snapshot is None:
        return same.filter(state=WhatIf.State.QUEUED).first()
    return same.exclude(state=WhatIf.State.FAILED).first()


def clear_up(project: Project, *, now: datetime) -> None:
    """Old ones, and those beyond the newest MOST. What waits or is worked on stays."""
    ended = WhatIf.objects.filter(project=project, state__in=[WhatIf.State.DONE, WhatIf.State.FAILED])
    newest = list(ended.order_by("-pk").values_list("pk", flat=True)[:MOST])
    ended.filter(Q(finished_at__lt=now - KEPT) | ~Q(pk__in=newest)).delete()
