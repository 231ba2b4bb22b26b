"""Schedule wake-ups with APScheduler; jobs only call functions such as `event.set`.

The database has the due times, so a lost wake-up delays a reminder by a second and never loses it.
"""

import asyncio
import importlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, Self

from services.kernel.clock import Clock, SystemClock

_BEGIN_AFTER: Final = timedelta(seconds=1)
_CLOCK_LOOK_SECONDS: Final = 1.0
_CLOCK_STEP: Final = timedelta(minutes=1)


class Timetable(Protocol):
    """Calls functions at intervals, in the event loop."""

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval` from now on; return a function that stops it."""


class ApschedulerTimetable:
    """A `Timetable` on APScheduler 3, jobs in memory only. Use as `async with ApschedulerTimetable()`.

    Importing APScheduler takes a tenth of the start, so it is imported `begin_after` later, in a thread, and the
    intervals begin then.

    APScheduler uses wall-clock time. After the clock was set forward there is one wake-up for all skipped intervals;
    after it was set back the next one is an interval later by the new clock.
    """

    def __init__(self, clock: Clock | None = None, *, begin_after: timedelta = _BEGIN_AFTER) -> None:
        self._clock = clock or SystemClock()
        self._begin_after = begin_after
        self._beginning: asyncio.Task[None] | None = None
        self._scheduler: Any = None  # APScheduler ships no types
        self._wakes: list[_RepeatedCall] = []

    async def __aenter__(self) -> Self:
        """Start the timer, with a delay, in the running event loop."""
        self._beginning = asyncio.create_task(self._begin(), name="timetable")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the timer."""
        if self._beginning is not None:
            self._beginning.cancel()
            await asyncio.wait([self._beginning])
            self._beginning = None
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval` from now on; return a function that stops it."""
        if self._beginning is None:
            raise RuntimeError("the timetable is not entered")
        wanted = _RepeatedCall(interval, wake, name)
        self._wakes.append(wanted)
        if self._scheduler is not None:
            wanted.begin(self._scheduler, self._clock.now())

        def end() -> None:
            wanted.end()
            if wanted in self._wakes:
                self._wakes.remove(wanted)

        return end

    async def _begin(self) -> None:
        await asyncio.sleep(self._begin_after.total_seconds())
        # The import reads the entry points of every installed package, three times.
        await asyncio.to_thread(importlib.import_module, "apscheduler.schedulers.asyncio")
        self._scheduler = _scheduler()
        self._scheduler.start()
        for call in self._wakes:
            call.begin(self._scheduler, self._clock.now())
        await self._follow_clock()

    async def _follow_clock(self) -> None:
        """Reschedule the wake-ups after the clock was set back, because APScheduler would wait for their old times."""
        loop = asyncio.get_running_loop()
        last, last_count = self._clock.now(), loop.time()
        while True:
            await asyncio.sleep(_CLOCK_LOOK_SECONDS)
            now, count = self._clock.now(), loop.time()
            if now - last < timedelta(seconds=count - last_count) - _CLOCK_STEP:
                for call in self._wakes:
                    call.arm(now)
            last, last_count = now, count


class _RepeatedCall:
    """A call at intervals, once there is a scheduler."""

    def __init__(self, interval: timedelta, wake: Callable[[], None], name: str) -> None:
        self._interval = interval
        self._wake = wake
        self._name = name
        self._job: Any = None

    def begin(self, scheduler: Any, now: datetime) -> None:
        self._job = scheduler.add_job(self._call, _interval_trigger(self._interval, now), name=self._name)

    def arm(self, now: datetime) -> None:
        """Set the next call to an interval after `now`."""
        if self._job is not None:
            self._job.modify(next_run_time=now + self._interval)

    def end(self) -> None:
        if self._job is not None:
            self._job.remove()
            self._job = None

    async def _call(self) -> None:  # APScheduler runs a plain function in a thread, where event.set is not safe
        self._wake()


def _interval_trigger(interval: timedelta, begin: datetime) -> object:
    """Return a trigger that fires every `interval` after `begin`, and once for all skipped intervals.

    APScheduler's own trigger computes every interval between the last fire and now, one by one, and drops all but the
    last.
    """
    from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped]  # ships no types

    class Interval(BaseTrigger):  # type: ignore[misc]  # ships no types
        def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
            following = (previous_fire_time or begin) + interval
            return following if following > now else now + interval

    return Interval()


def _scheduler() -> Any:
    from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]  # ships no types
    from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]  # ships no types

    # Without misfire_grace_time=None a wake-up that is a second late would be dropped silently.
    defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    stores = {"default": MemoryJobStore()}
    return AsyncIOScheduler(jobstores=stores, job_defaults=defaults, timezone=UTC)
