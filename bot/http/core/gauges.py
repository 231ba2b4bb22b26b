"""Measure the number of open sockets and their longest queue over the last day."""

from collections import deque
from datetime import datetime, timedelta
from typing import Final

from services.kernel.bounded import BoundedDict

_MOST_NOTES: Final = 5000
_MINUTE: Final = timedelta(minutes=1)
_MOST_MINUTES: Final = 24 * 60


class Gauges:
    """Remembers each change of the number of sockets, and the longest queue of each minute."""

    def __init__(self) -> None:
        self.sockets = 0
        self._changes: deque[tuple[datetime, int]] = deque(maxlen=_MOST_NOTES)
        self._queues: BoundedDict[datetime, int] = BoundedDict(_MOST_MINUTES)
        self._last: tuple[datetime, int] | None = None

    def opened(self, at: datetime) -> None:
        """Count a socket more."""
        self.sockets += 1
        self._changes.append((at, self.sockets))

    def closed(self, at: datetime) -> None:
        """Count a socket less."""
        self.sockets -= 1
        self._changes.append((at, self.sockets))

    def waited(self, at: datetime, frames: int) -> None:
        """Note how many frames wait for a socket."""
        self._last = (at, frames)
        minute = at.replace(second=0, microsecond=0)
        self._queues[minute] = max(frames, self._queues.get(minute, 0))

    def sockets_until(self, end: datetime) -> int:
        """Return how many sockets were open just before `end`."""
        return next((count for at, count in reversed(self._changes) if at < end), 0)

    def queue_between(self, start: datetime, end: datetime) -> int:
        """Return the longest queue of a socket in a period."""
        return max((frames for minute, frames in self._queues.items() if start <= minute < end), default=0)

    def queue_since(self, start: datetime) -> int:
        """Return how many frames last waited for a socket; 0 where none has since `start`."""
        return self._last[1] if self._last is not None and self._last[0] >= start else 0
