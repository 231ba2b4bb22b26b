"""Queue claimed occurrences until they are due, and take them in turn from each chat."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from heapq import heappop, heappush

from services.reminders.delivery.sender import LeaseGroup
from services.reminders.model import ReminderAction
from services.reminders.records import Lease

_MAX_MOVED = 1000  # bounds the time that one call blocks the event loop
_MAX_BATCH_LENGTH = 1500  # characters of content in one message


class DueQueue:
    """A heap by due time with a queue for each chat, so that a chat with hundreds of reminders does not delay others.

    At most `max_per_message` due occurrences of a chat are taken as one message. Occurrences that may have been sent
    before are taken in the same combination with the same message key. A lease that is pushed again replaces the
    earlier lease of the same delivery.
    """

    def __init__(self, max_per_message: int = 1) -> None:
        self._max_per_message = max_per_message
        # People choose round times, so there are few instants with many occurrences.
        self._instants: list[datetime] = []
        self._waiting: dict[datetime, deque[LeaseGroup]] = {}
        self._chats: dict[str, deque[LeaseGroup]] = {}
        self._held: dict[int, Lease] = {}

    def __len__(self) -> int:
        return len(self._held)

    @property
    def next_at(self) -> datetime | None:
        """Return the due time of the next waiting occurrence; None without any."""
        return self._instants[0] if self._instants else None

    def push(self, leases: Iterable[Lease]) -> None:
        """Add occurrences, due or not."""
        sent_before: dict[str, list[Lease]] = {}
        for lease in leases:
            self._held[lease.notice.delivery_id] = lease
            if self._max_per_message > 1 and lease.message_key and lease.notice.may_be_repeat:
                sent_before.setdefault(lease.message_key, []).append(lease)
            else:
                self._schedule(lease.try_at, (lease,))
        for again in sent_before.values():
            self._schedule(max(lease.try_at for lease in again), tuple(again))

    def clear(self) -> None:
        """Remove all occurrences."""
        self._instants.clear()
        self._waiting.clear()
        self._chats.clear()
        self._held.clear()

    def drop(self, delivery_ids: Iterable[int]) -> None:
        """Remove deliveries that are being sent."""
        for delivery_id in delivery_ids:
            self._held.pop(delivery_id, None)

    def take(self, now: datetime, limit: int) -> list[LeaseGroup]:
        """Take at most `limit` messages that are due at `now`, in turn over the chats, oldest first in each."""
        self._queue_due(now)
        taken: list[LeaseGroup] = []
        while self._chats and len(taken) < limit:
            chat, line = next(iter(self._chats.items()))
            message = self._remove_current(self._next_message(line))
            if message:
                taken.append(message)
            del self._chats[chat]
            if line:
                self._chats[chat] = line
        return taken

    def _remove_current(self, message: LeaseGroup) -> LeaseGroup:
        """Remove a message from the queue; return its leases that were not replaced by newer ones."""
        held = self._held
        newest = tuple([lease for lease in message if held.get(lease.notice.delivery_id) is lease])
        for lease in newest:
            del held[lease.notice.delivery_id]
        return newest

    def _schedule(self, until: datetime, message: LeaseGroup) -> None:
        at_once = self._waiting.get(until)
        if at_once is None:
            heappush(self._instants, until)
            self._waiting[until] = deque((message,))
        else:
            at_once.append(message)

    def _queue_due(self, now: datetime) -> None:
        room = _MAX_MOVED
        while room and self._instants and self._instants[0] <= now:
            due = self._waiting[self._instants[0]]
            moved = min(room, len(due))
            for _ in range(moved):
                message = due.popleft()
                self._chats.setdefault(message[0].notice.address.key, deque()).append(message)
            room -= moved
            if not due:
                del self._waiting[heappop(self._instants)]

    def _next_message(self, line: deque[LeaseGroup]) -> LeaseGroup:
        first = line.popleft()
        if self._max_per_message == 1 or not line or first[0].notice.may_be_repeat:
            return first
        together, length = [first[0]], len(first[0].notice.content)
        while line and len(together) < self._max_per_message and _fits(together[0], line[0][0]):
            length += len(line[0][0].notice.content)
            if length > _MAX_BATCH_LENGTH:
                break
            together.append(line.popleft()[0])
        return tuple(together)


def _fits(first: Lease, other: Lease) -> bool:
    """Return whether two leases may share a message: the same address, and `other` was certainly not sent before.

    A summary is sent alone, because a model may take a minute to write it.
    """
    if any(lease.notice.action is not ReminderAction.SAY for lease in (first, other)):
        return False
    return first.notice.address == other.notice.address and not other.notice.may_be_repeat
