"""A person's own settings: how they read, what is kept of them, and leaving."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ApiToken, Invitation, JournalEntry, Membership, Score, User
from annotation.services import (
    accounts,
    assignments,
    consent,
    invitations,
    leaving,
    membership,
    scoring,
    tokens,
)
from tests.factories import (
    NOW,
    PASSWORD,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
)

pytestmark = pytest.mark.django_db

READER = {"text_size": "l", "text_face": "sans", "theme": "dark", "ui_language": "zh-hans", "shortcuts": "on"}


@pytest.fixture
def scored(project, annotator):
    """Two annotators have each scored a response whose source is known."""
    response = make_response(
        make_prompt(project, "SECRET-PROMPT"), "SECRET-RESPONSE", source_model="SECRET-MODEL"
    )
    work = make_round(project)
    for member, words in ((annotator, "my own reason"), (make_member(project), "ANOTHERS REASON")):
        lease = assignments.claim(member, work, now=NOW)
        scoring.submit(lease, value=2, justification=words, now=NOW)
    return response


def test_a_guest_has_no_settings(client):
    for name in ("settings", "own_data", "change_email", "close_account"):
        assert client.get(reverse(name)).url.startswith(reverse("sign_in"))


# --- Reading -------------------------------------------------------------------------------------


def test_what_a_reader_chooses_holds_on_every_page(annotator, browser_of, scored):
    client = browser_of(annotator)
    assert client.post("/settings/", READER).url == "/settings/?saved=reading"
    for page in ("/", "/settings/"):
        text = client.get(page).content.decode()
        assert '<html lang="zh-Hans" data-theme="dark" data-text-size="l" data-text-face="sans">' in text
    elsewhere = browser_of(User.objects.get(pk=annotator.user_id))
    assert 'data-theme="dark"' in elsewhere.get("/").content.decode()


def test_the_scoring_page_follows_the_reader(project, annotator, browser_of):
    make_response(make_prompt(project))
    lease = assignments.claim(annotator, make_round(project), now=timezone.now())
    client, page = browser_of(annotator), reverse("score", args=[lease.token])
    before = client.get(page).content.decode()
    assert "data-text-size" not in before
    assert "data-single-keys checked" in before
    client.post("/settings/", {**READER, "ui_language": "en", "shortcuts": ""})
    after = client.get(page).content.decode()
    assert 'data-text-size="l" data-text-face="sans"' in after
    assert "data-single-keys disabled" in after


def test_a_choice_that_is_none_is_refused(annotator, browser_of):
    answer = browser_of(annotator).post("/settings/", {**READER, "text_size": "huge"})
    assert answer.status_code == 422
    annotator.user.refresh_from_db()
    assert annotator.user.text_size == "m"


def test_the_buttons_of_the_menu_change_the_account_too(annotator, browser_of):
    client = browser_of(annotator)
    client.post(reverse("theme"), {"theme": "dark", "next": "/"})
    client.post(reverse("set_language"), {"language": "zh-hans", "next": "/"})
    user = User.objects.get(pk=annotator.user_id)
    assert (user.theme, user.ui_language) == ("dark", "zh-hans")
    client.post(reverse("theme"), {"theme": "device", "next": "/"})
    assert "data-theme" not in client.get("/").content.decode()


def test_a_guests_choice_is_kept_on_the_device(client, db):
    client.post(reverse("theme"), {"theme": "dark", "next": "/sign-in/"})
    client.post(reverse("set_language"), {"language": "zh-hans", "next": "/sign-in/"})
    assert '<html lang="zh-Hans" data-theme="dark">' in client.get("/sign-in/").content.decode()


# --- The address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "status", "stored"),
    [
        ({"email": "New@Example.org", "password": PASSWORD}, 302, "new@example.org"),
        ({"email": "", "password": PASSWORD}, 302, ""),
        ({"email": "new@example.org", "password": "wrong"}, 422, "ann@example.org"),
        ({"email": "new@example.org"}, 422, "ann@example.org"),
        ({"email": "nobody", "password": PASSWORD}, 422, "ann@example.org"),
        ({"email": "taken@example.org", "password": PASSWORD}, 422, "ann@example.org"),
    ],
)
def test_the_address_is_changed_by_who_knows_the_password(annotator, browser_of, sent, status, stored):
    make_user("taken", email="taken@example.org")
    User.objects.filter(pk=annotator.user_id).update(email="ann@example.org")
    assert browser_of(annotator).post(reverse("change_email"), sent).status_code == status
    annotator.user.refresh_from_db()
    assert annotator.user.email == stored


# --- What is kept --------------------------------------------------------------------------------


def test_a_person_takes_away_all_that_is_kept_of_them(project, annotator, browser_of, scored):
    consent.add_shipped(project, by=None, now=NOW)
    consent.agree(project, annotator.user, version=1, now=NOW)
    tokens.create(annotator.user, name="mine", now=NOW, days=None)
    answer = browser_of(annotator).get(reverse("own_data"))
    assert answer["Content-Disposition"] == 'attachment; filename="my-data.json"'
    found = json.loads(answer.content)
    assert found["account"]["username"] == "ann"
    assert [(each["project"], each["version"]) for each in found["consents"]] == [("bridges", 1)]
    assert [token["name"] for token in found["tokens"]] == ["mine"]
    (held,) = found["memberships"]
    assert (held["project"], held["role"], held["pseudonym"]) == ("bridges", "annotator", "annotator-01")
    (score,) = held["scores"]
    assert (score["score"], score["justification"]) == (2, "my own reason")
    assert score["text"].startswith("The bridge was")
    assert len(held["shown"]) == 1


def test_what_a_person_takes_away_holds_nothing_of_others_and_no_source(annotator, browser_of, scored):
    text = browser_of(annotator).get(reverse("own_data")).content.decode()
    for secret in (
        "ANOTHERS REASON",
        "SECRET-MODEL",
        "SECRET-RESPONSE",
        "SECRET-PROMPT",
        "digest",
        "password",
    ):
        assert secret not in text


# --- Leaving -------------------------------------------------------------------------------------


def test_who_leaves_a_project_takes_no_part_and_the_scores_stay(project, annotator, browser_of, scored):
    client = browser_of(annotator)
    assert client.post(reverse("leave_project", args=[project.slug])).url == "/settings/?saved=left"
    annotator.refresh_from_db()
    assert annotator.state == "left"
    assert Score.objects.filter(annotator=annotator).count() == 1
    assert client.get(reverse("guideline", args=[project.slug])).status_code == 404
    assert client.post(reverse("leave_project", args=[project.slug])).status_code == 404
    entry = JournalEntry.objects.get(action="membership.left")
    assert entry.actor == annotator.user


def test_the_last_lead_cannot_leave(project, lead, browser_of):
    client = browser_of(lead)
    assert "You are its only lead" in client.get("/settings/").content.decode()
    answer = client.post(reverse("leave_project", args=[project.slug]))
    assert answer.status_code == 409
    assert "A project needs a lead." in answer.content.decode()
    make_member(project, "lead", "second")
    assert client.post(reverse("leave_project", args=[project.slug])).status_code == 302


def test_nobody_leaves_what_they_have_no_part_in(project, lead, stranger, browser_of):
    assert browser_of(stranger).post(reverse("leave_project", args=[project.slug])).status_code == 404
    assert browser_of(lead).get(reverse("leave_project", args=[project.slug])).status_code == 405


# --- Closing the account -------------------------------------------------------------------------


def test_a_closed_account_has_no_name_and_its_judgements_stay(project, annotator, scored):
    User.objects.filter(pk=annotator.user_id).update(email="ann@example.org", first_name="Ann Lee")
    lead = make_member(project, "lead", "lea")
    other = make_project("second")
    invited, _token = invitations.invite(
        make_member(other, "lead", "leo").project,
        "ann@example.org",
        full_name="Ann Lee",
        role="annotator",
        languages=[],
        by=User.objects.get(username="leo"),
        now=NOW,
    )
    user = User.objects.get(pk=annotator.user_id)
    invitations.accept(invited, user, consents_to=0, now=NOW)
    token = tokens.create(user, name="script", now=timezone.now(), days=None)
    here, there = Client(), Client()
    for client in (here, there):
        client.force_login(user)
    assert here.post(reverse("close_account"), {"password": "wrong"}).status_code == 422
    assert here.post(reverse("close_account"), {"password": PASSWORD}).url == "/sign-in/?closed"
    closed = User.objects.get(pk=annotator.user_id)
    assert closed.username.startswith("closed-")
    assert (closed.email, closed.get_full_name(), closed.is_active) == ("", "", False)
    assert not closed.has_usable_password()
    assert set(Membership.objects.filter(user=closed).values_list("state", flat=True)) == {"left"}
    assert not ApiToken.objects.filter(user=closed, revoked_at=None).exists()
    assert there.get("/").status_code == 302
    assert here.get("/").status_code == 302
    api = Client().get(reverse("api_releases"), headers={"authorization": f"Bearer {token}"})
    assert api.status_code in (401, 403)
    score = Score.objects.get(annotator=annotator)
    assert (score.justification, score.annotator.pseudonym) == ("my own reason", "annotator-01")
    kept = Invitation.objects.get()
    assert (kept.email, kept.full_name) == ("", "")
    page = Client()
    page.force_login(lead.user)
    text = page.get(reverse("people", args=[project.slug])).content.decode()
    assert "Ann Lee" not in text
    assert "ann@example.org" not in text


def test_operators_and_last_leads_cannot_close_their_account(project, lead, browser_of):
    operator = accounts.make_operator("olga", password=PASSWORD, now=NOW).user
    for person, reason in (
        (lead.user, "only lead of Bridges"),
        (operator, "You are an operator of this site."),
    ):
        answer = browser_of(person).post(reverse("close_account"), {"password": PASSWORD})
        assert answer.status_code == 409
        assert reason in answer.content.decode()
        person.refresh_from_db()
        assert person.is_active
    make_member(project, "lead", "second")
    leaving.close(lead.user, password=PASSWORD, now=NOW)


# --- Withdrawing data ----------------------------------------------------------------------------


def withdraw(client, project, member, reason="Asked for it in writing."):
    return client.post(reverse("withdraw_data", args=[project.slug, member.user_id]), {"reason": reason})


def test_a_lead_withdraws_data_with_a_reason_and_for_good(project, lead, annotator, browser_of, scored):
    client = browser_of(lead)
    assert withdraw(client, project, annotator, " ").status_code == 422
    assert withdraw(client, project, annotator).status_code == 302
    annotator.refresh_from_db()
    assert annotator.state == "withdrawn"
    entry = JournalEntry.objects.get(action="membership.data_withdrawn")
    assert (entry.actor, entry.data["reason"]) == (lead.user, "Asked for it in writing.")
    assert Score.objects.filter(annotator=annotator).exists()
    assert withdraw(client, project, annotator).status_code == 409
    given = {"role": "annotator", "action": "give"}
    page = client.post(reverse("change_role", args=[project.slug, annotator.user_id]), given)
    assert page.status_code == 409
    assert "were withdrawn" in page.content.decode()


def test_data_of_who_has_left_can_be_withdrawn(project, lead, annotator, browser_of):
    membership.end(annotator, by=None, now=NOW)
    assert withdraw(browser_of(lead), project, annotator).status_code == 302


def test_the_persons_page_says_what_stands_in_frozen_releases(project, lead, annotator, browser_of, scored):
    project.sealed_at = NOW
    project.save(update_fields=["sealed_at"])
    client = browser_of(lead)
    withdraw(client, project, annotator)
    page = client.get(reverse("person", args=[project.slug, annotator.user_id])).content.decode()
    assert "1 score stands in a frozen release and stays there." in page


def test_only_a_lead_withdraws_data_and_only_an_annotators(project, lead, annotator, stranger, browser_of):
    for person, status in ((annotator, 403), (make_member(project, "instructor"), 403), (stranger, 404)):
        assert withdraw(browser_of(person), project, annotator).status_code == status
    instructor = make_member(project, "instructor")
    assert withdraw(browser_of(lead), project, instructor).status_code == 404
    other = make_member(make_project("elsewhere"), "lead")
    assert withdraw(browser_of(other), project, annotator).status_code == 404
    annotator.refresh_from_db()
    assert annotator.state == "active"


@pytest.mark.parametrize("name", ["change_email", "close_account"])
def test_the_password_cannot_be_guessed_on_the_page_of_settings(annotator, browser_of, name):
    client = browser_of(annotator)
    sent = {"email": "new@example.org", "password": "a guess"}
    refused = [client.post(reverse(name), sent).status_code for _ in range(11)]
    assert refused == [422] * 10 + [429]
    assert client.post(reverse(name), {**sent, "password": PASSWORD}).status_code == 429
