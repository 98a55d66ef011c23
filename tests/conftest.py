from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client, TransactionTestCase
from django.utils import translation

from annotation.models import Membership, Project, User
from api import throttling
from curation.services import figures
from tests.factories import make_member, make_project, make_user

collect_ignore = ["consumers"]  # whose environment is another, and reaches no network


@contextmanager
def without_triggers() -> Iterator[None]:
    """Append-only tables cannot be emptied between tests; only the tests' own clean-up steps around that."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = DEFAULT")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, sql in triggers:
            cursor.execute(sql)


@pytest.fixture(scope="session", autouse=True)
def _transactional_tests_can_clean_up() -> Iterator[None]:
    empty = TransactionTestCase._fixture_teardown

    def empty_without_triggers(self: TransactionTestCase) -> None:
        with without_triggers():
            empty(self)
        cache.clear()  # its table is no model's

    TransactionTestCase._fixture_teardown = empty_without_triggers
    yield
    TransactionTestCase._fixture_teardown = empty


@pytest.fixture(autouse=True)
def _nothing_is_kept_from_another_test() -> None:
    """Rows of one test have the keys of another's, and a request leaves its language to its thread."""
    caches["process"].clear()
    for allowance in (throttling.REQUESTS, throttling.FAILURES):
        allowance.held.clear()
    translation.deactivate()


@pytest.fixture
def project(db: None) -> Project:
    return make_project("bridges")


@pytest.fixture
def annotator(project: Project) -> Membership:
    return make_member(project, "annotator", "ann")


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, "lead", "lea")


@pytest.fixture
def stranger(db: None) -> User:
    return make_user("stranger")


@pytest.fixture
def browser_of():
    """A signed-in test client for a person."""

    def signed_in(person: User | Membership) -> Client:
        client = Client()
        pk = person.user_id if isinstance(person, Membership) else person.pk
        client.force_login(User.objects.get(pk=pk))  # as it is by now: a session that has ended stays so
        return client

    return signed_in


pictures_of = figures._drawn


@pytest.fixture
def drawn(undrawn: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts have their pictures after all, in a file whose tests do without."""
    monkeypatch.setattr(figures, "_drawn", pictures_of)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts have no pictures: starting what draws takes seconds, and tests of figures do it (test_figures.py)."""

    def nothing(orders: list[dict]) -> list[dict[str, str]]:
        return [
            {"wide": "<svg></svg>", "narrow": "<svg></svg>", "svg": "<svg></svg>", "png": ""} for _ in orders
        ]

    monkeypatch.setattr(figures, "_drawn", nothing)
