"""An old database comes through the migrations, whatever the old pages let into it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.apps.registry import Apps
from django.db import connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.files
OLD, NEW = "0008_preferences", "0013_calibration"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def fresh(tmp_path: Path, django_db_blocker) -> Iterator[DatabaseWrapper]:
    """An empty database of SQLite in place of the suite's own, which it neither sees nor changes."""
    usual = connections["default"]
    settings = {**usual.settings_dict, "ENGINE": "django.db.backends.sqlite3", "OPTIONS": {}}
    with django_db_blocker.unblock():
        made = DatabaseWrapper({**settings, "NAME": str(tmp_path / "old.sqlite3")}, "default")
        connections["default"] = made
        try:
            yield made
        finally:
            made.close()
            connections["default"] = usual


def migrate(to: str) -> Apps:
    """The models as they are once the application has come so far."""
    executor = MigrationExecutor(connection)
    return executor.migrate([("annotation", to)]).apps


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
