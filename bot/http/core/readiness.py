"""Check readiness: the database accepts writes, the disk has space and no damage is known."""

import asyncio
from datetime import timedelta
from typing import Final, Literal

from loguru import logger

from services.kernel.clock import Clock
from services.kernel.errors import StorageBusy, StorageFull
from services.storage.database import Database
from services.storage.people.state import SqlStateStore

_PATIENCE: Final = 2.0  # seconds
_FRESH: Final = 5.0  # seconds for which an answer is given again, so that probes cost no write each
_KEY: Final = "health.ready"
_KEEP: Final = timedelta(days=1)

Reason = Literal["disk_full", "damaged", "locked", "unavailable"]
"""Why the bot is not ready."""


class Readiness:
    """Tries the database, at most once in five seconds."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._state = SqlStateStore(database, clock)
        self._lock = asyncio.Lock()
        self._asked_at = float("-inf")
        self._reason: Reason | None = None

    async def reason(self) -> Reason | None:
        """Return the reason why the bot cannot work, None where it can."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            if loop.time() >= self._asked_at + _FRESH:
                before, self._reason = self._reason, await self._try()
                self._asked_at = loop.time()
                if self._reason != before:
                    logger.warning("readiness: {}", self._reason or "the database is writable again")
            return self._reason

    async def _try(self) -> Reason | None:
        if self._is_damaged():
            return "damaged"
        if self._database.is_disk_full:
            return "disk_full"
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._state.set(_KEY, self._clock.now().isoformat(), keep=_KEEP, is_promised=True)
                await self._state.get(_KEY)
        except StorageFull:
            return "disk_full"
        except StorageBusy:
            return "locked"
        except Exception:  # noqa: BLE001 - whatever a driver raises, the database cannot be used
            return "damaged" if self._is_damaged() else "unavailable"
        return None

    def _is_damaged(self) -> bool:
        return self._database.damage is not None
