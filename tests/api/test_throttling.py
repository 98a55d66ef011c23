"""How often a token may ask and an address may come with a bad one: of all processes together, whatever they say."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from api import throttling
from api.throttling import PARTS, WINDOW, Allowance
from tests.api.callers import Caller, refusal_of
from tests.test_concurrency import at_once

pytestmark = pytest.mark.django_db
LIST = "/api/v1/releases/"
NOON = 1_780_000_020.0  # the first second of a minute


@pytest.fixture(autouse=True)
def _at_noon(monkeypatch, db):
    """No minute turns while a test asks."""
    cache.clear()
    for allowance in (throttling.REQUESTS, throttling.FAILURES):
        monkeypatch.setattr(allowance, "clock", lambda: NOON)
        monkeypatch.setattr(allowance, "held", {})


def fail(bearer="plumb_x", **headers):
    return Client().get(LIST, headers={"authorization": f"Bearer {bearer}", **headers})


def test_a_token_that_asks_too_often_is_told_when_to_come_again(lead, settings):
    settings.API_REQUESTS_PER_MINUTE = 3
    caller = Caller(lead.user)
    assert [caller.get(LIST).status_code for _ in range(3)] == [200] * 3
    refused = caller.get(LIST)
    assert refusal_of(refused) == (429, "throttled")
    assert refused["Retry-After"] == str(WINDOW + 1)


def test_each_token_has_a_limit_of_its_own(lead, settings):
    settings.API_REQUESTS_PER_MINUTE = 1
    first, second = Caller(lead.user), Caller(lead.user)
    assert [first.get(LIST).status_code, first.get(LIST).status_code] == [200, 429]
    assert second.get(LIST).status_code == 200


def test_what_a_client_says_of_its_address_changes_nothing(lead, settings):
    settings.API_REQUESTS_PER_MINUTE = settings.API_FAILURES_PER_MINUTE = 10
    caller = Caller(lead.user)
    told = [caller.get(LIST, **{"x-forwarded-for": f"10.0.0.{n}"}).status_code for n in range(12)]
    assert told == [200] * 10 + [429] * 2
    told = [fail(f"plumb_{n}", **{"x-forwarded-for": f"10.0.0.{n}"}).status_code for n in range(12)]
    assert told == [401] * 10 + [429] * 2


def test_behind_a_proxy_of_the_site_the_address_is_the_one_that_it_wrote(settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.API_FAILURES_PER_MINUTE = 2
    forged = [fail(**{"x-forwarded-for": f"10.0.0.{n}, 192.0.2.1"}).status_code for n in range(3)]
    assert forged == [401, 401, 429]
    assert fail(**{"x-forwarded-for": "192.0.2.2"}).status_code == 401


def test_who_comes_with_bad_tokens_does_not_shut_out_a_neighbour_with_a_good_one(lead, settings):
    settings.API_FAILURES_PER_MINUTE = 2
    assert [fail().status_code for _ in range(3)] == [401, 401, 429]
    assert refusal_of(fail()) == (429, "throttled")
    assert Caller(lead.user).get(LIST).status_code == 200


def test_without_a_token_nothing_is_counted(client, settings, django_assert_num_queries):
    settings.API_FAILURES_PER_MINUTE = 1
    with django_assert_num_queries(0):
        assert [client.get(LIST).status_code for _ in range(5)] == [401] * 5


def test_a_busy_token_costs_the_database_a_write_for_every_part_and_not_for_every_request(lead, settings):
    settings.API_REQUESTS_PER_MINUTE = 600
    statements = []

    def note(execute, sql, params, many, context):
        if sql.split()[0] in ("INSERT", "UPDATE", "DELETE", "REPLACE"):
            statements.append(sql)
        return execute(sql, params, many, context)

    caller = Caller(lead.user)
    with connection.execute_wrapper(note):
        for _ in range(61):
            assert caller.get(LIST).status_code == 200
    assert len(statements) == 1 + 3  # the use of the token, and three parts of thirty


def test_a_minute_later_it_may_ask_again():
    now = [NOON]
    allowance = Allowance("later", clock=lambda: now[0])
    assert [allowance.wait("who", 2) for _ in range(3)] == [0, 0, WINDOW + 1]
    now[0] += WINDOW - 1
    assert allowance.wait("who", 2) == 2
    now[0] += 1
    assert [allowance.wait("who", 2) for _ in range(3)] == [0, 0, WINDOW + 1]
    assert list(allowance.held) == ["who"]


@pytest.mark.parametrize("limit", [1, 2, 10, 19, 20, 21, 39, 40, 600, 601])
def test_several_processes_together_let_pass_the_limit_and_no_more(limit):
    shares = [Allowance("several", clock=lambda: NOON) for _ in range(4)]
    passed = sum(share.wait("who", limit) == 0 for _ in range(limit) for share in shares)
    part = -(-limit // PARTS)
    assert limit - len(shares) * part < passed <= limit
    assert passed == limit  # here every share asks on until nothing is left


@pytest.mark.django_db(transaction=True)
def test_at_once_the_eleventh_of_ten_is_refused():
    """Four processes with eight clients, as far as threads can be them: each share has a memory of its own."""
    shares = [Allowance("eleven", clock=lambda: NOON) for _ in range(4)]

    def client(share):
        return lambda: sum(share.wait("who", 10) == 0 for _ in range(5))

    assert sum(at_once([client(shares[number % 4]) for number in range(8)])) == 10


PROCESS = """
import django; django.setup()
from django.db import connections
connections["default"].settings_dict["NAME"] = {database!r}
from api.throttling import Allowance
share = Allowance("processes", clock=lambda: {noon})
print(sum(share.wait("who", 50) == 0 for _ in range(60)))
"""


@pytest.mark.django_db(transaction=True)
def test_real_processes_share_one_limit():
    program = PROCESS.format(database=connection.settings_dict["NAME"], noon=NOON)

    def run(_number):
        return int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(run, range(4))) == 50


def test_a_cache_that_stores_nothing_does_not_take_the_site_down(lead, settings, monkeypatch):
    monkeypatch.setattr(throttling.cache, "add", lambda *args: False)
    monkeypatch.setattr(throttling.cache, "get", lambda *args: None)
    settings.API_REQUESTS_PER_MINUTE = 1
    assert Caller(lead.user).get(LIST).status_code == 200
