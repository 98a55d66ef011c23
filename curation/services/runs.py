"""A run: one recipe over one snapshot, carried out by workers (run_work.py) and kept with all that explains it."""

from collections.abc import Callable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.sentences import as_text, say
from annotation.errors import DomainError
from annotation.models import Project, User
from annotation.services import journal
from curation.domain import agreement, pairing
from curation.domain.agreement import Report
from curation.domain.pairing import Curation, CurationError
from curation.domain.recipes import WritingPreference
from curation.models import Recipe, Run, Shard
from curation.services import run_work
from curation.services.run_work import recipe_of
from curation.services.snapshots import Material

__all__ = ["cancel", "compute", "execute", "recipe_of", "request"]

Clock = Callable[[], datetime]


@transaction.atomic
def request(project: Project, *, recipe: Recipe, by: User | None, now: datetime) -> Run:
    """A run in waiting. The caller nudges a worker once this is committed."""
    try:
        with transaction.atomic():
            run = Run.objects.create(project=project, recipe=recipe, queued_by=by, queued_at=now)
    except IntegrityError as error:
        raise DomainError(
            "run_in_progress", _("A run of this project is waiting or running already.")
        ) from error
    journal.record("run.requested", by=by, at=now, project=project, run=run.pk)
    return run


@transaction.atomic
def cancel(run: Run, *, by: User, now: datetime) -> None:
    """End a run without a result; workers drop what they do for it within one bucket of prompts."""
    reason = say("Cancelled by {name}.", name=by.get_full_name() or by.username)
    if not run_work.end(run, error=as_text(reason), now=now):
        raise DomainError("run_has_ended", _("This run has ended already."))
    journal.record("run.cancelled", by=by, at=now, project=run.project, run=run.pk)


def execute(pk: int, *, clock: Clock) -> None:
    """Carry out in this process whatever is to be had of the run; the rest somebody else does, or has done."""
    run_work.begin(pk, clock=clock)
    for shard in list(Shard.objects.filter(run=pk).values_list("pk", flat=True)):
        run_work.decide(shard, clock=clock)


def compute(material: Material, recipe: WritingPreference) -> tuple[Curation, Report]:
    """What a snapshot and a recipe give: always the same, so a release can be computed again from its run."""
    scores = material.scores
    try:
        curation = pairing.curate(
            material.responses, [score.current() for score in scores], recipe, removed=material.removed
        )
    except CurationError as error:
        raise DomainError(error.code, error.reason) from error
    prompts = {response.id: response.prompt_id for response in material.responses}
    report = agreement.report(
        [score.response_id for score in scores],
        [score.annotator for score in scores],
        [score.score for score in scores],
        clusters=[prompts[score.response_id] for score in scores],
        seed=recipe.seed,
    )
    return curation, report
