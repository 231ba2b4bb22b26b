"""Configure SQLite connections, run transactions, and classify SQLite errors."""

from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from sqlite3 import SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_IOERR, SQLITE_LOCKED, SQLITE_NOTADB
from sqlite3 import Connection as DriverConnection
from sqlite3 import Error as DriverError
from threading import Lock
from typing import Final, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.util import LRUCache

from services.kernel.errors import ConfigError
from services.storage.engine.postgres import DatabaseTimeouts

T = TypeVar("T")


def parse_url(url: str) -> sa.URL:
    """Parse `url`.

    Raises:
        ConfigError: `url` is not a database URL; the message does not contain it, because of a possible password.
    """
    try:
        return sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        problem = "is not a database URL such as postgresql://user:password@host/name"
        raise ConfigError("settings", "storage.url", problem, "no_url") from error


_BUSY = DatabaseTimeouts().busy
_CHECKPOINT_PAGES: Final = 1000  # SQLite's own default
_PRIMARY: Final = 0xFF  # the mask of the primary result code in an extended one
# Compiling a statement takes longer than running it, so all engines share compiled statements.
_COMPILED: Final[LRUCache[object, object]] = LRUCache(1_000)


class Role(StrEnum):
    """The purpose of a connection: durable writes, writes that may be lost in a power cut, or reads.

    AT_ONCE is like QUICK, but does not wait for a lock or a checkpoint. SQLite syncs only when the journal restarts, at
    most once in a thousand pages.
    """

    DURABLE = "FULL"
    QUICK = "NORMAL"
    AT_ONCE = "normal"
    READING = "OFF"

    @property
    def begin(self) -> str:
        """Return the statement that begins a transaction.

        A write after a deferred BEGIN fails if another one came first; IMMEDIATE waits for the lock.
        """
        return "BEGIN" if self is Role.READING else "BEGIN IMMEDIATE"


def file_of(url: sa.URL) -> Path | None:
    """Return the resolved path of a SQLite URL, so that all its names have the same lock; None in memory."""
    return None if url.database in {None, "", ":memory:"} else Path(str(url.database)).resolve()


def make_engine(url: sa.URL, role: Role, busy: timedelta = _BUSY) -> sa.Engine:
    """Return an engine with one connection, used by one thread, that waits `busy` for locks of other programs."""
    engine = sa.create_engine(
        url,
        poolclass=sa.StaticPool,
        connect_args={"check_same_thread": False, "timeout": busy.total_seconds()},
        execution_options={"compiled_cache": _COMPILED},
    )
    engine.dialect = _dialect()

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: DriverConnection, _record: object) -> None:
        connection.isolation_level = None  # the driver would issue a deferred BEGIN
        connection.execute(f"PRAGMA busy_timeout = {round(busy.total_seconds() * 1000)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {role}")
        connection.execute(f"PRAGMA query_only = {int(role is Role.READING)}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        driver = driver_of(connection)
        if not driver.in_transaction:  # `transact` has begun one
            driver.execute(role.begin)

    return engine


@cache
def _dialect() -> sa.Dialect:
    """Return the dialect that all engines and their compiled statements share."""
    model = sa.create_engine("sqlite://")
    model.connect().close()  # the first connection detects the features of this SQLite
    model.dispose()
    return model.dialect


def _switch_role(connection: sa.Connection, old: Role, new: Role, busy: timedelta) -> None:
    """Switch the role of a connection outside of a transaction."""
    execute = driver_of(connection).execute
    execute(f"PRAGMA synchronous = {new}")
    if Role.AT_ONCE in (old, new):
        is_at_once = new is Role.AT_ONCE
        execute(f"PRAGMA busy_timeout = {0 if is_at_once else round(busy.total_seconds() * 1000)}")
        execute(f"PRAGMA wal_autocheckpoint = {0 if is_at_once else _CHECKPOINT_PAGES}")


def driver_of(connection: sa.Connection) -> DriverConnection:
    """Return the driver's connection, for small statements in which SQLAlchemy takes most of the time."""
    return cast("DriverConnection", connection.connection.dbapi_connection)


def transact(connection: sa.Connection, role: Role, work: Callable[[sa.Connection], T]) -> T:
    """Run `work` in a transaction on a permanent connection; opening one takes longer than a short transaction.

    The transaction is the driver's, because SQLAlchemy's takes a third of the time of storing a message.
    """
    driver = driver_of(connection)
    driver.execute(role.begin)
    try:
        result = work(connection)
        driver.commit()
    finally:
        driver.rollback()  # nothing after a commit
        connection.rollback()  # SQLAlchemy's, which its first statement began
    return result


class WritingConnection:
    """The only writing connection to a SQLite file, with its current role; used by one thread at a time."""

    def __init__(self, connection: sa.Connection, busy: timedelta) -> None:
        self.connection = connection
        self.lock = Lock()
        self._busy = busy
        self._role = Role.DURABLE

    def transact(self, role: Role, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in a transaction in `role`; in the event loop use `AT_ONCE`, which does not block.

        Raises:
            BlockingIOError: for `AT_ONCE`, another write is running or another program has locked the database.
        """
        is_at_once = role is Role.AT_ONCE
        if not self.lock.acquire(blocking=not is_at_once):
            raise BlockingIOError
        try:
            if role is not self._role:
                _switch_role(self.connection, self._role, role, self._busy)
                self._role = role
            return transact(self.connection, role, work)
        except DriverError as error:
            if is_at_once and is_locked(error):
                raise BlockingIOError from error
            raise
        finally:
            self.lock.release()


def cause(error: sa.exc.DBAPIError | DriverError) -> BaseException | None:
    """Return the driver's error without SQLAlchemy's wrapper."""
    return error.orig if isinstance(error, sa.exc.DBAPIError) else error


def is_full(cause: BaseException | None) -> bool:
    """Return whether the disk was full."""
    return _code(cause) == SQLITE_FULL


def is_io_error(cause: BaseException | None) -> bool:
    """Return whether reading or writing failed, such as creating shared memory on a full disk."""
    return _code(cause) == SQLITE_IOERR


def is_damaged(cause: BaseException | None) -> bool:
    """Return whether the file is damaged or not a database."""
    return _code(cause) in {SQLITE_CORRUPT, SQLITE_NOTADB}


def is_locked(cause: BaseException | None) -> bool:
    """Return whether waiting for a lock of another connection timed out."""
    return _code(cause) in {SQLITE_BUSY, SQLITE_LOCKED}


def _code(cause: BaseException | None) -> int:
    """Return SQLite's primary result code, else 0. Source: https://www.sqlite.org/rescode.html."""
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return code & _PRIMARY
