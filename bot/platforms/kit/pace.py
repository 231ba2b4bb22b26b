"""Limit the rate of sent lines: a burst, then one per interval."""

import asyncio
from datetime import timedelta

from services.kernel.clock import Clock


class SendPace:
    """Lets `burst` sendings pass at once and then one in `interval`, in the order in which they asked."""

    def __init__(self, clock: Clock, *, burst: int, interval: timedelta) -> None:
        self._clock = clock
        self._burst = burst
        self._interval = interval
        self._free_at = clock.now()
        self._turn = asyncio.Lock()

    async def wait(self) -> None:
        """Return when the next sending is allowed."""
        async with self._turn:
            earliest = self._free_at - self._interval * (self._burst - 1)
            pause = (earliest - self._clock.now()).total_seconds()
            if pause > 0:
                await self._clock.nap(pause)
            self._free_at = max(self._free_at, self._clock.now()) + self._interval
