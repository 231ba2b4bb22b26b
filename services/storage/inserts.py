"""Inserting what is new and leaving alone what is there, on every database."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert_new(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that skips rows whose unique key exists."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def upsert(connection: sa.Connection, table: sa.Table, *, key: str) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that replaces the other columns of the row with the same `key`."""
    others = [column.name for column in table.c if column.name != key]
    if connection.dialect.name == "postgresql":
        on_server = postgresql.insert(table)
        return on_server.on_conflict_do_update(
            index_elements=[key], set_={name: on_server.excluded[name] for name in others}
        )
    in_file = sqlite.insert(table)
    return in_file.on_conflict_do_update(index_elements=[key], set_={name: in_file.excluded[name] for name in others})
