"""Retry work while the database is unavailable, and log that once a minute."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

from loguru import logger

from services.kernel.clock import Clock
from services.kernel.errors import StorageBusy, StorageUnavailable
from services.kernel.network import growing_pauses

T = TypeVar("T")

_FIRST_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 5.0
_LOG_INTERVAL: Final = timedelta(minutes=1)

AWAY: Final = (StorageBusy, StorageUnavailable)
"""Errors after which the same work may succeed later."""


class StorageRetry:
    """Shared by everything that waits for one database, so that an outage is logged once and not once a message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged_at: datetime | None = None
        self._waiting = 0

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, repeated with growing pauses until the database answers or it is cancelled."""
        try:
            return await work()
        except AWAY as error:
            self._log(error)
        self._waiting += 1
        try:
            return await self._repeat(work)
        finally:
            self._waiting -= 1

    async def _repeat(self, work: Callable[[], Awaitable[T]]) -> T:
        pauses = growing_pauses(_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS)
        while True:
            await self._clock.nap(next(pauses))
            try:
                result = await work()
            except AWAY as error:
                self._log(error)
            else:
                self._log_return()
                return result

    def _log(self, error: Exception) -> None:
        now = self._clock.now()
        if self._logged_at is None or not timedelta() <= now - self._logged_at < _LOG_INTERVAL:
            self._logged_at = now
            logger.warning("database not available, {} messages wait for it: {}", self._waiting + 1, error)

    def _log_return(self) -> None:
        if self._logged_at is not None:
            self._logged_at = None
            logger.info("database available again")
