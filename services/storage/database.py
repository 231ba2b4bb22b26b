"""Run short transactions in the threads of the database, and reads beside writes."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NoReturn, Protocol, Self, TypeVar

import sqlalchemy as sa
from loguru import logger

from services.kernel.errors import ConfigError, StorageBusy, StorageFull, StorageUnavailable
from services.kernel.private_files import close_to_others, make_private_folder, open_private
from services.storage.engine import postgres, sqlite
from services.storage.engine.file_lock import FileLock
from services.storage.engine.integrity import DamageCheck, has_lost_journal, is_disk_full, refuse_empty_beside_old
from services.storage.engine.journal_flush import JournalFlush
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.engine.sent_journal import SentJournal
from services.storage.engine.worker_registry import WorkerRegistry
from services.storage.schema.schema import make_schema, try_write

T = TypeVar("T")
_TRIES = 3


class Database:
    """A SQLite database, or by its URL a PostgreSQL that several processes may share.

    Use as `async with Database(url)`. Work is a function of a connection, run inside one transaction in the database
    thread, so that a slow disk never stops the event loop. On PostgreSQL work may be done again from its beginning
    when the server undid it, so its only effect outside the transaction is its result.
    """

    def __init__(
        self,
        url: str,
        *,
        make_thread: Callable[[str], Executor] | None = None,
        timeouts: DatabaseTimeouts | None = None,
    ) -> None:
        """Make executors with `make_thread`; tests with a fake time pass one without a thread."""
        self._make_thread = make_thread or _thread
        self._timeouts = timeouts or DatabaseTimeouts()
        self.url = sqlite.parse_url(url)
        """The URL with its password: for connections, never for messages."""
        self._is_sqlite = self.url.get_backend_name() == "sqlite"
        self.path = sqlite.file_of(self.url) if self._is_sqlite else None
        """The file of a SQLite database; None in memory, and on a server."""
        self._resources = ExitStack()
        self._closing = AsyncExitStack()
        self._durable: _Transact
        self._quick: _Transact
        self._autocommit: _Transact
        self._reading: _Transact
        self._inline: _Transact | None = None
        self._journal: JournalFlush | None = None
        self._damage_check: DamageCheck | None = None
        self.damage: str | None = None
        """The damage of the file that was met or found; None as long as it is sound."""
        self.has_lost_journal = False
        """Whether the write-ahead log was missing at the start although the process before did not end by itself."""
        self.sent: SentJournal | None = None
        """The journal of sent occurrences beside a SQLite file; None on a server, where other workers may take over."""
        self.workers: WorkerRegistry | None = None
        """The registry of processes that share a PostgreSQL; None where a database has one process."""

    @property
    def name(self) -> str:
        """The URL without its password, for messages."""
        return self.url.render_as_string(hide_password=True)

    @property
    def dialect(self) -> str:
        """The kind of database, as SQLAlchemy names it."""
        return self.url.get_backend_name()

    async def __aenter__(self) -> Self:
        """Open the database, creating file, folder and tables where they are missing.

        Raises:
            StorageBusy: another process uses this SQLite file.
            StorageFull: there is no room on the disk.
            ConfigError: the database was written by a newer Bubbles, cannot be opened or reached, or is missing beside
                files of an earlier one.
        """
        self._writer = self._make_thread("bubbles-database")
        self._reader = self._writer if self._is_in_memory else self._make_thread("bubbles-database-read")
        # SQLite has one writer; on a server a small write need not wait for a claim whose commit waits for the disk.
        self._autocommit_thread = self._writer if self._is_sqlite else self._make_thread("bubbles-database-marks")
        try:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._open)
            if not self._is_sqlite:
                workers = WorkerRegistry(self.url, self._make_thread, self._timeouts)
                self.workers = await self._closing.enter_async_context(workers)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish running work, close the connections and release the file."""
        await self._closing.aclose()
        if self._damage_check is not None:
            await self._damage_check.stop()
        self._inline = None
        await self.flush()
        self._journal = None
        loop = asyncio.get_running_loop()
        # Wait for running reads: SQLite crashes when its connection is closed meanwhile.
        await loop.run_in_executor(self._reader, _turn)
        await loop.run_in_executor(self._writer, self._resources.close)
        self._reader.shutdown(wait=False)
        self._autocommit_thread.shutdown(wait=False)
        self._writer.shutdown(wait=False)

    async def try_write(self) -> None:
        """Write a row and roll it back, without opening the database: nothing is created, upgraded or stored.

        Raises:
            StorageBusy: another process uses this SQLite file.
            StorageFull: there is no room on the disk.
            ConfigError: the database was written by a newer Bubbles, cannot be written or reached, or is missing beside
                files of an earlier one.
        """
        await asyncio.to_thread(self._probe)

    async def run(self, work: Callable[[sa.Connection], T], *, is_durable: bool = True) -> T:
        """Run `work` in one writing transaction.

        With `is_durable` its effect survives a power cut; without, only a crash of the process.

        Raises:
            StorageBusy: another program kept the database locked for too long.
            StorageFull: there is no room on the disk.
            StorageUnavailable: the server does not answer.
        """
        if is_durable:
            return await self._in_thread(self._writer, self._durable, work)
        return await self._in_thread(self._autocommit_thread, self._quick, work)

    async def run_inline(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, a small statement or two, as `run` without durability.

        On SQLite it is done at once where nothing else is being written: the way to the thread and back takes longer.
        """
        if self._inline is not None:
            try:
                return self._inline(work)
            except BlockingIOError:
                pass  # the thread can wait
            except (sa.exc.OperationalError, sqlite3.OperationalError) as error:
                self._raise_storage_error(error)
        return await self.run(work, is_durable=False)

    async def run_relaxed(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, a small statement or two, as `run`, but on SQLite ahead of the disk.

        The end of the process undoes it no more; a power cut can, for a fiftieth of a second or until `flush` returns.

        Raises:
            StorageBusy: another program kept the database locked for too long.
            StorageFull: there is no room on the disk.
        """
        if not self._is_sqlite:
            return await self.run(work)
        result = await self.run_inline(work)
        if self._journal is not None:
            self._journal.soon()
        return result

    async def flush(self) -> None:
        """Return once the writes of `run_relaxed` survive a power cut; a failing disk is logged."""
        if self._journal is not None:
            await self._journal.finished()

    async def autocommit(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, one statement that may be done twice; as `run` without durability.

        On a server it is a transaction of its own accord, without the round trips of BEGIN and COMMIT.
        """
        return await self._in_thread(self._autocommit_thread, self._autocommit, work)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which only reads, beside the writers: a slow read stops no delivery."""
        return await self._in_thread(self._reader, self._reading, work)

    async def find_damage(self) -> str | None:
        """Read the whole file beside the writers and return its damage, also in `damage`; None on a server."""
        if self.path is None:
            return None
        self._damage_check = DamageCheck(self.path, self._make_thread("bubbles-database-check"))
        self.damage = await self._damage_check.run() or self.damage
        return self.damage

    @property
    def is_disk_full(self) -> bool:
        """Return whether the disk of the file is full; that of a server is met when it is written to."""
        return self.path is not None and is_disk_full(self.path)

    async def _in_thread(self, pool: Executor, transact: "_Transact", work: Callable[[sa.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, transact, work)
        except (sa.exc.DBAPIError, sqlite3.DatabaseError) as error:
            self._raise_storage_error(error)

    def _raise_storage_error(self, error: sa.exc.DBAPIError | sqlite3.Error) -> NoReturn:
        """Raise our error for a driver's error, else the driver's error itself.

        The BEGIN of SQLite does not pass SQLAlchemy, so its errors are not wrapped.
        """
        if sqlite.is_damaged(sqlite.cause(error)) and self.damage is None:
            self.damage = str(sqlite.cause(error))
            logger.critical("{} is damaged ({}); stop the bot and restore a backup", self.name, self.damage)
        trouble = self._storage_error(error)
        if trouble is None:
            raise error
        raise trouble from error

    def _storage_error(
        self, error: sa.exc.DBAPIError | sqlite3.Error
    ) -> StorageBusy | StorageFull | StorageUnavailable | None:
        """Translate a driver's error about locks, space or a missing server; None for others."""
        cause = sqlite.cause(error)
        if sqlite.is_locked(cause) or postgres.is_locked(cause):
            return StorageBusy(self.name, "another program")
        if sqlite.is_full(cause) or postgres.is_full(cause) or (sqlite.is_io_error(cause) and self.is_disk_full):
            return StorageFull(self.name)
        if not self._is_sqlite and isinstance(error, sa.exc.DBAPIError) and postgres.is_away(error):
            return StorageUnavailable(self.name, first_line(cause))
        return None

    @property
    def _is_in_memory(self) -> bool:
        return self._is_sqlite and self.path is None

    def _probe(self) -> None:
        try:
            if self.path is not None:
                lock = FileLock(self.path)
                lock.examine()
                refuse_empty_beside_old(self.path)
                self.has_lost_journal = lock.was_left and has_lost_journal(self.path)
            try_write(self.url)
        except OSError as error:
            raise ConfigError(self.name, "storage.url", f"cannot be written ({error.strerror})") from error
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            trouble = self._storage_error(error)
            if trouble is not None and not isinstance(trouble, StorageUnavailable):
                raise trouble from error
            reason = "cannot be written" if trouble is None else "the server does not answer"
            cause = first_line(sqlite.cause(error))
            raise ConfigError(self.name, "storage.url", f"{reason} ({cause})") from error

    def _open(self) -> None:
        if not self._is_sqlite:
            self._open_postgres()
            return
        try:
            self._open_sqlite()
        except OSError as error:
            raise ConfigError(self.name, "storage.url", f"cannot be opened ({error.strerror})") from error
        except (sa.exc.DatabaseError, sqlite3.Error) as error:
            reason = f"cannot be opened ({sqlite.cause(error)})"
            raise self._storage_error(error) or ConfigError(self.name, "storage.url", reason) from error

    def _open_sqlite(self) -> None:
        if self.path is not None:
            self._prepare(self.path)
        self.sent = self._resources.enter_context(SentJournal(self.path))
        # One connection writes: to another's commit it would lose its cache, and read the pages again.
        writing = _WritingConnection(self._connect(sqlite.Role.DURABLE), self._timeouts.busy)
        self._durable = writing.transactions(sqlite.Role.DURABLE)
        self._quick = self._autocommit = writing.transactions(sqlite.Role.QUICK)
        self._inline = writing.transactions(sqlite.Role.AT_ONCE)
        if self.path is not None:
            self._journal = JournalFlush(self.path, self._writer, writing.lock)
            self._resources.callback(self._journal.close)
        self._durable(lambda connection: make_schema(connection, str(self.path), self.path))
        # A database in memory lives in its one connection.
        is_alone = self._is_in_memory
        self._reading = self._durable if is_alone else partial(_transact, self._connect(sqlite.Role.READING))

    def _prepare(self, path: Path) -> None:
        """Lock the file, check the files beside it, and let no other user read it."""
        make_private_folder(path.parent)
        lock = self._resources.enter_context(FileLock(path))
        refuse_empty_beside_old(path)
        self.has_lost_journal = lock.was_left and has_lost_journal(path)
        if self.has_lost_journal:
            logger.error(
                "{} is missing although the last run did not shut down: its latest writes may be lost. "
                "If nobody has opened the database since, look for the file, or restore a backup",
                f"{path}-wal",
            )
        os.close(open_private(path, os.O_RDWR | os.O_CREAT))  # its log gets the same mode
        close_to_others(path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", "-sent", ".lock"))

    def _open_postgres(self) -> None:
        engines = {role: postgres.engine(self.url, role) for role in postgres.Role}
        for engine in engines.values():
            self._resources.callback(engine.dispose)
        self._durable, self._quick, self._reading = (
            partial(_transact_on_server, engines[role])
            for role in (postgres.Role.DURABLE, postgres.Role.QUICK, postgres.Role.READING)
        )
        self._autocommit = partial(_autocommit_on_server, engines[postgres.Role.QUICK])
        try:
            self._durable(lambda connection: make_schema(connection, self.name, None))
        except sa.exc.OperationalError as error:
            raise ConfigError(self.name, "storage.url", f"the server does not answer ({error.orig})") from error

    def _connect(self, role: sqlite.Role) -> sa.Connection:
        engine = sqlite.engine(self.url, role, self._timeouts.busy)
        self._resources.callback(engine.dispose)
        return self._resources.enter_context(engine.connect())


def first_line(error: BaseException | None) -> str:
    """Return the first line of an error's text, or its type where it has none."""
    return (str(error) or type(error).__name__).splitlines()[0]


def _thread(name: str) -> Executor:
    return ThreadPoolExecutor(1, name)


def _turn() -> None:
    """Do nothing; a thread runs it once all earlier work is done."""


class _Transact(Protocol):
    """Runs work in a transaction of its own; one thread uses it."""

    def __call__(self, work: Callable[[sa.Connection], T]) -> T: ...


class _WritingConnection:
    """The only connection that writes to a SQLite file, used by one thread at a time, and its current role."""

    def __init__(self, connection: sa.Connection, busy: timedelta) -> None:
        self.connection = connection
        self.lock = Lock()
        self._busy = busy
        self._role = sqlite.Role.DURABLE

    def transactions(self, role: sqlite.Role) -> _Transact:
        """Return transactions of one durability.

        Those of the event loop (`AT_ONCE`) must not block.

        Raises:
            BlockingIOError: (`AT_ONCE`) another write is running, or another program has locked the database.
        """
        return partial(self._transact, role)

    def _transact(self, role: sqlite.Role, work: Callable[[sa.Connection], T]) -> T:
        is_at_once = role is sqlite.Role.AT_ONCE
        if not self.lock.acquire(blocking=not is_at_once):
            raise BlockingIOError
        try:
            if role is not self._role:
                sqlite.take_role(self.connection, self._role, role, self._busy)
                self._role = role
            return _transact(self.connection, work)
        except sqlite3.OperationalError as error:
            if is_at_once and sqlite.is_locked(error):
                raise BlockingIOError from error
            raise
        finally:
            self.lock.release()


def _transact(connection: sa.Connection, work: Callable[[sa.Connection], T]) -> T:
    """Run `work` over a permanent connection: opening one costs more than the rest of a short transaction."""
    with connection.begin():
        return work(connection)


def _transact_on_server(engine: sa.Engine, work: Callable[[sa.Connection], T]) -> T:
    """Run `work`, again when the server undid it; a commit that fails may be done, so it is not repeated."""
    for attempt in range(1, _TRIES + 1):
        is_committing = False
        try:
            with engine.begin() as connection:
                result = work(connection)
                is_committing = True
        except sa.exc.DBAPIError as error:
            if is_committing or attempt == _TRIES or not postgres.is_worth_repeating(error):
                raise
        else:
            return result
    raise AssertionError("the last attempt returns or raises")


def _autocommit_on_server(engine: sa.Engine, work: Callable[[sa.Connection], T]) -> T:
    """Run `work`, one statement, again when the server undid it or may have done it."""
    for attempt in range(1, _TRIES + 1):
        try:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                return work(connection)
        except sa.exc.DBAPIError as error:
            if attempt == _TRIES or not postgres.is_worth_repeating(error):
                raise
    raise AssertionError("the last attempt returns or raises")
