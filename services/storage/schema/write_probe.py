"""Probe a closed database: read its version, and write a row that is rolled back."""

import sqlite3
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from services.storage.engine import postgres, sqlite
from services.storage.engine.integrity import keep_journal
from services.storage.schema.schema import read_version
from services.storage.tables import META

_KEY: Final = "probe"
_BYTES: Final = 100_000
_BUSY_SECONDS: Final = 2.0


def try_write(url: sa.URL) -> None:
    """Write a row into an existing database and take it back; nothing is created, upgraded or kept.

    SQLite has no memory to keep the row in here, so it goes to the disk, as it would with a commit.

    Raises:
        ConfigError: a newer Bubbles has written there.
        sa.exc.DBAPIError, sqlite3.Error: it cannot be opened or written.
    """
    file = sqlite.file_of(url) if url.get_backend_name() == "sqlite" else None
    engine = postgres.engine(url, postgres.Role.DURABLE) if file is None else _engine(file)
    try:
        with nullcontext() if file is None else keep_journal(file), engine.connect() as connection:
            if file is not None:
                connection.exec_driver_sql("PRAGMA cache_size = 1")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if read_version(connection, url.render_as_string(hide_password=True)) is not None:
                connection.execute(META.insert().values(key=_KEY, value="-" * _BYTES))
            connection.rollback()
    finally:
        engine.dispose()


def _engine(file: Path) -> sa.Engine:
    """Return an engine that changes neither the file's journal mode nor anything else by connecting."""
    place = f"{file.as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(place, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
