"""Create or migrate the tables, refuse a database of a newer version, and probe a closed database."""

import sqlite3
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine.mock import MockConnection

from services.kernel.errors import ConfigError
from services.storage.engine import postgres, sqlite
from services.storage.engine.integrity import keep_journal
from services.storage.message_index.updates import ensure_index
from services.storage.schema.migrations import SCHEMA_VERSION
from services.storage.tables import META, METADATA

_KEY = "schema"


def make_schema(connection: sa.Connection, label: str, file: Path | None) -> None:
    """Create or upgrade the tables to the version of this code, in the caller's transaction.

    `label` is the name of the database in messages; a SQLite `file` is copied before an upgrade.

    Raises:
        ConfigError: a newer Bubbles wrote the database, or an upgrade changed the number of rows.
    """
    postgres.take_advisory_lock(connection, "bubbles schema")  # of several workers that start together, one upgrades
    version = read_version(connection, label)
    if version is None:
        cursor = connection.connection.cursor()  # past SQLAlchemy, which takes as long per statement as the database
        for statement in _definitions(connection.dialect.name):
            cursor.execute(statement)
        connection.execute(META.insert().values(key=_KEY, value=str(SCHEMA_VERSION)))
    elif version < SCHEMA_VERSION:
        # Alembic is rarely needed and takes a quarter of a second to import.
        from services.storage.schema.upgrade import upgrade

        upgrade(connection, version, label, file)
        connection.execute(META.update().where(META.c.key == _KEY).values(value=str(SCHEMA_VERSION)))
    ensure_index(connection)


@cache
def tables_for(dialect: str) -> sa.MetaData:
    """Return the tables for `dialect`: on PostgreSQL with partial indexes and room left in pages.

    Declaring these options with the tables would import the dialect, which takes as long as all tables.
    """
    if dialect == "sqlite":
        return METADATA
    metadata = sa.MetaData()
    for table in METADATA.tables.values():
        copy = table.to_metadata(metadata)
        if table.info:
            copy.dialect_options[dialect]["with"] = table.info
        for index in copy.indexes:
            where = index.dialect_options["sqlite"]["where"]
            if where is not None:
                index.dialect_options[dialect]["where"] = where
    return metadata


@cache
def _definitions(dialect: str) -> tuple[str, ...]:
    """Return the statements that create all tables and indexes; cached because compiling takes longer than running."""
    statements: list[str] = []
    engine: MockConnection = sa.create_mock_engine(
        f"{dialect}://", lambda ddl, *_, **__: statements.append(str(ddl.compile(engine)))
    )
    tables_for(dialect).create_all(engine, checkfirst=False)
    return tuple(statements)


def read_version(connection: sa.Connection, label: str) -> int | None:
    """Return the schema version of the database; None without tables.

    Raises:
        ConfigError: a newer Bubbles wrote the database.
    """
    if not sa.inspect(connection).has_table(META.name):
        return None
    value = connection.scalar(sa.select(META.c.value).where(META.c.key == _KEY))
    version = None if value is None else int(value)
    if version is not None and version > SCHEMA_VERSION:
        problem = f"written by a newer Bubbles (schema {version}, this one knows {SCHEMA_VERSION}); update Bubbles"
        raise ConfigError(label, "storage.url", problem, "newer", found=version, known=SCHEMA_VERSION)
    return version


_PROBE_KEY: Final = "probe"
_BYTES: Final = 100_000
_BUSY_SECONDS: Final = 2.0


def try_write(url: sa.URL) -> None:
    """Write a row to an existing database and roll it back, without creating, upgrading or storing anything.

    The row is larger than the page cache, so that it is written to the disk.

    Raises:
        ConfigError: a newer Bubbles wrote the database.
        sa.exc.DBAPIError, sqlite3.Error: it cannot be opened or written.
    """
    file = sqlite.file_of(url) if url.get_backend_name() == "sqlite" else None
    engine = postgres.make_engine(url, postgres.Role.DURABLE) if file is None else _probe_engine(file)
    try:
        with nullcontext() if file is None else keep_journal(file), engine.connect() as connection:
            if file is not None:
                connection.exec_driver_sql("PRAGMA cache_size = 1")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if read_version(connection, url.render_as_string(hide_password=True)) is not None:
                connection.execute(META.insert().values(key=_PROBE_KEY, value="-" * _BYTES))
            connection.rollback()
    finally:
        engine.dispose()


def _probe_engine(file: Path) -> sa.Engine:
    """Return an engine whose connections do not change the file, not even its journal mode."""
    place = f"{file.as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(place, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
