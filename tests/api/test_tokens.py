"""Tokens over REST: what each may, in which project, until when; and that none is found where it should not be."""

import logging
from datetime import timedelta
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotation.errors import DomainError, Invalid
from annotation.models import ApiToken, JournalEntry
from annotation.services import accounts, leaving, tokens
from tests.api.callers import Caller, refusal_of
from tests.api.tables import quoted
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db
LIST = "/api/v1/releases/"
IMPORTS = "/api/v1/projects/bridges/imports/"
ASK = "/api/v1/projects/bridges/agreement/"


def ask(token, url=LIST, **headers):
    return Client().get(url, headers={"authorization": f"Bearer {token}", **headers})


# --- Scopes and projects ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", tokens.EVERYTHING)
def test_a_token_may_what_its_scope_names_and_nothing_else(project, lead, scope):
    caller = Caller(lead.user, scopes=[scope])
    read = caller.get(IMPORTS)
    wrote = caller.post(ASK)
    assert (read.status_code == 200) == (scope == "read")
    assert (wrote.status_code == 202) == (scope == "write")
    for answer, wanted in ((read, "read"), (wrote, "write")):
        if answer.status_code >= 400:
            assert refusal_of(answer) == (403, "scope_missing")
            assert answer.json()["scope"] == wanted
            assert wanted in answer.json()["detail"]


@pytest.mark.parametrize("method", ["put", "post", "patch", "delete"])
def test_a_token_for_reading_writes_nothing(project, lead, method):
    caller = Caller(lead.user, scopes=["read"])
    for url in (IMPORTS, f"{IMPORTS}1/", ASK, f"{IMPORTS}1/field_map/"):
        assert refusal_of(caller.send(method, url)) == (403, "scope_missing")


def test_a_token_of_one_project_opens_no_other(project, lead):
    other = make_project("tunnels")
    make_member(other, "lead", "tess")
    other.memberships.create(user=lead.user, role="lead", joined_at=timezone.now())
    caller = Caller(lead.user, project=other)
    for url in (IMPORTS, ASK, "/api/v1/projects/bridges/progress/"):
        assert refusal_of(caller.get(url)) == (404, "not_found")
        assert refusal_of(caller.post(url)) == (404, "not_found")
    assert caller.get("/api/v1/projects/tunnels/imports/").status_code == 200
    assert Caller(lead.user).get(IMPORTS).status_code == 200


def test_a_token_never_may_more_than_its_owner(project, annotator):
    caller = Caller(annotator.user)
    assert refusal_of(caller.get(IMPORTS)) == (403, "not_a_lead")
    assert caller.get(LIST).json()["results"] == []


# --- Until when ------------------------------------------------------------------------------------------


def test_a_token_that_is_over_is_refused_and_the_log_says_so_without_it(lead, caplog):
    now = timezone.now()
    expired = tokens.create(lead.user, name="old", days=1, now=now - timedelta(days=1))
    revoked = tokens.create(lead.user, name="lost", days=None, now=now)
    tokens.revoke(ApiToken.objects.get(name="lost"), by=lead.user, now=now)
    for token in (expired, revoked, "plumb_unknown", "x" * 5000):
        with caplog.at_level(logging.DEBUG):
            answer = ask(token)
        assert refusal_of(answer) == (401, "authentication_failed")
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert token not in caplog.text
        assert "unknown, expired or revoked came from 127.0.0.1" in caplog.text


def test_a_day_lasts_until_its_last_second(lead):
    now = timezone.now()
    token = tokens.create(lead.user, name="day", days=1, now=now - timedelta(days=1) + timedelta(minutes=1))
    assert ask(token).status_code == 200


def test_a_new_password_revokes_every_token_and_so_does_closing_the_account(project, annotator):
    person = annotator.user
    token = tokens.create(person, name="script", days=None, now=timezone.now())
    accounts.set_password(person, "a new and longer one", now=timezone.now())
    assert ask(token).status_code == 401
    again = tokens.create(person, name="script", days=None, now=timezone.now())
    leaving.close(person, password="a new and longer one", now=timezone.now())
    assert ask(again).status_code == 401
    assert not ApiToken.objects.filter(revoked_at=None).exists()


def test_an_account_that_is_switched_off_is_asked_of_with_every_request(lead):
    token = tokens.create(lead.user, name="script", days=None, now=timezone.now())
    assert ask(token).status_code == 200
    lead.user.is_active = False
    lead.user.save(update_fields=["is_active"])
    assert ask(token).status_code == 401


def test_the_last_use_is_noted_once_a_minute(lead):
    token = tokens.create(lead.user, name="script", days=None, now=timezone.now())
    ask(token)
    stored = ApiToken.objects.get()
    noted = stored.last_used_at
    assert timezone.now() - noted < timedelta(seconds=20)
    ask(token)
    stored.refresh_from_db()
    assert stored.last_used_at == noted
    ApiToken.objects.update(last_used_at=noted - timedelta(seconds=61))
    ask(token)
    stored.refresh_from_db()
    assert stored.last_used_at > noted


def test_a_busy_database_keeps_nobody_from_reading(lead, monkeypatch, caplog):
    def locked(*args, **kwargs):
        raise OperationalError("database is locked")

    token = tokens.create(lead.user, name="script", days=None, now=timezone.now())
    monkeypatch.setattr(tokens.ApiToken.objects, "filter", locked)
    tokens.note_use(ApiToken.objects.get(), now=timezone.now())
    assert "could not be noted" in caplog.text
    assert token not in caplog.text


# --- Where a token is and where it is not ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["token", "access_token", "q", "cursor"])
def test_a_token_in_the_address_is_refused_before_anything_else_and_not_logged(lead, name, caplog):
    token = tokens.create(lead.user, name="script", days=None, now=timezone.now())
    with caplog.at_level(logging.DEBUG):
        for headers in ({}, {"authorization": f"Bearer {token}"}):
            answer = Client().get(f"{LIST}?{name}={token}", headers=headers)
            assert refusal_of(answer) == (400, "token_in_address")
            assert token not in answer.content.decode()
    # The log of the database has the statement that made the token, and that has its digest alone.
    assert token not in caplog.text


def test_the_database_holds_a_digest_and_not_the_token(lead):
    token = tokens.create(lead.user, name="script", days=None, now=timezone.now())
    assert len(token) >= len("plumb_") + 43
    assert ApiToken.objects.get().digest == sha256(token.encode()).hexdigest()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(" ".join(("SELECT * FROM", quoted(table))))
            assert token not in str(cursor.fetchall())


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer a b", "Bearer plumb_ü", "bearer plumb_x\u00ff"],
)
def test_a_header_that_is_none_is_refused(db, header):
    answer = Client().get(LIST, headers={"authorization": header})
    assert refusal_of(answer) == (401, "authentication_failed")


@pytest.mark.parametrize("header", ["Token plumb_x", "Basic bGVhOng=", ""])
def test_another_way_of_signing_in_is_none(lead, header, browser_of):
    client = browser_of(lead)  # a session opens nothing here
    assert refusal_of(client.get(LIST, headers={"authorization": header})) == (401, "not_authenticated")
    assert refusal_of(client.post(ASK)) == (401, "not_authenticated")


# --- Making and revoking ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"name": "  "}, "bad_token_name"),
        ({"name": "x" * 101}, "bad_token_name"),
        ({"scopes": []}, "bad_scopes"),
        ({"scopes": ["read", "admin"]}, "bad_scopes"),
    ],
)
def test_a_token_without_a_name_or_with_another_scope_is_not_made(lead, given, code):
    with pytest.raises(Invalid) as refused:
        tokens.create(lead.user, **{"name": "script", "days": None, "now": timezone.now(), **given})
    assert refused.value.code == code
    assert not ApiToken.objects.exists()


def test_a_token_is_limited_to_a_project_of_ones_own_alone(lead):
    with pytest.raises(Invalid) as refused:
        tokens.create(lead.user, name="x", days=1, project=make_project("tunnels"), now=timezone.now())
    assert refused.value.code == "not_a_member"


def test_an_account_that_is_switched_off_gets_none(lead):
    lead.user.is_active = False
    with pytest.raises(DomainError) as refused:
        tokens.create(lead.user, name="x", days=1, now=timezone.now())
    assert refused.value.code == "account_inactive"


def test_revoking_is_for_good_and_is_in_the_journal_once(project, lead):
    now = timezone.now()
    tokens.create(lead.user, name="Notebook", days=1, project=project, scopes=["write", "read"], now=now)
    token = ApiToken.objects.get()
    for later in (now, now + timedelta(hours=1)):
        tokens.revoke(token, by=lead.user, now=later)
    token.refresh_from_db()
    assert token.revoked_at == now
    entries = JournalEntry.objects.filter(action__startswith="token.").order_by("pk")
    assert [(each.action, each.data, each.project) for each in entries] == [
        ("token.created", {"name": "Notebook", "scopes": "read write"}, project),
        ("token.revoked", {"name": "Notebook"}, project),
    ]


def test_the_command_makes_a_token_with_scopes_for_a_project(project, lead, capsys):
    call_command("create_token", "lea", "--scope", "submit", "--scope", "read", "--project", "bridges")
    token = capsys.readouterr().out.strip()
    stored = ApiToken.objects.get()
    assert stored.digest == sha256(token.encode()).hexdigest()
    assert (stored.scopes, stored.project, stored.expires_at) == ("read submit", project, None)
    assert stored.name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--project", "tunnels"], "no project 'tunnels'"),
        (["--project", "other"], "no part in this project"),
        (["--scope", "admin"], "invalid choice"),
        (["--days", "0"], "from 1 to 3650"),
        (["--days", "9999999999"], "from 1 to 3650"),
        (["--name", ""], "what the token is for"),
    ],
)
def test_the_command_says_what_it_does_not_take(project, lead, words, said):
    make_project("other")
    with pytest.raises(CommandError, match=said):
        call_command("create_token", "lea", *words)
    assert not ApiToken.objects.exists()


def test_a_person_may_limit_a_token_to_a_project_whose_work_is_paused(project, annotator):
    annotator.state = "paused"
    annotator.save(update_fields=["state"])
    tokens.create(annotator.user, name="x", days=1, project=project, now=timezone.now())
    assert ApiToken.objects.get().project == project
