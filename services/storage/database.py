"""The database: one writing thread, one reading thread, short transactions."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TypeVar

import sqlalchemy as sa

from services.errors import ConfigError, StorageBusy
from services.storage import sqlite
from services.storage.file_lock import FileLock
from services.storage.indexing import ensure_index
from services.storage.tables import META, SCHEMA_VERSION, StoredTable

T = TypeVar("T")


class Database:
    """SQLite by default; any SQLAlchemy URL whose driver is installed.

    Use as `async with Database(url)`. Work is a function of a connection, run inside one transaction in the database
    thread, so that a slow disk never stops the event loop.
    """

    def __init__(self, url: str, *, make_thread: Callable[[str], Executor] | None = None) -> None:
        """`make_thread` makes the executor that a name stands for; tests with a fake time pass one without a thread."""
        self._make_thread = make_thread or _thread
        self._url = sa.make_url(url)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self._path = sqlite.file_of(self._url) if self._is_sqlite else None
        self._resources = ExitStack()

    @property
    def name(self) -> str:
        """The URL without its password, for messages."""
        return self._url.render_as_string(hide_password=True)

    async def __aenter__(self) -> Self:
        """Open the database, creating file, folder and tables where they are missing.

        Raises:
            StorageBusy: another process uses this SQLite file.
            ConfigError: the file was written by a newer Bubbles.
        """
        self._writer = self._make_thread("bubbles-database")
        self._reader = self._writer if self._is_in_memory else self._make_thread("bubbles-database-read")
        try:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._open)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish what runs, close the connections, give back the file."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._resources.close)
        self._reader.shutdown(wait=False)
        self._writer.shutdown(wait=False)

    async def run(self, work: Callable[[sa.Connection], T], *, is_durable: bool = True) -> T:
        """Run `work` in one writing transaction.

        With `is_durable` its effect survives a power cut; without, only a crash of the process (SQLite).

        Raises:
            StorageBusy: another program kept the database locked for 30 seconds.
        """
        engine = self._durable if is_durable else self._quick
        return await self._in_thread(self._writer, engine, work)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which only reads, beside the writers: a slow read stops no delivery."""
        return await self._in_thread(self._reader, self._reading, work)

    async def _in_thread(self, pool: Executor, engine: sa.Engine, work: Callable[[sa.Connection], T]) -> T:
        def transaction() -> T:
            with engine.begin() as connection:
                return work(connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(pool, transaction)
        except sa.exc.OperationalError as error:
            if sqlite.is_locked(error):
                raise StorageBusy(self.name, "another program") from error
            raise

    @property
    def dialect(self) -> str:
        """The kind of database, as SQLAlchemy names it."""
        return self._url.get_backend_name()

    @property
    def _is_in_memory(self) -> bool:
        return self._is_sqlite and self._path is None

    def _open(self) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._resources.enter_context(FileLock(self._path))
        self._durable = self._engine(sqlite.Role.DURABLE)
        # An in-memory database lives in its one connection, and a server has its own pool: one engine serves all.
        is_shared = self._is_in_memory or not self._is_sqlite
        self._quick = self._durable if is_shared else self._engine(sqlite.Role.QUICK)
        with self._durable.begin() as connection:
            _make_schema(connection, self._path)
        self._reading = self._durable if is_shared else self._engine(sqlite.Role.READING)

    def _engine(self, role: sqlite.Role) -> sa.Engine:
        engine = sqlite.engine(self._url, role) if self._is_sqlite else sa.create_engine(self._url)
        self._resources.callback(engine.dispose)
        return engine


def _thread(name: str) -> Executor:
    return ThreadPoolExecutor(1, name)


def _make_schema(connection: sa.Connection, path: Path | None) -> None:
    StoredTable.metadata.create_all(connection)
    found = connection.scalar(sa.select(META.c.value).where(META.c.key == "schema"))
    if found is None:
        connection.execute(META.insert().values(key="schema", value=str(SCHEMA_VERSION)))
    elif int(found) > SCHEMA_VERSION:
        problem = f"written by a newer Bubbles (schema {found}, this one knows {SCHEMA_VERSION}); update Bubbles"
        raise ConfigError(str(path), "storage.url", problem)
    ensure_index(connection)
