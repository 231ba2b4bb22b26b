"""Parse the URL of a database."""

from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from sqlite3 import SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_IOERR, SQLITE_LOCKED, SQLITE_NOTADB
from sqlite3 import Connection as DriverConnection
from sqlite3 import Error as DriverError
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.util import LRUCache

from services.kernel.errors import ConfigError
from services.storage.engine.postgres import DatabaseTimeouts


def parse_url(url: str) -> sa.URL:
    """Parse `url`.

    Raises:
        ConfigError: `url` is not a database URL; the message leaves it out, since it may contain a password.
    """
    try:
        return sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        problem = "is not a database URL such as postgresql://user:password@host/name"
        raise ConfigError("settings", "storage.url", problem) from error


_BUSY = DatabaseTimeouts().busy
_CHECKPOINT_PAGES: Final = 1000  # SQLite's own default
_PRIMARY: Final = 0xFF  # an extended result code has its primary one in its lowest byte
# To compile a statement takes longer than to run it: all engines share their compiled statements.
_COMPILED: Final[LRUCache[object, object]] = LRUCache(1_000)


class Role(StrEnum):
    """The purpose of a connection: durable writes, writes that need not survive a power cut, or reading.

    AT_ONCE is as QUICK and waits for nothing: for no lock, and for no disk that takes in the journal. Only where the
    journal begins anew, once in a thousand pages or more, SQLite syncs its first bytes.
    """

    DURABLE = "FULL"
    QUICK = "NORMAL"
    AT_ONCE = "normal"
    READING = "OFF"


def file_of(url: sa.URL) -> Path | None:
    """Return the resolved file of a SQLite URL, so that every name finds the same lock; None in memory."""
    return None if url.database in {None, "", ":memory:"} else Path(str(url.database)).resolve()


def engine(url: sa.URL, role: Role, busy: timedelta = _BUSY) -> sa.Engine:
    """Return an engine with the one connection that its thread uses; it waits `busy` for locks of other programs."""
    made = sa.create_engine(
        url,
        poolclass=sa.StaticPool,
        connect_args={"check_same_thread": False, "timeout": busy.total_seconds()},
        execution_options={"compiled_cache": _COMPILED},
    )
    made.dialect = _dialect()

    @sa.event.listens_for(made, "connect")
    def prepare(connection: DriverConnection, _record: object) -> None:
        connection.isolation_level = None  # the driver's own BEGIN would be a deferred one
        connection.execute(f"PRAGMA busy_timeout = {round(busy.total_seconds() * 1000)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {role}")
        connection.execute(f"PRAGMA query_only = {int(role is Role.READING)}")

    @sa.event.listens_for(made, "begin")
    def begin(connection: sa.Connection) -> None:
        # A deferred BEGIN that later writes fails at once when another writer came first; IMMEDIATE waits its turn.
        # Directly to the driver: through SQLAlchemy it takes as long as the insert of a message.
        connection.connection.cursor().execute("BEGIN" if role is Role.READING else "BEGIN IMMEDIATE")

    return made


@cache
def _dialect() -> sa.Dialect:
    """Return the dialect that all engines and their compiled statements share."""
    model = sa.create_engine("sqlite://")
    model.connect().close()  # from its first connection a dialect learns what this SQLite can do
    model.dispose()
    return model.dialect


def take_role(connection: sa.Connection, old: Role, new: Role, busy: timedelta) -> None:
    """Switch the connection to another role; not within a transaction."""
    execute = connection.connection.cursor().execute
    execute(f"PRAGMA synchronous = {new}")
    if Role.AT_ONCE in (old, new):
        is_at_once = new is Role.AT_ONCE
        execute(f"PRAGMA busy_timeout = {0 if is_at_once else round(busy.total_seconds() * 1000)}")
        execute(f"PRAGMA wal_autocheckpoint = {0 if is_at_once else _CHECKPOINT_PAGES}")


def directly(connection: sa.Connection, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Run a statement past SQLAlchemy, within its transaction: for a small one that takes longer than SQLite does."""
    cursor = connection.connection.cursor()
    cursor.execute(statement, values)
    return list(cursor.fetchall())


def cause(error: sa.exc.DBAPIError | DriverError) -> BaseException | None:
    """Return the driver's error without SQLAlchemy's wrapper."""
    return error.orig if isinstance(error, sa.exc.DBAPIError) else error


def is_full(cause: BaseException | None) -> bool:
    """Return whether there was no room on the disk."""
    return _code(cause) == SQLITE_FULL


def is_io_error(cause: BaseException | None) -> bool:
    """Return whether reading or writing failed, on a full disk also where no shared memory can be made."""
    return _code(cause) == SQLITE_IOERR


def is_damaged(cause: BaseException | None) -> bool:
    """Return whether the file is not, or not wholly, a database any more."""
    return _code(cause) in {SQLITE_CORRUPT, SQLITE_NOTADB}


def is_locked(cause: BaseException | None) -> bool:
    """Return whether the database was in use by another connection for too long."""
    return _code(cause) in {SQLITE_BUSY, SQLITE_LOCKED}


def _code(cause: BaseException | None) -> int:
    """Return SQLite's primary result code, else 0. Source: https://www.sqlite.org/rescode.html."""
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return code & _PRIMARY
