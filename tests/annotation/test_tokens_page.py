"""A person's tokens: made and shown once, listed without what opens anything, revoked by their owner alone."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ApiToken, JournalEntry
from annotation.services import tokens
from tests.factories import make_project

pytestmark = pytest.mark.django_db
PAGE = "/settings/tokens/"
GIVEN = {"name": "Notebook", "scopes": ["read", "submit"], "project": "", "days": "30"}


def page_of(response):
    return response.content.decode()


def made_in(response):
    return re.search(r'id="made-token" value="(plumb_[^"]+)"', page_of(response))[1]


def test_a_token_is_made_and_shown_once(annotator, browser_of, client):
    browser = browser_of(annotator)
    made = browser.post(PAGE, GIVEN)
    assert (made.status_code, made["Cache-Control"]) == (200, "no-store")
    token = made_in(made)
    assert client.get("/api/v1/releases/", headers={"authorization": f"Bearer {token}"}).status_code == 200
    stored = ApiToken.objects.get()
    assert (stored.user, stored.name, stored.scopes, stored.project) == (
        annotator.user,
        "Notebook",
        "read submit",
        None,
    )
    assert timedelta(days=29) < stored.expires_at - timezone.now() < timedelta(days=30)
    shown = page_of(browser.get(PAGE))
    assert "Notebook" in shown
    assert token not in shown
    assert stored.digest not in shown
    assert JournalEntry.objects.get(action="token.created").actor == annotator.user


def test_a_token_may_be_limited_to_a_project_of_ones_own(project, annotator, browser_of):
    browser = browser_of(annotator)
    make_project("tunnels")
    shown = page_of(browser.get(PAGE))
    assert '<option value="bridges">' in shown
    assert "tunnels" not in shown
    browser.post(PAGE, {**GIVEN, "project": "bridges"})
    assert ApiToken.objects.get().project == project
    refused = browser.post(PAGE, {**GIVEN, "project": "tunnels"})
    assert refused.status_code == 422
    assert "You have no part in this project." in page_of(refused)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": " "}, "Write what the token is for."),
        ({"name": "x" * 101}, "100"),
        ({"name": "a\x00b"}, "Null characters"),
        ({"scopes": []}, "Choose what the token may do."),
        ({"scopes": ["admin"]}, "admin"),
        *(({"days": days}, "from 1 to 365") for days in ("", "0", "-1", "366", "9" * 400, "x", "1e3")),
    ],
)
def test_what_cannot_be_taken_is_said_at_the_field(annotator, browser_of, given, said):
    refused = browser_of(annotator).post(PAGE, {**GIVEN, **given})
    assert refused.status_code == 422
    assert said in page_of(refused)
    assert "made-token" not in page_of(refused)
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("extra", ["user", "digest", "revoked_at", "last_used_at", "expires_at", "id"])
def test_what_the_page_does_not_ask_for_is_not_taken(annotator, stranger, browser_of, extra):
    value = {"user": stranger.pk, "id": 7, "digest": "0" * 64}.get(extra, "2030-01-01T00:00Z")
    browser_of(annotator).post(PAGE, {**GIVEN, extra: value})
    stored = ApiToken.objects.get()
    assert stored.user == annotator.user
    assert str(getattr(stored, extra)) != str(value)
    assert (stored.revoked_at, stored.last_used_at) == (None, None)


def test_each_state_of_a_token_is_told(annotator, browser_of):
    now, person = timezone.now(), annotator.user
    tokens.create(person, name="For good", days=None, now=now)
    tokens.create(person, name="Over", days=1, now=now - timedelta(days=2))
    tokens.create(person, name="Lost", days=9, now=now)
    tokens.revoke(ApiToken.objects.get(name="Lost"), by=person, now=now)
    tokens.note_use(ApiToken.objects.get(name="For good"), now=now)
    live, _, over = page_of(browser_of(annotator).get(PAGE)).partition("Revoked or expired: 2")
    assert "For good" in live
    assert "Does not expire" in live
    assert "Last used" in live
    assert "Over" in over
    assert "Expired" in over
    assert "Lost" in over
    assert "Revoked" in over
    assert "Revoke the token" not in over


def test_a_name_is_text_and_nothing_else(annotator, browser_of):
    shown = page_of(browser_of(annotator).post(PAGE, {**GIVEN, "name": "<script>alert(1)</script>"}))
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_a_token_is_revoked_by_its_owner_alone(project, annotator, lead, browser_of, client):
    token = tokens.create(annotator.user, name="mine", days=9, now=timezone.now())
    stored = ApiToken.objects.get()
    url = reverse("revoke_token", args=[stored.mark])
    assert browser_of(lead).post(url).status_code == 404
    assert browser_of(annotator).get(url).status_code == 405
    for mark in (stored.digest[:15], stored.digest, stored.digest[:1], "0" * 16):
        assert browser_of(annotator).post(reverse("revoke_token", args=[mark])).status_code == 404
    stored.refresh_from_db()
    assert stored.revoked_at is None
    assert browser_of(annotator).post(url).url == f"{PAGE}?revoked"
    assert client.get("/api/v1/releases/", headers={"authorization": f"Bearer {token}"}).status_code == 401
    assert JournalEntry.objects.filter(action="token.revoked").count() == 1
    assert browser_of(annotator).post(url).status_code == 302
    assert JournalEntry.objects.filter(action="token.revoked").count() == 1


def test_nobody_sees_the_tokens_of_another(annotator, lead, browser_of, client):
    tokens.create(annotator.user, name="MINE-ALONE", days=9, now=timezone.now())
    assert "MINE-ALONE" not in page_of(browser_of(lead).get(PAGE))
    assert client.get(PAGE).url.startswith(reverse("sign_in"))
    assert client.post(PAGE, GIVEN).url.startswith(reverse("sign_in"))


def test_without_the_mark_of_the_form_nothing_is_made(annotator):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(annotator.user)
    assert strict.post(PAGE, GIVEN).status_code == 403
    assert not ApiToken.objects.exists()


def test_what_is_kept_of_a_person_names_their_tokens(annotator, browser_of):
    tokens.create(annotator.user, name="mine", days=9, project=annotator.project, now=timezone.now())
    told = browser_of(annotator).get(reverse("own_data")).json()["tokens"]
    assert [(each["name"], each["scopes"], each["project"]) for each in told] == [
        ("mine", "read write submit", "bridges")
    ]


def test_the_settings_lead_to_the_page(annotator, browser_of):
    assert f'href="{PAGE}"' in page_of(browser_of(annotator).get(reverse("settings")))


def test_leads_read_of_tokens_for_their_project_in_its_journal(project, annotator, lead, browser_of):
    now = timezone.now()
    tokens.create(annotator.user, name="mine", days=9, project=project, scopes=["read"], now=now)
    tokens.revoke(ApiToken.objects.get(), by=annotator.user, now=now)
    shown = page_of(browser_of(lead).get(reverse("journal", args=[project.slug])))
    assert "Made the token mine for the REST interface: read." in shown
    assert "Revoked the token mine." in shown
