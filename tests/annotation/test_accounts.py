"""Signing in and staying in: who gets in by which way, for how long, and how often they may try."""

import json
import re
import time

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core import mail
from django.core.cache import cache, caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from annotation.models import ApiToken, User
from annotation.services import accounts, tokens
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

NEW = "quite another long password"
SIGN_IN = "/sign-in/"


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def ada():
    return make_user("ada", email="ada@example.org")


def sign_in(client, login="ada", password=PASSWORD, **headers):
    return client.post(SIGN_IN, {"login": login, "password": password}, **headers)


def is_in(client):
    return client.get("/").status_code == 200


# --- No sign-up ----------------------------------------------------------------------------------


def test_there_is_no_way_to_sign_up(client):
    sent = {"username": "mallory", "email": "m@example.org", "password1": NEW, "password2": NEW}
    for path in ("/signup/", "/accounts/signup/", "/sign-up/", "/sign-in/signup/"):
        assert client.post(path, sent).status_code == 404
    client.post(SIGN_IN, sent)
    for name in ("account_signup", "socialaccount_signup"):
        with pytest.raises(NoReverseMatch):
            reverse(name)
    assert not User.objects.exists()


def test_a_fresh_site_has_no_account():
    assert not User.objects.exists()


# --- Names and addresses -------------------------------------------------------------------------


@pytest.mark.parametrize("login", ["ada", "ADA", "ada@example.org", " Ada@Example.org "])
def test_signing_in_takes_the_name_or_the_address(client, ada, login):
    assert sign_in(client, login).url == "/"
    assert is_in(client)


@pytest.mark.parametrize("login", ["ada", "ada@example.org", "nobody", "nobody@example.org"])
def test_a_refused_sign_in_does_not_tell_which_accounts_there_are(client, ada, login):
    answer = sign_in(client, login, "wrong password")
    assert answer.status_code == 200
    assert "User name or password is wrong." in answer.content.decode()
    assert not is_in(client)


def test_the_sign_in_page_leads_only_within_the_site(client, ada):
    answer = client.post(f"{SIGN_IN}?next=https://evil.example/", {"login": "ada", "password": PASSWORD})
    assert answer.url == "/"
    answer = client.post(f"{SIGN_IN}?next=//evil.example/", {"login": "ada", "password": PASSWORD})
    assert "evil" not in answer.url
    other = Client()
    answer = other.post(f"{SIGN_IN}?next=/settings/", {"login": "ada", "password": PASSWORD})
    assert answer.url == "/settings/"


# --- How often -----------------------------------------------------------------------------------


def test_failed_sign_ins_are_counted_in_one_place_for_all_processes(settings):
    assert not isinstance(caches["default"], LocMemCache)
    assert "locmem" not in settings.CACHES["default"]["BACKEND"]
    assert "dummy" not in settings.CACHES["default"]["BACKEND"]


def test_after_five_failures_an_account_waits_whatever_address_they_come_from(ada):
    make_user("ben")
    for number in range(8):
        sign_in(Client(REMOTE_ADDR=f"10.0.0.{number}"), "ada", "wrong password")
    blocked = Client(REMOTE_ADDR="10.0.1.1")
    answer = sign_in(blocked)
    assert "Too many failed attempts. Wait five minutes, then try again." in answer.content.decode()
    assert not is_in(blocked)
    other = Client(REMOTE_ADDR="10.0.0.1")
    sign_in(other, "ben")
    assert is_in(other)


def test_right_passwords_do_not_use_attempts_up(ada):
    for _ in range(8):
        client = Client()
        sign_in(client)
        assert is_in(client)


def test_one_address_does_not_try_many_names(ada):
    client = Client(REMOTE_ADDR="10.0.0.9")
    for number in range(31):
        sign_in(client, f"name{number}", "wrong password")
    sign_in(client)
    assert not is_in(client)
    elsewhere = Client(REMOTE_ADDR="10.0.0.10")
    sign_in(elsewhere)
    assert is_in(elsewhere)


@pytest.mark.parametrize("proxies", [0, 1])
def test_a_made_up_forwarding_header_changes_nothing(settings, ada, proxies):
    """Behind one proxy its own entry, the last, counts; without a proxy the header counts for nothing."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    client = Client(REMOTE_ADDR="10.0.0.9")

    def forwarded(number):
        made_up = f"203.0.113.{number}"
        return {"HTTP_X_FORWARDED_FOR": f"{made_up}, 198.51.100.7" if proxies else made_up}

    for number in range(31):
        sign_in(client, f"name{number}", "wrong password", **forwarded(number))
    sign_in(client, **forwarded(99))
    assert not is_in(client)


# --- Who is switched off -------------------------------------------------------------------------


def test_an_account_that_is_switched_off_is_refused_in_every_way(ada):
    inside = Client()
    inside.force_login(ada)
    token = tokens.create(ada, name="script", now=timezone.now(), days=None)
    link = reset_link(Client(), "ada@example.org")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    client = Client()
    assert "User name or password is wrong." in sign_in(client).content.decode()
    assert not is_in(client)
    assert not is_in(inside)
    api = Client().get(reverse("api_releases"), headers={"authorization": f"Bearer {token}"})
    assert api.status_code in (401, 403)
    reset = Client()
    page = reset.get(link, follow=True)
    if page.status_code == 200 and "set-password" in page.redirect_chain[-1][0]:
        reset.post(page.redirect_chain[-1][0], {"password1": NEW, "password2": NEW})
    assert not is_in(reset)
    sign_in(reset, password=NEW)
    assert not is_in(reset)
    mail.outbox.clear()
    Client().post(reverse("account_reset_password"), {"email": "ada@example.org"})
    assert "No account has it." in mail.outbox[0].body


# --- Sessions ------------------------------------------------------------------------------------


def test_signing_in_changes_the_session(client, ada):
    client.get(SIGN_IN)
    client.post(reverse("set_language"), {"language": "en"})
    session = client.session
    session["planted"] = True
    session.save()
    before = client.session.session_key
    client.cookies["sessionid"] = before
    sign_in(client)
    assert client.session.session_key != before


def signed_in_twice(ada):
    here, there = Client(), Client()
    for client in (here, there):
        sign_in(client)
        assert is_in(client)
    return here, there


def test_signing_out_ends_every_session(ada):
    here, there = signed_in_twice(ada)
    here.post(reverse("sign_out"))
    assert not is_in(here)
    assert not is_in(there)


def test_signing_out_everywhere_else_leaves_this_session(ada):
    here, there = signed_in_twice(ada)
    assert here.post(reverse("end_sessions")).url == "/settings/?saved=sessions"
    assert is_in(here)
    assert not is_in(there)


def test_a_new_password_ends_the_other_sessions_and_the_tokens(ada):
    here, there = signed_in_twice(ada)
    tokens.create(ada, name="script", now=timezone.now(), days=None)
    sent = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert here.post(reverse("account_change_password"), sent).url == "/settings/?saved=password"
    assert is_in(here)
    assert not is_in(there)
    assert not ApiToken.objects.filter(user=ada, revoked_at=None).exists()
    sign_in(there, password=NEW)
    assert is_in(there)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"oldpassword": "wrong"}, "This is not your password."),
        ({"password1": "seven77", "password2": "seven77"}, "too short"),
        ({"password1": "password1", "password2": "password1"}, "too common"),
        ({"password1": "ada@example.org", "password2": "ada@example.org"}, "too similar"),
        ({"password2": "something else entirely"}, "same password"),
    ],
)
def test_a_new_password_has_to_be_good(ada, sent, error):
    client = Client()
    client.force_login(ada)
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW, **sent}
    answer = client.post(reverse("account_change_password"), form)
    assert answer.status_code == 200
    assert error in answer.content.decode()
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_switching_an_account_off_ends_its_sessions_at_once(ada):
    here, there = signed_in_twice(ada)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert not is_in(here)
    assert not is_in(there)


@pytest.mark.parametrize(("idle", "age", "stays"), [(11, 24, True), (13, 24, False), (1, 7 * 24 + 1, False)])
def test_a_session_ends_when_idle_and_after_a_week(client, ada, monkeypatch, idle, age, stays):
    sign_in(client)
    assert is_in(client)
    now, session = time.time(), client.session
    session["signed_in_at"], session["seen_at"] = int(now - age * 3600), int(now - idle * 3600)
    session.save()
    assert is_in(client) is stays
    assert is_in(client) is stays


def test_use_keeps_a_session_from_being_idle(client, ada):
    sign_in(client)
    is_in(client)
    session = client.session
    session["seen_at"] = int(time.time() - 11 * 3600)
    session.save()
    is_in(client)
    assert client.session["seen_at"] > time.time() - 60


# --- A forgotten password ------------------------------------------------------------------------


def reset_link(client, address):
    client.post(reverse("account_reset_password"), {"email": address})
    return re.search(r"http://\S+/password/new/\S+", mail.outbox[-1].body)[0]


def test_a_forgotten_password_is_renewed_once_by_mail(client, ada):
    here, _there = signed_in_twice(ada)
    link = reset_link(client, "Ada@example.org")
    form = client.get(link, follow=True)
    address = form.redirect_chain[-1][0]
    assert link.rsplit("/", 2)[1] not in address  # the key does not stay in the address
    done = client.post(address, {"password1": NEW, "password2": NEW})
    assert done.url == reverse("account_reset_password_from_key_done")
    assert client.get(done.url).status_code == 200
    assert not is_in(here)
    sign_in(client, password=NEW)
    assert is_in(client)
    again = Client().get(link, follow=True)
    assert "This link cannot be used" in again.content.decode()


def test_known_and_unknown_addresses_get_the_same_answer_and_one_mail_each(ada):
    def asked(address):
        client = Client()
        answer = client.post(reverse("account_reset_password"), {"email": address})
        page = client.get(answer.url)
        return answer.status_code, answer.url, re.sub(r'value="\w{64}"', "", page.content.decode())

    assert asked("ada@example.org") == asked("nobody@example.org")
    assert [message.to for message in mail.outbox] == [["ada@example.org"], ["nobody@example.org"]]


def test_a_failing_mail_server_shows_nothing_about_accounts(settings, client, ada):
    settings.EMAIL_BACKEND = "tests.annotation.test_accounts.NoServer"
    answers = {
        client.post(reverse("account_reset_password"), {"email": address}).url
        for address in ("ada@example.org", "nobody@example.org")
    }
    assert answers == {reverse("account_reset_password_done")}


class NoServer:
    def __init__(self, *args, **kwargs):
        pass

    def open(self):
        raise ConnectionRefusedError

    def close(self):
        pass


def test_a_mail_has_no_header_of_anybodys_making(client, ada):
    client.post(reverse("account_reset_password"), {"email": "ada@example.org\nBcc: all@example.org"})
    assert not mail.outbox


# --- Second factor -------------------------------------------------------------------------------


@pytest.fixture
def strict(settings):
    settings.LEADS_NEED_TOTP = True


def code_of(secret, steps=0):
    counter = int(time.time()) // 30 + steps
    return totp.format_hotp_value(totp.hotp_value(secret, counter))


def enrol(client):
    page = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    answer = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    return secret, answer


def test_a_lead_without_a_second_factor_is_sent_to_set_one_up(strict, project, lead, client):
    sign_in(client, "lea")
    for page in ("/", reverse("project", args=[project.slug]), "/settings/", reverse("own_data")):
        assert client.get(page).url == reverse("mfa_activate_totp")
        assert client.post(page).url == reverse("mfa_activate_totp")
    assert client.get(reverse("mfa_activate_totp")).status_code == 200
    assert client.post(reverse("theme"), {"theme": "dark"}).url == "/"
    assert client.post(reverse("set_language"), {"language": "en"}).status_code == 302
    assert client.post(reverse("sign_out")).url == reverse("sign_in")


def test_operators_need_one_too_and_annotators_do_not(strict, annotator, browser_of):
    operator = accounts.make_operator("olga", password=PASSWORD, now=timezone.now()).user
    assert browser_of(operator).get("/").url == reverse("mfa_activate_totp")
    assert browser_of(annotator).get("/").status_code == 200


def test_in_the_demo_nobody_needs_one(settings, lead, browser_of):
    assert settings.LEADS_NEED_TOTP is False
    assert browser_of(lead).get("/").status_code == 200


def test_enrolling_opens_the_site_and_shows_recovery_codes_once(strict, lead, client):
    sign_in(client, "lea")
    secret, answer = enrol(client)
    assert answer.url == reverse("mfa_view_recovery_codes")
    codes = re.findall(r"<code>(\w+)</code>", client.get(answer.url).content.decode())
    assert len(codes) == 10
    assert is_in(client)
    assert not re.findall(r"<code>", client.get(answer.url).content.decode())
    kept = json.dumps(list(Authenticator.objects.values("data")))
    assert secret not in kept
    assert not [code for code in codes if code in kept]


def test_signing_in_asks_for_a_code_and_takes_each_once(strict, lead):
    enrolled = Client()
    sign_in(enrolled, "lea")
    secret, _answer = enrol(enrolled)
    cache.clear()

    def offered(code):
        client = Client()
        assert sign_in(client, "lea").url == reverse("mfa_authenticate")
        assert not is_in(client)
        client.post(reverse("mfa_authenticate"), {"code": code})
        return is_in(client)

    code = code_of(secret)
    assert offered("000000") is False
    assert offered(code) is True
    assert offered(code) is False  # the same code once more
    recovery = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
    assert offered(recovery) is True
    assert offered(recovery) is False


def test_who_began_to_sign_in_may_sign_in_as_somebody_else(lead, ada):
    enrolled = Client()
    sign_in(enrolled, "lea")
    enrol(enrolled)
    client = Client()
    sign_in(client, "lea")
    client.post(reverse("sign_out"))
    sign_in(client, "ada")
    assert is_in(client)


def test_codes_cannot_be_guessed_for_long(lead):
    enrolled = Client()
    sign_in(enrolled, "lea")
    secret, _answer = enrol(enrolled)
    client = Client()
    sign_in(client, "lea")
    for number in range(12):
        client.post(reverse("mfa_authenticate"), {"code": f"{number:06}"})
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret, 1)})
    assert not is_in(client)


def test_a_second_factor_is_changed_only_by_who_showed_the_password_lately(ada, client):
    sign_in(client)
    is_in(client)
    session = client.session
    session["signed_in_at"] = int(time.time() - 3600)
    session.save()
    asked = client.get(reverse("mfa_activate_totp"))
    assert asked.url.startswith(reverse("account_reauthenticate"))
    assert client.get(asked.url).status_code == 200
    wrong = client.post(asked.url, {"password": "wrong password"})
    assert "This is not your password." in wrong.content.decode()
    assert client.post(asked.url, {"password": PASSWORD}).url == reverse("mfa_activate_totp")
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_an_operator_takes_a_second_factor_off(lead):
    enrolled = Client()
    sign_in(enrolled, "lea")
    enrol(enrolled)
    call_command("remove_second_factor", "lea")
    assert not Authenticator.objects.exists()
    assert not is_in(enrolled)
    client = Client()
    sign_in(client, "lea")
    assert is_in(client)


def test_a_secret_is_read_again_from_what_is_kept():
    kept = get_adapter().encrypt("JBSWY3DPEHPK3PXP")
    assert "JBSWY3DPEHPK3PXP" not in kept
    assert get_adapter().decrypt(kept) == "JBSWY3DPEHPK3PXP"


# --- Forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "sign_in",
        "sign_out",
        "account_reset_password",
        "account_change_password",
        "account_reauthenticate",
        "mfa_activate_totp",
        "settings",
        "change_email",
        "end_sessions",
        "close_account",
        "theme",
        "set_language",
    ],
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_nothing_is_changed_without_the_forms_token(ada, name, headers):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    assert client.post(reverse(name), headers=headers).status_code == 403
