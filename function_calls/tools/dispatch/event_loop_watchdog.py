"""Detect a tool that blocks the event loop, which its timeout cannot end."""

import asyncio
import time
from types import TracebackType
from typing import Final, Self

_EVERY: Final = 0.25  # seconds


class EventLoopWatchdog:
    """A periodic task while the context lasts. `longest_pause` is the longest block of the event loop, in seconds."""

    def __init__(self) -> None:
        self.longest_pause = 0.0
        self._last = 0.0
        self._next: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._beat()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._note()
        if self._next is not None:
            self._next.cancel()

    def _beat(self) -> None:
        self._note()
        self._next = asyncio.get_running_loop().call_later(_EVERY, self._beat)

    def _note(self) -> None:
        now = time.monotonic()
        self.longest_pause = max(self.longest_pause, now - self._last - _EVERY)
        self._last = now
