"""Read a database that another process is using, without locks or changes."""

import asyncio
from collections.abc import Callable
from typing import Protocol, Self, TypeVar

import sqlalchemy as sa

from services.kernel.errors import ConfigError
from services.storage.engine import postgres, sqlite
from services.storage.tables import MESSAGE

T = TypeVar("T")


class Readable(Protocol):
    """A database that can be read."""

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which only reads."""


class DatabaseView:
    """Reads the database at `url`, also while the bot writes it. Use as `async with DatabaseView(url)`."""

    def __init__(self, url: str) -> None:
        self._url = sqlite.parse_url(url)

    async def __aenter__(self) -> Self:
        """Open the database.

        Raises:
            ConfigError: there is no database yet.
        """
        if self._url.get_backend_name() != "sqlite":
            self._engine = postgres.make_engine(self._url, postgres.Role.READING)
            return self
        path = sqlite.file_of(self._url)
        if path is None or not await asyncio.to_thread(path.exists):
            problem = "there is no database yet; start the bot once, or go to the folder in which it runs"
            raise ConfigError(str(path or self._url), "", problem, "none")
        self._engine = sqlite.make_engine(self._url, sqlite.Role.READING)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await asyncio.to_thread(self._engine.dispose)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which only reads, in a thread.

        Raises:
            ConfigError: the database cannot be read, such as one of an older Bubbles that lacks a table.
        """

        def transaction() -> T:
            with self._engine.begin() as connection:
                return work(connection)

        try:
            return await asyncio.to_thread(transaction)
        except sa.exc.DatabaseError as error:
            shown = self._url.render_as_string(hide_password=True)
            problem = f"cannot be read ({error.orig})"
            raise ConfigError(shown, "storage.url", problem, "unreadable", reason=error.orig) from error


async def has_tables(url: str) -> bool:
    """Return whether the database exists and has tables; True if it does not answer.

    Raises:
        ConfigError: `url` is not a database URL.
    """
    parsed = sqlite.parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        path = sqlite.file_of(parsed)
        return path is not None and await asyncio.to_thread(path.exists)
    try:
        async with DatabaseView(url) as view:
            return await view.read(lambda connection: sa.inspect(connection).has_table(MESSAGE.name))
    except ConfigError:
        return True  # opening it reports the reason
