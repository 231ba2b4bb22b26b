"""Track sent messages that are not recorded yet and would be sent again after a crash."""

import asyncio
from collections.abc import Iterable

from services.reminders.ports import DeliveryLedger
from services.reminders.records import DeliveryOutcome, DeliveryState, Lease


class PendingAcks:
    """Records sent messages, in batches where many are sent in one turn of the event loop.

    `len` is how many messages are neither journaled, appended nor committed.
    """

    def __init__(self, ledger: DeliveryLedger) -> None:
        self._ledger = ledger
        self._open: set[int] = set()  # the first delivery of each message
        self._sent: list[tuple[Lease, DeliveryOutcome]] = []
        self._unjournaled: list[DeliveryOutcome] = []
        self._appending = asyncio.Lock()
        self.is_commit_wanted = False
        """True if some of them need a commit to be recorded."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, marks: list[tuple[Lease, DeliveryOutcome]]) -> None:
        """Add the outcomes of one message."""
        self._open.add(marks[0][1].delivery_id)
        for _, mark in marks:
            if mark.state is not DeliveryState.SENT:
                self.is_commit_wanted = True
                return
        if not self._sent:
            asyncio.get_running_loop().call_soon(self.journal)
        self._sent += marks

    def journal(self) -> None:
        """Journal what was sent until now, where that takes no wait."""
        if not self._sent:
            return
        sent, self._sent = self._sent, []
        marks = [mark for _, mark in sent]
        if self._ledger.journal_sent(sent):
            self.discard(marks)
        else:
            self._unjournaled += marks

    async def append(self) -> bool:
        """Append what could not be journaled; return whether it was. Otherwise only a commit records it."""
        async with self._appending:
            marks, self._unjournaled = self._unjournaled, []
            is_appended = bool(marks) and await self._ledger.append_sent(marks)
            if is_appended:
                self.discard(marks)
            elif marks:
                self.is_commit_wanted = True
            return is_appended

    async def leave_to_commit(self) -> None:
        """Stop appending what was sent until now, which is going to be committed."""
        self.journal()
        async with self._appending:
            self._unjournaled.clear()
            self.is_commit_wanted = False

    def discard(self, marks: Iterable[DeliveryOutcome]) -> None:
        """Remove outcomes that survive a crash of this process."""
        self._open.difference_update(mark.delivery_id for mark in marks)
