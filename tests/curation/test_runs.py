"""A run: requested by a lead, claimed by one worker, kept with all that explains it."""

import threading
from datetime import timedelta
from threading import Event
from unittest import mock

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction

from annotation.errors import DomainError
from annotation.models import Round, Score
from annotation.queries.jobs import error_of
from annotation.services import consensus, exam_forms, jobs, membership
from curation.domain.shards import work
from curation.models import Run, Snapshot
from curation.queries import material
from curation.services import recipes, runs, snapshots
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, make_slot, score_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(seconds=settings.JOB_LEASE_SECONDS + 1)
NAMES = ("ann", "ben", "cat")


def clock():
    return NOW


@pytest.fixture
def scored(project):
    """Two responses of one prompt, the better one preferred by all three annotators."""
    for name in NAMES:
        make_member(project, "annotator", name)
    prompt = make_prompt(project, "p1")
    make_response(prompt, "good", "The bridge stood where nobody needed it.")
    make_response(prompt, "poor", "Bridges are a very important invention.")
    work = make_round(project)
    score_all(
        work, {(response, name): value for name in NAMES for response, value in [("good", 3), ("poor", 1)]}
    )
    return work


@pytest.fixture
def recipe(project):
    return recipes.save(project, parameters={"length_symmetry": False}, by=None, now=NOW)


@pytest.fixture
def run(project, recipe):
    return runs.request(project, recipe=recipe, by=None, now=NOW)


def test_it_keeps_pairs_funnel_and_agreement(scored, run):
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert (run.state, run.attempt, run.claimed_by) == ("done", 1, jobs.worker_name())
    assert run.funnel["accepted"] == run.funnel["candidates"] == 1
    assert run.agreement["alpha"]["ordinal"]["value"] == 1.0
    assert run.agreement["n_pairable"] == 6
    pair = run.pairs.get()
    assert (pair.key, pair.votes_for, pair.k) == ("p1:good:poor", 3, 3)
    assert (pair.gap_numerator, pair.gap_denominator, pair.mean_chosen) == (2, 1, 3.0)
    assert run.rubric == scored.rubric


def set_aside(project, *texts):
    """Responses that a calibration asks about."""
    work = Round.objects.create(
        project=project,
        name="First calibration",
        purpose=Round.Purpose.CALIBRATION,
        rubric=project.rubrics.get(),
        created_at=NOW,
    )
    for text in texts:
        make_slot(work, text)


def test_texts_set_aside_for_the_preparation_are_no_candidates(scored, project, recipe, run):
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    set_aside(project, make_response(project.prompts.get(), "asked", "A text of a calibration."))
    form = exam_forms.draft_form(project, language="", name="Form A", by=None, now=NOW)
    author = {"kind": "exam", "prompt_text": "Write of rain.", "response_text": "It fell.", "value": 2}
    consensus.author(form, language="en", genre=None, by=None, now=NOW, **author)
    second = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(second.pk, clock=clock)
    second.refresh_from_db()
    assert (second.funnel, second.snapshot_id) == (run.funnel, run.snapshot_id)


def test_a_text_set_aside_that_live_rounds_have_scored_stays(scored, project, run):
    set_aside(project, project.responses.get(external_id="good"))
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert run.funnel["accepted"] == 1
    assert set(material.standing_responses(project)[0]) == {"good", "poor"}


def test_a_score_given_in_between_is_counted_by_the_next_run(scored, project, recipe, run):
    runs.execute(run.pk, clock=clock)
    extra = make_response(project.prompts.get(), "third", "A third text.")
    later = make_round(project, "Round 2")
    later.assignments.exclude(response=extra).update(state="void")
    score_all(later, {("third", name): 0 for name in NAMES})
    second = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(second.pk, clock=clock)
    second.refresh_from_db()
    assert second.funnel["candidates"] == 3
    assert second.snapshot_id != run.snapshot_id
    assert run.pairs.count() == 1


def test_scores_of_other_rounds_of_withdrawn_data_and_of_removed_responses_do_not_count(
    scored, project, lead
):
    gold = make_round(project, "Gold", purpose="gold")
    score_all(gold, {(response, "ann"): 0 for response in ("good", "poor")})
    assert {score.score for score in material.live_scores(project)} == {3, 1}
    ben = project.memberships.get(user__username="ben")
    membership.end(ben, by=None, now=NOW)
    assert {score.annotator for score in material.live_scores(project)} == {
        f"annotator-0{number}" for number in (1, 2, 3)
    }
    membership.withdraw_data(ben, reason="asked for it", by=lead.user, now=NOW)
    assert {score.annotator for score in material.live_scores(project)} == {"annotator-01", "annotator-03"}
    project.responses.filter(external_id="poor").update(state="removed", removed_at=NOW)
    assert {score.response_id for score in material.live_scores(project)} == {"good"}
    assert snapshots.load(snapshots.take(project, now=NOW)).removed == 1


def test_a_revision_supersedes_and_its_size_is_known(scored, project):
    first = Score.objects.get(response__external_id="good", annotator__user__username="ann")
    Score.objects.create(
        round=first.round,
        response=first.response,
        annotator=first.annotator,
        assignment=first.assignment,
        rubric=first.rubric,
        revision=2,
        value=1,
        at=NOW,
        recorded_at=NOW,
    )
    found = next(
        s for s in material.live_scores(project) if (s.response_id, s.annotator) == ("good", "annotator-01")
    )
    assert (found.score, found.largest_revision) == (1, 2)


def test_an_unchanged_project_has_one_snapshot(scored, project):
    assert snapshots.take(project, now=NOW) == snapshots.take(project, now=LATER)
    assert Snapshot.objects.count() == 1


def test_a_snapshot_is_refused_when_its_material_has_changed(scored, project):
    snapshot = snapshots.take(project, now=NOW)
    project.prompts.update(text="Write about a tunnel.")
    with pytest.raises(DomainError) as refusal:
        snapshots.load(snapshot)
    assert refusal.value.code == "material_changed"


def test_one_project_has_one_active_run(project, recipe, run):
    with pytest.raises(DomainError) as refusal:
        runs.request(project, recipe=recipe, by=None, now=NOW)
    assert refusal.value.code == "run_in_progress"
    assert Run.objects.count() == 1


def test_a_message_that_comes_twice_does_the_work_once(scored, run):
    runs.execute(run.pk, clock=clock)
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert (run.state, run.attempt, run.pairs.count()) == ("done", 1, 1)


def test_a_running_job_is_not_claimed_until_its_lease_has_expired(run):
    assert jobs.claim(Run, run.pk, now=NOW).attempt == 1
    assert jobs.claim(Run, run.pk, now=NOW) is None
    assert jobs.claim(Run, run.pk, now=LATER).attempt == 2


def test_who_lost_the_lease_cannot_end_the_job(run):
    mine = jobs.claim(Run, run.pk, now=NOW)
    jobs.claim(Run, run.pk, now=LATER)
    with pytest.raises(jobs.LostLease):
        jobs.fail(mine, reason="too late", now=LATER)
    run.refresh_from_db()
    assert run.state == "running"


def test_a_job_that_keeps_dying_is_given_up(run):
    now = NOW
    for _ in range(jobs.ATTEMPTS):
        assert jobs.claim(Run, run.pk, now=now)
        assert jobs.give_up(Run, now=now) == 0
        now = now + timedelta(seconds=settings.JOB_LEASE_SECONDS + 1)
    assert jobs.abandoned(Run, now=now) == []
    assert jobs.give_up(Run, now=now) == 1
    run.refresh_from_db()
    assert run.state == "failed"
    assert "3 times" in error_of(run)


def test_what_was_lost_on_the_way_is_found_again(run):
    assert jobs.abandoned(Run, now=NOW) == []
    assert jobs.abandoned(Run, now=NOW + jobs.NUDGE_AGAIN) == [run.pk]
    jobs.claim(Run, run.pk, now=NOW)
    assert jobs.abandoned(Run, now=NOW + jobs.NUDGE_AGAIN) == []
    assert jobs.abandoned(Run, now=LATER) == [run.pk]


def test_an_error_becomes_the_outcome_and_frees_the_project(scored, project, recipe, run, monkeypatch):
    def broken(*args):
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(work, "decided", broken)
    with pytest.raises(ZeroDivisionError):
        runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "nobody thought of this" in run.error
    assert not run.pairs.exists()
    assert runs.request(project, recipe=recipe, by=None, now=NOW).pk != run.pk


def test_without_scores_a_run_ends_with_alpha_undefined(project, run):
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert run.state == "done"
    assert run.agreement["alpha"]["ordinal"] == {
        "value": None,
        "low": None,
        "high": None,
        "undefined": 0,
        "reason": "empty",
    }


def test_recipes_are_versions_and_the_same_parameters_are_the_same_version(project, recipe):
    assert recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW) == recipe
    changed = recipes.save(project, parameters={"min_gap": "3/2"}, by=None, now=NOW)
    assert (changed.version, changed.parameters["min_gap"]) == (2, "3/2")
    assert recipes.current(project, by=None, now=NOW) == changed
    with pytest.raises(DomainError, match="did you mean min_gap"):
        recipes.save(project, parameters={"min_gapp": "1"}, by=None, now=NOW)


@pytest.mark.parametrize("table", ["recipe", "snapshot", "snapshotpart", "pair", "run"])
@pytest.mark.parametrize("statement", ["UPDATE curation_{} SET id = id", "DELETE FROM curation_{}"])
def test_the_database_refuses_to_alter_what_a_run_rests_on(scored, run, table, statement):
    runs.execute(run.pk, clock=clock)
    with pytest.raises(Exception, match="never change"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))


def test_the_database_refuses_another_pair_for_a_done_run(scored, run):
    runs.execute(run.pk, clock=clock)
    pair = run.pairs.get()
    pair.pk, pair.chosen, pair.rejected = None, pair.rejected, pair.chosen
    with pytest.raises(Exception, match="never changes"), transaction.atomic():
        pair.save(force_insert=True)


def test_a_long_job_keeps_its_lease_while_it_works(run, settings):
    """The clock stands still, so only the count of renewals tells."""
    settings.JOB_LEASE_SECONDS = 0.03
    renewals = []
    job = jobs.claim(Run, run.pk, now=NOW)
    enough = Event()

    def count_renewals():
        renewals.append(NOW)
        if len(renewals) == 3:
            enough.set()
        return NOW

    with mock.patch.object(jobs, "renew", return_value=None), jobs.heartbeat(job, clock=count_renewals):
        assert enough.wait(30)


def test_a_heartbeat_outlives_a_database_that_is_busy_for_a_while(run, settings):
    settings.JOB_LEASE_SECONDS = 0.03
    job = jobs.claim(Run, run.pk, now=NOW)
    again = Event()

    def busy_at_first(job, *, now):
        if renew.call_count < 3:
            raise OperationalError("database is locked")
        again.set()

    with (
        mock.patch.object(jobs, "renew", side_effect=busy_at_first) as renew,
        jobs.heartbeat(job, clock=clock),
    ):
        assert again.wait(30)


def test_a_heartbeat_ends_with_the_work(run):
    with jobs.heartbeat(jobs.claim(Run, run.pk, now=NOW), clock=clock):
        assert any("heartbeat" in thread.name for thread in threading.enumerate())
    assert not any("heartbeat" in thread.name for thread in threading.enumerate())


def test_an_interrupted_run_frees_the_project(scored, project, recipe, run, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "decided", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "It was interrupted.")
    assert runs.request(project, recipe=recipe, by=None, now=NOW).pk != run.pk


def test_what_arrives_while_a_snapshot_is_taken_is_left_for_the_next(scored, project, monkeypatch):
    each_live_score = material.each_live_score

    def and_then_a_text_is_removed(project):
        yield from list(each_live_score(project))
        project.responses.filter(external_id="poor").update(state="removed", removed_at=NOW)

    monkeypatch.setattr(material, "each_live_score", and_then_a_text_is_removed)
    found = snapshots.load(snapshots.take(project, now=NOW))
    assert ({row.id for row in found.responses}, found.removed) == ({"good"}, 1)
    assert {score.response_id for score in found.scores} == {"good"}


def test_the_database_refuses_a_done_run_without_results(run):
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(state="done", finished_at=NOW)
