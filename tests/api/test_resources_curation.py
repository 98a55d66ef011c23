"""REST: recipes, runs with their pairs, and asking for a release."""

import pytest
from django.utils import timezone

from annotation.models import Flag
from curation import tasks
from curation.domain import recipe_json
from curation.domain.recipes import WritingPreference
from curation.models import Recipe, Release, Run
from curation.services import releases, runs
from tests.api.callers import Caller, at, fill, refusal_of
from tests.factories import REASON, make_project

pytestmark = pytest.mark.django_db
RECIPE = {"name": "mine", "recipe": WritingPreference().as_dict()}


@pytest.fixture
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.run_curation, "delay_on_commit", sent.append)
    monkeypatch.setattr(tasks.freeze_release, "delay_on_commit", sent.append)
    return sent


@pytest.fixture
def world(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return fill(project)


@pytest.fixture
def caller(world, lead, nudged):
    return Caller(lead.user)


# --- Recipes -----------------------------------------------------------------------------------------


def test_a_recipe_is_told_and_given_as_its_file(caller, world):
    told = caller.get("recipes/writing-preference/1/").json()
    assert told["parameters"]["length_symmetry"] is False
    assert caller.all("recipes/?name=writing-preference") == [told]
    file = caller.get(told["file"])
    assert recipe_json.read(file.content).parameters() == told["parameters"]
    assert file["Content-Disposition"] == 'attachment; filename="writing-preference-1.json"'


def test_a_recipe_that_was_given_can_be_sent_again_as_another(caller):
    file = caller.get("recipes/writing-preference/1/recipe.json").json()
    saved = caller.post("recipes/", {"name": "mine", "recipe": file})
    assert (saved.status_code, saved.json()["name"], saved.json()["version"]) == (201, "mine", 1)
    assert saved["Location"] == "http://testserver" + at("recipes/mine/1/")
    changed = {**file, "settings": {**file["settings"], "seed": "another"}}
    assert caller.post("recipes/", {"name": "mine", "recipe": changed}).json()["version"] == 2
    assert caller.post("recipes/", {"name": "mine", "recipe": changed}).json()["version"] == 2


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"name": "mine"}, 400),
        ({**RECIPE, "version": 9}, 400),
        ({**RECIPE, "name": "Not A Name"}, 422),
        ({**RECIPE, "recipe": {}}, 422),
        ({**RECIPE, "recipe": []}, 422),
        ({**RECIPE, "recipe": {"name": "nobodys"}}, 422),
        ({**RECIPE, "recipe": {"name": "weval", "version": 1, "rules": []}}, 422),
        ({**RECIPE, "recipe": {**WritingPreference().as_dict(), "rules": [{"name": "gold"}]}}, 422),
    ],
)
def test_what_is_no_recipe_is_refused(caller, body, refused):
    assert refusal_of(caller.post("recipes/", body))[0] == refused
    assert Recipe.objects.count() == 1


# --- Runs --------------------------------------------------------------------------------------------


def test_a_run_is_started_by_name_and_version_and_told_when_it_is_done(caller, world, nudged):
    started = caller.post("runs/", {"recipe": "writing-preference", "version": 1})
    told = started.json()
    assert (started.status_code, told["state"], told["funnel"]) == (202, "queued", None)
    assert (told["recipe"], told["recipe_version"]) == ("writing-preference", 1)
    assert nudged == [told["id"]]
    runs.execute(told["id"], clock=timezone.now)
    done = caller.get(started["Location"]).json()
    assert (done["state"], done["accepted"], done["funnel"]["accepted"]) == ("done", 4, 4)
    assert done["agreement"]["alpha"]["ordinal"]["value"] == 1.0
    assert [row["id"] for row in caller.all("runs/?state=done")] == [world.run.pk, told["id"]]


def test_without_a_word_it_is_the_recipe_that_the_project_begins_with(caller):
    assert caller.post("runs/").json()["recipe"] == "writing-preference"


def test_one_run_at_a_time_and_a_run_can_be_cancelled(caller):
    first = caller.post("runs/").json()
    assert refusal_of(caller.post("runs/")) == (409, "run_in_progress")
    ended = caller.post(f"{first['url']}cancel/")
    assert (ended.status_code, ended.json()["state"]) == (200, "failed")
    assert "Cancelled by" in ended.json()["error"]
    assert refusal_of(caller.post(f"{first['url']}cancel/")) == (409, "run_has_ended")


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"recipe": "nobodys"}, 409),
        ({"recipe": "writing-preference", "version": 99}, 422),
        ({"recipe": "writing-preference", "version": 0}, 400),
        ({"recipe": "writing-preference", "version": "1"}, 400),
        ({"recipe": 1}, 400),
        ({"snapshot": 1}, 400),
        ({"state": "done"}, 400),
        ({"queued_by": "lea"}, 400),
    ],
)
def test_a_run_that_cannot_be_is_refused(caller, body, refused):
    assert refusal_of(caller.post("runs/", body))[0] == refused
    assert Run.objects.count() == 1


def test_the_pairs_of_a_run_are_told_by_page_and_filter(caller, world):
    pairs = caller.all(f"runs/{world.run.pk}/pairs/?page_size=3")
    assert sorted(pair["id"] for pair in pairs) == [f"p{n}:p{n}-1:p{n}-0" for n in range(4)]
    assert (pairs[0]["chosen"], pairs[0]["rejected"], pairs[0]["prompt"]) == ("p0-1", "p0-0", "p0")
    assert (pairs[0]["gap"], pairs[0]["annotators"], pairs[0]["votes_for"]) == ([3, 1], 3, 3)
    chosen = caller.all(f"runs/{world.run.pk}/pairs/?genre=poetry&language=zh&ordering=-id")
    assert [pair["prompt"] for pair in chosen] == ["p3", "p1"]


def test_a_run_of_another_project_does_not_exist_here(caller, world):
    other = make_project("tunnels")
    theirs = Run.objects.create(
        project=other, recipe=world.recipe, state="queued", queued_at=world.project.created_at
    )
    for place in ("", "pairs/", "pairs.jsonl"):
        assert caller.get(f"runs/{theirs.pk}/{place}").status_code == 404
    assert caller.post(f"runs/{theirs.pk}/cancel/").status_code == 404
    body = {"run": theirs.pk, "name": "bridges", "version": "2.0.0"}
    assert caller.post("releases/", body).status_code == 404


# --- Releases ----------------------------------------------------------------------------------------


def asked_of(world):
    return {
        "run": world.run.pk,
        "name": "bridges",
        "version": "1.1.0",
        "reason": REASON,
        "note": "More.",
    }


def test_a_run_is_frozen_into_a_release(caller, world, nudged):
    asked = caller.post("releases/", {**asked_of(world), "licence": "odc-by"})
    told = asked.json()
    assert (asked.status_code, told["state"], told["frozen"]) == (202, "queued", None)
    release = Release.objects.get(version="1.1.0")
    assert nudged == [release.pk]
    assert (release.terms["note"], release.terms["licence"]) == ("More.", "odc-by")
    releases.execute(release.pk, clock=timezone.now)
    frozen = caller.get(asked["Location"]).json()
    assert (frozen["state"], frozen["error"]) == ("done", "")
    files = caller.get(frozen["frozen"]).json()["files"]
    manifest = next(file for file in files if file["path"] == "manifest.json")
    assert manifest["sha256"] == frozen["manifest_sha256"]
    assert [row["version"] for row in caller.all("releases/?state=done")] == ["1.0.0", "1.1.0"]


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"reason": ""}, (422, "audit_not_done")),
        ({"version": "1.0.0"}, (422, "version_taken")),
        ({"version": "one"}, (422, "bad_version")),
        ({"name": "../bridges"}, (422, "bad_name")),
        ({"run": 999999}, (404, "not_found")),
        ({"version": "0.9.0"}, (422, "not_accepted")),
        ({"note": ""}, (422, "not_accepted")),
        ({"heldout": "labels"}, (422, "not_accepted")),
        ({"heldout": "labels", "heldout_percent": 1}, (422, "not_accepted")),
        ({"floor": "much"}, (422, "not_accepted")),
        ({"licence": "Not An Id"}, (422, "bad_licence")),
    ],
)
def test_a_release_that_cannot_be_is_refused(caller, world, more, refused):
    body = {**asked_of(world), **more}
    assert refusal_of(caller.post("releases/", body)) == refused
    assert Release.objects.count() == 1


def test_a_check_that_fails_is_mended_or_let_pass_with_a_reason(caller, world):
    Flag.objects.create(
        project=world.project,
        response=world.project.responses.get(external_id="p0-0"),
        check_key="refusal",
        rules_version=1,
        raised_at=world.project.created_at,
    )
    told = caller.get(f"runs/{world.run.pk}/checks/").json()
    assert (told["last_version"], told["next_version"]) == ("1.0.0", "1.0.1")
    takes = {check["name"]: check["takes"] for check in told["checks"] if check["takes"]}
    assert takes == {"flags": "waivers.flags", "audit": "reason"}
    refused = caller.post("releases/", asked_of(world))
    assert refusal_of(refused) == (422, "not_accepted")
    assert [each["field"] for each in refused.json()["errors"]] == ["waivers.flags"]
    body = {**asked_of(world), "waivers": {"flags": "It is none."}}
    assert caller.post("releases/", body).status_code == 202
    kept = {check["name"]: check["waiver"] for check in Release.objects.get(version="1.1.0").terms["checks"]}
    assert (kept["flags"], kept["audit"]) == ("It is none.", REASON)


def test_checks_are_held_against_what_the_lead_wants(caller, world):
    refused = caller.post("releases/", {**asked_of(world), "target": 100})
    assert [each["field"] for each in refused.json()["errors"]] == ["waivers.quota"]
    refused = caller.post("releases/", {**asked_of(world), "waivers": {"flags": ["no text"]}})
    assert refusal_of(refused)[0] == 400


def test_a_run_that_is_not_done_has_no_checks(caller):
    waiting = caller.post("runs/").json()
    assert refusal_of(caller.get(waiting["checks"])) == (409, "run_not_done")


@pytest.mark.parametrize(
    "more",
    [
        {"run": "1"},
        {"waivers": {"flags": 1}},
        {"waivers": "no"},
        {"run": True},
        {"state": "done"},
        {"manifest_sha256": "0"},
    ],
)
def test_a_release_takes_no_name_and_no_type_that_is_not_listed(caller, world, more):
    body = {"run": world.run.pk, "name": "bridges", "version": "1.1.0", "reason": REASON, **more}
    assert refusal_of(caller.post("releases/", body))[0] == 400


def test_a_run_that_is_not_done_is_not_frozen(caller, world):
    waiting = caller.post("runs/").json()
    body = {"run": waiting["id"], "name": "bridges", "version": "1.1.0", "reason": REASON}
    assert refusal_of(caller.post("releases/", body)) == (409, "run_not_done")
