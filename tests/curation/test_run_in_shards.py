"""A run in shards: any number of them, decided in any order by anybody, some of whom die, comes to the same."""

import gzip
from dataclasses import asdict, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import orjson
import pytest
from django.conf import settings as configured
from django.core.files.storage import storages

from annotation.errors import DomainError
from annotation.models import Job
from annotation.queries.jobs import error_of
from annotation.services import jobs
from curation import tasks
from curation.domain.shards import work
from curation.models import Pair, Run, Shard, Snapshot, SnapshotPart
from curation.queries import material as stored
from curation.services import recipes, run_parts, run_work, runs, snapshots
from tests.curation.run_samples import PARAMETERS, digest, outcome, scored_project
from tests.factories import NOW, make_member

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(seconds=configured.JOB_LEASE_SECONDS + 1)
# Of the outcome of the project below, as canonical JSON: on either database, in any number of shards.
OUTCOME = "edf260248a039717978c460bb0d20b0fb3a33d3b750b5cbed404f8f69f42fb22"


def clock():
    return NOW


def later():
    return LATER


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """Where the parts of runs lie."""
    place = tmp_path / "runs"
    options = {**settings.STORAGES["runs"]["OPTIONS"], "location": place}
    settings.STORAGES = {**settings.STORAGES, "runs": {**settings.STORAGES["runs"], "OPTIONS": options}}
    settings.RUNS_DIR = place
    return place


@pytest.fixture
def scored(db):
    return scored_project()


@pytest.fixture
def lead(scored):
    return make_member(scored, "lead", "lea")


def in_shards(settings, count: int) -> None:
    """Projects of 50 responses have so many shards from now on."""
    settings.RUN_SHARD_RESPONSES = -(-50 // count)


def requested(project) -> Run:
    recipe = recipes.save(project, parameters=PARAMETERS, by=None, now=NOW)
    return runs.request(project, recipe=recipe, by=None, now=NOW)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def divided(scored, settings):
    """A run of five shards of which none is decided."""
    in_shards(settings, 5)
    run = requested(scored)
    run_work.begin(run.pk, clock=clock)
    assert run.shards.count() == 5
    return run


# --- the outcome -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 16, 50])
def test_the_outcome_is_the_same_for_any_number_of_shards(scored, settings, folder, count):
    in_shards(settings, count)
    run = requested(scored)
    runs.execute(run.pk, clock=clock)
    assert digest(run) == OUTCOME
    assert (run.state, run.attempt, run.claimed_by) == ("done", 1, jobs.worker_name())
    assert (Shard.objects.count(), files(folder)) == (0, [])


def test_the_outcome_is_that_of_the_whole_as_a_release_computes_it(scored, settings):
    in_shards(settings, 5)
    run = requested(scored)
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    curation, report = runs.compute(snapshots.load(run.snapshot), runs.recipe_of(run))
    found = outcome(run)
    assert sorted(row[0] for row in found["pairs"]) == [pair.id for pair in curation.pairs]
    assert min(found["funnel"]["rejected"][reason] for reason in ("cap_prompt", "length_symmetry", "quota"))
    assert found["funnel"] == curation.funnel.as_dict()
    assert found["symmetry"] == curation.symmetry_as_dict()
    assert run.agreement == orjson.loads(orjson.dumps(report.as_dict()))
    assert run.rubric == scored.rubrics.get()


def test_shards_may_be_decided_in_any_order(divided):
    for shard in divided.shards.reverse():
        assert outcome(divided)["state"] == "running"
        assert run_work.decide(shard.pk, clock=clock) == divided.pk
    assert digest(divided) == OUTCOME


def test_messages_that_come_late_or_twice_do_nothing(divided):
    shards = list(divided.shards.all())
    for shard in shards * 2:
        run_work.decide(shard.pk, clock=clock)
    runs.execute(divided.pk, clock=later)
    assert run_work.decide(shards[0].pk, clock=later) is None
    assert digest(divided) == OUTCOME


def test_runs_of_two_projects_at_once_do_not_mix(scored, settings, folder):
    alone = requested(scored_project("towers", seed=2))
    runs.execute(alone.pk, clock=clock)
    in_shards(settings, 5)
    first, second = requested(scored), requested(alone.project)
    run_work.begin(first.pk, clock=clock)
    run_work.begin(second.pk, clock=clock)
    for pair in zip(first.shards.all(), second.shards.reverse(), strict=True):
        for shard in pair:
            run_work.decide(shard.pk, clock=clock)
    assert digest(first) == OUTCOME
    assert digest(second) == digest(alone) != OUTCOME
    assert files(folder) == []


# --- workers that die ------------------------------------------------------------------------------------


def test_the_shard_of_a_killed_worker_is_taken_again_and_nothing_is_doubled(divided, folder):
    first, *others = divided.shards.all()
    killed = jobs.claim(Shard, first.pk, now=NOW)
    run_parts.write(killed, "000", b"half of a part, and the worker died")
    for shard in others:
        run_work.decide(shard.pk, clock=clock)
    assert run_work.decide(first.pk, clock=clock) is None
    assert jobs.abandoned(Shard, now=LATER) == [first.pk]
    run_work.decide(first.pk, clock=later)
    assert digest(divided) == OUTCOME
    assert files(folder) == []


def test_a_worker_that_was_taken_for_dead_drops_what_it_did(divided, folder, monkeypatch):
    """It comes back to life with another's result in place of its own."""
    first = divided.shards.first()
    decided = work.decided

    def slowly(*given):
        monkeypatch.setattr(work, "decided", decided)
        assert run_work.decide(first.pk, clock=later) == divided.pk
        return decided(*given)

    monkeypatch.setattr(work, "decided", slowly)
    run_work.decide(first.pk, clock=clock)
    first.refresh_from_db()
    assert (first.state, first.attempt) == ("done", 2)
    assert {path.parent.name for path in files(folder)} == {f"{first.first:03}-2"}
    for shard in divided.shards.all():
        run_work.decide(shard.pk, clock=clock)
    assert digest(divided) == OUTCOME


def test_a_worker_that_died_before_the_snapshot_was_there_is_replaced(scored, settings):
    in_shards(settings, 5)
    run = requested(scored)
    jobs.claim(Run, run.pk, now=NOW)
    assert run_work.begin(run.pk, clock=clock) == []
    assert len(run_work.begin(run.pk, clock=later)) == 5
    assert run_work.begin(run.pk, clock=later) == []
    assert Shard.objects.count() == 5


def test_a_run_whose_last_worker_died_before_the_merge_is_merged_by_the_sweep(divided, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(run_work, "settle", lambda pk, clock: None)
        for shard in divided.shards.all():
            run_work.decide(shard.pk, clock=clock)
    assert jobs.abandoned(Run, now=NOW + jobs.NUDGE_AGAIN) == []
    assert jobs.abandoned(Run, now=LATER) == [divided.pk]
    run_work.begin(divided.pk, clock=later)
    assert digest(divided) == OUTCOME


def test_a_merge_whose_worker_died_is_done_by_another(divided, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(run_work, "_merge", lambda run, clock: None)
        for shard in divided.shards.all():
            run_work.decide(shard.pk, clock=clock)
    run_work.begin(divided.pk, clock=clock)
    assert outcome(divided)["state"] == "running"
    run_work.begin(divided.pk, clock=later)
    assert (digest(divided), divided.attempt) == (OUTCOME, 2)


def test_a_run_is_merged_by_one_even_where_two_finish_at_once(divided, monkeypatch):
    merged = []
    monkeypatch.setattr(run_work, "_merge", lambda run, clock: merged.append(run.pk))
    for shard in divided.shards.all():
        run_work.decide(shard.pk, clock=clock)
    run_work.settle(divided.pk, clock=clock)
    assert merged == [divided.pk]


def test_a_shard_that_keeps_dying_ends_the_run(divided):
    shard = divided.shards.first()
    now = NOW
    for _ in range(jobs.ATTEMPTS):
        assert jobs.claim(Shard, shard.pk, now=now)
        now += timedelta(seconds=configured.JOB_LEASE_SECONDS + 1)
    jobs.give_up(Shard, now=now)
    run_work.begin(divided.pk, clock=lambda: now)
    divided.refresh_from_db()
    assert divided.state == "failed"
    assert "3 times" in error_of(divided)
    assert not Shard.objects.exists()


def test_material_that_changes_meanwhile_ends_the_run(divided, scored, folder):
    first, *others = divided.shards.all()
    run_work.decide(first.pk, clock=clock)
    scored.prompts.update(text="Write about a tunnel.")
    run_work.decide(others[0].pk, clock=clock)
    divided.refresh_from_db()
    assert divided.state == "failed"
    assert "no longer as it was" in error_of(divided)
    assert (Shard.objects.count(), files(folder)) == (0, [])
    assert requested(scored).pk != divided.pk


def test_a_damaged_part_ends_the_run(divided, folder):
    *shards, last = divided.shards.all()
    for shard in shards:
        run_work.decide(shard.pk, clock=clock)
    damaged = next(path for path in files(folder) if "tally" not in path.name)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    run_work.decide(last.pk, clock=clock)
    divided.refresh_from_db()
    assert divided.state == "failed"
    assert "damaged" in error_of(divided)
    assert not Pair.objects.exists()


# --- cancelling ------------------------------------------------------------------------------------------


def cancelled(run: Run, lead) -> None:
    runs.cancel(run, by=lead.user, now=NOW)
    run.refresh_from_db()
    assert (run.state, error_of(run)) == ("failed", "Cancelled by lea.")


def test_a_waiting_run_is_cancelled(scored, lead):
    run = requested(scored)
    cancelled(run, lead)
    runs.execute(run.pk, clock=clock)
    assert outcome(run)["state"] == "failed"
    assert requested(scored).pk != run.pk


def test_a_divided_run_is_cancelled_with_its_shards(divided, lead, folder):
    first, second, *_ = divided.shards.all()
    run_work.decide(first.pk, clock=clock)
    assert files(folder)
    cancelled(divided, lead)
    assert run_work.decide(second.pk, clock=later) is None
    tasks.run_work.clear_up()
    assert (Shard.objects.count(), files(folder)) == (0, [])


def test_a_shard_in_work_stops_at_the_next_bucket(divided, lead, folder, monkeypatch):
    buckets = []

    def and_meanwhile(*given):
        buckets.append(given)
        cancelled(divided, lead)
        run_work.clear_up()
        return work_decided(*given)

    work_decided = work.decided
    shard = max(divided.shards.all(), key=lambda each: each.end - each.first)
    monkeypatch.setattr(work, "decided", and_meanwhile)
    run_work.decide(shard.pk, clock=clock)
    assert len(buckets) == 1
    assert outcome(divided)["state"] == "failed"
    assert files(folder) == []


def test_a_merge_in_work_stores_nothing_once_it_is_cancelled(divided, lead, monkeypatch):
    agreed = run_work._agreement

    def and_meanwhile(*given):
        cancelled(divided, lead)
        return agreed(*given)

    monkeypatch.setattr(run_work, "_agreement", and_meanwhile)
    for shard in divided.shards.all():
        run_work.decide(shard.pk, clock=clock)
    assert outcome(divided)["state"] == "failed"
    assert not Pair.objects.exists()


def test_a_snapshot_in_work_makes_no_shards_once_it_is_cancelled(scored, lead, monkeypatch):
    run = requested(scored)
    take = snapshots.take

    def and_meanwhile(*given, **named):
        cancelled(run, lead)
        return take(*given, **named)

    monkeypatch.setattr(snapshots, "take", and_meanwhile)
    assert run_work.begin(run.pk, clock=clock) == []
    assert (outcome(run)["state"], Shard.objects.count()) == ("failed", 0)


def test_what_has_ended_is_not_cancelled(scored, lead):
    run = requested(scored)
    runs.execute(run.pk, clock=clock)
    with pytest.raises(DomainError) as refusal:
        runs.cancel(run, by=lead.user, now=NOW)
    assert refusal.value.code == "run_has_ended"
    assert digest(run) == OUTCOME


# --- snapshots in parts ----------------------------------------------------------------------------------


def test_a_snapshot_is_a_list_of_parts_and_its_digest_is_that_of_the_list(scored):
    snapshot = snapshots.take(scored, now=NOW)
    listed = [orjson.loads(line) for line in gzip.decompress(bytes(snapshot.content)).splitlines()]
    assert listed[0] == {"removed": 0}
    parts = list(snapshot.parts.all())
    assert listed[1:] == [{"bucket": part.bucket, "sha256": part.digest} for part in parts]
    for part in parts:
        assert sha256(gzip.decompress(bytes(part.content))).hexdigest() == part.digest
    assert (snapshot.n_responses, snapshot.n_scores) == (50, 150)
    assert snapshots.take(scored, now=LATER) == snapshot
    assert SnapshotPart.objects.count() == len(parts)


def test_a_snapshot_set_aside_on_disk_is_the_same(scored, monkeypatch):
    snapshot = snapshots.take(scored, now=NOW)
    monkeypatch.setattr(snapshots, "HELD", 100)
    assert snapshots.take(scored, now=NOW) == snapshot


def test_parts_come_to_the_whole(scored):
    snapshot = snapshots.take(scored, now=NOW)
    whole = snapshots.load(snapshot)
    parts = [snapshots.load_part(part) for part in snapshot.parts.all()]
    assert sorted((row for part in parts for row in part.responses), key=lambda row: row.id) == list(
        whole.responses
    )
    scores = [score for part in parts for score in part.scores]
    assert sorted(scores, key=lambda score: (score.response_id, score.annotator)) == list(whole.scores)
    assert whole.rubric_versions == (1,)


def test_a_snapshot_of_an_earlier_version_is_read_as_it_was(scored):
    """Everything in one piece, as it was written before there were parts."""
    whole = snapshots.load(snapshots.take(scored, now=NOW))
    rows = [
        {"removed": 2},
        *({"response": row.id, "sha256": snapshots._digest(row)} for row in whole.responses),
        *(asdict(score) for score in whole.scores),
    ]
    content = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    earlier = Snapshot.objects.create(
        project=scored,
        digest=sha256(content).hexdigest(),
        content=gzip.compress(content, mtime=0),
        n_responses=50,
        n_scores=150,
        taken_at=NOW,
    )
    assert snapshots.load(earlier) == replace(whole, removed=2)


def test_a_snapshot_without_one_of_its_parts_is_refused(scored):
    snapshot = snapshots.take(scored, now=NOW)
    copy = Snapshot.objects.create(
        project=scored, digest="0" * 64, content=snapshot.content, n_responses=0, n_scores=0, taken_at=NOW
    )
    copy.digest = snapshot.digest
    with pytest.raises(DomainError) as refusal:
        snapshots.load(copy)
    assert refusal.value.code == "snapshot_damaged"


def test_scores_are_read_in_one_query_whatever_their_number(scored, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert len(stored.live_scores(scored)) == 150


# --- messages --------------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch):
    """Messages instead of work."""
    found = []
    monkeypatch.setattr(tasks.run_curation, "delay", lambda pk: found.append(("run", pk)))
    monkeypatch.setattr(tasks.decide_shard, "delay", lambda pk: found.append(("shard", pk)))
    monkeypatch.setattr(tasks.audit_run, "delay", lambda pk: found.append(("audit", pk)))
    monkeypatch.setattr(tasks.compute_report, "delay", lambda pk: None)
    return found


def test_the_worker_that_divides_a_run_decides_the_first_shard_and_tells_others_of_the_rest(
    scored, settings, sent
):
    in_shards(settings, 5)
    run = requested(scored)
    tasks.run_curation(run.pk)
    first, *others = run.shards.all()
    assert first.state == Job.State.DONE
    assert sent == [("shard", shard.pk) for shard in others]
    for shard in others:
        tasks.decide_shard(shard.pk)
    assert digest(run) == OUTCOME
    assert [kind for kind, _ in sent[4:]] == ["audit"]


def test_the_sweep_tells_again_of_a_few_shards_at_a_time(divided, sent, monkeypatch):
    monkeypatch.setattr(tasks.timezone, "now", later)
    tasks.sweep()
    shards = [("shard", shard.pk) for shard in divided.shards.all()]
    assert sent == [("run", divided.pk), *shards[: tasks.SHARDS_AT_A_TIME]]


def test_parts_lie_in_the_storage_that_the_settings_name(divided, folder):
    run_work.decide(divided.shards.first().pk, clock=clock)
    shard = divided.shards.first()
    assert all(storages["runs"].exists(name) for name in (shard.tally, *shard.parts))
    assert all(name.startswith(f"{shard.folder}/{shard.first:03}-1/") for name in (shard.tally, *shard.parts))
    assert len(files(folder)) == 1 + len(shard.parts)
