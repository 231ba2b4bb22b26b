"""Clocks, a timetable and an executor for tests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class LoopTimetable:
    """Schedules wake-ups by the event loop's clock; with looptime, a year of them takes no time."""

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval`; return a function that stops it."""
        del name
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def call() -> None:
            nonlocal timer
            timer = loop.call_later(interval.total_seconds(), call)
            wake()

        timer = loop.call_later(interval.total_seconds(), call)
        return lambda: timer.cancel()  # noqa: PLW0108 - `timer` changes


class InlineExecutor(Executor):
    """Runs submitted work at once in the calling thread; with looptime, a thread would seem to take hours."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - an executor hands every error to whoever waits for the result
            future.set_exception(error)
        return future


class LoopClock:
    """A wall clock that follows the event loop's time; with looptime, waiting takes no time.

    `start` is the result of its first reading.
    """

    def __init__(self, start: datetime | None = None) -> None:
        # In UTC: additions to a local time would ignore DST changes.
        self._start = (start or datetime(2026, 11, 20, 9, 0, tzinfo=UTC)).astimezone(UTC)
        self._loop_start: float | None = None
        self._shift = timedelta()

    def now(self) -> datetime:
        """Return `start` plus the loop time since and all shifts, in UTC."""
        passed = asyncio.get_running_loop().time()
        if self._loop_start is None:
            self._loop_start = passed
        return self._start + timedelta(seconds=passed - self._loop_start) + self._shift

    async def nap(self, seconds: float) -> None:
        """Wait in loop time."""
        await asyncio.sleep(max(0.0, seconds))

    def shift(self, by: timedelta) -> None:
        """Step the wall clock, as a time server does, without changing the loop's time."""
        self._shift += by


class FixedClock:
    """A clock that only `set` and naps move; naps return at once."""

    def __init__(self, now: datetime) -> None:
        self._now = now.astimezone(UTC)

    def now(self) -> datetime:
        """Return the instant that was set last, in UTC."""
        return self._now

    def set(self, now: datetime) -> None:
        """Move the clock to `now`."""
        self._now = now.astimezone(UTC)

    async def nap(self, seconds: float) -> None:
        """Move the clock on by `seconds` and let others run."""
        self._now += timedelta(seconds=max(0.0, seconds))
        await asyncio.sleep(0)


class StandingClock(FixedClock):
    """A clock that only `set` moves; naps wait in loop time."""

    async def nap(self, seconds: float) -> None:
        """Wait in loop time."""
        await asyncio.sleep(max(0.0, seconds))
