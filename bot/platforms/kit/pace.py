"""Limit the rate of sent lines, and let urgent ones go first."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from services.kernel.clock import Clock


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
            earliest = self._free_at - self._interval * (self._burst - 1)
            pause = (earliest - self._clock.now()).total_seconds()
            if pause > 0:
                await self._clock.nap(pause)
            self._free_at = max(self._free_at, self._clock.now()) + self._interval


class PriorityLock:
    """A fair lock that prefers urgent holders."""

    def __init__(self) -> None:
        self._is_held = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def hold(self, *, is_urgent: bool) -> AsyncIterator[None]:
        """Hold the lock for as long as the context lasts."""
        await self._acquire(self._urgent if is_urgent else self._others)
        try:
            yield
        finally:
            self._release()

    async def yield_to_urgent(self) -> None:
        """Let a waiting urgent holder go first; the caller holds the lock before and after."""
        if self._urgent:
            first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._others.appendleft(first)
            self._release()
            await self._wait(first, self._others)

    async def _acquire(self, queue: deque[asyncio.Future[None]]) -> None:
        if not self._is_held:
            self._is_held = True
            return
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(waiting)
        await self._wait(waiting, queue)

    async def _wait(self, waiting: asyncio.Future[None], queue: deque[asyncio.Future[None]]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            if waiting in queue:
                queue.remove(waiting)
            elif not waiting.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        for queue in (self._urgent, self._others):
            while queue:
                following = queue.popleft()
                if not following.done():
                    following.set_result(None)
                    return
        self._is_held = False
