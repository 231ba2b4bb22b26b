"""Limit the rate of sent lines, and let urgent ones go first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count

from services.kernel.clock import Clock

Ticket = tuple[bool, int]
"""False for an urgent holder, and the number of its arrival: the least goes first."""


class SendPace:
    """Allows `burst` sendings at once and then one per `interval`, in order of arrival."""

    def __init__(self, clock: Clock, *, burst: int, interval: timedelta) -> None:
        self._clock = clock
        self._burst = burst
        self._interval = interval
        self._free_at = clock.now()
        self._turn = asyncio.Lock()

    async def wait(self) -> None:
        """Return when the next sending is allowed."""
        async with self._turn:
            # A clock that is set back must not hold up the lines for as long.
            self._free_at = min(self._free_at, self._clock.now() + self._interval * self._burst)
            earliest = self._free_at - self._interval * (self._burst - 1)
            pause = (earliest - self._clock.now()).total_seconds()
            if pause > 0:
                await self._clock.nap(pause)
            self._free_at = max(self._free_at, self._clock.now()) + self._interval


class PriorityLock:
    """A fair lock that prefers urgent holders."""

    def __init__(self) -> None:
        self._tickets = count()
        self._holder: Ticket | None = None
        self._waiting: list[Ticket] = []
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def hold(self, *, is_urgent: bool) -> AsyncIterator[None]:
        """Hold the lock for as long as the context lasts."""
        ticket = (not is_urgent, next(self._tickets))
        await self._acquire(ticket)
        try:
            yield
        finally:
            self._release(ticket)

    async def yield_to_urgent(self) -> None:
        """Let waiting urgent holders go first; the caller holds the lock before and after."""
        ticket = self._holder
        if ticket is not None and min(self._waiting, default=ticket) < ticket:
            self._release(ticket)
            await self._acquire(ticket)

    async def _acquire(self, ticket: Ticket) -> None:
        self._waiting.append(ticket)
        try:
            while self._holder is not None or min(self._waiting) != ticket:
                self._changed.clear()
                await self._changed.wait()
            self._holder = ticket
        finally:
            self._waiting.remove(ticket)
            self._changed.set()

    def _release(self, ticket: Ticket) -> None:
        if self._holder == ticket:  # not where waiting for urgent holders was cancelled
            self._holder = None
            self._changed.set()
