"""A timetable that keeps the event loop's time."""

import asyncio
from collections.abc import Callable
from datetime import timedelta


class LoopTimetable:
    """Calls back by the loop's clock alone: with looptime, a year of wake-ups takes no time."""

    def every(self, interval: timedelta, wake: Callable[[], None], *, name: str) -> Callable[[], None]:
        """Call `wake` every `interval` from now on; the result ends it."""
        del name
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def call() -> None:
            nonlocal timer
            timer = loop.call_later(interval.total_seconds(), call)
            wake()

        timer = loop.call_later(interval.total_seconds(), call)
        return lambda: timer.cancel()  # noqa: PLW0108 - `timer` is another one by then
