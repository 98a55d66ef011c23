"""An old database comes through the migrations, whatever the old pages let into it."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

import pytest
from django.apps.registry import Apps
from django.db import connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

pytestmark = pytest.mark.files
OLD, NEW = "0008_preferences", "0014_workbench"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def empty_database(
    tmp_path: Path, django_db_blocker
) -> Callable[[], AbstractContextManager[DatabaseWrapper]]:
    """One of SQLite in place of the suite's own, which it neither sees nor changes."""

    @contextmanager
    def opened() -> Iterator[DatabaseWrapper]:
        usual = connections["default"]
        settings = {**usual.settings_dict, "ENGINE": "django.db.backends.sqlite3", "OPTIONS": {}}
        with django_db_blocker.unblock():
            name = str(tmp_path / f"{token_hex(4)}.sqlite3")
            made = DatabaseWrapper({**settings, "NAME": name}, "default")
            connections["default"] = made
            try:
                yield made
            finally:
                made.close()
                connections["default"] = usual

    return opened


@pytest.fixture
def fresh(empty_database) -> Iterator[DatabaseWrapper]:
    with empty_database() as made:
        yield made


def migrate(to: str) -> Apps:
    """The models as they are once the application has come so far, by the migrations of old."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    return executor.migrate([("annotation", to)]).apps


def shape() -> set[tuple[str, str, str]]:
    """What the database says of its tables, whatever the order of their columns and conditions."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {
            (name, table, " ".join(sorted(re.findall(r"[^\s,()]+", sql))))
            for name, table, sql in cursor.fetchall()
        }


def test_the_squashed_migration_makes_what_the_ones_it_replaces_make(empty_database) -> None:
    with empty_database():
        MigrationExecutor(connection).migrate([("annotation", "0001_squashed_0014")])
        at_once = shape()
    with empty_database():
        migrate("0014_workbench")
        assert shape() == at_once
    assert ("annotation_ruling_no_update", "annotation_ruling") in {
        (name, table) for name, table, _ in at_once
    }


def test_an_old_database_with_shared_addresses_and_rounds_for_preparation_comes_through(fresh) -> None:
    old = migrate(OLD)
    User = old.get_model("annotation", "User")
    for name, email in [
        ("a", "Ann@Example.org"),
        ("b", "ann@example.org"),
        ("c", "ANN@example.org"),
        ("d", ""),
    ]:
        User.objects.create(username=name, email=email)
    project = old.get_model("annotation", "Project").objects.create(name="Old", slug="old", created_at=NOW)
    rubric = old.get_model("annotation", "Rubric").objects.create(project=project, version=1, created_at=NOW)
    of_old = [("training", "open"), ("training", "paused"), ("exam", "open"), ("calibration", "open")]
    for number, (purpose, state) in enumerate([*of_old, ("training", "draft"), ("live", "open")]):
        opened = None if state == "draft" else NOW
        old.get_model("annotation", "Round").objects.create(
            project=project,
            name=f"{number} {purpose}",
            purpose=purpose,
            state=state,
            rubric=rubric,
            created_at=NOW,
            opened_at=opened,
        )
    new = migrate(NEW)
    users = new.get_model("annotation", "User").objects.order_by("username")
    assert list(users.values_list("email", flat=True)) == ["ann@example.org", "", "", ""]
    rounds = new.get_model("annotation", "Round").objects.order_by("name")
    assert list(rounds.values_list("state", flat=True)) == ["locked"] * 4 + ["draft", "open"]
    assert all((each.locked_at is not None) == (each.state == "locked") for each in rounds)


def test_tokens_of_old_keep_what_they_could_do_and_get_a_name(fresh) -> None:
    old = migrate("0016_time_at_other_work")
    user = old.get_model("annotation", "User").objects.create(username="a")
    Token = old.get_model("annotation", "ApiToken")
    for number, name in enumerate(["for the paper", "", ""]):
        Token.objects.create(
            user=user, name=name, digest=f"{number}" * 64, created_at=NOW, revoked_at=NOW if number else None
        )
    new = migrate("0018_idempotency_keys").get_model("annotation", "ApiToken")
    found = list(new.objects.order_by("pk"))
    assert [token.name for token in found] == ["for the paper", *(f"token {each.pk}" for each in found[1:])]
    assert {token.scopes for token in found} == {"read write submit"}
    assert {(token.project, token.last_used_at) for token in found} == {(None, None)}
    assert [token.revoked_at for token in found] == [None, NOW, NOW]
