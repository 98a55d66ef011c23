"""Statements that are built once in a process and then only run.

To build a query in the ORM costs many times what the database needs to run it, and a page of work asks a dozen, for
every text that is scored. A function under `prepared` writes its query as ever, with a `Parameter` where a value
will stand; the SQL is built at the first call and kept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache, wraps
from typing import Any, TypeVar

import psycopg
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.sqlite3.base import FORMAT_QMARK_REGEX, SQLiteCursorWrapper
from django.db.models import BigIntegerField, DateTimeField, Expression, Field, Model, QuerySet, TextField
from django.db.models.query import FlatValuesListIterable, ModelIterable, get_related_populators
from django.db.models.sql import DeleteQuery, InsertQuery, Query, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

ALIAS = "default"
MOST = 1000  # statements of one query in a process; then it begins anew
STATEMENTS = 500  # that PostgreSQL keeps for a connection

Made = TypeVar("Made", bound=Model)
Make = Callable[[Sequence[Any]], Any]


class _WholeNumber(BigIntegerField):
    """Of values that are whole numbers already, and need not be read as such."""

    def get_db_prep_save(self, value: int, connection: Any) -> Any:
        return connection.ops.adapt_integerfield_value(value, self.get_internal_type())


FIELDS: dict[type, Field] = {int: _WholeNumber(), str: TextField(), datetime: DateTimeField()}


class Parameter(Expression):
    """Where a value will stand in a statement, as its field keeps it."""

    def __init__(self, name: str, field: Field) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, list["Parameter"]]:
        return "%s", [self]


class _Statement:
    """SQL, and where the values go."""

    def __init__(self, sql: str, params: Sequence[Any]) -> None:
        self.sql, self.params = sql, params
        # A value may stand in a statement many times.
        self.fields = {each.name: each.output_field for each in params if isinstance(each, Parameter)}

    def run(self, values: dict[str, Any], connection: Any) -> Any:
        """The cursor, to be closed; None where the statement can never find anything."""
        if not self.sql:
            return None
        bound = {
            name: field.get_db_prep_save(values[name], connection) for name, field in self.fields.items()
        }
        params = [bound[each.name] if isinstance(each, Parameter) else each for each in self.params]
        cursor = _cursor(connection)
        try:
            cursor.execute(self.sql, params)
        except BaseException:
            cursor.close()
            raise
        return cursor


class _Rows(_Statement):
    """The SQL of a queryset, and how its rows become what the queryset would give."""

    def __init__(self, found: QuerySet) -> None:
        if found._prefetch_related_lookups or found._known_related_objects:
            raise TypeError("A prepared query starts at a manager and prefetches nothing.")
        compiler = found.query.get_compiler(ALIAS)
        super().__init__(*_sql(compiler))
        if self.sql:
            self.converters = compiler.get_converters([column[0] for column in compiler.select])
            self.make = _making(found, compiler)

    def of(self, values: dict[str, Any], connection: Any) -> list[Any]:
        cursor = self.run(values, connection)
        if cursor is None:
            return []
        with cursor:
            rows = cursor.fetchall()
        return [self.make(row) for row in self._converted(rows, connection)]

    def _converted(self, rows: Iterable[Sequence[Any]], connection: Any) -> Iterator[Sequence[Any]]:
        for row in rows:
            changed = list(row)
            for place, (convert, column) in self.converters.items():
                for each in convert:
                    changed[place] = each(changed[place], column, connection)
            yield changed


class _Change(_Statement):
    """An UPDATE or a DELETE."""

    def __init__(self, query: Query) -> None:
        super().__init__(*_sql(query.get_compiler(ALIAS)))

    def of(self, values: dict[str, Any], connection: Any) -> int:
        cursor = self.run(values, connection)
        if cursor is None:
            return 0
        with cursor:
            return cursor.rowcount


class _Insertion(_Statement):
    def __init__(self, model: type[Model]) -> None:
        self.columns = [field for field in model._meta.concrete_fields if not field.primary_key]
        blank = model(**{field.attname: Parameter(field.attname, field) for field in self.columns})
        query = InsertQuery(model)
        query.insert_values(self.columns, [blank])
        compiler = query.get_compiler(ALIAS)
        compiler.returning_fields = [model._meta.pk]
        [(sql, params)] = compiler.as_sql()
        super().__init__(sql, params)

    def of(self, made: Model, connection: Any) -> Any:
        values = {field.attname: field.pre_save(made, add=True) for field in self.columns}
        with self.run(values, connection) as cursor:
            return cursor.fetchone()[0]


def _sql(compiler: SQLCompiler) -> tuple[str, Sequence[Any]]:
    """No SQL at all where the statement can never find anything."""
    try:
        return compiler.as_sql()
    except EmptyResultSet:
        return "", ()


class _OnServer(psycopg.Cursor):
    """Sends a statement to PostgreSQL once in a connection, and then its values: planning it takes longest."""

    def execute(self, query: str, params: Sequence[Any] | None = None) -> "_OnServer":
        return super().execute(query, params, prepare=True)


class _InSQLite(SQLiteCursorWrapper):
    """Writes a statement as SQLite reads it once in a process: with ? where a value goes."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        return _with_question_marks(query)


@lru_cache(maxsize=MOST)
def _with_question_marks(sql: str) -> str:
    return FORMAT_QMARK_REGEX.sub("?", sql).replace("%%", "%")


def _cursor(connection: Any) -> Any:
    if connection.queries_logged:  # a log shows the values too
        return connection.cursor()
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        return connection._prepare_cursor(_InSQLite(connection.connection))
    connection.connection.prepared_max = STATEMENTS
    return connection._prepare_cursor(_OnServer(connection.connection))


def _making(found: QuerySet, compiler: SQLCompiler) -> Make:
    """How a row of the columns of the compiler is read: as Django does for such a queryset."""
    if found._iterable_class is FlatValuesListIterable:
        return lambda row: row[0]
    if found._iterable_class is not ModelIterable:
        return tuple
    facts, model = compiler.klass_info, found.model
    first, last = facts["select_fields"][0], facts["select_fields"][-1] + 1
    names = [column[0].target.attname for column in compiler.select[first:last]]
    related = get_related_populators(facts, compiler.select, ALIAS)
    noted = tuple(compiler.annotation_col_map.items())

    def make(row: Sequence[Any]) -> Model:
        made = model.from_db(ALIAS, names, row[first:last])
        for each in related:
            each.populate(row, made)
        for name, place in noted:
            setattr(made, name, row[place])
        return made

    return make


def prepared(build: Callable[..., QuerySet]) -> Callable[..., list[Any]]:
    """Run what `build` builds, and give its rows.

    Positional arguments shape the query and have to be hashable. Arguments by name are values, which `build` gets as
    parameters: numbers, words and moments, never None, whose SQL is another; which of them are there is part of the
    shape. There is a statement for each shape.
    """
    return _kept(build, _Rows)


def prepared_update(build: Callable[..., tuple[QuerySet, dict[str, Any]]]) -> Callable[..., int]:
    """The same for a change: `build` gives the rows and what is written into them; the number of rows comes back."""

    def change(built: tuple[QuerySet, dict[str, Any]]) -> _Change:
        found, columns = built
        query = found.query.chain(UpdateQuery)
        query.add_update_values(columns)
        return _Change(query)

    return _kept(build, change)


def prepared_delete(build: Callable[..., QuerySet]) -> Callable[..., int]:
    """The same for rows that go, and to which no other row points; their number comes back."""
    return _kept(build, lambda found: _Change(found.query.chain(DeleteQuery)))


def _kept(build: Callable[..., Any], statement: Callable[[Any], Any]) -> Callable[..., Any]:
    statements: dict[tuple[Any, ...], Any] = {}

    @wraps(build)
    def run(*shape: Any, **values: Any) -> Any:
        if None in values.values():
            raise TypeError(f"A value of {build.__name__} is None. Leave it out, and build another query.")
        connection = connections[ALIAS]
        key = (connection.vendor, shape, *values)
        found = statements.get(key)
        if found is None:
            if len(statements) >= MOST:
                statements.clear()
            params = {name: Parameter(name, _field(name, value)) for name, value in values.items()}
            found = statements[key] = statement(build(*shape, **params))
        return found.of(values, connection)

    return run


_insertions: dict[tuple[str, type[Model]], _Insertion] = {}


def insert(made: Made) -> Made:
    """Store a new row and give it its key, as `save` does, with the statement kept."""
    connection = connections[ALIAS]
    key = (connection.vendor, type(made))
    if key not in _insertions:
        _insertions[key] = _Insertion(type(made))
    made.pk = _insertions[key].of(made, connection)
    made._state.adding, made._state.db = False, ALIAS
    return made


def _field(name: str, value: Any) -> Field:
    found = next((field for kind, field in FIELDS.items() if isinstance(value, kind)), None)
    if found is None or isinstance(value, bool):
        raise TypeError(f"{name} cannot be a value of a prepared query: {type(value).__name__}.")
    return found
