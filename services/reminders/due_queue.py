"""Claimed occurrences waiting for their instant, handed out chat by chat in turn."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from heapq import heappop, heappush
from itertools import count

from services.reminders.records import Lease

_MOVED_AT_ONCE = 2000  # bounds how long one look may keep the event loop


class DueQueue:
    """A heap by time, then one line for each chat: a chat with five hundred due does not make the others wait."""

    def __init__(self) -> None:
        self._waiting: list[tuple[datetime, int, Lease]] = []
        self._lines: dict[str, deque[Lease]] = {}
        self._order = count()
        self._ready = 0

    def __len__(self) -> int:
        return len(self._waiting) + self._ready

    @property
    def next_at(self) -> datetime | None:
        """When the next occurrence wants to be said; None when nothing waits for its time."""
        return self._waiting[0][0] if self._waiting else None

    def push(self, leases: Iterable[Lease]) -> None:
        """Add occurrences, due or not."""
        for lease in leases:
            heappush(self._waiting, (lease.try_at, next(self._order), lease))

    def clear(self) -> None:
        """Forget everything that waits."""
        self._waiting.clear()
        self._lines.clear()
        self._ready = 0

    def take(self, now: datetime, limit: int) -> list[Lease]:
        """Hand out at most `limit` of what is due at `now`, in turn over the chats, oldest first in each."""
        self._line_up(now)
        taken: list[Lease] = []
        while self._lines and len(taken) < limit:
            chat, line = next(iter(self._lines.items()))
            taken.append(line.popleft())
            del self._lines[chat]
            if line:
                self._lines[chat] = line
        self._ready -= len(taken)
        return taken

    def _line_up(self, now: datetime) -> None:
        for _ in range(_MOVED_AT_ONCE):
            if not self._waiting or self._waiting[0][0] > now:
                return
            lease = heappop(self._waiting)[2]
            self._lines.setdefault(lease.notice.address.key, deque()).append(lease)
            self._ready += 1
