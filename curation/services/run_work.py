"""A run as workers carry it out: the snapshot by one, shards of prompts by any number, the merge by one.

Each stage is a row that is claimed by compare-and-set (models/runs.py, models/shards.py). Whoever finishes the last
shard claims the merge; where that one dies in between, a message of the sweep makes up for it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from annotation.errors import DomainError
from annotation.services import jobs
from curation.domain import agreement
from curation.domain.agreement import Report
from curation.domain.ranked import CurationError
from curation.domain.recipes import WritingPreference
from curation.domain.shards import merge, work
from curation.domain.shards.buckets import BUCKETS, buckets_of_shard
from curation.domain.shards.merge import Merged
from curation.domain.shards.parts import Part
from curation.domain.shards.sealed import Damaged
from curation.domain.shards.tallies import Tally, total
from curation.domain.version import VERSION
from curation.models import Pair, Run, Shard, Snapshot
from curation.queries.material import response_keys
from curation.services import run_parts, snapshots

logger = logging.getLogger(__name__)
PAIRS_AT_A_TIME = 1000
Clock = Callable[[], datetime]
ACTIVE = (Run.State.QUEUED, Run.State.RUNNING)


def recipe_of(run: Run) -> WritingPreference:
    return WritingPreference.from_parameters(run.recipe.parameters)


@contextmanager
def _of_domain() -> Iterator[None]:
    """What the domain refuses is a job's outcome."""
    try:
        yield
    except (CurationError, Damaged) as error:
        raise DomainError(error.code, error.reason) from error


# --- the snapshot ----------------------------------------------------------------------------------------


def begin(pk: int, *, clock: Clock) -> list[int]:
    """Take the snapshot of a run, if it waits for one, and divide the run into shards; their keys.

    A run that has been divided already is looked after instead: what a message was lost for is done here.
    """
    run = jobs.claim(Run, pk, now=clock(), snapshot=None)
    if run is None:
        settle(pk, clock=clock)
        return []
    try:
        with jobs.outcome(run, clock=clock):
            with jobs.heartbeat(run, clock=clock):
                snapshot = snapshots.take(run.project, now=clock())
            with transaction.atomic():
                return _divided(run, snapshot, now=clock())
    except jobs.LostLease:
        logger.info("Run %s was cancelled or taken over while its snapshot was taken", pk)
        return []


def _divided(run: Run, snapshot: Snapshot, *, now: datetime) -> list[int]:
    count = min(BUCKETS, max(1, -(-snapshot.n_responses // settings.RUN_SHARD_RESPONSES)))
    folder = run_parts.new_folder()
    shards = Shard.objects.bulk_create(
        Shard(run=run, first=buckets.start, end=buckets.stop, folder=folder, queued_at=now)
        for buckets in (buckets_of_shard(number, count) for number in range(count))
    )
    # Nobody holds the run until its shards are done. Once this lease is over, the sweep looks after it.
    lease = now + timedelta(seconds=settings.JOB_LEASE_SECONDS)
    jobs.note(run, snapshot=snapshot, attempt=0, lease_until=lease)
    return [shard.pk for shard in shards]


# --- a shard ---------------------------------------------------------------------------------------------


def decide(pk: int, *, clock: Clock) -> int | None:
    """Decide the prompts of a shard if it is to be had, and merge the run if it was the last; the key of the run."""
    shard = jobs.claim(Shard, pk, now=clock())
    if shard is None:
        return None
    try:
        with jobs.outcome(shard, clock=clock), jobs.heartbeat(shard, clock=clock), _of_domain():
            tally, parts = _decided(shard, clock=clock)
            jobs.finish(shard, now=clock(), tally=tally, parts=parts)
    except jobs.LostLease:
        logger.info("Shard %s of run %s was cancelled or taken over", pk, shard.run_id)
        run_parts.forget_attempt(shard)
        return shard.run_id
    except BaseException:
        settle(shard.run_id, clock=clock)  # which ends the run too
        raise
    settle(shard.run_id, clock=clock)
    return shard.run_id


def _decided(shard: Shard, *, clock: Clock) -> tuple[str, list[str]]:
    """The names of what was written: a tally, and a part for each bucket from which a pair passed."""
    recipe, tallies, parts = recipe_of(shard.run), [], []
    buckets = shard.run.snapshot.parts.filter(bucket__gte=shard.first, bucket__lt=shard.end)
    # One by one, and none while another is open: who writes in the middle of a read is refused by SQLite as soon as
    # anybody else has written since it began.
    for pk in list(buckets.values_list("pk", flat=True)):
        jobs.renew(shard, now=clock())  # LostLease where the run was cancelled
        stored = buckets.select_related("snapshot__project").get(pk=pk)
        material = snapshots.load_part(stored)
        part, tally = work.decided(material.responses, [score.current() for score in material.scores], recipe)
        tallies.append(tally)
        if len(part):
            parts.append(run_parts.write(shard, f"{stored.bucket:03}", part.to_bytes()))
    return run_parts.write(shard, "tally", total(tallies, recipe.reasons).to_bytes()), parts


def settle(pk: int, *, clock: Clock) -> None:
    """Do for a divided run what its shards call for: end it where one has failed, merge it where all are done."""
    run = _divided_runs(pk).first()
    failed = run and run.shards.filter(state=Shard.State.FAILED).first()
    if failed:
        end(run, error=failed.error, now=clock())
        forget(pk)
        return
    merging = _claimed_merge(pk, now=clock())
    if merging:
        _merge(merging, clock=clock)


def _divided_runs(pk: int) -> QuerySet[Run]:
    """The run, while nothing but its shards is worked on."""
    return Run.objects.filter(
        pk=pk, state=Run.State.RUNNING, snapshot__isnull=False, merging_since__isnull=True
    )


def _claimed_merge(pk: int, *, now: datetime) -> Run | None:
    """The run, now held by this process, where all of its shards are done and nobody else merges them."""
    # Whoever merged before may have died.
    again = jobs.claim(Run, pk, now=now, merging_since__isnull=False)
    if again is not None or Shard.objects.filter(run=pk).exclude(state=Shard.State.DONE).exists():
        return again
    taken = _divided_runs(pk).update(
        merging_since=now,
        attempt=1,
        claimed_by=jobs.worker_name(),
        lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
    )
    return Run.objects.get(pk=pk) if taken == 1 else None


# --- the merge -------------------------------------------------------------------------------------------


def _merge(run: Run, *, clock: Clock) -> None:
    try:
        with jobs.outcome(run, clock=clock), jobs.heartbeat(run, clock=clock), _of_domain():
            recipe = recipe_of(run)
            found = _merged(run, recipe, clock=clock)
            report, rubric = _agreement(run.snapshot, recipe.seed)
            with transaction.atomic():
                for part in found.accepted():
                    _store_pairs(run, part)
                jobs.finish(
                    run,
                    now=clock(),
                    rubric=run.project.rubrics.filter(version=rubric).first(),
                    code_version=VERSION,
                    funnel=found.funnel.as_dict(),
                    agreement=report.as_dict(),
                    symmetry=found.symmetry_as_dict(),
                )
    except jobs.LostLease:
        logger.info("Run %s was cancelled or taken over while it was merged", run.pk)
    else:
        forget(run.pk)


def _merged(run: Run, recipe: WritingPreference, *, clock: Clock) -> Merged:
    shards = list(run.shards.all())
    names = [name for shard in shards for name in shard.parts]

    def note_life() -> None:
        jobs.renew(run, now=clock())  # LostLease where the run was cancelled

    tallies = [Tally.from_bytes(run_parts.read(shard.tally)) for shard in shards]
    found = merge.merged(
        tallies,
        run_parts.Parts(names, before=note_life),
        recipe,
        removed=snapshots.removed(run.snapshot),
    )
    # What stays is read inside a transaction, which would hold the row against the heartbeat.
    return replace(found, parts=run_parts.Parts(names))


def _agreement(snapshot: Snapshot, seed: str) -> tuple[Report, int]:
    """Agreement over all scores, as runs.compute has it, and the newest version of the rubric among them."""
    units: list[str] = []
    annotators: list[str] = []
    values: list[int] = []
    prompts: list[str] = []
    one_of: dict[str, str] = {}  # a name comes with every score, and is kept once
    newest = 0
    for prompt, score in snapshots.scores_by_prompt(snapshot):
        units.append(one_of.setdefault(score.response_id, score.response_id))
        annotators.append(one_of.setdefault(score.annotator, score.annotator))
        prompts.append(one_of.setdefault(prompt, prompt))
        values.append(score.score)
        newest = max(newest, score.rubric_version)
    return agreement.report(units, annotators, values, clusters=prompts, seed=seed), newest


def _store_pairs(run: Run, part: Part) -> None:
    keys = response_keys(run.project, part.responses)
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
            for pair in part.pairs()
        ),
        batch_size=PAIRS_AT_A_TIME,
    )


# --- the end ---------------------------------------------------------------------------------------------


@transaction.atomic
def end(run: Run, *, error: str, now: datetime) -> bool:
    """End an active run and its shards without a result; whoever works on one of them drops what he does.

    `error` is a sentence as a job keeps one. False where the run had ended by itself.
    """
    ended = {"state": Run.State.FAILED, "lease_until": None, "finished_at": now, "error": error}
    if Run.objects.filter(pk=run.pk, state__in=ACTIVE).update(**ended) != 1:
        return False
    run.shards.filter(state__in=ACTIVE).update(**ended)
    return True


def forget(pk: int) -> None:
    """Remove the shards of a run that has ended, and what they wrote."""
    ended = Shard.objects.filter(run=pk).exclude(run__state__in=ACTIVE)
    for folder in set(ended.values_list("folder", flat=True)):
        run_parts.forget(folder)
    ended.delete()


def clear_up() -> None:
    """The same of every run that was cancelled, or whose worker died at the end."""
    ended = Shard.objects.exclude(run__state__in=ACTIVE)
    for pk in set(ended.values_list("run", flat=True)):
        forget(pk)
