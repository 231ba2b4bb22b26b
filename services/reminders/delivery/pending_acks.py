"""Track sent messages that are not recorded yet and would be sent again after a crash."""

import asyncio
from collections.abc import Iterable

from services.reminders.ports import DeliveryLedger
from services.reminders.records import DeliveryOutcome, DeliveryState, Lease


class PendingAcks:
    """Records sent messages, in batches where many are sent in one turn of the event loop.

    `len` is how many messages are neither noted, kept nor committed.
    """

    def __init__(self, ledger: DeliveryLedger) -> None:
        self._ledger = ledger
        self._open: set[int] = set()  # a message goes by its first delivery
        self._said: list[tuple[Lease, DeliveryOutcome]] = []
        self._unnoted: list[DeliveryOutcome] = []
        self._keeping = asyncio.Lock()
        self.is_commit_wanted = False
        """Whether only a commit can record some of them."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, marks: list[tuple[Lease, DeliveryOutcome]]) -> None:
        """Add the outcomes of one message."""
        self._open.add(marks[0][1].delivery_id)
        for _, mark in marks:
            if mark.state is not DeliveryState.SENT:
                self.is_commit_wanted = True
                return
        if not self._said:
            asyncio.get_running_loop().call_soon(self.note)
        self._said += marks

    def note(self) -> None:
        """Write down what was said until now, where that takes no wait."""
        if not self._said:
            return
        said, self._said = self._said, []
        marks = [mark for _, mark in said]
        if self._ledger.note_sent(said):
            self.recorded(marks)
        else:
            self._unnoted += marks

    async def keep(self) -> bool:
        """Have kept what could not be noted; return whether it was. Of what was not, only a commit is a record."""
        async with self._keeping:
            marks, self._unnoted = self._unnoted, []
            is_kept = bool(marks) and await self._ledger.keep_sent(marks)
            if is_kept:
                self.recorded(marks)
            elif marks:
                self.is_commit_wanted = True
            return is_kept

    async def leave_to_commit(self) -> None:
        """Keep no more what was said until now, which is going to be committed."""
        self.note()
        async with self._keeping:
            self._unnoted.clear()
            self.is_commit_wanted = False

    def recorded(self, marks: Iterable[DeliveryOutcome]) -> None:
        """Remove outcomes that survive a crash of this process."""
        self._open.difference_update(mark.delivery_id for mark in marks)
