"""Transactions that must not overlap, one after the other."""

import sqlalchemy as sa


def queue_up(connection: sa.Connection, key: str) -> None:
    """Let the transactions that name `key` come one after the other, as on SQLite all do."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(key, 0))))
