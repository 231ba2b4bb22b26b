"""Limit the time of consecutive pieces of work with a single timer."""

import asyncio

from services.kernel.clock import Clock


class Deadline:
    """Cancels the current task's work when it takes longer than `seconds`.

    What `asyncio.timeout` is for one wait, at a fraction of its price for many short ones: the timer is set for the
    first piece of work and, when it rings, again for the one that is under way then.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._ends_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False

    def begin(self, now: float) -> None:
        """Start timing a piece of work at `now`, a time of the event loop."""
        self._ends_at = now + self._seconds
        if self._timer is None:
            self._timer = self._loop.call_at(self._ends_at, self._ring)

    def end(self) -> bool:
        """Stop timing the piece of work; return whether the limit, and nothing else, cancelled it."""
        self._ends_at = None
        if not self._is_over:
            return False
        self._is_over = False
        return self._task is not None and self._task.uncancel() == 0

    def close(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self._timer = None
        if self._ends_at is None:
            return
        if self._loop.time() < self._ends_at:
            self._timer = self._loop.call_at(self._ends_at, self._ring)
        elif self._task is not None:
            self._is_over = True
            self._task.cancel()


async def wait_or_nap(event: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Return when `event` is set or after `seconds`, whichever comes first."""
    if event.is_set() or seconds <= 0:
        await asyncio.sleep(0)
        return
    waits = (asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.nap(seconds)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
