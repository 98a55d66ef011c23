"""REST: a bearer token opens the frozen releases of the projects its owner may see, and nothing else."""

from datetime import timedelta
from hashlib import sha256
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import ApiToken
from annotation.services import membership, tokens
from curation.services import recipes, releases, runs
from tests.factories import NOW, REASON, make_member, make_prompt, make_response, make_round, score_all

pytestmark = pytest.mark.django_db
NAMES = ("abe", "ben", "cat")
LIST = "/api/v1/releases/"
SHOW = "/api/v1/releases/bridges/1.0.0/"


@pytest.fixture
def release(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    prompt = make_prompt(project)
    values = {("good", name): 3 for name in NAMES} | {("poor", name): 1 for name in NAMES}
    for name in NAMES:
        make_member(project, "annotator", name)
    for key in ("good", "poor"):
        make_response(prompt, key)
    score_all(make_round(project), values)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    requested = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(requested.pk, clock=lambda: NOW)
    return requested


def headers_of(user, **options):
    token = tokens.create(user, name="script", **{"now": timezone.now(), "days": None, **options})
    return {"authorization": f"Bearer {token}"}


def test_it_lists_shows_and_gives_every_file(client, release, lead):
    headers = headers_of(lead.user)
    listed = client.get(LIST, headers=headers).json()["results"]
    assert [(row["name"], row["version"], row["project"]) for row in listed] == [
        ("bridges", "1.0.0", "bridges")
    ]
    shown = client.get(listed[0]["url"], headers=headers).json()
    assert "manifest.json" in [file["path"] for file in shown["files"]]
    for file in shown["files"]:
        response = client.get(file["url"], headers=headers)
        content = b"".join(response.streaming_content)
        assert (len(content), sha256(content).hexdigest()) == (file["size"], file["sha256"])
        assert response["Content-Disposition"].startswith("attachment")
        assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "path", ["", "1.0.0/", "../../manage.py", "..%2f..%2fmanage.py", "data/", "data/pairs/none"]
)
def test_a_path_that_is_not_on_the_list_does_not_exist(client, release, lead, path):
    response = client.get(f"{SHOW}files/{path}", headers=headers_of(lead.user))
    assert response.status_code == 404


@pytest.mark.parametrize("url", [LIST, SHOW, f"{SHOW}files/manifest.json"])
@pytest.mark.parametrize(
    "header", [None, "Bearer", "Bearer plumb_wrong", "Bearer a b", "Basic bGVhOnB3", "Token x"]
)
def test_without_a_valid_token_everything_is_refused(client, release, url, header):
    response = client.get(url, headers={"authorization": header} if header else {})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["code"] in ("not_authenticated", "authentication_failed")


@pytest.mark.parametrize("url", ["/api/v1/", "/api/v1/models/", "/api/v1/releases/bridges", f"{SHOW}files/"])
def test_an_unknown_address_is_refused_in_the_same_shape(client, release, lead, url):
    assert client.get(url).status_code == 401
    response = client.get(url, headers=headers_of(lead.user))
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_a_session_alone_opens_nothing(release, lead, browser_of):
    assert browser_of(lead).get(LIST).status_code == 401


def test_a_token_in_the_address_opens_nothing(client, release, lead):
    token = headers_of(lead.user)["authorization"].split()[1]
    assert client.get(f"{LIST}?token={token}&access_token={token}").status_code == 400


def test_annotators_and_strangers_see_no_release(client, release, annotator, stranger):
    for person in (annotator.user, stranger):
        headers = headers_of(person)
        assert client.get(LIST, headers=headers).json()["results"] == []
        for url in (SHOW, f"{SHOW}files/manifest.json"):
            response = client.get(url, headers=headers)
            assert response.status_code == 404
            assert response.json()["code"] == "not_found"


def test_who_also_annotates_the_project_sees_no_release_whatever_else_they_are(client, release, annotator):
    for role in ("instructor", "adjudicator"):
        membership.add(release.project, annotator.user, role=role, by=None, now=NOW)
    assert client.get(SHOW, headers=headers_of(annotator.user)).status_code == 404


@pytest.mark.parametrize("role", ["instructor", "adjudicator"])
def test_instructors_and_adjudicators_see_it(client, release, role):
    member = make_member(release.project, role)
    assert client.get(SHOW, headers=headers_of(member.user)).status_code == 200


def test_an_expired_revoked_or_inactive_token_is_refused(client, release, lead):
    expired = headers_of(lead.user, now=timezone.now() - timedelta(days=3), days=2)
    assert client.get(LIST, headers=expired).status_code == 401
    headers = headers_of(lead.user)
    assert client.get(LIST, headers=headers).status_code == 200
    ApiToken.objects.update(revoked_at=NOW)
    assert client.get(LIST, headers=headers).status_code == 401
    headers = headers_of(lead.user)
    lead.user.is_active = False
    lead.user.save(update_fields=["is_active"])
    assert client.get(LIST, headers=headers).status_code == 401


def test_nothing_can_be_written(client, release, lead):
    headers = headers_of(lead.user)
    for url in (LIST, SHOW, f"{SHOW}files/manifest.json"):
        for method in (client.post, client.put, client.patch, client.delete):
            assert method(url, headers=headers).status_code == 405


def test_the_command_prints_a_token_once_and_keeps_only_its_digest(client, release, lead, capsys):
    call_command("create_token", "lea", name="for the paper", days=30)
    token = capsys.readouterr().out.strip()
    assert client.get(LIST, headers={"authorization": f"Bearer {token}"}).status_code == 200
    stored = ApiToken.objects.get()
    assert stored.digest == sha256(token.encode()).hexdigest()
    assert (stored.expires_at - stored.created_at).days == 30
    assert token not in str(vars(stored))


def test_the_command_names_the_accounts_there_are(lead):
    with pytest.raises(CommandError, match="no account 'nobody'; the accounts are: lea"):
        call_command("create_token", "nobody")
    with pytest.raises(CommandError, match="from 1 to 3650"):
        call_command("create_token", "lea", days=0)


def test_a_release_is_taken_whole_and_verifies_from_its_address(release, lead, live_server, monkeypatch):
    token = tokens.create(lead.user, name="script", now=timezone.now(), days=1)
    monkeypatch.setenv("PLUMB_TOKEN", token)
    out = StringIO()
    where = f"{live_server.url}/api/v1/releases/{release.name}/{release.version}/"
    call_command("verify_release", where, stdout=out)
    assert "verified" in out.getvalue()
