"""Counts the messages that were said and that nothing but this process knows of: a crash would have them said again."""

import asyncio

from services.reminders.ports import DeliveryLedger
from services.reminders.records import DeliveryState, Lease, Mark


class Unrecorded:
    """Has what was said written down, several messages at a time where many are said in one turn of the event loop.

    `len` is how many messages are neither noted nor committed; of what was not taken, or may not have been, only a
    commit is a record.
    """

    def __init__(self, ledger: DeliveryLedger) -> None:
        self._ledger = ledger
        self._said: list[tuple[Lease, Mark]] = []
        self._unnoted = 0
        self.uncommitted = 0
        """Of these, the messages that only a commit can record."""

    def __len__(self) -> int:
        return self._unnoted + self.uncommitted

    def add(self, marks: list[tuple[Lease, Mark]]) -> None:
        """A message has come to this end."""
        if any(mark.state is not DeliveryState.SENT for _, mark in marks):
            self.uncommitted += 1
            return
        if not self._unnoted:
            asyncio.get_running_loop().call_soon(self.note)
        self._said += marks
        self._unnoted += 1

    def note(self) -> None:
        """Write down what was said until now."""
        if not self._unnoted:
            return
        if not self._ledger.note_sent(self._said):
            self.uncommitted += self._unnoted
        self._said = []
        self._unnoted = 0
