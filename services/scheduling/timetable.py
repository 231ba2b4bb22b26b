"""A timetable of wake-ups over APScheduler: jobs call something like `event.set` and nothing else.

What is due is in the database; losing a wake-up costs a second, never a reminder.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, timedelta
from typing import Protocol, Self


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
    """A `Timetable` on APScheduler 3, jobs in memory only. Use as `async with ApschedulerTimetable()`."""

    def __init__(self) -> None:
        self._scheduler: _Scheduler | None = None

    async def __aenter__(self) -> Self:
        """Start the timer in the running event loop."""
        from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]  # ships no types
        from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]  # ships no types

        # Without misfire_grace_time=None a wake-up that comes a second late would be dropped silently.
        defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        stores = {"default": MemoryJobStore()}
        scheduler: _Scheduler = AsyncIOScheduler(jobstores=stores, job_defaults=defaults, timezone=UTC)
        scheduler.start()
        self._scheduler = scheduler
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the timer."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval` from now on; the result ends it."""
        if self._scheduler is None:
            raise RuntimeError("the timetable is not entered")

        async def call() -> None:  # a plain function would run in a thread, where event.set is not safe
            wake()

        job = self._scheduler.add_job(call, "interval", seconds=interval.total_seconds(), name=name)
        return job.remove
