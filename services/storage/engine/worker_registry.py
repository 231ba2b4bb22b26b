"""Track the living processes that share a PostgreSQL, so that leases of dead ones are freed.

A process holds a session advisory lock for each lease owner, which the server releases when the process dies, and
writes the time every few seconds, which a frozen host does not. Times are those of the server, because the clocks of
several hosts differ.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Self

import sqlalchemy as sa
from loguru import logger

from services.kernel.bounded import RepeatLimit
from services.storage.engine import postgres
from services.storage.engine.postgres import DatabaseTimeouts

_RECONNECT_SECONDS = 0.5

IS_GONE = (
    "owner <> ALL(:alive) AND pg_postmaster_start_time() < clock_timestamp() - :settling "
    "AND (greatest(seen_at, pg_postmaster_start_time()) < clock_timestamp() - :frozen_after "
    "OR pg_try_advisory_xact_lock_shared(hashtextextended(owner, 0)))"
)
"""The condition on rows of `worker` whose process is dead or frozen; `WorkerRegistry.parameters` are its values."""

_LOCK = sa.text("SELECT pg_advisory_lock(hashtextextended(:owner, 0))")
_BEAT = sa.text(
    "INSERT INTO worker (owner, seen_at) VALUES (:owner, clock_timestamp()) "
    "ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at"
)
_HELD = sa.text("SELECT owner FROM worker WHERE owner = :owner FOR KEY SHARE")
_GONE = sa.text(f"SELECT owner FROM worker WHERE {IS_GONE} FOR UPDATE SKIP LOCKED")  # noqa: S608 - a constant


class WorkerRegistry:
    """Registers the lease owners of this process as alive, and finds dead owners of other processes.

    Use as `async with WorkerRegistry(url, make_thread, timeouts)`; its thread waits for the server.
    """

    def __init__(self, url: sa.URL, make_thread: Callable[[str], Executor], timeouts: DatabaseTimeouts) -> None:
        self._url = url
        self._timeouts = timeouts
        self._make_thread = make_thread
        self._owners: list[str] = []
        self._session: sa.Connection | None = None

    async def __aenter__(self) -> Self:
        """Begin the heartbeat of this process."""
        self._thread = self._make_thread("bubbles-database-workers")
        self._engine = postgres.make_engine(self._url, postgres.Role.QUICK).execution_options(
            isolation_level="AUTOCOMMIT"
        )
        self._beating = asyncio.create_task(self._beat_for_ever(), name="heartbeat of this worker")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Unregister this process; other processes take over the remaining leases."""
        self._beating.cancel()
        await asyncio.wait([self._beating])
        await self._in_thread(self._disconnect)
        self._thread.shutdown(wait=False)

    @property
    def parameters(self) -> dict[str, object]:
        """The values of `IS_GONE`."""
        timeouts = self._timeouts
        return {"alive": self._owners, "settling": timeouts.settling, "frozen_after": timeouts.frozen_after}

    async def hold(self, owner: str) -> None:
        """Register `owner` as alive, before anything is leased to it."""
        if owner not in self._owners:
            await self._in_thread(lambda: self._announce(owner))

    def confirm(self, connection: sa.Connection, owner: str) -> None:
        """Prevent other processes from freeing the leases of `owner` until the end of the transaction."""
        if connection.scalar(_HELD, {"owner": owner}) is None:
            connection.execute(_BEAT, {"owner": owner})

    def dead_owners(self, connection: sa.Connection) -> Sequence[str]:
        """Return dead or frozen owners, locked for this transaction."""
        return connection.scalars(_GONE, self.parameters).all()

    async def _beat_for_ever(self) -> None:
        logged_errors = RepeatLimit.of_one_loop()
        while True:
            try:
                await self._in_thread(self._announce)
            except sa.exc.DBAPIError as error:
                if logged_errors.admits(error):
                    logger.warning("could not send the heartbeat of this worker to the database: {}", error.orig)
                await asyncio.sleep(_RECONNECT_SECONDS)
            else:
                await asyncio.sleep(self._timeouts.beat.total_seconds())

    def _announce(self, new: str | None = None) -> None:
        owners = [*self._owners, new] if new else self._owners
        session = self._session
        try:
            if session is None or session.invalidated:
                session = self._session = self._connect(self._owners)
            if new:
                session.execute(_LOCK, {"owner": new})
            for owner in owners:
                session.execute(_BEAT, {"owner": owner})
        except sa.exc.DBAPIError:
            self._disconnect()
            raise
        self._owners = owners

    def _connect(self, owners: Sequence[str]) -> sa.Connection:
        session = self._engine.connect()
        for owner in owners:
            session.execute(_LOCK, {"owner": owner})
        return session

    def _disconnect(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()
        self._engine.dispose()

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, work)
