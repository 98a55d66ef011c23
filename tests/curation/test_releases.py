"""Freezing: the same bytes whoever makes them, checked, and never changed."""

import errno
import json
from datetime import timedelta

import pandas
import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection, transaction

from annotation.domain import shipped
from annotation.errors import DomainError, Invalid
from annotation.queries.jobs import error_of
from annotation.services import demo, jobs
from curation import access
from curation.models import Release, ReleaseFile, Run
from curation.queries.material import live_scores
from curation.services import directory, recipes, release_files, releases, runs, verification
from tests.curation.file_releases import PAPERS, copies_of, unmarked
from tests.factories import (
    NOW,
    REASON,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    score_all,
)

pytestmark = pytest.mark.django_db


def clock():
    return NOW


@pytest.fixture
def run(project):
    names = ("ann", "ben", "cat")
    for name in names:
        make_member(project, "annotator", name)
    prompt = make_prompt(project, "p1")
    values = {"r1": 3, "r2": 2, "r3": 1, "r4": 0}
    for key in values:
        make_response(prompt, key, f"Text {key}. " + "word " * (5 * int(key[1])))
    score_all(make_round(project), {(key, name): value for key, value in values.items() for name in names})
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    return run


@pytest.fixture
def release(run, releases_dir):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    return requested


@pytest.fixture
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return settings.RELEASES_DIR


def test_a_release_is_a_folder_that_verifies(release):
    assert (release.state, release.error) == ("done", "")
    assert verification.verify(releases.folder(release)).ok
    assert {file.path for file in release.files.all()} == {
        "manifest.sig",
        "data/pairs/test.jsonl",
        "data/judgements/test.jsonl",
        "csv/pairs-test.csv",
        "csv/judgements-test.csv",
        *copies_of("bridges"),
        *PAPERS,
    }


def test_its_manifest_says_what_it_rests_on(release, run):
    manifest = json.loads((releases.folder(release) / "manifest.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("bridges", "1.0.0")
    assert manifest["counts"]["pairs"] == run.funnel["accepted"] == 6
    assert manifest["counts"]["judgements"] == 12
    assert manifest["recipe"]["parameters"] == run.recipe.parameters
    assert manifest["recipe_named"] == {"name": run.recipe.name, "version": run.recipe.version}
    assert manifest["rubric_version"] == 1
    assert manifest["code_version"] == run.code_version
    assert manifest["agreement"]["alpha"]["ordinal"]["value"] == 1.0
    assert (manifest["agreement_checked"]["package"], manifest["agreement_checked"]["ordinal"]) == (
        "krippendorff",
        1.0,
    )


def test_judgements_carry_pseudonyms_and_no_names(release):
    rows = [json.loads(line) for line in (releases.folder(release) / "data/judgements/test.jsonl").open()]
    assert {row["annotator"] for row in rows} == {"annotator-01", "annotator-02", "annotator-03"}
    everything = b"".join(path.read_bytes() for path in releases.folder(release).rglob("*") if path.is_file())
    for name in (b'"ann"', b'"ben"'):
        assert name not in everything


def test_whoever_loads_it_with_pandas_finds_votes_and_means_again(release):
    folder = releases.folder(release)
    pairs = pandas.read_json(folder / "data/pairs/test.jsonl", lines=True)
    judgements = pandas.read_json(folder / "data/judgements/test.jsonl", lines=True)
    both = (
        pairs[["id", "chosen", "rejected"]]
        .merge(judgements[["response_id", "annotator", "score"]], left_on="chosen", right_on="response_id")
        .merge(
            judgements[["response_id", "annotator", "score"]],
            left_on=["rejected", "annotator"],
            right_on=["response_id", "annotator"],
            suffixes=("_chosen", "_rejected"),
        )
    )
    both["vote"] = both.score_chosen > both.score_rejected
    found = both.groupby("id").agg(
        k=("vote", "size"), votes_for=("vote", "sum"), mean_chosen=("score_chosen", "mean")
    )
    told = pairs.set_index("id").loc[found.index]
    assert len(found) == 6
    for column in found.columns:
        assert (found[column] == told[column]).all()


def test_one_changed_byte_is_found(release):
    path = releases.folder(release) / "data/pairs/test.jsonl"
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    verdict = verification.verify(releases.folder(release))
    assert not verdict.ok
    assert "data/pairs/test.jsonl" in str(verdict)


def test_frozen_twice_from_one_run_only_the_version_differs(release, run):
    again = releases.request(
        run, name="bridges", version="1.1.0", reason=REASON, by=None, now=NOW + timedelta(days=90)
    )
    releases.execute(again.pk, clock=clock)
    first, second = releases.folder(release), releases.folder(again)
    assert rows_of(first / "data/pairs/test.jsonl") == rows_of(second / "data/pairs/test.jsonl")
    one, other = (json.loads((folder / "manifest.json").read_bytes()) for folder in (first, second))
    for differs in ("files", "merkle_root", "version", "terms"):
        assert one.pop(differs) != other.pop(differs)
    assert one == other


def rows_of(path):
    """What is in the file besides the canary, which is that of a release."""
    return [unmarked(json.loads(line)) for line in path.open(encoding="utf-8")]


def test_a_later_score_does_not_reach_a_release_of_an_earlier_run(run, project, releases_dir):
    member = project.memberships.get(user__username="ann")
    member.state = "withdrawn"
    member.save(update_fields=["state"])
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(requested.pk, clock=clock)
    manifest = json.loads((releases.folder(requested) / "manifest.json").read_text())
    assert manifest["counts"]["judgements"] == 12


@pytest.mark.parametrize(
    ("name", "version", "code"),
    [
        ("bridges", "1", "bad_version"),
        ("bridges", "1.0", "bad_version"),
        ("../bridges", "1.0.0", "bad_name"),
        ("", "1.0.0", "bad_name"),
        ("bridges", "../1.0.0", "bad_version"),
    ],
)
def test_a_bad_name_or_version_is_refused(run, name, version, code):
    with pytest.raises(Invalid) as refusal:
        releases.request(run, name=name, version=version, reason=REASON, by=None, now=NOW)
    assert refusal.value.code == code


def test_a_version_is_never_used_twice(release, run):
    with pytest.raises(Invalid) as refusal:
        releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    assert refusal.value.code == "version_taken"


def test_a_run_without_result_is_refused(project, run):
    waiting = runs.request(project, recipe=run.recipe, by=None, now=NOW)
    with pytest.raises(DomainError) as refusal:
        releases.request(waiting, name="bridges", version="2.0.0", reason=REASON, by=None, now=NOW)
    assert refusal.value.code == "run_not_done"


def test_who_lost_the_lease_cannot_touch_what_another_froze(run, releases_dir, monkeypatch):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    later = NOW + timedelta(seconds=django_settings.JOB_LEASE_SECONDS + 1)
    write = releases._write

    def slowly(place, files):
        monkeypatch.setattr(releases, "_write", write)
        releases.execute(requested.pk, clock=lambda: later)  # meanwhile another worker takes over and freezes
        write(place, files)

    monkeypatch.setattr(releases, "_write", slowly)
    with pytest.raises(jobs.LostLease):
        releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert (requested.state, requested.attempt) == ("done", 2)
    assert verification.verify(releases.folder(requested)).ok
    assert sorted(path.name for path in releases_dir.iterdir()) == [".objects", ".signing-key", "bridges"]


def test_what_killed_attempts_were_building_is_cleared_away(run, releases_dir):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    killed = releases_dir / f".building-{requested.pk}-1" / "data"
    killed.mkdir(parents=True)
    jobs.claim(Release, requested.pk, now=NOW)
    later = NOW + timedelta(seconds=django_settings.JOB_LEASE_SECONDS + 1)
    releases.execute(requested.pk, clock=lambda: later)
    assert sorted(path.name for path in releases_dir.iterdir()) == [".objects", ".signing-key", "bridges"]


def test_a_name_belongs_to_the_project_that_used_it_first(release, run):
    other = make_project("walls")
    elsewhere = type(run)(project=other, state="done", funnel={"accepted": 1}, pk=run.pk)
    with pytest.raises(Invalid) as refusal:
        releases.request(elsewhere, name="bridges", version="2.0.0", reason=REASON, by=None, now=NOW)
    assert refusal.value.code == "name_taken"


def test_a_run_without_pairs_is_not_released(run, project):
    recipe = recipes.save(project, parameters={"min_gap": "3", "min_common": 7}, by=None, now=NOW)
    empty = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(empty.pk, clock=clock)
    empty.refresh_from_db()
    with pytest.raises(DomainError) as refusal:
        releases.request(empty, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    assert refusal.value.code == "no_pairs"


def test_what_a_dead_attempt_left_is_replaced(run, releases_dir):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    left = releases.folder(requested) / "data"
    left.mkdir(parents=True)
    (left / "half").write_text("half")
    jobs.claim(Release, requested.pk, now=NOW)
    later = NOW + timedelta(seconds=django_settings.JOB_LEASE_SECONDS + 1)
    releases.execute(requested.pk, clock=lambda: later)
    requested.refresh_from_db()
    assert (requested.state, requested.attempt) == ("done", 2)
    assert verification.verify(releases.folder(requested)).ok


def test_a_disk_without_room_fails_the_release_and_it_can_be_tried_again(run, releases_dir, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(directory.os, "fsync", full)
        releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert requested.state == "failed"
    assert "No space left on device. Nothing new was left there." in error_of(requested)
    assert not releases.folder(requested).exists()
    jobs.try_again(requested, now=NOW)
    releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert (requested.state, requested.error) == ("done", "")
    with pytest.raises(DomainError) as refusal:
        jobs.try_again(requested, now=NOW)
    assert refusal.value.code == "not_failed"


def test_a_run_that_this_code_decides_otherwise_is_not_frozen(run, releases_dir, monkeypatch):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    compute = runs.compute

    def stricter(material, recipe):
        return compute(material, type(recipe).from_parameters({"min_gap": "2", "length_symmetry": "off"}))

    monkeypatch.setattr(runs, "compute", stricter)
    releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert (requested.state, requested.files.count()) == ("failed", 0)
    assert "decides otherwise" in requested.error


def test_an_alpha_that_another_implementation_disputes_is_not_frozen(run, releases_dir, monkeypatch):
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    monkeypatch.setattr(release_files.krippendorff, "alpha", lambda **_: 0.5)
    releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert requested.state == "failed"
    assert "independent implementation" in error_of(requested)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE curation_release SET version = '9.9.9'",
        "UPDATE curation_release SET state = 'queued', finished_at = NULL",
        "DELETE FROM curation_release",
        "UPDATE curation_releasefile SET sha256 = ''",
        "DELETE FROM curation_releasefile",
        "INSERT INTO curation_releasefile (release_id, path, sha256, size) SELECT release_id, 'x', '', 0 "
        "FROM curation_releasefile LIMIT 1",
    ],
)
def test_the_database_refuses_to_change_a_frozen_release(release, statement):
    n_files = release.files.count()
    with pytest.raises(Exception, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert ReleaseFile.objects.filter(release=release).count() == n_files


def test_only_frozen_releases_of_sighted_projects_are_seen(release, run, lead, stranger):
    waiting = releases.request(run, name="bridges", version="2.0.0", reason=REASON, by=None, now=NOW)
    annotator = run.project.memberships.get(user__username="ann").user
    assert list(access.releases(lead.user)) == [release]
    assert waiting not in access.releases(lead.user)
    for person in (annotator, stranger):
        assert not access.releases(person).exists()


def test_the_demo_gives_the_same_rows_as_its_files_do_by_command(releases_dir, tmp_path):
    """On each database the same as without one, hence on both the same."""
    project = demo.load(now=NOW)
    recipe = recipes.save(project, parameters=demo.RECIPE, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=clock)
    requested = releases.request(
        Run.objects.get(pk=run.pk), name="demo", version="0.1.0", reason=REASON, by=None, now=NOW
    )
    releases.execute(requested.pk, clock=clock)
    from_database, from_files = releases.folder(requested), tmp_path / "by-command"
    scores = tmp_path / "scores.jsonl"
    scores.write_text("\n".join(json.dumps(row) for row in rows_of_live_scores(project)), encoding="utf-8")
    call_command(
        "curate",
        responses=shipped.FOLDER / "demo" / "responses.jsonl",
        scores=scores,
        recipe="writing-preference",
        out=from_files,
        name="demo",
        version="0.1.0",
        param=[f"{name}={value}" for name, value in demo.RECIPE.items()],
    )
    pairs, judged = "data/pairs/test.jsonl", "data/judgements/test.jsonl"
    assert rows_of(from_database / pairs) == rows_of(from_files / pairs)
    # Pseudonyms are those of a release; what each of them gave is the same.
    given = [{**row, "annotator": ""} for row in rows_of(from_database / judged)]
    assert sorted(given, key=json.dumps) == sorted(
        ({**row, "annotator": ""} for row in rows_of(from_files / judged)), key=json.dumps
    )
    one, other = (
        json.loads((folder / "manifest.json").read_bytes()) for folder in (from_database, from_files)
    )
    for differs in ("files", "merkle_root", "rubric_version", "signature", "terms"):
        del one[differs], other[differs]
    del one["agreement_checked"], one["recipe_named"], one["audit"]  # of the project's run; files have none
    assert one == other


def rows_of_live_scores(project):
    for score in live_scores(project):
        yield {
            "response_id": score.response_id,
            "annotator": score.annotator,
            "score": score.score,
            "at": score.at.isoformat(),
        }


def test_the_demo_releases_enough_and_shows_every_reason_that_is_on_by_default(releases_dir):
    project = demo.load(now=NOW)
    recipe = recipes.save(project, parameters=demo.RECIPE, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    assert run.funnel["accepted"] >= 15
    on_by_default = (
        "identical_text",
        "insufficient_overlap",
        "no_gap",
        "direction",
        "gap",
        "length_symmetry",
    )
    assert all(run.funnel["rejected"][reason] >= 1 for reason in on_by_default)
