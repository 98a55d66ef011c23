"""A what-if, carried out by a worker: numbers first, which a page shows at once, then the pictures of them."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.errors import DomainError
from annotation.models import Job
from annotation.services import jobs
from curation.domain import candidates, what_if
from curation.domain.charts import Chart
from curation.domain.ranked import CurationError
from curation.domain.recipes import WritingPreference
from curation.domain.what_if import WhatIf as Found
from curation.models import WhatIf, WhatIfBar, WhatIfFigure
from curation.queries import what_if_names
from curation.services import figures, snapshots, what_if_figures
from curation.services.what_if import clear_up

Clock = Callable[[], datetime]
BARS_AT_A_TIME = 50


def execute(pk: int, *, clock: Clock) -> None:
    """Carry it out if it is to be had; otherwise somebody else does, or has done."""
    job = jobs.claim(WhatIf, pk, now=clock())
    if job is None:
        return
    with jobs.outcome(job, clock=clock), jobs.heartbeat(job, clock=clock):
        if not _has_snapshot(job, clock=clock):
            return
        # One whose worker died over the pictures has its numbers.
        if job.result is None:
            _store(job, _computed(job))
        drawn = _figures(job)
        with transaction.atomic():
            WhatIfFigure.objects.bulk_create(drawn)
            jobs.finish(job, now=clock())
            clear_up(job.project, now=clock())


def _has_snapshot(job: WhatIf, *, clock: Clock) -> bool:
    """Take the scores of the moment, where they were asked for. If there is the like of it on them already, this one is
    done: it is the same."""
    if job.snapshot is not None:
        return True
    snapshot = snapshots.take(job.project, now=clock())
    try:
        with transaction.atomic():
            jobs.note(job, snapshot=snapshot)
    except IntegrityError:
        same = WhatIf.objects.filter(snapshot=snapshot, digest=job.digest, same_as=None)
        jobs.finish(job, now=clock(), same_as=same.exclude(state=Job.State.FAILED).get())
        return False
    job.snapshot = snapshot
    return True


def _computed(job: WhatIf) -> Found:
    material = snapshots.load(job.snapshot)
    try:
        return what_if.what_if(
            material.responses,
            [score.current() for score in material.scores],
            WritingPreference.from_parameters(job.parameters),
            removed=material.removed,
        )
    except CurationError as error:
        raise DomainError(error.code, error.reason) from error


def _store(job: WhatIf, found: Found) -> None:
    """Numbers and bars together: each number that is shown can be opened."""
    bars = (
        WhatIfBar(
            what_if=job,
            key=key,
            total=bar.total,
            kept=len(bar.candidates),
            content=candidates.to_bytes(bar.candidates),
        )
        for key, bar in found.behind.items()
    )
    job.result = found.as_dict()
    with transaction.atomic():
        jobs.note(job, result=job.result)
        WhatIfBar.objects.bulk_create(bars, batch_size=BARS_AT_A_TIME)


def _figures(job: WhatIf) -> list[WhatIfFigure]:
    recipe = WritingPreference.from_parameters(job.parameters)

    def charts_in(language: str) -> Sequence[Chart]:
        return what_if_figures.all_charts(
            job.result, recipe, what_if_names.names(job.project, language=language)
        )

    return [WhatIfFigure(what_if=job, **row) for row in figures.in_every_language(charts_in)]
