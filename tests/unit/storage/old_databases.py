"""Build databases of each earlier schema version, with rows in every table."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from services.storage.schema import migrations
from services.storage.tables import META

SCHEMAS = Path(__file__).with_name("schemas")
ROWS = 3
_UNTOUCHED = {"meta", "alembic_version"}
Content = dict[str, list[Mapping[str, object]]]


def bring_to(connection: sa.Connection, version: int) -> None:
    """Take an empty database of version 1 to `version` by the steps that shipped."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.stamp(config, "1", purge=True)
    if version > 1:
        command.upgrade(config, str(version))
    connection.execute(sa.text("DROP TABLE alembic_version"))
    connection.execute(META.insert().values(key="schema", value=str(version)))


def fill(connection: sa.Connection) -> Content:
    """Put rows into every table that there is; return what was put there."""
    found = sa.MetaData()
    found.reflect(connection)
    for table in found.sorted_tables:
        if table.name in _UNTOUCHED or "_fts" in table.name:
            continue
        for number in range(1, ROWS + 1):
            connection.execute(table.insert().values({each.name: _value(each, number) for each in table.columns}))
    return content(connection, found)


def content(connection: sa.Connection, tables: sa.MetaData) -> Content:
    """Return the rows of these tables, with these columns only."""
    return {
        table.name: _rows(connection, table)
        for table in tables.sorted_tables
        if table.name not in _UNTOUCHED and "_fts" not in table.name
    }


def tables_of(connection: sa.Connection) -> sa.MetaData:
    """Return the tables of a database."""
    found = sa.MetaData()
    found.reflect(connection)
    return found


def _rows(connection: sa.Connection, table: sa.Table) -> Sequence[Mapping[str, object]]:
    order = [*table.primary_key.columns] or [*table.columns]
    return [dict(row) for row in connection.execute(sa.select(table).order_by(*order)).mappings()]


def _value(column: sa.Column, number: int) -> object:
    """Return a value for a column that differs from row to row, with text in several languages."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return number % 2 == 0
    if isinstance(kind, sa.DateTime):
        return datetime(2026, 1, number, tzinfo=UTC)
    if isinstance(kind, sa.Integer):
        return number
    if isinstance(kind, sa.Float | sa.Numeric):
        return number / 2
    if column.name == "state":
        return "done"
    if column.nullable and number == ROWS:
        return None
    return f"{column.name} {number} 茶"
