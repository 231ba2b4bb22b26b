"""Configure PostgreSQL sessions (timeouts, durability of commits), run transactions, and classify errors."""

from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import sqlalchemy as sa
from msgspec import Struct

from services.kernel.errors import ConfigError

if TYPE_CHECKING:
    from psycopg import Connection as DriverConnection
    from psycopg.abc import Buffer

T = TypeVar("T")
_TRIES = 3
_LOCK_SECONDS = 30
_IDLE_SECONDS = 10
_LOCK_NOT_AVAILABLE = "55P03"
_DISK_FULL = "53100"
_AWAY = ("08", "57P")  # connection exceptions; the server is shutting down, crashed, or starting
_WORTH_REPEATING = frozenset({"40001", "40P01"})  # serialization failure, deadlock: the server has undone everything

# Otherwise the transaction of a frozen client keeps its row locks, and a lost host keeps its session.
_SESSION = (
    f"-c lock_timeout={_LOCK_SECONDS}s -c idle_in_transaction_session_timeout={_IDLE_SECONDS}s "
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2 -c timezone=UTC"
)
_CLIENT = {"connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2}


class Role(StrEnum):
    """The purpose of a session, with its server settings."""

    DURABLE = "-c synchronous_commit=on"
    # A commit lost in a crash of the server causes a repeated send, never a lost one.
    QUICK = "-c synchronous_commit=off"
    READING = "-c default_transaction_read_only=on"


def make_engine(url: sa.URL, role: Role) -> sa.Engine:
    """Return an engine with one connection, which stays open.

    Raises:
        ConfigError: the driver is not installed.
    """
    own = url.query.get("options", "")
    options = f"{own if isinstance(own, str) else ' '.join(own)} {_SESSION} {role}".strip()
    try:
        engine = sa.create_engine(
            _with_driver(url),
            pool_size=1,
            max_overflow=0,
            connect_args={**_CLIENT, "options": options},
        )
    except ModuleNotFoundError as error:
        problem = f"{error.name} is missing; install it: in the project's folder, pip install -e '.[postgres]'"
        shown = url.render_as_string(hide_password=True)
        raise ConfigError(shown, "storage.url", problem, "no_driver", library=error.name) from error
    sa.event.listen(engine, "connect", _register_nul_filter)
    return engine


def transact(engine: sa.Engine, work: Callable[[sa.Connection], T]) -> T:
    """Run `work`, and repeat it if the server undid it; a failed commit may have succeeded and is not repeated."""
    for attempt in range(1, _TRIES + 1):
        is_committing = False
        try:
            with engine.begin() as connection:
                result = work(connection)
                is_committing = True
        except sa.exc.DBAPIError as error:
            if is_committing or attempt == _TRIES or not _is_worth_repeating(error):
                raise
        else:
            return result
    raise AssertionError("the last attempt returns or raises")


def is_locked(cause: BaseException | None) -> bool:
    """Return whether waiting for a lock of another session timed out."""
    return _code(cause) == _LOCK_NOT_AVAILABLE


def is_full(cause: BaseException | None) -> bool:
    """Return whether the disk of the server is full."""
    return _code(cause) == _DISK_FULL


def is_away(error: sa.exc.DBAPIError) -> bool:
    """Return whether the server is unreachable or closed the connection. Source: PostgreSQL, appendix A."""
    code = _code(error.orig)
    is_unreached = isinstance(error, sa.exc.OperationalError) and not code
    return error.connection_invalidated or is_unreached or code.startswith(_AWAY)


def _is_worth_repeating(error: sa.exc.DBAPIError) -> bool:
    """Return whether the transaction was undone by a temporary failure: a deadlock, a lost connection."""
    return error.connection_invalidated or _code(error.orig) in _WORTH_REPEATING


def _register_nul_filter(connection: "DriverConnection[object]", _record: object) -> None:
    """Remove NUL from texts, because PostgreSQL cannot store it."""
    from psycopg.types.string import StrDumper

    class WithoutNul(StrDumper):
        def dump(self, obj: str) -> "Buffer | None":
            return super().dump(obj.replace("\x00", ""))

    connection.adapters.register_dumper(str, WithoutNul)


def _code(cause: BaseException | None) -> str:
    """Return the SQLSTATE of the driver's error; "" for other errors."""
    return str(getattr(cause, "sqlstate", None) or "")


def _with_driver(url: sa.URL) -> sa.URL:
    """Return the URL with the supported driver if it has none."""
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def take_advisory_lock(connection: sa.Connection, key: str) -> None:
    """Serialise the transactions with the same `key` until their end, as SQLite does with all."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(key, 0))))


class DatabaseTimeouts(Struct, frozen=True, kw_only=True):
    """Timeouts of the database; tests shorten them.

    `busy` is the time that a SQLite file may be locked by another program. On PostgreSQL each process sends a heartbeat
    every `beat`, and counts as frozen without one for `frozen_after`. After a start of the server no process counts as
    dead for `settling`, because its lock is lost until it has reconnected.
    """

    busy: timedelta = timedelta(seconds=30)
    beat: timedelta = timedelta(seconds=5)
    frozen_after: timedelta = timedelta(seconds=15)
    settling: timedelta = timedelta(seconds=10)
