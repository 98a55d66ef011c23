"""Signing in and out: what one process ends is ended for all."""

import pytest
from django.contrib.sessions.backends.cached_db import SessionStore as CachedInThisProcess
from django.test import Client
from django.urls import reverse
from django.utils.module_loading import import_string

from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_user("ada")


def test_a_person_signs_in_and_out(client, person):
    response = client.post(reverse("sign_in"), {"login": "ada", "password": PASSWORD})
    assert response.url == reverse("home")
    assert client.get("/").status_code == 200
    client.post(reverse("sign_out"))
    assert client.get("/").url.startswith(reverse("sign_in"))


def test_a_wrong_password_opens_nothing(client, person):
    response = client.post(reverse("sign_in"), {"login": "ada", "password": "wrong"})
    assert response.status_code == 200
    assert client.get("/").status_code == 302


def test_sessions_are_not_kept_in_a_process(settings):
    """With a cache of its own each web process would go on serving who has signed out in another."""
    store = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
    assert not issubclass(store, CachedInThisProcess)


def test_an_old_cookie_opens_nothing_after_signing_out(person):
    client, thief = Client(), Client()
    client.force_login(person)
    thief.cookies = client.cookies.copy()
    assert thief.get("/").status_code == 200
    client.post(reverse("sign_out"))
    assert thief.get("/").status_code == 302


def test_signing_out_needs_a_post(client, person):
    client.force_login(person)
    assert client.get(reverse("sign_out")).status_code == 405


@pytest.mark.parametrize("url", ["theme", "set_language"])
@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_change_of_look_or_language_never_leads_elsewhere(client, url, elsewhere):
    response = client.post(reverse(url), {"theme": "dark", "language": "zh-hans", "next": elsewhere})
    assert "evil" not in response.url
    assert "javascript" not in response.url
