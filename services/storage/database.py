"""Run short transactions in database threads, with reads concurrent to writes."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from pathlib import Path
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


class Database:
    """A SQLite database, or a PostgreSQL that several processes may share.

    Use as `async with Database(url)`. Work is a function of a connection, run in one transaction in a database thread,
    so that a slow disk does not block the event loop. On PostgreSQL work is repeated after a serialization failure, so
    it must have no effects outside the transaction.
    """

    def __init__(
        self,
        url: str,
        *,
        make_thread: Callable[[str], Executor] | None = None,
        timeouts: DatabaseTimeouts | None = None,
    ) -> None:
        """Create a database; `make_thread` makes executors, in tests with a fake clock without a thread."""
        self._make_thread = make_thread or partial(ThreadPoolExecutor, 1)
        self._timeouts = timeouts or DatabaseTimeouts()
        self.url = sqlite.parse_url(url)
        """The URL with its password, for connections only."""
        self._is_sqlite = self.url.get_backend_name() == "sqlite"
        self.path = sqlite.file_of(self.url) if self._is_sqlite else None
        """The file of a SQLite database; None in memory and for a server."""
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
        """The damage found in the file; None without any."""
        self.has_lost_journal = False
        """True if the write-ahead log was missing at the start although the last process did not shut down."""
        self.sent: SentJournal | None = None
        """The journal of sent occurrences beside a SQLite file; None for a server, where workers share a table."""
        self.workers: WorkerRegistry | None = None
        """The registry of processes that share a PostgreSQL; None for SQLite."""

    @property
    def name(self) -> str:
        """The absolute path of a file, or the URL without its password, for messages."""
        return str(self.path) if self.path else self.url.render_as_string(hide_password=True)

    @property
    def dialect(self) -> str:
        """The name of the kind of database in SQLAlchemy."""
        return self.url.get_backend_name()

    async def __aenter__(self) -> Self:
        """Open the database, and create a missing file, folder and tables.

        Raises:
            StorageBusy: another process uses this SQLite file.
            StorageFull: the disk is full.
            ConfigError: a newer Bubbles wrote the database, it cannot be opened or reached, or it is missing while
                files of an earlier one exist.
        """
        self._writer = self._make_thread("bubbles-database")
        self._reader = self._writer if self._is_in_memory else self._make_thread("bubbles-database-read")
        # SQLite has one writer; on a server a small write does not wait for a claim whose commit waits for the disk.
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
        """Finish running work, close the connections and unlock the file."""
        await self._closing.aclose()
        if self._damage_check is not None:
            await self._damage_check.stop()
        self._inline = None
        await self.flush()
        self._journal = None
        loop = asyncio.get_running_loop()
        # Wait for running reads: SQLite crashes when its connection is closed meanwhile.
        await loop.run_in_executor(self._reader, lambda: None)
        await loop.run_in_executor(self._writer, self._resources.close)
        self._reader.shutdown(wait=False)
        self._autocommit_thread.shutdown(wait=False)
        self._writer.shutdown(wait=False)

    async def try_write(self) -> None:
        """Write a row and roll it back, without creating, upgrading or storing anything.

        Raises:
            StorageBusy: another process uses this SQLite file.
            StorageFull: the disk is full.
            ConfigError: a newer Bubbles wrote the database, it cannot be written or reached, or it is missing while
                files of an earlier one exist.
        """
        await asyncio.to_thread(self._probe)

    async def run(self, work: Callable[[sa.Connection], T], *, is_durable: bool = True) -> T:
        """Run `work` in one writing transaction.

        With `is_durable` the effect survives a power cut, else only a crash of the process.

        Raises:
            StorageBusy: another program kept the database locked for too long.
            StorageFull: the disk is full.
            StorageUnavailable: the server does not answer.
        """
        if is_durable:
            return await self._in_thread(self._writer, self._durable, work)
        return await self._in_thread(self._autocommit_thread, self._quick, work)

    async def run_inline(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, one or two small statements, like `run` without durability.

        On SQLite it runs in the event loop if there is no other write, because switching threads takes longer.
        """
        if self._inline is not None:
            try:
                return self._inline(work)
            except BlockingIOError:
                pass  # run it in the thread, which may wait
            except (sa.exc.DBAPIError, sqlite3.DatabaseError) as error:
                self._raise_storage_error(error)
        return await self.run(work, is_durable=False)

    async def run_relaxed(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, one or two small statements, like `run`, but on SQLite without waiting for the disk.

        The effect survives the end of the process, and a power cut after 20 ms or after `flush`.

        Raises:
            StorageBusy: another program kept the database locked for too long.
            StorageFull: the disk is full.
        """
        if not self._is_sqlite:
            return await self.run(work)
        result = await self.run_inline(work)
        if self._journal is not None:
            self._journal.flush_soon()
        return result

    async def flush(self) -> None:
        """Wait until the writes of `run_relaxed` survive a power cut; a failure is logged."""
        if self._journal is not None:
            await self._journal.wait()

    async def autocommit(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, one idempotent statement, like `run` without durability.

        On a server it is an implicit transaction, without the round trips of BEGIN and COMMIT.
        """
        return await self._in_thread(self._autocommit_thread, self._autocommit, work)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which only reads, concurrently to writes, so that a slow read does not delay deliveries."""
        return await self._in_thread(self._reader, self._reading, work)

    async def find_damage(self) -> str | None:
        """Read the whole file concurrently to writes; set `damage` and return it. None for a server."""
        if self.path is None:
            return None
        self._damage_check = DamageCheck(self.path, self._make_thread("bubbles-database-check"))
        self.damage = await self._damage_check.run() or self.damage
        return self.damage

    @property
    def is_disk_full(self) -> bool:
        """Return whether the disk of the file is full; False for a server, whose writes fail."""
        return self.path is not None and is_disk_full(self.path)

    async def _in_thread(self, pool: Executor, transact: "_Transact", work: Callable[[sa.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, transact, work)
        except (sa.exc.DBAPIError, sqlite3.DatabaseError) as error:
            self._raise_storage_error(error)

    def _raise_storage_error(self, error: sa.exc.DBAPIError | sqlite3.Error) -> NoReturn:
        """Raise the storage error for a driver's error, else the driver's error itself.

        The BEGIN of SQLite does not go through SQLAlchemy, so its errors are not wrapped.
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
        """Convert a driver's error about locks, disk space or an unavailable server; None for others."""
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

    @contextmanager
    def _explain_errors(self, code: str, problem: str) -> Iterator[None]:
        """Convert errors to those of storage, and others than locks and full disks to a `ConfigError`."""
        try:
            yield
        except OSError as error:
            raise self._refusal(code, problem, error.strerror) from error
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            trouble = self._storage_error(error)
            if isinstance(trouble, StorageUnavailable):
                code, problem = "unanswered", "the server does not answer"
            elif trouble is not None:
                raise trouble from error
            raise self._refusal(code, problem, first_line(sqlite.cause(error))) from error

    def _refusal(self, code: str, problem: str, reason: str | None) -> ConfigError:
        return ConfigError(self.name, "storage.url", f"{problem} ({reason})", code, reason=reason)

    def _probe(self) -> None:
        with self._explain_errors("unwritable", "cannot be written"):
            if self.path is not None:
                lock = FileLock(self.path)
                lock.examine()
                refuse_empty_beside_old(self.path)
                self.has_lost_journal = lock.was_left and has_lost_journal(self.path)
            try_write(self.url)

    def _open(self) -> None:
        with self._explain_errors("unopened", "cannot be opened"):
            if self._is_sqlite:
                self._open_sqlite()
            else:
                self._open_postgres()

    def _open_sqlite(self) -> None:
        if self.path is not None:
            self._prepare(self.path)
        self.sent = self._resources.enter_context(SentJournal(self.path))
        # Only one connection writes: a commit of another one would invalidate its page cache.
        writing = sqlite.WritingConnection(self._connect(sqlite.Role.DURABLE), self._timeouts.busy)
        self._durable = partial(writing.transact, sqlite.Role.DURABLE)
        self._quick = self._autocommit = partial(writing.transact, sqlite.Role.QUICK)
        self._inline = partial(writing.transact, sqlite.Role.AT_ONCE)
        if self.path is not None:
            self._journal = JournalFlush(self.path, self._writer, writing.lock)
            self._resources.callback(self._journal.close)
        self._durable(lambda connection: make_schema(connection, str(self.path), self.path))
        # A database in memory exists only in its connection.
        read = sqlite.Role.READING
        self._reading = self._durable if self._is_in_memory else partial(sqlite.transact, self._connect(read), read)

    def _prepare(self, path: Path) -> None:
        """Lock the file, check the files beside it, and restrict the permissions."""
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
        os.close(open_private(path, os.O_RDWR | os.O_CREAT))  # the log gets the same mode
        close_to_others(path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", "-sent", ".lock"))

    def _open_postgres(self) -> None:
        engines = {role: postgres.make_engine(self.url, role) for role in postgres.Role}
        for engine in engines.values():
            self._resources.callback(engine.dispose)
        self._durable, self._quick, self._reading = (
            partial(postgres.transact, engines[role])
            for role in (postgres.Role.DURABLE, postgres.Role.QUICK, postgres.Role.READING)
        )
        autocommit = engines[postgres.Role.QUICK].execution_options(isolation_level="AUTOCOMMIT")
        self._autocommit = partial(postgres.transact, autocommit)
        self._durable(lambda connection: make_schema(connection, self.name, None))

    def _connect(self, role: sqlite.Role) -> sa.Connection:
        engine = sqlite.make_engine(self.url, role, self._timeouts.busy)
        self._resources.callback(engine.dispose)
        return self._resources.enter_context(engine.connect())


def first_line(error: BaseException | None) -> str:
    """Return the first line of an error's text, or the name of its type."""
    return (str(error) or type(error).__name__).splitlines()[0]


class _Transact(Protocol):
    """Runs work in a transaction; used by one thread."""

    def __call__(self, work: Callable[[sa.Connection], T]) -> T: ...
