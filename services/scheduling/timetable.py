"""A timetable of wake-ups over APScheduler: jobs call something like `event.set` and nothing else.

What is due is in the database; losing a wake-up costs a second, never a reminder.
"""

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from datetime import UTC, timedelta
from typing import Final, Protocol, Self

_BEGIN_AFTER: Final = timedelta(seconds=1)


class Timetable(Protocol):
    """Calls back at intervals, in the event loop."""

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval` from now on; the result ends it."""
        ...


class _Job(Protocol):
    def remove(self) -> None: ...


class _Scheduler(Protocol):
    """What is used of APScheduler 3, which ships no types."""

    def start(self) -> None: ...
    def shutdown(self, *, wait: bool) -> None: ...
    def add_job(self, call: Callable[[], Awaitable[None]], trigger: str, *, seconds: float, name: str) -> _Job: ...


class ApschedulerTimetable:
    """A `Timetable` on APScheduler 3, jobs in memory only. Use as `async with ApschedulerTimetable()`.

    APScheduler takes a tenth of the start to import, when nobody waits for a wake-up yet: it is imported `begin_after`
    later, in a thread, and the intervals begin then.
    """

    def __init__(self, *, begin_after: timedelta = _BEGIN_AFTER) -> None:
        self._begin_after = begin_after
        self._beginning: asyncio.Task[None] | None = None
        self._scheduler: _Scheduler | None = None
        self._waiting: list[_Wake] = []

    async def __aenter__(self) -> Self:
        """Let the timer start soon in the running event loop."""
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
        """Call `wake` every `interval` from now on; the result ends it."""
        if self._beginning is None:
            raise RuntimeError("the timetable is not entered")
        wanted = _Wake(interval, wake, name)
        if self._scheduler is None:
            self._waiting.append(wanted)
        else:
            wanted.begin(self._scheduler)
        return wanted.end

    async def _begin(self) -> None:
        await asyncio.sleep(self._begin_after.total_seconds())
        # The import reads the entry points of every installed package, three times.
        await asyncio.to_thread(importlib.import_module, "apscheduler.schedulers.asyncio")
        self._scheduler = _scheduler()
        self._scheduler.start()
        for each in self._waiting:
            each.begin(self._scheduler)
        self._waiting.clear()


class _Wake:
    """Something that is called at intervals, from when there is a scheduler."""

    def __init__(self, interval: timedelta, wake: Callable[[], None], name: str) -> None:
        self._interval = interval
        self._wake = wake
        self._name = name
        self._job: _Job | None = None
        self._is_ended = False

    def begin(self, scheduler: _Scheduler) -> None:
        if not self._is_ended:
            self._job = scheduler.add_job(
                self._call, "interval", seconds=self._interval.total_seconds(), name=self._name
            )

    def end(self) -> None:
        self._is_ended = True
        if self._job is not None:
            self._job.remove()
            self._job = None

    async def _call(self) -> None:  # a plain function would run in a thread, where event.set is not safe
        self._wake()


def _scheduler() -> _Scheduler:
    from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]  # ships no types
    from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]  # ships no types

    # Without misfire_grace_time=None a wake-up that comes a second late would be dropped silently.
    defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    stores = {"default": MemoryJobStore()}
    scheduler: _Scheduler = AsyncIOScheduler(jobstores=stores, job_defaults=defaults, timezone=UTC)
    return scheduler
