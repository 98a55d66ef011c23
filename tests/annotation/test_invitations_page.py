"""The pages around invitations: the lead's, and the one behind the link."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Consent, Invitation, Membership, User
from annotation.services import consent, invitations, mails, membership
from tests.factories import PASSWORD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def address(name, project, *args):
    return reverse(name, args=[project.slug, *args])


def one(email="mei@example.org", **changed):
    return {"email": email, "full_name": "Mei Lin", "role": "annotator", "languages": ["en"], **changed}


def links(answer):
    return re.findall(r'value="http://testserver(/invitations/[^"]+)"', answer.content.decode())


@pytest.fixture
def link(project, lead):
    """An open invitation's address."""

    def made(email="mei@example.org", *, role="annotator", now=None):
        invited, token = invitations.invite(
            project,
            email,
            full_name="Mei Lin",
            role=role,
            languages=["en"],
            by=lead.user,
            now=now or timezone.now(),
        )
        return invited, reverse("invited", args=[token])

    return made


@pytest.fixture
def consented(project):
    consent.add_shipped(project, by=None, now=timezone.now())


def newcomer(**changed):
    return {"full_name": "Mei Lin", "username": "mei", "password": PASSWORD, "agreed": "1", **changed}


# --- Who may come here ---------------------------------------------------------------------------


def lead_pages(project, invited):
    return [
        ("get", address("invitations", project), {}),
        ("post", address("invite", project), one("x@example.org")),
        ("post", address("invite_many", project), {"many-lines": "x@example.org", "many-role": "annotator"}),
        ("post", address("renew_invitation", project, invited.pk), {}),
        ("post", address("revoke_invitation", project, invited.pk), {}),
    ]


def test_only_leads_come_to_the_lists_pages(project, link, annotator, stranger, browser_of, client):
    invited, _path = link()
    for method, path, sent in lead_pages(project, invited):
        for person in (annotator, make_member(project, "instructor"), make_member(project, "adjudicator")):
            assert getattr(browser_of(person), method)(path, sent).status_code == 403, path
        assert getattr(browser_of(stranger), method)(path, sent).status_code == 404, path
        assert getattr(client, method)(path, sent).url.startswith(reverse("sign_in")), path
    assert list(Invitation.objects.values_list("state", flat=True)) == ["open"]


def test_another_projects_invitation_is_not_there(project, link, browser_of):
    invited, _path = link()
    other = make_member(make_project("elsewhere"), "lead")
    for name in ("renew_invitation", "revoke_invitation"):
        assert browser_of(other).post(address(name, other.project, invited.pk)).status_code == 404
    invited.refresh_from_db()
    assert invited.state == "open"


# --- Inviting ------------------------------------------------------------------------------------


def test_a_lead_invites_and_sees_the_link_once(project, lead, browser_of):
    client = browser_of(lead)
    answer = client.post(address("invite", project), one())
    assert answer.status_code == 200
    (path,) = links(answer)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["mei@example.org"], "Invitation to Bridges")
    assert f"http://testserver{path}" in sent.body
    assert "Hello Mei Lin," in sent.body
    page = client.get(address("invitations", project))
    assert "mei@example.org" in page.content.decode()
    assert path.split("/")[2] not in page.content.decode()
    assert client.get(address("invite", project)).url == address("invitations", project)
    assert Client().get(path).status_code == 200


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (one(""), "Write the e-mail address."),
        (one("mei"), "This is no e-mail address."),
        (one("mei@example.org\nBcc: x@example.org"), "This is no e-mail address."),
        (one(role=""), "Choose a role."),
        (one(role="operator"), "Choose a role."),
        (one(others="english"), "is no language code"),
    ],
)
def test_a_refused_invitation_comes_back_filled_in(project, lead, browser_of, sent, error):
    answer = browser_of(lead).post(address("invite", project), sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert error in page
    assert 'value="Mei Lin"' in page
    assert not Invitation.objects.exists()
    assert not mail.outbox


def test_an_invitation_is_written_in_the_language_it_is_for(project, lead, browser_of, monkeypatch):
    written, write = [], mails.invitation

    def noted(invited, *, url, language):
        written.append(language)
        return write(invited, url=url, language=language)

    monkeypatch.setattr(mails, "invitation", noted)
    client = browser_of(lead)
    for number, languages in enumerate((["zh"], ["en"], ["en", "zh"], [])):
        sent = one(f"p{number}@example.org", languages=languages)
        client.post(address("invite", project), sent, headers={"accept-language": "zh-CN"})
    assert written == ["zh-hans", "en", "zh-hans", "zh-hans"]


def test_a_projects_name_cannot_make_a_header(project, lead, browser_of):
    project.name = "Bridges\r\nBcc: all@example.org"
    project.save(update_fields=["name"])
    answer = browser_of(lead).post(address("invite", project), one())
    assert answer.status_code == 200
    assert mail.outbox[0].subject == "Invitation to Bridges Bcc: all@example.org"
    assert mail.outbox[0].recipients() == ["mei@example.org"]


def test_each_line_of_a_list_is_reported(project, lead, browser_of):
    lines = "new@example.org, New One, zh\nnobody\nnew@example.org\nTwo <two@example.org>"
    sent = {"many-lines": lines, "many-role": "annotator", "many-languages": ["en"]}
    answer = browser_of(lead).post(address("invite_many", project), sent)
    page = answer.content.decode()
    assert "2 people are invited" in page
    assert "2 lines were left out" in page
    assert "Line 2" in page
    assert "&#x27;nobody&#x27; is no e-mail address" in page
    assert "this address stands on line 1 already" in page
    assert len(links(answer)) == 2
    assert [message.to for message in mail.outbox] == [["new@example.org"], ["two@example.org"]]


class Unreliable:
    """A mail server that takes every mail but those for two@."""

    def __init__(self, *args, **kwargs):
        pass

    def open(self):
        pass

    def close(self):
        pass

    def send_messages(self, messages):
        if messages[0].to == ["two@example.org"]:
            raise ConnectionResetError
        return 1


class NoServer(Unreliable):
    def open(self):
        raise ConnectionRefusedError


@pytest.mark.parametrize(("server", "not_mailed"), [("Unreliable", 1), ("NoServer", 3)])
def test_a_failing_mail_server_costs_no_invitation_and_is_reported(
    project, lead, browser_of, settings, server, not_mailed
):
    settings.EMAIL_BACKEND = f"tests.annotation.test_invitations_page.{server}"
    lines = "one@example.org\ntwo@example.org\nthree@example.org"
    answer = browser_of(lead).post(
        address("invite_many", project), {"many-lines": lines, "many-role": "annotator"}
    )
    assert answer.status_code == 200
    assert answer.content.decode().count("Not mailed") == not_mailed
    assert len(links(answer)) == Invitation.objects.filter(state="open").count() == 3


def test_without_a_mail_server_the_page_says_so(project, lead, browser_of, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    answer = browser_of(lead).post(address("invite", project), one())
    assert "This site has no mail server" in answer.content.decode()
    assert len(links(answer)) == 1


def test_a_new_link_ends_the_old_one_and_taking_back_ends_both(project, lead, link, browser_of):
    invited, old = link()
    client = browser_of(lead)
    (new,) = links(client.post(address("renew_invitation", project, invited.pk)))
    assert Client().get(old).status_code == 404
    assert Client().get(new).status_code == 200
    latest = Invitation.objects.get(state="open")
    assert client.post(address("revoke_invitation", project, latest.pk)).status_code == 302
    assert Client().get(new).status_code == 404
    assert client.post(address("revoke_invitation", project, latest.pk)).status_code == 409


def test_the_page_lists_what_became_of_each(project, lead, link, browser_of):
    _invited, used = link("used@example.org")
    Client().post(used, newcomer(username="used"))
    link("old@example.org", now=timezone.now() - timedelta(days=8))
    link("open@example.org")
    page = browser_of(lead).get(address("invitations", project)).content.decode()
    for word in ("Accepted", "Expired", "Open", "used@example.org", "old@example.org", "open@example.org"):
        assert word in page


def test_many_answered_invitations_come_in_parts(project, lead, link, browser_of, monkeypatch):
    monkeypatch.setattr("annotation.queries.invitations.A_PAGE", 2)
    for number in range(5):
        link(f"p{number}@example.org", now=timezone.now() - timedelta(days=8))
    client, seen, path = browser_of(lead), [], address("invitations", project)
    query = ""
    while True:
        page = client.get(path + query).content.decode()
        seen += re.findall(r"<bdi>(p\d@example\.org)</bdi></span>", page)
        following = re.search(r'href="(\?before=\d+)', page)
        if not following:
            break
        query = following[1]
    assert sorted(seen) == [f"p{number}@example.org" for number in range(5)]


# --- The link ------------------------------------------------------------------------------------


def test_the_link_says_who_invites_to_what_and_what_is_recorded(link, consented):
    _invited, path = link()
    page = Client().get(path)
    text = page.content.decode()
    for part in ("lea", "Bridges", "Annotator", "What is recorded", "mei@example.org", 'value="Mei Lin"'):
        assert part in text
    assert page["Cache-Control"].startswith("max-age=0")
    chinese = Client().get(path, headers={"accept-language": "zh-CN"}).content.decode()
    assert 'lang="zh-Hans"' in chinese
    assert "会记录什么" in chinese


def test_a_new_person_chooses_a_password_and_is_signed_in(project, link, consented):
    invited, path = link()
    client = Client()
    assert client.post(path, newcomer()).url == "/"
    assert client.get("/").status_code == 200
    user = User.objects.get(username="mei")
    assert user.check_password(PASSWORD)
    assert project.memberships.get(user=user).role == "annotator"
    assert Consent.objects.get(user=user).version == 1
    invited.refresh_from_db()
    assert invited.state == "accepted"
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (newcomer(username=""), "Choose a user name."),
        (newcomer(username="lea"), "This user name is taken."),
        (newcomer(password=""), "Choose a password."),
        (newcomer(password="seven77"), "too short"),
        (newcomer(password="mei@example.org"), "too similar"),
        (newcomer(agreed=""), "Agree to what is recorded, or decline."),
        (newcomer(agreed="7"), "The text has a newer version by now."),
        (newcomer(agreed="x"), "whole number"),
    ],
)
def test_a_refused_acceptance_comes_back_filled_in_and_makes_nobody(link, consented, sent, error):
    invited, path = link()
    before = User.objects.count()
    answer = Client().post(path, sent)
    assert answer.status_code in (409, 422)
    assert error in answer.content.decode()
    assert PASSWORD not in answer.content.decode()
    assert User.objects.count() == before
    invited.refresh_from_db()
    assert invited.state == "open"


def test_a_password_keeps_its_spaces(link):
    _invited, path = link()
    Client().post(path, newcomer(password="  two words  "))
    user = User.objects.get(username="mei")
    assert user.check_password("  two words  ")
    assert not user.check_password("two words")


def test_an_account_with_the_address_signs_in_and_accepts(project, link, consented):
    user = make_user("known", email="mei@example.org")
    _invited, path = link()
    client = Client()
    page = client.get(path).content.decode()
    assert "There is an account with this address" in page
    assert 'name="password"' not in page
    answer = client.post(f"/sign-in/?next={path}", {"login": "known", "password": PASSWORD})
    assert answer.url == path
    assert "Accept as" in client.get(path).content.decode()
    assert client.post(path, {"agreed": "1"}).url == "/"
    assert project.memberships.filter(user=user, role="annotator").exists()
    assert User.objects.filter(email="mei@example.org").count() == 1


def test_a_guest_cannot_take_the_address_of_an_account(link):
    make_user("known", email="mei@example.org")
    _invited, path = link()
    answer = Client().post(path, newcomer())
    assert answer.status_code == 422
    assert "There is an account with this address" in answer.content.decode()
    assert not User.objects.filter(username="mei").exists()


def test_whatever_is_wrong_with_a_link_its_page_is_the_same(project, lead, link, browser_of):
    def body(client, path, method="get"):
        answer = getattr(client, method)(path, newcomer() if method == "post" else {})
        text = re.sub(r'value="\w{64}"', "", answer.content.decode()).replace(path, "")
        return answer.status_code, text

    _used, used = link("used@example.org")
    Client().post(used, newcomer(username="used"))
    declined_one, declined = link("declined@example.org")
    invitations.decline(declined_one, now=timezone.now())
    revoked_one, revoked = link("revoked@example.org")
    invitations.revoke(revoked_one, by=lead.user, now=timezone.now())
    _old, expired = link("old@example.org", now=timezone.now() - timedelta(days=7, seconds=1))
    _fine, fine = link("fine@example.org")
    bad = [used, declined, revoked, expired, fine[:-2] + "/", "/invitations/x/", fine.upper().lower()]
    before = User.objects.count(), Membership.objects.count()
    for method in ("get", "post"):
        pages = {body(Client(), path, method) for path in bad}
        assert len(pages) == 1
        assert pages.pop()[0] == 404
        answers = {body(Client(), path + "decline/", "post")[0] for path in bad}
        assert answers == {404}
    assert (User.objects.count(), Membership.objects.count()) == before
    foreign = make_user("foreign", email="foreign@example.org")
    signed_in = browser_of(foreign)
    assert body(signed_in, fine) == body(signed_in, "/invitations/x/")
    assert body(signed_in, fine, "post") == body(signed_in, "/invitations/x/", "post")


def test_declining_is_one_press_and_final(project, link):
    invited, path = link()
    client = Client()
    assert client.get(path + "decline/").status_code == 405
    assert "You have declined" in client.post(path + "decline/").content.decode()
    invited.refresh_from_db()
    assert invited.state == "declined"
    assert client.get(path).status_code == 404


def test_looking_changes_nothing(link):
    invited, path = link()
    for _ in range(3):
        Client().get(path)
        Client().head(path)
        Client().options(path)
    invited.refresh_from_db()
    assert invited.state == "open"


def test_no_form_works_without_its_token(project, lead, link):
    invited, path = link()
    client = Client(enforce_csrf_checks=True)
    assert client.post(path, newcomer()).status_code == 403
    assert client.post(path + "decline/").status_code == 403
    client.force_login(lead.user)
    for _method, page, sent in lead_pages(project, invited)[1:]:
        assert client.post(page, sent).status_code == 403


def test_a_person_who_annotates_cannot_take_up_leading(project, annotator, link, browser_of):
    User.objects.filter(pk=annotator.user_id).update(email="new@example.org")
    lead_elsewhere = Membership.objects.get(project=project, role="lead")
    membership.end(annotator, by=None, now=timezone.now())
    with pytest.raises(Exception, match="cannot be lead and annotator"):
        link("new@example.org", role="lead")
    User.objects.filter(pk=annotator.user_id).update(email="")
    _invited, path = link("other@example.org", role="lead")
    answer = browser_of(User.objects.get(pk=annotator.user_id)).post(path, {})
    assert answer.status_code == 409
    assert "a lead sees every score" in answer.content.decode()
    assert project.memberships.filter(role="lead").get() == lead_elsewhere
