"""What a request changed: how many rows each table has, and which."""

from collections.abc import Collection
from hashlib import sha256

from django.db import connection

# Counts of attempts, and when a token was last used, are noted whatever is asked.
NOTES = {"plumb_cache"}
NOTED = {"annotation_apitoken": ("last_used_at",)}


def row_counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        return {table: _one(cursor, " ".join(("SELECT COUNT(*) FROM", quoted(table)))) for table in _tables()}


def row_digests(besides: Collection[str] = ()) -> dict[str, str]:
    """By table, one of all its rows, but for those of some."""
    found = {}
    with connection.cursor() as cursor:
        for table in {*_tables()} - {*besides}:
            columns = [each.name for each in connection.introspection.get_table_description(cursor, table)]
            told = ", ".join(f'"{name}"' for name in columns if name not in NOTED.get(table, ()))
            cursor.execute(" ".join(("SELECT", told, "FROM", quoted(table))))
            rows = sorted(repr(row) for row in cursor.fetchall())
            found[table] = sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()
    return found


def quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _tables() -> list[str]:
    return [name for name in connection.introspection.table_names() if name not in NOTES]


def _one(cursor, statement: str) -> int:
    cursor.execute(statement)
    return cursor.fetchone()[0]
