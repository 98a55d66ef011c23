"""A bad setting stops the start and is named; production's settings pass Django's own check."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment

ROOT = Path(__file__).resolve().parent.parent
KEY = "a key of these tests alone, long enough and never used, 0123456789"
PRODUCTION = {
    "SECRET_KEY": KEY,
    "DATABASE_URL": "postgresql://plumb@database/plumb",
    "REDIS_URL": "redis://redis:6379/0",
    "ALLOWED_HOSTS": "plumb.example.org",
}

pytestmark = pytest.mark.files


def start(folder: Path, *command: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Python on the product's settings, in an environment that holds nothing else."""
    return subprocess.run(
        [sys.executable, *command],
        env={
            "PATH": os.defpath,
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            **values,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


# --- The readers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["true", "1", "yes", " True"])
def test_a_flag_is_true_or_false_and_nothing_else(monkeypatch, value):
    monkeypatch.setenv("DEBUG", value)
    with pytest.raises(ImproperlyConfigured, match=f"DEBUG is '{value}'; write True or False"):
        environment.flag("DEBUG")
    monkeypatch.setenv("DEBUG", "True")
    assert environment.flag("DEBUG") is True


@pytest.mark.parametrize("value", ["-1", "1.5", "ten", "٣", "9"])
def test_a_number_is_whole_and_not_too_small(monkeypatch, value):
    monkeypatch.setenv("JOB_LEASE_SECONDS", value)
    with pytest.raises(
        ImproperlyConfigured, match=r"JOB_LEASE_SECONDS is .*; write a whole number, 10 or more"
    ):
        environment.number("JOB_LEASE_SECONDS", 600, least=10)
    monkeypatch.setenv("JOB_LEASE_SECONDS", "10")
    assert environment.number("JOB_LEASE_SECONDS", 600, least=10) == 10


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        (lambda: environment.redis_url("SETTING"), "nonsense"),
        (lambda: environment.redis_url("SETTING"), "http://redis:6379/0"),
        (lambda: environment.origins("SETTING"), "plumb.example.org"),
        (lambda: environment.origins("SETTING"), "https://a.example,b.example"),
        (lambda: environment.choice("SETTING", "INFO", allowed=("INFO", "DEBUG")), "loud"),
    ],
)
def test_an_address_an_origin_or_a_choice_that_cannot_be_is_named(monkeypatch, reader, value):
    monkeypatch.setenv("SETTING", value)
    with pytest.raises(ImproperlyConfigured, match="SETTING"):
        reader()


def test_addresses_origins_and_choices_that_can_be_are_taken(monkeypatch):
    monkeypatch.setenv("SETTING", "redis+socket:///run/redis.sock")
    assert environment.redis_url("SETTING").startswith("redis+socket")
    monkeypatch.setenv("SETTING", "https://a.example, https://b.example:8443")
    assert environment.origins("SETTING") == ["https://a.example", "https://b.example:8443"]
    monkeypatch.setenv("SETTING", "")
    assert environment.words("SETTING", "localhost") == ["localhost"]
    assert environment.choice("SETTING", "INFO", allowed=("INFO",)) == "INFO"


def test_a_secret_may_stand_in_a_file(monkeypatch, tmp_path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    assert environment.secret("SECRET_KEY") == KEY


def test_a_secret_that_is_set_twice_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", KEY)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY and SECRET_KEY_FILE are both set"):
        environment.secret("SECRET_KEY")


def test_a_secret_file_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY_FILE is '.*key': No such file"):
        environment.secret("SECRET_KEY")


@pytest.mark.parametrize(
    ("value", "port", "starts_tls", "is_tls"),
    [
        ("smtp://mail.example.org", 25, False, False),
        ("smtp+tls://mail.example.org", 587, True, False),
        ("smtps://mail.example.org:4650", 4650, False, True),
    ],
)
def test_a_mail_server_is_an_address(monkeypatch, value, port, starts_tls, is_tls):
    monkeypatch.setenv("EMAIL_URL", value.replace("//", "//us%40er:p%2Fw@"))
    server = environment.mail_server("EMAIL_URL")
    assert (server.host, server.port, server.user, server.password) == (
        "mail.example.org",
        port,
        "us@er",
        "p/w",
    )
    assert (server.starts_tls, server.is_tls) == (starts_tls, is_tls)
    monkeypatch.setenv("EMAIL_URL", "")
    assert environment.mail_server("EMAIL_URL") is None


@pytest.mark.parametrize(
    "value", ["mail.example.org", "http://mail.example.org", "smtp://", "smtp://h:port", "smtp://h/x"]
)
def test_a_mail_server_that_cannot_be_is_named(monkeypatch, value):
    monkeypatch.setenv("EMAIL_URL", value)
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL cannot be read; write smtp"):
        environment.mail_server("EMAIL_URL")


# --- The start -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "SECRET_KEY is not set"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY is shorter than 32 characters"),
        ({"SECRET_KEY": KEY, "DEBUG": "on"}, "DEBUG is 'on'; write True or False."),
        ({"SECRET_KEY": KEY, "ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS is '*'"),
        (
            {"SECRET_KEY": KEY, "DATABASE_URL": "mysql://plumb@database/plumb"},
            "neither postgresql nor sqlite",
        ),
        ({"SECRET_KEY": KEY, "DATABASE_URL": "postgresql://"}, "DATABASE_URL names no database"),
    ],
)
def test_a_bad_value_stops_the_start_and_is_named(tmp_path, values, sentence):
    refused = start(tmp_path, "-c", "import config.settings", **values)
    assert refused.returncode == 1
    assert sentence in refused.stderr.splitlines()[-1]


def test_a_database_named_by_a_file_is_production_and_wants_https(tmp_path):
    (tmp_path / "url").write_text("postgresql://plumb@database/plumb\n")
    asked = "from config import settings; print(settings.EMBEDDED, settings.HTTPS, settings.CSRF_COOKIE_NAME)"
    answer = start(tmp_path, "-c", asked, SECRET_KEY=KEY, DATABASE_URL_FILE=str(tmp_path / "url"))
    assert answer.stdout == "False True __Host-csrftoken\n", answer.stderr


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ({"SECRET_KEY": KEY}, "False 0 plumb_cache console"),
        (PRODUCTION, "True 0 redis://redis:6379/0 console"),
        (
            {**PRODUCTION, "BEHIND_TLS_PROXY": "True", "EMAIL_URL": "smtp://mail"},
            "True 1 redis://redis:6379/0 smtp",
        ),
        (
            {**PRODUCTION, "LEADS_NEED_TOTP": "False", "TRUSTED_PROXIES": "2"},
            "False 2 redis://redis:6379/0 console",
        ),
        ({**PRODUCTION, "REDIS_URL": ""}, "True 0 plumb_cache console"),
    ],
)
def test_production_wants_second_factors_and_counts_attempts_in_one_place(tmp_path, values, answer):
    asked = (
        "from config import settings as s; print(s.LEADS_NEED_TOTP, s.ALLAUTH_TRUSTED_PROXY_COUNT,"
        "s.CACHES['default']['LOCATION'], s.EMAIL_BACKEND.split('.')[-2])"
    )
    given = start(tmp_path, "-c", asked, **values)
    assert given.stdout == f"{answer}\n", given.stderr


def test_the_key_of_the_demo_never_serves_in_production(tmp_path):
    (tmp_path / "secret_key").write_text(KEY)
    assert start(tmp_path, "-c", "import config.settings").returncode == 0
    production = {**PRODUCTION, "SECRET_KEY": ""}
    assert "SECRET_KEY is not set" in start(tmp_path, "-c", "import config.settings", **production).stderr


def test_the_check_for_deployment_finds_nothing(tmp_path):
    checked = start(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert checked.returncode == 0, checked.stderr
    assert "no issues (0 silenced)" in checked.stdout
