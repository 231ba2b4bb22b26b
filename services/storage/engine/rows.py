"""Convert instants and addresses to column values, and insert rows without changing existing ones."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from services.kernel.chat import Person
from services.kernel.text import replace_unstorable

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# The instants that are valid in every zone; a server or a file may name others.
_FIRST_INSTANT, _LAST_INSTANT = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
LATEST = 2**63 - 1
"""Later than every instant."""


def to_micros(moment: datetime) -> int:
    """Convert a timezone-aware instant to microseconds; one that is not valid in every zone is moved by some days."""
    return (min(max(moment, _FIRST_INSTANT), _LAST_INSTANT) - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Convert microseconds to an instant in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def to_micros_or_none(moment: datetime | None) -> int | None:
    """Convert like `to_micros`, and None to None."""
    return None if moment is None else to_micros(moment)


def from_micros_or_none(micros: int | None) -> datetime | None:
    """Convert like `from_micros`, and None to None."""
    return None if micros is None else from_micros(micros)


_MAX_VALUES = 32_766  # SQLite's limit for one statement


def _insert(dialect: str, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    return sqlite.insert(table)


def insert_new(dialect: str, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    """Return an INSERT that skips rows whose unique key exists."""
    return _insert(dialect, table).on_conflict_do_nothing()


def insert_many(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]) -> int:
    """Insert rows with equal columns, except those whose unique key exists; return the number of new ones."""
    if connection.dialect.name == "postgresql":
        insert = new_from_json(table, tuple(rows[0]))
        return connection.execute(insert, {"rows": rows}, execution_options={"preserve_rowcount": True}).rowcount
    return _insert_by_driver(connection, table, rows)


def _insert_by_driver(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]) -> int:
    """Insert rows past SQLAlchemy, whose conversion by column type takes as long as the rest.

    A statement has as many rows as possible, which is a quarter faster than single ones.
    """
    names = list(rows[0])
    columns, places = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    batch_size, count = _MAX_VALUES // len(names), 0
    for start in range(0, len(rows), batch_size):
        part = rows[start : start + batch_size]
        insert = f'INSERT INTO "{table.name}" ({columns}) VALUES '  # noqa: S608 - names of ours
        statement = f"{insert}{', '.join([f'({places})'] * len(part))} ON CONFLICT DO NOTHING"
        values = tuple(chain.from_iterable(row.values() for row in part))
        count += connection.exec_driver_sql(statement, values).rowcount
    return count


@cache
def new_from_json(table: sa.Table, names: tuple[str, ...]) -> "postgresql.Insert":
    """Return `insert_new` for PostgreSQL with the columns `names` of the rows in the parameter `rows`.

    One statement with one JSON value is several times faster than `executemany`.
    """
    from sqlalchemy.dialects import postgresql

    columns = [sa.column(name, table.c[name].type) for name in names]
    values = sa.func.jsonb_to_recordset(sa.bindparam("rows", type_=postgresql.JSONB)).table_valued(*columns)
    given = values.render_derived(name="given", with_types=True)
    insert = postgresql.insert(table).from_select(names, sa.select(*given.c), include_defaults=False)
    return insert.on_conflict_do_nothing()


def upsert(connection: sa.Connection, table: sa.Table, *, key: Sequence[str]) -> "sqlite.Insert | postgresql.Insert":
    """Return an INSERT that replaces the other columns of the row with the same `key`."""
    return _upsert(connection.dialect.name, table, tuple(key))


@cache
def _upsert(dialect: str, table: sa.Table, key: tuple[str, ...]) -> "sqlite.Insert | postgresql.Insert":
    insert = _insert(dialect, table)
    replaced = [column.name for column in table.c if column.name not in key]
    return insert.on_conflict_do_update(index_elements=key, set_={name: insert.excluded[name] for name in replaced})


def format_people(people: Sequence[Person]) -> str:
    """Return people as JSON lists of id and name, and true for those who have joined a reminder.

    Names that a platform lists may have characters that no database stores.
    """
    named = ((each, replace_unstorable(each.name)) for each in people)
    rows = [[each.id, name, True] if each.has_joined else [each.id, name] for each, name in named]
    return json.dumps(rows, ensure_ascii=False) if people else ""


def parse_people(text: str) -> tuple[Person, ...]:
    """Parse the text of `format_people`."""
    rows = json.loads(text) if text else ()
    return tuple(Person(id=identifier, name=name, has_joined=bool(more)) for identifier, name, *more in rows)
