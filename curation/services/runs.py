"""A run: one recipe over one snapshot, carried out by a worker and kept with all that explains it."""

from collections.abc import Callable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError
from annotation.models import Project, User
from annotation.services import jobs, journal
from curation.domain import agreement, pairing
from curation.domain.agreement import Report
from curation.domain.pairing import Curation, CurationError
from curation.domain.recipes import WritingPreference
from curation.domain.version import VERSION
from curation.models import Pair, Recipe, Run
from curation.queries.material import response_keys
from curation.services import snapshots
from curation.services.snapshots import Material

PAIRS_AT_A_TIME = 1000
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


def execute(pk: int, *, clock: Clock) -> None:
    """Carry out the run if it is to be had; otherwise somebody else does, or has done."""
    run = jobs.claim(Run, pk, now=clock())
    if run is None:
        return
    with jobs.outcome(run, clock=clock), jobs.heartbeat(run, clock=clock):
        snapshot = snapshots.take(run.project, now=clock())
        material = snapshots.load(snapshot)
        curation, report = compute(material, recipe_of(run))
        with transaction.atomic():
            _store_pairs(run, curation)
            jobs.finish(
                run,
                now=clock(),
                snapshot=snapshot,
                rubric=run.project.rubrics.filter(version__in=material.rubric_versions[-1:]).first(),
                code_version=VERSION,
                funnel=curation.funnel.as_dict(),
                agreement=report.as_dict(),
                symmetry=curation.symmetry_as_dict(),
            )


def recipe_of(run: Run) -> WritingPreference:
    return WritingPreference.from_parameters(run.recipe.parameters)


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


def _store_pairs(run: Run, curation: Curation) -> None:
    keys = response_keys(run.project)
    Pair.objects.bulk_create(
        (
            Pair(
                run=run,
                key=pair.id,
                chosen_id=keys[pair.chosen],
                rejected_id=keys[pair.rejected],
                votes_for=pair.votes_for,
                votes_against=pair.votes_against,
                ties=pair.ties,
                k=pair.k,
                gap_numerator=pair.gap[0],
                gap_denominator=pair.gap[1],
                mean_chosen=pair.mean_chosen,
                mean_rejected=pair.mean_rejected,
                length_chosen=pair.length_chosen,
                length_rejected=pair.length_rejected,
                flags=list(pair.flags),
            )
            for pair in curation.pairs
        ),
        batch_size=PAIRS_AT_A_TIME,
    )
